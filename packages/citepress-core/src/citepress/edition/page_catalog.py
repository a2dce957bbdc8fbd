"""The pages that can be read, in private leaves of an edition, for the workers that count.

A leaf's path begins with a character that no request path holds, so no door sends it.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from hashlib import blake2b
from typing import NamedTuple
from zlib import crc32

import orjson

from citepress.archive.edit import ArchiveEdit
from citepress.base import fast_json
from citepress.base.ids import canonical_path
from citepress.base.timestamps import HOUR_S
from citepress.contract.cache import Cache
from citepress.edition.compiler import RenderUnit
from citepress.edition.edition import Edition
from citepress.edition.leaf import PRIVATE, Leaf
from citepress.edition.machine.readable import Readable, readable, readable_origin, readable_pages, readable_record
from citepress.edition.render_context import RenderContext

MATERIALS_PATH = f"{PRIVATE}materials"
SHARD = 500
"""Pages of one leaf on average: a new page changes one leaf."""


class PageEntry(NamedTuple):
    """A page that can be read."""

    canonical: str
    kind: str
    published: int | None
    """Hours since 1970."""
    forms: list[str]


def page_entries(context: RenderContext) -> Iterator[RenderUnit]:
    """One unit a private leaf."""
    for place, body in enumerate(_shards(context).bodies):
        path = f"{MATERIALS_PATH}/{place}"
        leaf = Leaf(path, path, "asset", "application/octet-stream", body, Cache.NO_STORE)
        yield RenderUnit(
            blake2b(path.encode() + b"\0" + body, digest_size=16).digest(), partial(tuple, [leaf]), path, path
        )


@dataclass(slots=True)
class _PageShards:
    """The pages by shard and canonical path, and each shard as it is stored."""

    pages: list[dict[str, PageEntry]]
    beside: frozenset[str]
    """Those of no record and no origin."""
    bodies: list[bytes] = field(init=False)

    def __post_init__(self) -> None:
        """Write every shard."""
        self.bodies = [_body(shard) for shard in self.pages]


def _shards(context: RenderContext) -> _PageShards:
    def whole() -> _PageShards:
        return _PageShards(_sharded(map(_entry, readable(context))), beside())

    def beside() -> frozenset[str]:
        return frozenset(page.canonical for page in readable_pages(context))

    def update(shards: _PageShards, edit: ArchiveEdit) -> _PageShards:
        archive, count = context.archive, len(shards.pages)
        touched = {*edit.records, *(canonical_path(f"/sources/{id_}/") for id_ in edit.origins), *shards.beside}
        pages = list(readable_pages(context))
        pages += [readable_record(context, entry) for id_ in edit.records if (entry := archive.entries.get(id_))]
        pages += [readable_origin(context, id_) for id_ in edit.origins if id_ in archive.origins]
        for canonical in touched:
            shards.pages[_place(canonical, count)].pop(canonical, None)
        for row in map(_entry, pages):
            shards.pages[_place(row.canonical, count)][row.canonical] = row
            touched.add(row.canonical)
        if count != _count(sum(map(len, shards.pages))):
            return _PageShards(_sharded(row for shard in shards.pages for row in shard.values()), beside())
        shards.beside = beside()
        for place in {_place(canonical, count) for canonical in touched}:
            shards.bodies[place] = _body(shards.pages[place])
        return shards

    return context.derivations.maintained("page entries", whole, update)


def _body(shard: Mapping[str, PageEntry]) -> bytes:
    rows = [shard[canonical] for canonical in sorted(shard)]
    return orjson.dumps(rows, option=orjson.OPT_PASSTHROUGH_SUBCLASS, default=list)


def _entry(page: Readable) -> PageEntry:
    return PageEntry(page.canonical, page.kind, _hour(page.published), list(page.forms))


def _count(pages: int) -> int:
    """As many shards as that number of pages needs, a power of two."""
    count = 1
    while count * SHARD < pages:
        count *= 2
    return count


def _place(canonical: str, count: int) -> int:
    return crc32(canonical.encode("utf-8", "replace")) & (count - 1)


def _sharded(rows: Iterable[PageEntry]) -> list[dict[str, PageEntry]]:
    every = list(rows)
    shards: list[dict[str, PageEntry]] = [{} for _ in range(_count(len(every)))]
    for row in every:
        shards[_place(row.canonical, len(shards))][row.canonical] = row
    return shards


def read_page_entries(edition: Edition) -> Iterator[PageEntry]:
    """What an edition keeps of its pages; nothing of one that was made before it kept that."""
    place = 0
    while body := edition.body(f"{MATERIALS_PATH}/{place}"):
        yield from (PageEntry(*row) for row in fast_json.loads(body))
        place += 1


def find_page_entries(edition: Edition, canonicals: Iterable[str]) -> Iterator[PageEntry]:
    """What an edition keeps of these pages; nothing of those that it does not list."""
    count = 1
    while edition.meta(f"{MATERIALS_PATH}/{count}"):
        count *= 2
    by_shard: dict[int, set[str]] = {}
    for canonical in canonicals:
        by_shard.setdefault(_place(canonical, count), set()).add(canonical)
    for place, names in by_shard.items():
        rows = fast_json.loads(edition.body(f"{MATERIALS_PATH}/{place}") or b"[]")
        yield from (PageEntry(*row) for row in rows if row[0] in names)


def _hour(moment: datetime | None) -> int | None:
    return int(moment.timestamp()) // HOUR_S if moment else None
