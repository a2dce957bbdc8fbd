"""What operations read: the edition, its search index, the clock and services, as one worker process has them."""

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar, cast

import orjson

from citepress.base import fast_json
from citepress.contract.citation import citation_of
from citepress.contract.submissions import SubmissionOffer
from citepress.edition.edition import Edition
from citepress.edition.private_index import Lookup
from citepress.edition.site_config import SiteConfig
from citepress.operations.thread_pool import SearchThreads
from citepress.search.index import SearchIndex
from citepress.search.meaning import VectorSource
from citepress.search.storage import FACTS
from citepress.search.wholeness import EngineError

OK = 200
T = TypeVar("T")
KEPT_DOCUMENTS = 200
"""Parsed documents that a context caches, which are collection indexes and their parts; and lines of citations."""
log = logging.getLogger(__name__)


@dataclass(frozen=True)
class OperationContext:
    """One edition and the services that go with it; each new edition gets a new context."""

    edition: Edition
    index: SearchIndex
    now: Callable[[], datetime]
    """The present moment, UTC."""
    threads: SearchThreads | None = None
    """Where operations that search run; without them they run where they are called."""
    services: Mapping[type, object] = field(default_factory=dict)
    _documents: dict[str, Any] = field(default_factory=dict, repr=False, compare=False)
    _citations: dict[str, str] = field(default_factory=dict, repr=False, compare=False)
    """Lines by record id."""

    def service(self, kind: type[T]) -> T:
        """The service that an extension gives under this type; a ``KeyError`` is a mistake in our own code."""
        return cast("T", self.services[kind])

    @property
    def submissions(self) -> SubmissionOffer | None:
        """What is said of submissions; ``None`` where none are taken."""
        return self.service(SubmissionOffer) if SubmissionOffer in self.services else None

    @property
    def config(self) -> SiteConfig:
        """The configuration of the edition's site."""
        return self.edition.config

    @cached_property
    def base_url(self) -> str:
        """The public address without a trailing slash."""
        return self.config.base_url

    @cached_property
    def as_of(self) -> datetime:
        """The newest record date."""
        return self.config.as_of

    @cached_property
    def lookup(self) -> Lookup:
        """The edition's private leaves."""
        return Lookup(self.edition)

    def url(self, path: str) -> str:
        """The public URL of a path."""
        return self.base_url + path

    def document(self, path: str) -> Any:  # noqa: ANN401  (JSON is any shape)
        """A published JSON document that is read again and again; ``None`` where there is none. Not to be changed."""
        document = self._documents.get(path)  # read once: another thread may clear them at any moment
        if document is not None:
            return document
        if len(self._documents) >= KEPT_DOCUMENTS:
            self._documents.clear()
        fresh = self._documents[path] = self.read(path)
        return fresh

    def citation(self, record_json: Mapping[str, Any]) -> str:
        """A line that cites a record, ready to print; who reads a record in parts asks for it again."""
        line = self._citations.get(record_json["id"])
        if line is None:
            if len(self._citations) >= KEPT_DOCUMENTS:
                self._citations.clear()
            line = self._citations[record_json["id"]] = citation_of(record_json, self.config.publisher).line
        return line

    def read(self, path: str) -> Any:  # noqa: ANN401  (JSON is any shape)
        """A published JSON document; ``None`` where there is none."""
        served = self.edition.find(path)
        if served is None or served.leaf.kind != "json" or served.leaf.status != OK:
            return None
        try:
            return orjson.loads(bytes(served.leaf.body))
        except orjson.JSONDecodeError as error:
            raise fast_json.cause_of(error) from error


class ContextProvider:
    """Provides the context of the current edition and search index; it is rebuilt when either is replaced."""

    def __init__(
        self,
        edition: Callable[[], Edition | None],
        index: Path,
        now: Callable[[], datetime],
        threads: SearchThreads | None = None,
        vectors: VectorSource | None = None,
        services: Mapping[type, object] | None = None,
    ) -> None:
        """``index`` is the folder of the search index; it may be replaced later than the edition that it belongs to."""
        self._vectors, self.services = vectors, services or {}
        self._edition, self._index = edition, index
        self._now, self._threads = now, threads
        self._context: OperationContext | None = None
        self._index_mark: tuple[int, int] | None = None

    def __call__(self) -> OperationContext | None:
        """The context, or ``None`` while there is no edition or no index.

        An index that cannot be opened leaves the former one in place.
        """
        edition, mark = self._edition(), self._mark()
        if mark is None and self._context is None:
            return None  # the first index is being built
        if edition is None or (self._context and self._context.edition is edition and mark == self._index_mark):
            return self._context if edition else None
        index = self._opened() if mark != self._index_mark or self._context is None else self._context.index
        self._index_mark = mark
        if index:
            self._context = OperationContext(edition, index, self._now, self._threads, self.services)
        return self._context if index else None

    def _opened(self) -> SearchIndex | None:
        try:
            return SearchIndex(self._index, self._vectors)
        except EngineError as error:
            log.warning("the search index cannot be opened: %s", error)
            return self._context.index if self._context else None

    def _mark(self) -> tuple[int, int] | None:
        """Identifies the current index; ``None`` while there is none."""
        try:
            state = (self._index / FACTS).stat()
        except OSError:
            return None
        return (state.st_ino, state.st_mtime_ns)
