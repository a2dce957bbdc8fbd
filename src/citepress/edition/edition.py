"""An edition as it is served: packs in layers, the newest first, and the bounded memory of what was asked for lately."""

from bisect import bisect_left
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import orjson

from citepress.edition.fields import SiteFields
from citepress.edition.pack import Pack, PackError, leaf_of
from citepress.edition.served import Served, served

POINTER = "current.json"
PRIVATE = "\0"
"""What the paths of leaves begin with that no door sends; no request path holds this character."""
KEEP_BYTES = 64 * 1024 * 1024
"""Bytes of bodies that a worker holds ready to send; the rest stays in the mapped file."""
NEIGHBOURS = 60
"""Paths on either side of a missing one that are looked at for something near."""


def pointer(state: Path) -> Path:
    """The file that names the packs of the current edition under a state folder."""
    return state / "edition" / POINTER


def open_edition(pointed: Path) -> "Edition":
    """The edition that a pointer file names. Raises ``PackError`` when it is not whole."""
    try:
        names = orjson.loads(pointed.read_bytes())["layers"]
    except (OSError, ValueError, KeyError) as error:
        raise PackError(f"there is no edition at {pointed.name}: {error}") from error
    return Edition(tuple(Pack(pointed.parent / name) for name in names))


class Edition:
    """Leaves by path, over one base pack and at most one pack of later changes."""

    def __init__(self, layers: tuple[Pack, ...]) -> None:
        newest = layers[0].notes
        self.layers = layers
        self.digest: str = newest["digest"]
        self.facts: Mapping[str, Any] = newest["facts"]
        """What the door needs to know of the site: base_url, title, language, deprecations, trusted proxies, limits."""
        self.fields = SiteFields.of(self.facts)
        """What the facts mean for the header of every answer."""
        self._shells: Mapping[str, str] = newest["shells"]
        self._removed = frozenset(newest["removed"])
        self._ready: dict[str, Served] = {}
        self._ready_bytes = 0

    def find(self, path: str) -> Served | None:
        """What answers at a path, ready to send; ``None`` where nothing is published."""
        return self._ready.get(path) or self._load(path)

    def shell(self, name: str) -> bytes:
        """A recovery document with placeholders, by name (``404.html``)."""
        return self._shells[name].encode()

    def meta(self, path: str) -> dict[str, Any] | None:
        """The stored members of a leaf."""
        return self._locate(path)[1]

    def paths(self) -> Iterator[str]:
        """Every published path in order."""
        known = {path for layer in self.layers for path in layer.paths()} - self._removed if len(self.layers) > 1 else ()
        return (path for path in sorted(known) or self.layers[0].paths() if not path.startswith(PRIVATE))

    def bodies(self, path: str) -> dict[str, bytes]:
        """The bodies of a path by coding, identity first; empty where nothing is published."""
        pack, meta = self._locate(path)
        return pack.bodies(meta) if pack and meta else {}

    def near(self, path: str, count: int = 5) -> tuple[tuple[str, str], ...]:
        """Up to ``count`` (path, title) of pages whose paths are close to a missing one, best first."""
        words = _words(path)
        best: dict[str, tuple[float, str]] = {}
        for pack in self.layers:
            for meta in _around(pack, path):
                if meta["title"] and meta["path"] not in self._removed:
                    best.setdefault(meta["path"], (_likeness(words, path, meta["path"]), meta["title"]))
        ranked = sorted(best.items(), key=lambda item: (-item[1][0], item[0]))
        return tuple((found, title) for found, (score, title) in ranked[:count] if score > 0)

    def _locate(self, path: str) -> tuple[Pack | None, dict[str, Any] | None]:
        for place, pack in enumerate(self.layers):
            if place and path in self._removed:
                break
            if (meta := pack.meta(path)) is not None:
                return pack, meta
        return None, None

    def _load(self, path: str) -> Served | None:
        pack, meta = self._locate(path)
        if pack is None or meta is None:
            return None
        bodies = pack.bodies(meta)
        ready = served(leaf_of(meta, bodies["identity"]), bodies, meta["etag"], self.fields)
        size = sum(map(len, bodies.values()))
        if size < KEEP_BYTES // 16:
            if self._ready_bytes + size > KEEP_BYTES:
                self._ready, self._ready_bytes = {}, 0
            self._ready[path] = ready
            self._ready_bytes += size
        return ready


def _around(pack: Pack, path: str) -> Iterator[dict[str, Any]]:
    """Meta records beside a path, in path order, and beside the same last segment in its collection's start."""
    starts = {path, path.rsplit("/", 2)[0] + "/" if path.count("/") > 1 else "/"}
    for start in sorted(starts):
        place = bisect_left(range(len(pack)), start, key=pack.path_at)
        for at in range(max(0, place - NEIGHBOURS), min(len(pack), place + NEIGHBOURS)):
            yield pack.record_at(at)


def _words(path: str) -> frozenset[str]:
    return frozenset(path.lower().replace("/", "-").replace(".", "-").split("-")) - {"", "html", "json", "md", "index"}


def _likeness(words: frozenset[str], path: str, other: str) -> float:
    """Shared words, and how long the two paths run alike from the left."""
    theirs = _words(other)
    shared = len(words & theirs) / max(1, len(words | theirs))
    alike = next((n for n, (a, b) in enumerate(zip(path, other, strict=False)) if a != b), min(len(path), len(other)))
    return 2 * shared + (alike - 1) / max(len(path), len(other))
