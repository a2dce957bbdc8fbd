"""Reading a content folder as a whole: everything in it as of a moment, and every fault of every file."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from citepress.base.gc_pause import paused_gc
from citepress.base.timestamps import day
from citepress.content import schedule
from citepress.content.cache import ReadCache
from citepress.content.datasets import DatasetFile
from citepress.content.files import ContentFile, Survey, is_folder, is_there, printable_path
from citepress.content.folder_formats import format_of
from citepress.content.folder_reader import FolderReader
from citepress.content.held_reasons import HELD, HELD_CODES
from citepress.content.images import Size
from citepress.content.observations_file import Observations
from citepress.content.owner_file import OwnerInput
from citepress.content.pages import PageFile, Registered
from citepress.content.parsed import Parsed
from citepress.content.redirects_file import Redirect
from citepress.content.source_record import FaultyRecord, SourceRecord, Tombstone
from citepress.content.sources_file import SharedSources
from citepress.contract.fault import NO_CONTENT, NOT_PUBLIC, UNREADABLE, Fault, Span
from citepress.contract.kind import Kind, Registry
from citepress.contract.site import Site, normal_base_url
from citepress.hooks import guard_of


@dataclass(frozen=True, slots=True)
class Folder:
    """Everything that a content folder holds, each part checked by itself."""

    root: Path
    site: Site
    plain: bool
    """Whether it is a plain folder of Markdown, without folders of kinds."""
    parse_record: Callable[[Path, ContentFile, Kind], Parsed[SourceRecord | Tombstone | FaultyRecord]]
    """Reads one of its files as a record."""
    drafts: tuple[SourceRecord, ...]
    """The records to be published, sorted by file."""
    held: tuple[SourceRecord, ...]
    """Records that are not shown as they are written: they, or some of their changes, lie ahead, or they have
    expired."""
    hidden: Mapping[str, str]
    """Records that are not shown by their ids, and why: ``a draft``, ``scheduled for 2027-01-01``."""
    tombstones: tuple[Tombstone, ...]
    """Records that were withdrawn or have expired."""
    faulty: tuple[FaultyRecord, ...]
    """Texts of records that cannot be published because their front matter has faults."""
    refused: frozenset[str]
    """Ids of what would be records if the folder that they are in were of a kind."""
    set_aside: Mapping[str, str]
    """Notes of a plain folder that were left out for a fault: the paths that they would have had, and their files."""
    shared: SharedSources
    observations: Observations
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
    """Everything in a content folder as of a moment. Bad content never raises: it is reported in ``Folder.faults``.

    ``drafts`` shows drafts too; ``base_url`` replaces the one of ``site.toml``. With a ``cache`` only files that
    changed since the last read are parsed again, and with a ``survey`` the folder is not walked again.
    """
    root = root.resolve()
    cache = cache or ReadCache()
    cache.begin(root, tuple(kinds), tuple(registries))
    form = format_of(root, kinds, registries)
    with guard_of(form):
        reader = form.reader(root, kinds, registries, cache, surveyed)
        if is_folder(root):
            _read_all(reader)
        else:
            reader.faults.append(_no_folder(root))
        cache.end()
        site = reader.site
        if base_url:
            site = site.model_copy(update={"base_url": normal_base_url(base_url)})
        return _as_of(moment, reader, site.announced(moment), drafts=drafts)


def _read_all(reader: FolderReader) -> None:
    with paused_gc():
        reader.read_all()
    if reader.is_empty():
        hint = "name the folder that holds the content, or begin with `citepress init`"
        reader.add_fault(NO_CONTENT, ".", "there is no site.toml and nothing to publish here", hint)


@dataclass
class _Schedule:
    """The records of a folder as of a moment."""

    moment: datetime
    shown: list[SourceRecord]
    held: list[SourceRecord]
    hidden: dict[str, str]
    tombstones: list[Tombstone]
    turns: list[datetime]
    """When something appears or expires, before the moment and after it."""
    plain: bool
    """Whether expired notes are hidden without a tombstone, as in the tools that they were written for."""

    def add(self, record: SourceRecord, *, drafts: bool) -> None:
        """Place a record: shown, held back, hidden or expired."""
        begins, ends = schedule.begins(record), record.head.expiry_date
        if record.head.draft and not drafts:
            self.hidden[record.id] = "a draft"
            return
        self.turns += [begins, *([ends] if ends else []), *schedule.waiting(record, self.moment)]
        if begins > self.moment:
            self.hidden[record.id] = f"scheduled for {day(begins)}"
            self.held.append(record)
        elif ends and ends <= self.moment and self.plain:
            self.hidden[record.id] = f"expired on {day(ends)}"
            self.held.append(record)
        elif ends and ends <= self.moment:
            self.tombstones.append(Tombstone.expired(record, ends))
            self.held.append(record)
        else:
            shown = schedule.as_of(record, self.moment)
            self.shown.append(shown)
            if shown is not record:
                self.held.append(record)


def _as_of(moment: datetime, reader: FolderReader, site: Site, *, drafts: bool) -> Folder:
    """The folder at a moment: what is shown, hidden, withdrawn, and when that changes next."""
    announcements = [row.deprecated_on for row in site.deprecations if row.announced_on is None]
    records = _Schedule(moment, [], [], {}, list(reader.tombstones), announcements, reader.plain)
    for record in reader.records:
        records.add(record, drafts=drafts)
    public = reader.public_part(records.shown, records.hidden, site)
    static = {path: file for path, file in reader.static.items() if path not in public.private_files}
    previewed = {printable_path(record.file) for record in records.shown} if drafts else frozenset[str]()
    drafted = (record for record in reader.records if reader.plain and record.head.draft and not drafts)
    unread = {printable_path(record.file) for record in drafted}
    current = [
        fault for fault in reader.faults if fault.place.file not in (previewed if fault.code in HELD_CODES else unread)
    ]
    waiting = [
        Fault.at(NOT_PUBLIC, Span(printable_path(record.file)), f"{HELD}{public.hidden[record.id]}")
        for record in (records.held if reader.plain else ())
        if record.id in public.hidden
    ]
    faults = (*current, *waiting, *public.faults)
    return Folder(
        root=reader.root,
        site=site,
        plain=reader.plain,
        parse_record=reader.parse_record,
        drafts=public.records,
        held=tuple(records.held),
        hidden=public.hidden,
        tombstones=tuple(records.tombstones),
        faulty=tuple(reader.faulty),
        refused=frozenset(reader.refused),
        set_aside=reader.set_aside,
        shared=reader.shared,
        observations=reader.observations,
        owner=reader.owner.profile if reader.owner else None,
        owner_text=reader.owner.text if reader.owner else "",
        datasets=tuple(reader.datasets),
        registered=tuple(reader.registered),
        pages=public.pages,
        redirects=tuple(reader.redirects),
        static={path: file.data for path, file in static.items()},
        images={path: file.size for path, file in static.items() if file.size},
        templates=reader.templates,
        faults=tuple(sorted(faults, key=lambda fault: fault.key)),
        moment=moment,
        next_moment=min((turn for turn in records.turns if turn > moment), default=None),
    )


def _no_folder(root: Path) -> Fault:
    """The fault of a path that is not a folder."""
    if is_there(root):
        hint = "name the folder that holds the content"
        return Fault.at(UNREADABLE, Span(str(root)), "is a file, not a folder", hint)
    return Fault.at(UNREADABLE, Span(str(root)), "there is no such folder", "`citepress init` makes one")
