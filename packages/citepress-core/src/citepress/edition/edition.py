"""An edition as it is served: layered packs, the newest first, with a bounded cache of recently requested leaves."""

import logging
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any
from weakref import WeakMethod

from pydantic import ValidationError

from citepress.base import fast_json
from citepress.base.canonical import digest
from citepress.edition.citations.derived import derived, derived_leaf, page_of
from citepress.edition.feeds.derived import feed_leaf, feed_paths, stored_path
from citepress.edition.leaf import PRIVATE, Leaf, Variant
from citepress.edition.memento import ListedRevision
from citepress.edition.pack import Pack, PackError, is_damaged, leaf_of, open_layers, sent_digest
from citepress.edition.page_context import Rendering, page_context
from citepress.edition.render_context import RenderContext
from citepress.edition.reports.derived import landing_of, report_leaf
from citepress.edition.response_headers import SiteFields
from citepress.edition.revisions.derived import MOVED_STATUS, listed, record_of, revision_leaf
from citepress.edition.revisions.derived import paths as revision_paths
from citepress.edition.served import IDENTITY, MAX_DATE_S, CacheBudget, Served, prepare_leaf
from citepress.edition.similar_paths import SimilarPaths
from citepress.edition.site_config import SiteConfig
from citepress.edition.verification.derived import EditionLog, log_leaf, log_paths
from citepress.extension import installed
from citepress.transparency.entries import EditionLogError
from citepress.transparency.heads import MEMBER, LogHead

log = logging.getLogger(__name__)
POINTER = "current.json"
ENTRY_BYTES = 4096
"""Memory that a cached leaf takes besides its bodies."""
MAX_CACHE_FRACTION = 16
"""A leaf that would take more than this fraction of the cache is prepared for each request instead."""


def pointer(state: Path) -> Path:
    """The file that names the packs of the current edition under a state folder."""
    return state / "edition" / POINTER


def publication_of(pointed: Path) -> tuple[int, datetime] | None:
    """Number and time of the publication that a pointer names, where it was taken from an object store."""
    try:
        members = fast_json.loads(pointed.read_bytes())
        return int(members["manifest"]), datetime.fromisoformat(members["created"])
    except (OSError, ValueError, KeyError, TypeError):
        return None


def open_edition(pointed: Path) -> "Edition":
    """The edition that a pointer file names. Raises ``PackError`` when it is not whole."""
    head = LogHead.of(_members(pointed).get(MEMBER))
    return Edition(open_layers(_packs(pointed)), EditionLog(head, pointed.parent) if head else None)


def needs_repair(pointed: Path) -> bool:
    """Whether a reader met damage in the edition that a pointer file names."""
    try:
        return any(map(is_damaged, _packs(pointed)))
    except PackError:
        return False


def _members(pointed: Path) -> Mapping[str, Any]:
    """What a pointer says. Raises ``PackError``."""
    try:
        members = fast_json.loads(pointed.read_bytes())
    except (OSError, ValueError) as error:
        raise PackError(f"there is no edition at {pointed.name}: {error}") from error
    return members if isinstance(members, dict) else {}


def _packs(pointed: Path) -> list[Path]:
    """The files that a pointer names. Raises ``PackError``."""
    try:
        return [pointed.parent / name for name in _members(pointed)["layers"]]
    except (KeyError, TypeError) as error:
        raise PackError(f"there is no edition at {pointed.name}: {error}") from error


def missing_extensions(pointed: Path) -> list[str]:
    """Words for each extension that the edition of a pointer file was made with and that is not installed here."""
    try:
        return list(_missing_extensions(open_layers(_packs(pointed))[0].notes["config"]))
    except (PackError, KeyError):
        return []


def _missing_extensions(config: Mapping[str, Any]) -> Iterator[str]:
    here = {source.extension.name for source in installed()}
    for name, extension in config.get("extensions", {}).items():
        if name not in here:
            wanted = f"{extension['distribution']}=={extension['version']}"
            yield f"the extension {name!r}, which is not installed: pip install {wanted}"


def _config(pack: Pack) -> SiteConfig:
    """The configuration of an edition. Raises ``PackError``, also where one of its extensions is not installed."""
    try:
        config = pack.notes["config"]
        for missing in _missing_extensions(config):
            raise PackError(f"the edition needs {missing}")
        return SiteConfig.model_validate(config, extra="ignore")  # of settings that servers do without
    except (KeyError, ValidationError) as error:
        raise PackError(f"{pack.path.name} holds no configuration of this version: {error}") from error


