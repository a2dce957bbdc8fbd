"""What operations read: the edition, its search index, the clock and the inbox, as one worker process has them."""

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import Any, TypeAlias

import orjson

from citepress.contract.limits import Limit
from citepress.edition.edition import Edition
from citepress.edition.private_index import Lookup
from citepress.inbox.ports import InboxStore
from citepress.operations.models import PaidProduct
from citepress.operations.thread_pool import SearchThreads
from citepress.search import EngineError, SearchIndex
from citepress.search.index import FACTS

OK = 200
KEPT_DOCUMENTS = 200
"""Parsed documents that a world keeps; collection indexes and their parts."""
Products: TypeAlias = Callable[[], tuple[PaidProduct, ...]]
log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Inbox:
    """Where submissions are queued, and how many of them a client may make."""

    store: InboxStore
    limit: Limit


@dataclass(frozen=True)
class OperationContext:
    """One edition and what stands beside it; a new edition has a world of its own."""

    edition: Edition
    index: SearchIndex
    now: Callable[[], datetime]
    """The present moment, UTC."""
    inbox: Inbox | None = None
    """Without one the submitting operations are not offered."""
    products: Products = tuple
    """What is sold, as it is listed now; empty where nothing is."""
    threads: SearchThreads | None = None
    """Where operations that search run; without them they run where they are called."""
    _kept: dict[str, Any] = field(default_factory=dict, repr=False, compare=False)

    @property
    def facts(self) -> Mapping[str, Any]:
        """What the edition says of the site."""
        return self.edition.facts

    @cached_property
    def base_url(self) -> str:
        """The public address without a trailing slash."""
        return str(self.facts["base_url"]).rstrip("/")

    @cached_property
    def as_of(self) -> datetime:
        """The newest record date."""
        return datetime.fromisoformat(self.facts["as_of"])

    @cached_property
    def lookup(self) -> Lookup:
        """The edition's private leaves."""
        return Lookup(self.edition)

    def url(self, path: str) -> str:
        """The public URL of a path."""
        return self.base_url + path

    def document(self, path: str) -> Any:  # noqa: ANN401  (JSON is any shape)
        """A published JSON document that is read again and again; ``None`` where there is none. Not to be changed."""
        kept = self._kept.get(path)  # read once: another thread may clear them at any moment
        if kept is not None:
            return kept
        if len(self._kept) >= KEPT_DOCUMENTS:
            self._kept.clear()
        found = self._kept[path] = self.read(path)
        return found

    def read(self, path: str) -> Any:  # noqa: ANN401  (JSON is any shape)
        """A published JSON document; ``None`` where there is none."""
        served = self.edition.find(path)
        return orjson.loads(served.leaf.body) if served and served.leaf.kind == "json" and served.leaf.status == OK else None


class ContextProvider:
    """The world of the edition and of the search index that stand now: made again when either is replaced."""

    def __init__(
        self, edition: Callable[[], Edition | None], index: Path, now: Callable[[], datetime], inbox: Inbox | None = None,
        products: Products = tuple, threads: SearchThreads | None = None,
    ) -> None:  # fmt: skip
        """``index`` is the folder of the search index; it may be replaced later than the edition that it belongs to."""
        self._edition, self._index = edition, index
        self._now, self._inbox, self._products, self._threads = now, inbox, products, threads
        self._world: OperationContext | None = None
        self._seen: tuple[int, int] | None = None

    def __call__(self) -> OperationContext | None:
        """The world, or ``None`` while there is no edition or no index. An index that cannot be opened leaves the former one in place."""
        edition, mark = self._edition(), self._mark()
        if edition is None or (self._world and self._world.edition is edition and mark == self._seen):
            return self._world if edition else None
        index = self._opened() if mark != self._seen or self._world is None else self._world.index
        self._seen = mark
        if index:
            self._world = OperationContext(edition, index, self._now, self._inbox, self._products, self._threads)
        return self._world if index else None

    def _opened(self) -> SearchIndex | None:
        try:
            return SearchIndex(self._index)
        except EngineError:
            log.exception("the search index cannot be opened")
            return self._world.index if self._world else None

    def _mark(self) -> tuple[int, int] | None:
        """What tells one index from the next; ``None`` while there is none."""
        try:
            state = (self._index / FACTS).stat()
        except OSError:
            return None
        return (state.st_ino, state.st_mtime_ns)
