"""Reading a content folder as a whole: everything in it, and every fault of every file."""

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TypeVar

from citepress.base.gc_pause import paused_gc
from citepress.base.text import did_you_mean, sentence_list
from citepress.base.timestamps import day
from citepress.content import (
    attachments,
    datasets,
    note,
    owner_file,
    pages,
    plain_folder,
    schedule,
    settings_file,
    source_record,
    sources_file,
    unpublished,
)
from citepress.content.cache import ReadCache
from citepress.content.datasets import DatasetFile
from citepress.content.files import MADE, ContentFile, Survey, fingerprint, one_file, other_tops, scan, shown, survey, top_files
from citepress.content.images import Size
from citepress.content.owner_file import OwnerInput
from citepress.content.pages import PageFile, Redirect, Registered, StaticFile
from citepress.content.settings_file import SiteFile, read_site
from citepress.content.source_record import ParsedFile, SourceRecord, Tombstone
from citepress.content.sources_file import SharedSources
from citepress.contract.fault import BAD_NAME, STRAY, TOO_LARGE, UNKNOWN_FOLDER, UNREADABLE, Fault, FaultCode, Span
from citepress.contract.kind import Kind, Registry
from citepress.contract.site import Site

__all__ = ["Folder", "ReadCache", "Survey", "fingerprint", "is_plain", "read", "survey"]
TOPS = ("content", "datasets", "static", "templates")
STATIC_TOTAL = 268_435_456
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Folder:
    """Everything that a content folder holds, each part checked by itself."""

    root: Path
    site: Site
    plain: bool
    """Whether it is a plain folder of Markdown, without folders of kinds."""
    drafts: tuple[SourceRecord, ...]
    """The records to be published, sorted by file."""
    held: tuple[SourceRecord, ...]
    """Records that are not shown as they are written: they, or some of their changes, lie ahead, or they have expired."""
    hidden: Mapping[str, str]
    """Records that are not shown by their ids, and why: ``a draft``, ``scheduled for 2027-01-01``."""
    taken: tuple[Tombstone, ...]
    """Records that were withdrawn or have expired."""
    shared: SharedSources
    owner: OwnerInput | None
    """``None`` where no ``owner.md`` names one: the publication is its own."""
    owner_text: str
    datasets: tuple[DatasetFile, ...]
    registered: tuple[Registered, ...]
    pages: tuple[PageFile, ...]
    redirects: tuple[Redirect, ...]
    static: Mapping[str, bytes]
    """Files passed through, by public path."""
    images: Mapping[str, Size]
    """Images among them whose size is known, by public path."""
    templates: Mapping[str, str]
    faults: tuple[Fault, ...]
    moment: datetime
    """The present as far as this reading is concerned."""
    next_moment: datetime | None
    """When something that is dated ahead appears, or a record expires, next, if ever."""


def read(
    root: Path,
    kinds: Sequence[Kind],
    registries: Sequence[Registry],
    *,
    moment: datetime,
    drafts: bool = False,
    base_url: str | None = None,
    cache: ReadCache | None = None,
    surveyed: Survey | None = None,
) -> Folder:
    """Everything in a content folder as of a moment. Bad content never raises: it is told in ``Folder.faults``.

    ``drafts`` shows drafts too; ``base_url`` stands in for the one of ``site.toml``; with a ``cache`` only files that
    changed since the last read are parsed again, and with a look at the folder (``survey``) it is not walked anew.
    """
    root = root.resolve()
    kept = cache or ReadCache()
    kept.begin(root, tuple(kinds), tuple(registries))
    reading = _Reading(root, kinds, registries, kept, surveyed)
    with paused_gc():
        reading.everything()
    kept.end()
    site = reading.site
    if base_url:
        site = site.model_copy(update={"base_url": base_url.rstrip("/")})
    return _sorted_out(reading, site.announced(moment), moment, drafts=drafts)


