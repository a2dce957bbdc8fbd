"""Reading an archive: ``content/`` by kinds, ``datasets/``, ``static/`` and ``templates/``."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial

from citepress.base.slugs import slugify
from citepress.base.steps import step
from citepress.base.text import did_you_mean, nearest, sentence_list
from citepress.content import datasets, owner_file, pages, source_record, sources_file, unpublished
from citepress.content.files import (
    MADE,
    ContentFile,
    is_markdown,
    markdown_stem,
    other_tops,
    printable_path,
    scan,
    top_files,
)
from citepress.content.folder_reader import FileRead, FolderReader
from citepress.content.front import front_model
from citepress.content.parsed import parsed
from citepress.content.source_record import FaultyRecord, SourceRecord, Tombstone, unread_record
from citepress.contract.fault import BAD_NAME, STRAY, UNKNOWN_FOLDER, UNKNOWN_KEY, Fault, Span
from citepress.contract.kind import Kind, Registry
from citepress.contract.validation import written_names
from citepress.extension import install_hint

NOT_A_KIND = "is not a kind of record"
TOPS = ("content", "datasets", "static", "templates")
"""The folders at the top that are read."""


def content_folders(kinds: Sequence[Kind], registries: Sequence[Registry]) -> list[str]:
    """Names of the folders under ``content/``."""
    return [*(kind.name for kind in kinds), *(registry.name for registry in registries), "pages"]


@dataclass
class ArchiveReader(FolderReader):
    """One pass over a folder that is laid out as an archive."""

    def read_all(self) -> None:
        """Read everything that the archive publishes."""
        self.read_top_files()
        by_top = {top: self._scanned(top) for top in TOPS}
        # What records refer to comes first, the files of content/ itself.
        shared = [file for file in by_top["content"] if file.path.count("/") == 1]
        others = [file for file in by_top["content"] if file.path.count("/") > 1]
        for file in shared:
            self._read_content(file)
        with self.ahead(filter(None, map(self._read_of, others))):
            for file in others:
                self._read_content(file)
        self._read_datasets(by_top["datasets"])
        self.read_static(by_top["static"])
        self.read_templates(by_top["templates"])
        self._warn_of_strays()

    def _scanned(self, top: str) -> list[ContentFile]:
        surveyed = self.surveyed.tops.get(top) if self.surveyed else None
        files, faults = surveyed or scan(self.root, top)
        self.faults += faults
        return files

    def _read_content(self, file: ContentFile) -> None:
        """One file below ``content/``, by the folder that it is in."""
        step("reading", file.path)
        folder, _, rest = file.path.removeprefix("content/").partition("/")
        kind = self._kind_of(folder)
        registry = next((registry for registry in self.registries if registry.name == folder), None)
        ending = ".yaml" if registry else ".md"
        stem = rest[: -len(ending)] if rest.lower().endswith(ending) else markdown_stem(rest)
        if not rest:
            self._read_shared(file)
        elif kind is None and registry is None and folder != "pages":
            names = content_folders(self.kinds, self.registries)
            hint = install_hint(f"content/{folder}/")
            hint = hint or did_you_mean(folder, names) or f"the folders here are {sentence_list(names)}"
            self.add_fault(UNKNOWN_FOLDER, f"content/{folder}", NOT_A_KIND, hint)
            self.refused.add(f"{folder}/{stem}")
        elif "/" in rest:
            inner = f"content/{folder}/{rest.rpartition('/')[0]}"
            hint = f"move its files to content/{folder}/"
            self.add_fault(UNKNOWN_FOLDER, inner, f"is a folder, and content/{folder}/ holds files only", hint)
        elif not rest.endswith(ending):
            hint = "files to pass through belong in static/"
            if stem != rest or (registry and rest.endswith(".yml")):
                hint = f"rename it to {slugify(stem.removesuffix('.yml'))}{ending}"
                self._keep_name(file, f"{folder}/{stem}")
            self.add_fault(BAD_NAME, file.path, f"its name does not end in {ending}", hint)
        elif kind:
            self._read_record(file, kind)
        elif registry:
            self.registered += self.content_of(file, partial(pages.read_registry, registry=registry)) or ()
        else:
            self._read_page(file)

    def _read_of(self, file: ContentFile) -> FileRead | None:
        """How a record is read; ``None`` for any other file."""
        folder, _, rest = file.path.removeprefix("content/").partition("/")
        kind = self._kind_of(folder) if rest.endswith(".md") and "/" not in rest else None
        return FileRead(file, partial(source_record.parse, kind=kind)) if kind else None

    def _kind_of(self, folder: str) -> Kind | None:
        return next((kind for kind in self.kinds if kind.name == folder), None)

    def _read_record(self, file: ContentFile, kind: Kind) -> None:
        before = len(self.faults)
        content = self.content_of(file, partial(source_record.parse, kind=kind))
        if isinstance(content, Tombstone):
            self.tombstones.append(content)
        elif isinstance(content, SourceRecord):
            self.records.append(content)
        else:
            self._keep_name(file, f"{kind.name}/{file.name.removesuffix('.md')}", content)
            self._tell_misfiled(file, before)

    def _tell_misfiled(self, file: ContentFile, before: int) -> None:
        """Replace the faults of a record of another kind by one: that it is in the wrong folder."""
        faults = self.faults[before:]
        unknown = {fault.message.partition(":")[0]: fault.place for fault in faults if fault.code is UNKNOWN_KEY}
        fitting = (other.name for other in self.kinds if unknown.keys() <= set(written_names(front_model(other))))
        if len(unknown) > 1 and (name := next(fitting, "")):
            message = f"{sentence_list(list(unknown))} are keys of {name}"
            hint = f"move the file to content/{name}/"
            self.faults[before:] = [Fault.at(UNKNOWN_KEY, next(iter(unknown.values())), message, hint)]
            self._keep_name(file, f"{name}/{file.name.removesuffix('.md')}")

    def _keep_name(self, file: ContentFile, id_: str, read: FaultyRecord | None = None) -> None:
        """Let the names of a file at fault be known, and its text where it can be read."""
        self.faulty += [read] if read else [unread_record(self.root, file, id_)]
        if (meant := "/".join(map(slugify, id_.split("/")))) != id_:
            self.faulty.append(unread_record(self.root, file, meant))

    def _read_page(self, file: ContentFile) -> None:
        content = self.content_of(file, pages.read_page)
        if isinstance(content, pages.PageFile):
            self.pages.append(content)
        else:
            self._keep_name(file, f"pages/{file.name.removesuffix('.md')}", content)

    def _read_shared(self, file: ContentFile) -> None:
        """A file of ``content/`` itself: the shared sources or the owner."""
        if file.path == sources_file.SOURCES_FILE:
            self.shared = self.content_of(file, sources_file.read_sources) or sources_file.UNREAD_SOURCES
        elif file.path == owner_file.OWNER_FILE:
            self.owner = self.content_of(file, owner_file.read_owner)
        else:
            names = ("owner.md", "sources.yaml")
            stem = file.name.rpartition(".")[0]
            hint = did_you_mean(file.name, names if nearest(stem, ("owner", "sources"), 1) else ())
            hint = hint or "a record belongs in the folder of its kind, as in content/posts/"
            self.add_fault(UNKNOWN_FOLDER, file.path, "is not in the folder of a kind", hint)

    def _read_datasets(self, files: Iterable[ContentFile]) -> None:
        by_name: dict[str, list[ContentFile]] = defaultdict(list)
        for file in files:
            name, _, rest = file.path.removeprefix("datasets/").partition("/")
            if rest:
                by_name[name].append(file)
        for name, members in sorted(by_name.items()):
            read = partial(datasets.read_dataset, self.root, name, members)
            outcome = self.cache.get(f"datasets/{name}", tuple(members), partial(parsed, read))
            self.faults += outcome.faults
            if outcome.content:
                self.datasets.append(outcome.content)
            else:
                self._keep_name(members[0], f"datasets/{name}")

    def _warn_of_strays(self) -> None:
        """Warn of Markdown outside the folders of an archive, as when notes were given settings later on."""
        if self.surveyed:
            scanned = self.surveyed.tops
        else:
            scanned = {name: scan(self.root, name) for name in other_tops(self.root, (*TOPS, *MADE))}
        others = [file for top, (files, _) in scanned.items() if top not in TOPS for file in files]
        strays = [file.path for file in unpublished.find_publishable(self.root, others) if is_markdown(file.path)]
        strays += [
            file.path
            for file in top_files(self.root)
            if is_markdown(file.path) and not unpublished.project_name(file.path)
        ]
        if not strays:
            return
        count = "1 Markdown file is" if len(strays) == 1 else f"{len(strays):,} Markdown files are"
        message = (
            f"{count} outside content/<kind>/ and will not be published; the first is {printable_path(min(strays))}"
        )
        hint = "move them to content/posts/, or take content/ away: the folder is one of notes then"
        self.faults.append(Fault.at(STRAY, Span("."), message, hint))
