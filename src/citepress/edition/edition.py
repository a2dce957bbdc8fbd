"""An edition as it is served: packs in layers, the newest first, and the bounded memory of what was asked for lately."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import orjson

from citepress.edition.fields import SiteFields
from citepress.edition.leaf import PRIVATE
from citepress.edition.pack import Pack, PackError, digests_of, leaf_of
from citepress.edition.served import Served, served
from citepress.edition.similar_paths import SimilarPaths

POINTER = "current.json"
KEEP_BYTES = 64 * 1024 * 1024
"""Bytes of bodies that a worker holds ready to send; the rest stays in the mapped file."""
ENTRY_BYTES = 4096
"""What a leaf that is ready to send takes beside its bodies."""


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
        self._neighbours = SimilarPaths(layers, self._removed)
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

    def bodies(self, path: str) -> dict[str, bytes | memoryview]:
        """The bodies of a path by coding, identity first; empty where nothing is published."""
        pack, meta = self._locate(path)
        return pack.bodies(meta) if pack and meta else {}

    def near(self, path: str, count: int = 5) -> tuple[tuple[str, str], ...]:
        """Up to ``count`` (path, title) of pages whose paths are close to a missing one, best first."""
        return self._neighbours.near(path, count)

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
        ready = served(leaf_of(meta, bodies["identity"]), bodies, meta["etag"], self.fields, digests_of(meta))
        size = ENTRY_BYTES + sum(len(body) for body in bodies.values() if isinstance(body, bytes))
        if size < KEEP_BYTES // 16:
            if self._ready_bytes + size > KEEP_BYTES:
                self._ready, self._ready_bytes = {}, 0
            self._ready[path] = ready
            self._ready_bytes += size
        return ready