def _sorted_out(reading: "_Reading", site: Site, moment: datetime, *, drafts: bool) -> Folder:
    """The folder as it stands at a moment: what is shown, hidden, withdrawn, and when that changes next."""
    shown_, held, hidden, taken = [], [], {}, [p.taken for p in reading.parsed if p.taken]
    turns = [row.deprecated_on for row in site.deprecations if row.announced_on is None]
    for one in (p.draft for p in reading.parsed if p.draft):
        begins, ends = schedule.begins(one), one.front.expiry_date
        if one.front.draft and not drafts:
            hidden[one.id] = "a draft"
            continue
        turns += [turn for turn in (begins, ends, *schedule.waiting(one, moment)) if turn and turn > moment]
        if begins > moment:
            hidden[one.id] = f"scheduled for {day(begins)}"
            held.append(one)
        elif ends and ends <= moment:
            taken.append(Tombstone(one.kind, one.slug, one.manuscript, one.front.title, ends, "", "", tuple(one.front.aliases)))
            held.append(one)
        else:
            shown_.append(schedule.as_of(one, moment))
            held += [one] if shown_[-1] is not one else []
    return Folder(
        root=reading.root,
        site=site,
        plain=reading.plain,
        drafts=tuple(shown_),
        held=tuple(held),
        hidden=hidden,
        taken=tuple(taken),
        shared=reading.shared,
        owner=reading.owner,
        owner_text=reading.owner_text,
        datasets=tuple(reading.datasets),
        registered=tuple(reading.registered),
        pages=tuple(reading.pages),
        redirects=tuple(reading.redirects),
        static={path: found.data for path, found in reading.static.items()},
        images={path: found.size for path, found in reading.static.items() if found.size},
        templates=reading.templates,
        faults=tuple(sorted(reading.faults, key=lambda fault: fault.key)),
        moment=moment,
        next_moment=min(turns, default=None),
    )


def _names(kinds: Sequence[Kind], registries: Sequence[Registry]) -> list[str]:
    """Names of the folders under ``content/``."""
    return [*(kind.name for kind in kinds), *(registry.name for registry in registries), "pages"]


def is_plain(root: Path, kinds: Sequence[Kind], registries: Sequence[Registry]) -> bool:
    """Whether a folder is one of notes: nothing in it is laid out as an archive, or it is laid out for another tool."""
    settled = (root / settings_file.NAME).exists()
    if not settled and unpublished.generator(root):
        return True
    marks = ("datasets", *(f"content/{name}" for name in (*_names(kinds, registries), "owner.md", "sources.yaml")))
    if any((root / mark).exists() for mark in marks):
        return False
    return not (settled and (root / "content").is_dir())


def _may_pass(made: object) -> bool:
    """Whether another look may find more although neither time nor size of the file changed: it could not be read."""
    faults: Sequence[Fault] = made.faults if isinstance(made, ParsedFile | SiteFile) else made[-1] if isinstance(made, tuple) else ()
    return any(fault.code is UNREADABLE for fault in faults)


def _no_folder(root: Path) -> Fault:
    """The fault of a path that is no folder."""
    if root.exists():
        return Fault.at(UNREADABLE, Span(str(root)), "is a file, not a folder", "name the folder that holds the content")
    return Fault.at(UNREADABLE, Span(str(root)), "there is no such folder", "`citepress init` makes one")