class Edition:
    """Leaves by path, over a base pack and packs of later changes."""

    def __init__(self, layers: tuple[Pack, ...], log: EditionLog | None = None) -> None:
        """``log`` is that of the editions of this site, where one is kept."""
        newest = layers[0].notes
        self.layers, self.log = layers, log
        self.digest: str = newest["digest"]
        self.config = _config(layers[0])
        """The configuration of its site."""
        self.fields = SiteFields.of(self.config)
        """The header fields that follow from it."""
        self._page_templates: Mapping[str, str] = newest["shells"]
        self._removed = tuple(frozenset(layer.notes["removed"]) for layer in layers)
        """For each pack, the paths of those below it that are gone."""
        self._neighbours = SimilarPaths(layers, self._removed)
        self._rendering: Rendering | None = None
        self._pages: RenderContext | None = None
        self._ready: dict[str, Served] = {}
        self._older: dict[str, Served] = {}
        """The older half of the cache; what is asked for again moves to the younger one."""
        self._inherited: dict[str, Served] = {}
        self._share(CacheBudget())
        self.latest = MAX_DATE_S
        """Unix seconds that no ``Last-Modified`` exceeds; whoever serves the edition sets the moment of opening."""

    def find(self, path: str) -> Served | None:
        """What answers at a path, ready to send; ``None`` where nothing is published."""
        return self._ready.get(path) or self._load(path)

    def leaf(self, path: str) -> Leaf | None:
        """What answers at a path, to be written to a file: no headers are prepared, and it is not held."""
        pack, meta = self._locate(path)
        return leaf_of(meta, pack.body(meta)) if pack and meta else self._derived(path)

    @property
    def cached_bytes(self) -> int:
        """Bytes of bodies that are held ready to send, at most."""
        return self._budget.used + self._budget.older

    def page_template(self, name: str) -> bytes:
        """A recovery document with placeholders, by name (``404.html``)."""
        return self._page_templates[name].encode()

    def meta(self, path: str) -> dict[str, Any] | None:
        """The stored members of a leaf."""
        return self._locate(path)[1]

    def paths(self) -> Iterator[str]:
        """Every published path in order."""
        if len(self.layers) == 1:
            return (path for path in self.layers[0].paths() if not path.startswith(PRIVATE))
        paths: set[str] = set()
        for layer, removed in zip(reversed(self.layers), reversed(self._removed), strict=True):
            paths = (paths - removed) | set(layer.paths())
        return (path for path in sorted(paths) if not path.startswith(PRIVATE))

    def addresses(self) -> Iterator[str]:
        """Every published path, then those that are answered from what is stored under others."""
        further: list[str] = []
        for path in self.paths():
            yield path
            meta = self.meta(path) if path.endswith("/") else None
            variants = (Variant(*variant) for variant in meta["variants"]) if meta else ()
            further += [*(variant.path for variant in derived(variants)), *feed_paths(path)]
            # Where a page has moved, its revisions are found at the new place, and from the former one.
            page = meta["location"] if meta and meta["status"] == MOVED_STATUS else path
            if self._rendering and meta and record_of(f"{path}history/") and (rows := self.revisions(page)):
                further += revision_paths(path, rows, self._page_context())
        yield from further
        if self.log:
            yield from log_paths(self.log)

    def render_with(self, rendering: Rendering) -> "Edition":
        """Answer from now on at the paths of revisions too, whose pages are rendered when they are asked for."""
        self._rendering = rendering
        return self

    def revisions(self, page: str) -> list[ListedRevision]:
        """The revisions of the record with this page, oldest first; none where none are kept."""
        return listed(page, self.body)

    def _page_context(self) -> RenderContext:
        if self._pages is None:
            if self._rendering is None:
                raise LookupError("this edition renders no pages")
            self._pages = page_context(self.config, self._rendering)
        return self._pages

    def body(self, path: str) -> bytes | None:
        """The body of a path without a content coding; ``None`` where nothing is published."""
        pack, meta = self._locate(path)
        return bytes(pack.body(meta)) if pack and meta else None

    def near(self, path: str, count: int = 5) -> tuple[tuple[str, str], ...]:
        """Up to ``count`` (path, title) of pages whose paths are close to a missing one, best first.

        None where the pack is damaged: the missing path is still answered with 404, not with a fault of the server.
        """
        try:
            return self._neighbours.near(path, count)
        # A damaged neighbour costs a suggestion, not the answer that the path is missing.
        except PackError:
            log.exception("no similar paths for a missing one")
            return ()

    def _locate(self, path: str) -> tuple[Pack | None, dict[str, Any] | None]:
        for pack, removed in zip(self.layers, self._removed, strict=True):
            if (meta := pack.meta(path)) is not None:
                return pack, meta
            # A path that a newer layer removed may still be in an older one, and must not come back.
            if path in removed:
                break
        return None, None

    def limit_cache(self, size: int) -> None:
        """Hold at most so many bytes of bodies ready to send; the rest stays in the file."""
        budget = self._budget
        budget.limit = size
        if budget.used > size // 2:  # what is held no longer fits into half of them
            self._ready, self._older, self._inherited = {}, {}, {}
            budget.used = budget.older = 0

    def inherit(self, former: object) -> None:
        """Take over another edition's cache: its size, and those of its prepared leaves that are the same in both."""
        if not isinstance(former, Edition):
            return
        if former.fields == self.fields:
            self._inherited = {**former._older, **former._ready}  # noqa: SLF001  (of the same class)
            self._share(former._budget)  # noqa: SLF001
        else:
            self.limit_cache(former._budget.limit)  # noqa: SLF001

    def _share(self, budget: CacheBudget) -> None:
        """Count in a budget, which makes room here from now on; weakly, so that no circle keeps the edition open."""
        self._budget = budget
        budget.full = WeakMethod(self._make_room)

    def _make_room(self) -> None:
        self._older, self._ready, self._inherited = self._ready, {}, {}

    def _load(self, path: str) -> Served | None:
        if (older := self._older.pop(path, None)) is not None:
            return self._held(path, older)
        pack, meta = self._locate(path)
        if pack is None or meta is None:
            leaf, stored, written = self._derived(path), {}, self.layers[0].written  # it may be made of any pack
            if leaf is None:
                return None
            etag = sent_digest(leaf.type, digest(bytes(leaf.body)))
            meta = {"etag": etag, "sum": etag}
        else:
            ready = self._inherited.pop(path, None)
            # A large body is a part of the former file, whose space would stay taken as long as somebody refers to it.
            if ready is not None and ready.sum == meta["sum"] and "packed" in meta:
                return self._held(path, ready)
            leaf, stored, written = leaf_of(meta, pack.body(meta)), pack.stored(meta), pack.written
        ready = prepare_leaf(leaf, meta, stored, self.fields, self._budget, written, self.latest)
        return self._held(path, ready)

    def _derived(self, path: str) -> Leaf | None:
        """What is made of what is stored under other paths; ``None`` where nothing is at this path."""
        if leaf := self._verification(path):
            return leaf
        for stored, make in self._makers(path):
            page = self.find(stored) if stored else None
            if page and (leaf := make(page.leaf)):
                return leaf
        return None

    def _makers(self, path: str) -> Iterator[tuple[str, Callable[[Leaf], Leaf | None]]]:
        """What may make the leaf of a path, each with the path of the leaf that it would make it of, or nothing."""
        body, config = self.body, self.config
        if self._rendering:
            yield record_of(path), lambda page: revision_leaf(page, path, body, self._page_context())
            yield landing_of(path), lambda page: report_leaf(page, path, body, self._page_context())
        yield page_of(path), lambda page: derived_leaf(page, path, body, config.publication, config.owner)
        yield stored_path(path), lambda atom: feed_leaf(atom, path, config.base_url)

    def _verification(self, path: str) -> Leaf | None:
        try:
            return log_leaf(self.log, path, self.body, self.config.base_url) if self.log else None
        except EditionLogError:  # its file is gone: readers can verify nothing, and read all the same
            log.exception("%s cannot be answered", path)
            return None

    def _held(self, path: str, ready: Served) -> Served:
        """What was prepared, held for the next request where it is not too large."""
        bodies = [ready.leaf.body, *(coded.body for name, coded in ready.coded.items() if name != IDENTITY)]
        size = ENTRY_BYTES + sum(len(body) for body in bodies if isinstance(body, bytes))
        if size < self._budget.limit // MAX_CACHE_FRACTION:
            self._budget.take(size)
            self._ready[path] = ready
        return ready
