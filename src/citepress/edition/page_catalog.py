"""The pages that can be read, in private leaves of an edition, for the workers that count.

A leaf's path begins with a character that no request path holds, so no door sends it.
"""

from collections.abc import Iterator
from datetime import datetime
from functools import partial
from hashlib import blake2b
from typing import NamedTuple
from zlib import crc32

import orjson

from citepress.contract.cache import Cache
from citepress.edition.compiler import RenderUnit
from citepress.edition.documents.readable import readable
from citepress.edition.edition import Edition
from citepress.edition.leaf import PRIVATE, Leaf
from citepress.edition.render_context import RenderContext

PLACE = f"{PRIVATE}materials"
SHARD = 500
"""Pages of one leaf on average: a new page changes one leaf."""
HOUR_S = 3600


class PageEntry(NamedTuple):
    """A page that can be read."""

    canonical: str
    kind: str
    published: int | None
    """Hours since 1970."""
    forms: list[str]


def page_entries(desk: RenderContext) -> Iterator[RenderUnit]:
    """One unit a private leaf."""
    rows = [PageEntry(one.canonical, one.kind, _hour(one.published), list(one.forms)) for one in readable(desk)]
    count = 1
    while count * SHARD < len(rows):
        count *= 2
    shards: list[list[PageEntry]] = [[] for _ in range(count)]
    for row in sorted(rows):
        shards[crc32(row.canonical.encode("utf-8", "replace")) & (count - 1)].append(row)
    for place, shard in enumerate(shards):
        path, body = f"{PLACE}/{place}", orjson.dumps(shard, option=orjson.OPT_PASSTHROUGH_SUBCLASS, default=list)
        leaf = Leaf(path, path, "asset", "application/octet-stream", body, 0, Cache.NO_STORE)
        yield RenderUnit(blake2b(path.encode() + b"\0" + body, digest_size=16).digest(), partial(tuple, [leaf]))


def read_page_entries(edition: Edition) -> Iterator[PageEntry]:
    """What an edition keeps of its pages; nothing of one that was made before it kept that."""
    place = 0
    while bodies := edition.bodies(f"{PLACE}/{place}"):
        yield from (PageEntry(*row) for row in orjson.loads(bodies["identity"]))
        place += 1


def _hour(moment: datetime | None) -> int | None:
    return int(moment.timestamp()) // HOUR_S if moment else None
