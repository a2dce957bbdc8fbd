"""How many records with a value each part of a long index holds: what lists under a query say of other parts."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from math import ceil
from zlib import crc32

import orjson

from citepress.archive.model import Entry
from citepress.base import fast_json
from citepress.base.ids import tag_slug
from citepress.contract.kind import Kind
from citepress.edition.compiler import RenderUnit
from citepress.edition.documents.collection_models import INDEX_ITEMS
from citepress.edition.documents.facets import values_of
from citepress.edition.leaf import PRIVATE
from citepress.edition.lookup_shards import private_unit
from citepress.edition.render_context import RenderContext

HEAD = f"{PRIVATE}index-counts"
SHARDS = 16
"""Private leaves of a kind, so that a request reads a sixteenth of its values for each condition."""
UPDATED = "updated"
"""The key under which each part has the second of its newest change instead of a number of records."""
Parts = Mapping[int, int]
"""Numbers by the part of the index."""


def index_counts(context: RenderContext) -> Iterator[RenderUnit]:
    """The private leaves of each kind whose index has several parts; a host of files answers no query."""
    for kind in context.archive.kinds if context.served else ():
        entries = context.archive.collections[kind.name]
        if len(entries) > INDEX_ITEMS:
            yield from _units(context, kind, entries)


def _units(context: RenderContext, kind: Kind, entries: Sequence[Entry]) -> Iterator[RenderUnit]:
    shards: list[dict[str, dict[str, int]]] = [{} for _ in range(SHARDS)]
    for number, at in enumerate(range(0, len(entries), INDEX_ITEMS), 1):
        part = tuple(entries[at : at + INDEX_ITEMS])
        counts = context.derivations.held(f"values of {kind.name} {number}", part, partial(_counts, part))
        for key, count in counts.items():
            shards[_shard_of(key)].setdefault(key, {})[str(number)] = count
    for place, shard in enumerate(shards):
        body = orjson.dumps(shard, option=orjson.OPT_SORT_KEYS)
        yield private_unit(_path(kind, place), body, partial(bytes, body))


def _counts(part: Sequence[Entry]) -> dict[str, int]:
    counts = Counter(_key(facet, value) for entry in part for facet, value in set(values_of(entry)))
    return {**counts, UPDATED: max(ceil(entry.head.updated_at.timestamp()) for entry in part)}


def matching_parts(
    body: Callable[[str], bytes | None], kind: Kind, conditions: Mapping[str, str]
) -> list[tuple[str, Parts]]:
    """For each condition that is counted, the parts with records that meet it, and how many these are.

    For ``since`` the numbers are no counts: records of a part are not in the order of their changes. Origins are not
    among them, because the list under one also has the records that only link to it.
    """
    parts: list[tuple[str, Parts]] = []
    for name, value in conditions.items():
        if name == "since":
            since = datetime.fromisoformat(value).replace(tzinfo=UTC).timestamp()
            newest = _read(body, kind, UPDATED)
            stored = newest and {part: second for part, second in newest.items() if second >= since}
        elif name != "origin":
            stored = _read(body, kind, _key(name, tag_slug(value) if name == "tag" else value))
        else:
            continue
        if stored is not None:
            parts.append((name, stored))
    return parts


def _read(body: Callable[[str], bytes | None], kind: Kind, key: str) -> Parts | None:
    """``None`` where the edition counts nothing, because a former version compiled it."""
    if (stored := body(_path(kind, _shard_of(key)))) is None:
        return None
    shard = fast_json.loads(stored)
    return {int(part): count for part, count in shard.get(key, {}).items()}


def _key(facet: str, value: str) -> str:
    return f"{facet}={value}"


def _shard_of(key: str) -> int:
    return crc32(key.encode("utf-8", "replace")) % SHARDS


def _path(kind: Kind, shard: int) -> str:
    return f"{HEAD}/{kind.name}/{shard}"