@dataclass
class _Reading:
    """One pass over a folder, gathering what each file holds."""

    root: Path
    kinds: Sequence[Kind]
    registries: Sequence[Registry]
    cache: ReadCache
    surveyed: Survey | None = None
    plain: bool = False
    site: Site = field(default_factory=Site)
    shared: SharedSources = sources_file.NOTHING
    owner: OwnerInput | None = None
    owner_text: str = ""
    parsed: list[ParsedFile] = field(default_factory=list)
    datasets: list[DatasetFile] = field(default_factory=list)
    registered: list[Registered] = field(default_factory=list)
    pages: list[PageFile] = field(default_factory=list)
    redirects: list[Redirect] = field(default_factory=list)
    static: dict[str, StaticFile] = field(default_factory=dict)
    templates: dict[str, str] = field(default_factory=dict)
    faults: list[Fault] = field(default_factory=list)

    def everything(self) -> None:
        if not self.root.is_dir():
            self.faults.append(_no_folder(self.root))
            return
        self.plain = is_plain(self.root, self.kinds, self.registries)
        if self.plain:
            self._notes()
            return
        self._top_files()
        by_top = {top: self._scanned(top) for top in TOPS}
        for file in by_top["content"]:
            self._content(file)
        self._all_datasets(by_top["datasets"])
        self._passed_through(by_top["static"], by_top["templates"])
        self._strays()

    def _known(self) -> list[str]:
        """Names of the folders under ``content/``."""
        return _names(self.kinds, self.registries)

    def _scanned(self, top: str) -> list[ContentFile]:
        known = self.surveyed.tops.get(top) if self.surveyed else None
        found, faults = known or scan(self.root, top)
        self.faults += faults
        return found

    def _kept(self, file: ContentFile, make: Callable[[Path, ContentFile], T], *also: Hashable) -> T:
        """What is made of a file, kept as long as it and what ``also`` is read stay the same."""
        made = self.cache.get(file.path, (file.stamp, file.size, *also), lambda: make(self.root, file))
        if _may_pass(made):
            self.cache.forget(file.path)
        return made

    def _notes(self) -> None:
        """A plain folder: every Markdown file is a note of the first kind that the specification names."""
        kind = next((one for one in self.kinds if one.name == "posts"), self.kinds[0])
        title = (self.root.name.replace("-", " ").replace("_", " ").strip() or "Notes").capitalize()[:160]
        settled = (self.root / settings_file.NAME).exists()
        if settled:
            self._top_files()
        if "title" not in self.site.model_fields_set:
            self.site = self.site.model_copy(update={"title": title})
        made_by = "" if settled else unpublished.generator(self.root)
        tops = ("static", "templates") if settled else ()
        found, faults = scan(self.root)
        self.faults += [
            fault if self._is_folder(fault) else note.set_aside(fault) for fault in faults if not unpublished.foreign(fault.place.file)
        ]
        notes = plain_folder.sorted_out(self.root, found, made_by, tops)
        committed = self.cache.dates.of(self.root) if notes.notes else {}
        for file in notes.notes:
            dates = committed.get(file.path)
            parsed = self._kept(file, partial(note.parse_note, kind=kind, committed=dates), dates)
            self.parsed.append(parsed)
            self.faults += map(note.set_aside_error, parsed.faults)
        for file in notes.readme:
            page, own = self._kept(file, partial(note.read_readme, kind=kind))
            self.pages += [page] if page else []
            self.faults += map(note.set_aside_error, own)
        self._passed_through(notes.static, notes.templates)
        before = len(self.faults)
        self._beside(notes.beside)
        self.faults[before:] = map(note.set_aside_error, self.faults[before:])

    def _is_folder(self, fault: Fault) -> bool:
        """Whether a fault is of a whole folder: what lies in it is not given up for a permission that may come back."""
        return (self.root / fault.place.file).is_dir()

    def _beside(self, found: Mapping[str, ContentFile]) -> None:
        """Files beside notes, by public path."""
        left = STATIC_TOTAL - sum(len(one.data) for one in self.static.values())
        for path, file in found.items():
            left -= file.size
            if left < 0:
                self._fault(TOO_LARGE, ".", f"holds over {STATIC_TOTAL:,} bytes of files beside notes", "serve large files from elsewhere")
                break
            made, faults = self._kept(file, attachments.read_attachment)
            self.faults += faults
            if made:
                self.static.setdefault(path, made)

    def _strays(self) -> None:
        """Markdown that stands beside the folders of an archive, as when notes were given settings later on."""
        known = self.surveyed.tops if self.surveyed else {name: scan(self.root, name) for name in other_tops(self.root, (*TOPS, *MADE))}
        beside = [file for top, (found, _) in known.items() if top not in TOPS for file in found]
        found = [file.path for file in unpublished.published(self.root, beside) if file.name.endswith(".md")]
        found += [file.path for file in top_files(self.root) if file.name.endswith(".md") and not unpublished.project_name(file.path)]
        if found:
            count = "1 Markdown file stands" if len(found) == 1 else f"{len(found):,} Markdown files stand"
            message = f"{count} outside content/<kind>/ and will not be published; the first is {shown(min(found))}"
            self.faults.append(
                Fault.at(STRAY, Span("."), message, "move them to content/posts/, or take content/ away: the folder is one of notes then")
            )

    def _add(self, parsed: ParsedFile) -> None:
        self.parsed.append(parsed)
        self.faults += parsed.faults

    def _top_files(self) -> None:
        found = {file.path: file for name in (settings_file.NAME, "redirects.txt") for file in self._one(name)}
        if settings_file.NAME in found:
            settings: SiteFile = self._kept(found[settings_file.NAME], read_site)
            self.site = settings.site
            self.faults += settings.faults
        if "redirects.txt" in found:
            redirects, faults = self._kept(found["redirects.txt"], pages.read_redirects)
            self.redirects += redirects
            self.faults += faults

    def _one(self, name: str) -> list[ContentFile]:
        found, faults = one_file(self.root, name)
        self.faults += faults
        return found

    def _content(self, file: ContentFile) -> None:
        """One file below ``content/``, by the folder that it lies in."""
        folder, _, rest = file.path.removeprefix("content/").partition("/")
        kind = next((one for one in self.kinds if one.name == folder), None)
        registry = next((one for one in self.registries if one.name == folder), None)
        if not rest:
            self._content_file(file)
        elif kind is None and registry is None and folder != "pages":
            self._unknown_folder(folder)
        elif "/" in rest:
            self._fault(
                UNKNOWN_FOLDER, f"content/{folder}/{rest.rpartition('/')[0]}", "is a folder in a kind's folder", "move its files up"
            )
        elif not rest.endswith(wanted := ".yaml" if registry else ".md"):
            hint = "files to pass through belong in static/"
            self._fault(BAD_NAME, file.path, f"is no {wanted} file", hint)
        elif kind:
            self._add(self._kept(file, partial(source_record.parse, kind=kind)))
        elif registry:
            entries, faults = self._kept(file, partial(pages.read_registry, registry=registry))
            self.registered += entries
            self.faults += faults
        else:
            page, faults = self._kept(file, pages.read_page)
            self.pages += [page] if page else []
            self.faults += faults

    def _content_file(self, file: ContentFile) -> None:
        if file.path == sources_file.NAME:
            self.shared, faults = self._kept(file, sources_file.read_sources)
        elif file.path == owner_file.NAME:
            self.owner, self.owner_text, faults = self._kept(file, owner_file.read_owner)
        else:
            names = ("owner.md", "sources.yaml")
            hint = did_you_mean(file.name, names) or "a record lies in the folder of its kind, as in content/posts/"
            self._fault(UNKNOWN_FOLDER, file.path, "lies in no kind's folder", hint)
            return
        self.faults += faults

    def _unknown_folder(self, folder: str) -> None:
        known = self._known()
        hint = did_you_mean(folder, known) or f"the folders here are {sentence_list(known)}"
        self._fault(UNKNOWN_FOLDER, f"content/{folder}", "is no kind of record", hint)

    def _fault(self, code: FaultCode, path: str, message: str, hint: str) -> None:
        fault = Fault.at(code, Span(shown(path)), message, hint)
        if fault not in self.faults[-1:]:
            self.faults.append(fault)

    def _all_datasets(self, found: Iterable[ContentFile]) -> None:
        by_name: dict[str, list[ContentFile]] = defaultdict(list)
        for file in found:
            name, _, rest = file.path.removeprefix("datasets/").partition("/")
            if rest:
                by_name[name].append(file)
        for name, members in sorted(by_name.items()):
            make = partial(datasets.read_dataset, self.root, name, members)
            dataset, faults = self.cache.get(f"datasets/{name}", tuple(members), make)
            self.datasets += [dataset] if dataset else []
            self.faults += faults

    def _passed_through(self, static: Sequence[ContentFile], templates: Sequence[ContentFile]) -> None:
        left = STATIC_TOTAL
        for file in static:
            left -= file.size
            if left < 0:
                self._fault(TOO_LARGE, "static", f"holds over {STATIC_TOTAL:,} bytes in all", "serve large files from elsewhere")
                break
            found, faults = self._kept(file, pages.read_static)
            self.faults += faults
            if found:
                self.static[file.path.removeprefix("static")] = found
        for file in templates:
            if file.name.endswith(".html"):
                text, faults = self._kept(file, pages.read_template)
                self.faults += faults
                self.templates[file.path.removeprefix("templates/")] = text
