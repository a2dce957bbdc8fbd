"""Reading the files of a content folder: what every folder has, whether it is an archive or holds notes."""

from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, TypeVar

from citepress.base.forked_processes import done_by_processes
from citepress.content import observations_file, pages, redirects_file, settings_file, source_record, sources_file
from citepress.content.cache import ReadCache
from citepress.content.datasets import DatasetFile
from citepress.content.files import ContentFile, Survey, is_there, one_file, printable_path
from citepress.content.observations_file import Observations
from citepress.content.owner_file import OwnerPage
from citepress.content.pages import PageFile, Registered, StaticFile
from citepress.content.parsed import Parsed, parsed
from citepress.content.redirects_file import Redirect
from citepress.content.source_record import FaultyRecord, SourceRecord, Tombstone
from citepress.content.sources_file import SharedSources
from citepress.contract.fault import TOO_LARGE, Fault, FaultCode, Span, fault_codes
from citepress.contract.kind import Kind, Registry
from citepress.contract.site import Site

STATIC_TOTAL = 268_435_456
"""Bytes of all files that are passed through."""
T = TypeVar("T")
FILES_SENT_TOGETHER = 16
"""Files of one message of a process that reads them."""


class FileRead(NamedTuple):
    """A file that is going to be read."""

    file: ContentFile
    read: Callable[[Path, ContentFile], Parsed[Any]]
    also: tuple[Hashable, ...] = ()
    """What its outcome depends on beside the file."""

    @property
    def state(self) -> tuple[Hashable, ...]:
        """The state in which it is read."""
        return self.file.stamp, self.file.size, *self.also


class PublicPart(NamedTuple):
    """What a folder publishes of its records and pages."""

    records: tuple[SourceRecord, ...]
    pages: tuple[PageFile, ...]
    hidden: Mapping[str, str]
    """Ids of records that are not shown, and why."""
    private_files: Collection[str] = frozenset()
    """Public paths of static files that are kept back with them."""
    faults: tuple[Fault, ...] = ()


