"""The pages that can be read, in private leaves of an edition, for the workers that count.

A leaf's path begins with a character that no request path holds, so no door sends it.
"""

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from functools import partial
from typing import NamedTuple

import orjson

from citepress.archive.edit import ArchiveEdit
from citepress.base import fast_json
from citepress.base.ids import canonical_path
from citepress.base.timestamps import HOUR_S
from citepress.edition.compiler import RenderUnit
from citepress.edition.edition import Edition
from citepress.edition.hashed_shards import HashedShards, place_of
from citepress.edition.leaf import PRIVATE
from citepress.edition.lookup_shards import private_unit
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
    for place, body in enumerate(_shards(context).shards.written):
        yield private_unit(f"{MATERIALS_PATH}/{place}", body, partial(bytes, body))


class _Pages(NamedTuple):
    """The pages by canonical path, in shards as they are stored, and those of no record and no origin."""

    shards: HashedShards[PageEntry, bytes]
    beside: frozenset[str]


def _shards(context: RenderContext) -> _Pages:
    def whole() -> _Pages:
        shards = HashedShards(map(_row, readable(context)), SHARD, _body)
        return _Pages(shards, frozenset(page.canonical for page in readable_pages(context)))

    def update(pages: _Pages, edit: ArchiveEdit) -> _Pages:
        archive, beside = context.archive, dict(map(_row, readable_pages(context)))
        origins = {canonical_path(f"/sources/{id_}/") for id_ in edit.origins}
        now = [readable_record(context, entry) for id_ in edit.records if (entry := archive.entries.get(id_))]
        now += [readable_origin(context, id_) for id_ in edit.origins if id_ in archive.origins]
        gone = dict.fromkeys((*edit.records, *origins, *pages.beside))
        pages.shards.revise({**gone, **beside, **dict(map(_row, now))})
        return _Pages(pages.shards, frozenset(beside))

    return context.derivations.maintained("page entries", whole, update)


def _body(_: int, shard: Mapping[str, PageEntry]) -> bytes:
    rows = [shard[canonical] for canonical in sorted(shard)]
    return orjson.dumps(rows, option=orjson.OPT_PASSTHROUGH_SUBCLASS, default=list)


def _row(page: Readable) -> tuple[str, PageEntry]:
    return page.canonical, PageEntry(page.canonical, page.kind, _hour(page.published), list(page.forms))


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
        by_shard.setdefault(place_of(canonical, count), set()).add(canonical)
    for place, names in by_shard.items():
        rows = fast_json.loads(edition.body(f"{MATERIALS_PATH}/{place}") or b"[]")
        yield from (PageEntry(*row) for row in rows if row[0] in names)


def _hour(moment: datetime | None) -> int | None:
    return int(moment.timestamp()) // HOUR_S if moment else None
