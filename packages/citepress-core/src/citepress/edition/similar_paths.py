"""Pages near a path that is missing.

What was looked at lately is remembered, so that a flood of missing paths stays cheap.
"""

from bisect import bisect_left
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import lru_cache, partial
from os.path import commonprefix
from typing import NamedTuple

from citepress.edition.pack import Pack

REACH = 60
"""Paths on either side of a missing one that are looked at for something near."""
MAX_REMEMBERED_PLACES = 8_192
"""Places of a pack that are remembered: its path alone, or a page's title and words too."""
ANSWERS = 256
"""Missing paths whose answers are remembered."""
LIST_PAGE = "{page}"
"""In the route of every numbered page of a list."""
MIN_OF_BEST = 0.5
"""A path that is less than half as near as the nearest one is no guess."""
Found = tuple[tuple[str, str], ...]


class _PathEntry(NamedTuple):
    """What a pack has at a position."""

    path: str
    title: str
    """Empty for anything but a page, and for pages of lists, which are never what a reader was looking for."""
    words: frozenset[str]


PlaceAt = Callable[[int], _PathEntry]


class SimilarPaths:
    """Finds paths of one edition that are similar to a missing one."""

    def __init__(self, layers: Sequence[Pack], removed: Sequence[Collection[str]]) -> None:
        """``layers`` are the packs of the edition, the newest first.

        ``removed`` are, for each of them, paths of the older that are gone.
        """
        read = tuple((len(pack), lru_cache(MAX_REMEMBERED_PLACES)(partial(_place, pack))) for pack in layers)
        self._answer = lru_cache(ANSWERS)(partial(_ranked, read, removed))

    def near(self, path: str, count: int) -> Found:
        """Up to ``count`` (path, title) of pages whose paths are close to a missing one, best first."""
        return self._answer(path, count)


def _ranked(layers: Sequence[tuple[int, PlaceAt]], removed: Sequence[Collection[str]], path: str, count: int) -> Found:
    words = _words(path)
    best: dict[str, tuple[float, str]] = {}
    for place, (size, place_at) in enumerate(layers):
        for neighbour in _around(size, place_at, path):
            gone = any(neighbour.path in paths for paths in removed[:place])
            if neighbour.title and neighbour.path not in best and not gone:
                best[neighbour.path] = (_likeness(words, path, neighbour), neighbour.title)
    ranked = sorted(best.items(), key=lambda item: (-item[1][0], item[0]))
    least = MIN_OF_BEST * ranked[0][1][0] if ranked else 0
    return tuple((path, title) for path, (score, title) in ranked[:count] if score > 0 and score >= least)


def _place(pack: Pack, place: int) -> _PathEntry:
    meta = pack.record_at(place)
    path, title = str(meta["path"]), "" if LIST_PAGE in meta["route"] else str(meta["title"])
    return _PathEntry(path, title, _words(path) if title else frozenset())


def _around(size: int, place_at: PlaceAt, path: str) -> Iterator[_PathEntry]:
    """The neighbours of a path in path order, and of its last segment at the start of its collection."""
    starts = {path, path.rsplit("/", 2)[0] + "/" if path.count("/") > 1 else "/"}
    places: set[int] = set()
    for start in starts:
        middle = bisect_left(range(size), start, key=lambda place: place_at(place).path)
        places.update(range(max(0, middle - REACH), min(size, middle + REACH)))
    return (place_at(place) for place in places)


def _words(path: str) -> frozenset[str]:
    return frozenset(path.lower().replace("/", "-").replace(".", "-").split("-")) - {"", "html", "json", "md", "index"}


def _likeness(words: frozenset[str], path: str, other: _PathEntry) -> float:
    """Shared words, and how long the two paths run alike from the left."""
    common = len(words & other.words)
    shared = common / max(1, len(words) + len(other.words) - common)
    alike = len(commonprefix((path, other.path)))  # noqa: RUF071  (characters are meant)
    return 2 * shared + (alike - 1) / max(len(path), len(other.path))