@dataclass
class FolderReader:
    """One pass over a folder, which gathers what each file holds."""

    plain: ClassVar[bool] = False
    """Whether its records are notes, so that one at fault keeps no other from being published."""
    parse_record: ClassVar[Callable[..., Parsed[Any]]] = staticmethod(source_record.parse)
    """Reads a file of the folder ``(root, file, kind)`` as a record. Raises ``Faults``."""

    root: Path
    kinds: Sequence[Kind]
    registries: Sequence[Registry]
    cache: ReadCache
    surveyed: Survey | None = None
    site: Site = field(default_factory=Site)
    shared: SharedSources = sources_file.NO_SOURCES
    observations: Observations = observations_file.NO_OBSERVATIONS
    owner: OwnerPage | None = None
    records: list[SourceRecord] = field(default_factory=list)
    tombstones: list[Tombstone] = field(default_factory=list)
    faulty: list[FaultyRecord] = field(default_factory=list)
    refused: set[str] = field(default_factory=set)
    """Ids of what would be records if the folder that they are in were of a kind."""
    datasets: list[DatasetFile] = field(default_factory=list)
    registered: list[Registered] = field(default_factory=list)
    pages: list[PageFile] = field(default_factory=list)
    redirects: list[Redirect] = field(default_factory=list)
    static: dict[str, StaticFile] = field(default_factory=dict)
    templates: dict[str, str] = field(default_factory=dict)
    set_aside: dict[str, str] = field(default_factory=dict)
    faults: list[Fault] = field(default_factory=list)
    _waiting: set[str] = field(default_factory=set)
    """Files that processes are reading ahead, in the order of ``_sent``."""
    _sent: Iterator[tuple[FileRead, Parsed[Any] | None]] = field(default_factory=lambda: iter(()))
    _derive: Callable[[object], object] = id
    """Notes with a record what follows from it (``cache.Derive``)."""

    def read_all(self) -> None:
        """Read everything that the folder publishes."""

    def public_part(self, shown: Sequence[SourceRecord], hidden: Mapping[str, str], _site: Site) -> PublicPart:
        """What is published where these records are shown; ``hidden`` has the ids of others, and why they are not."""
        return PublicPart(tuple(shown), tuple(self.pages), hidden)

    def is_empty(self) -> bool:
        """Whether the folder has no settings, and nothing in it was read, not even something at fault."""
        parts = (self.records, self.tombstones, self.faulty, self.datasets, self.registered, self.pages)
        further = (self.redirects, self.static, self.templates, self.set_aside, self.owner, self.faults)
        return not (any(parts) or any(further) or is_there(self.root / settings_file.SETTINGS_FILE))

    def parsed(self, file: ContentFile, read: Callable[[Path, ContentFile], Parsed[T]], *also: Hashable) -> Parsed[T]:
        """What a reader makes of a file, from the cache as long as the file and ``also`` stay the same."""
        self._take_sent(file.path)
        outcome = self.cache.get(file.path, (file.stamp, file.size, *also), lambda: self._outcome(FileRead(file, read)))
        if isinstance(outcome.content, SourceRecord):
            outcome.content.move(self.cache.frames)
        if outcome.may_pass:
            self.cache.forget(file.path)
        return outcome

    @contextmanager
    def ahead(self, reads: Iterable[FileRead]) -> Iterator[None]:
        """Have processes read these files, in this order, before they are asked for inside the block.

        What every file may refer to, the settings and the shared sources, has been read.
        """
        new = [reading for reading in reads if self.cache.state(reading.file.path) != reading.state]
        self._derive = self.cache.derive(self.shared, self.site) if self.cache.derive else id
        self._waiting = {reading.file.path for reading in new}
        shared = (self.root, self.shared, *self.kinds, *fault_codes())
        with closing(done_by_processes(new, self._outcome, FILES_SENT_TOGETHER, shared)) as sent:
            self._sent = zip(new, sent, strict=True)
            yield

    def _outcome(self, reading: FileRead) -> Parsed[Any]:
        """What a reader makes of a file, with what follows from it while its text is at hand."""
        outcome = parsed(partial(reading.read, self.root, reading.file))
        self._derive(outcome.content)
        return outcome

    def _take_sent(self, path: str) -> None:
        """Hold what was read ahead, up to the file of this path."""
        while path in self._waiting and (sent := next(self._sent, None)):
            reading, outcome = sent
            self._waiting.discard(reading.file.path)
            if outcome:
                self.cache.put(reading.file.path, reading.state, outcome)

    def content_of(self, file: ContentFile, read: Callable[[Path, ContentFile], Parsed[T]]) -> T | None:
        """The content of a file; its faults join those of the folder."""
        outcome = self.parsed(file, read)
        self.faults += outcome.faults
        return outcome.content

    def add_fault(self, code: FaultCode, path: str, message: str, hint: str) -> None:
        """Note a fault of a file or folder as a whole, once where the next file has the same."""
        fault = Fault.at(code, Span(printable_path(path)), message, hint)
        if fault not in self.faults[-1:]:
            self.faults.append(fault)

    def read_top_files(self) -> None:
        """The settings, the redirects and the observations, which every folder may have."""
        for file in self._top_file(settings_file.SETTINGS_FILE):
            # Settings at fault are the defaults: a wrong one must not hide the faults of all other files.
            self.site = self.content_of(file, settings_file.read_site) or self.site
        for file in self._top_file(redirects_file.REDIRECTS_FILE):
            self.redirects += self.content_of(file, redirects_file.read_redirects) or ()
        for file in self._top_file(observations_file.OBSERVATIONS_FILE):
            read = partial(observations_file.read_observations, former=self._former_observations())
            self.observations = self.content_of(file, read) or self.observations

    def _former_observations(self) -> Observations:
        """What was read of the observations before."""
        outcome = self.cache.content(observations_file.OBSERVATIONS_FILE)
        content = outcome.content if isinstance(outcome, Parsed) else None
        return content if isinstance(content, Observations) else observations_file.NO_OBSERVATIONS

    def read_static(self, files: Iterable[ContentFile]) -> None:
        """Files that are passed through from ``static/``."""
        for file in self.within_total(files, "static", "bytes in all"):
            if static := self.content_of(file, pages.read_static):
                self.static[file.path.removeprefix("static")] = static

    def read_templates(self, files: Iterable[ContentFile]) -> None:
        """Templates that take the place of the built-in ones."""
        for file in files:
            if file.name.endswith(".html"):
                self.templates[file.path.removeprefix("templates/")] = self.content_of(file, pages.read_template) or ""

    def within_total(self, files: Iterable[ContentFile], place: str, what: str) -> Iterator[ContentFile]:
        """The files until all that is passed through would be too large, which is a fault of their place."""
        left = STATIC_TOTAL - sum(len(static.data) for static in self.static.values())
        for file in files:
            left -= file.size
            if left < 0:
                hint = "serve large files from elsewhere"
                self.add_fault(TOO_LARGE, place, f"holds over {STATIC_TOTAL:,} {what}", hint)
                return
            yield file

    def _top_file(self, name: str) -> list[ContentFile]:
        files, faults = one_file(self.root, name)
        self.faults += faults
        return files
