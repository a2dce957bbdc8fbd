"""How many records with a value each part of a long index holds: what lists under a query say of other parts."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from math import ceil

import orjson

from citepress.archive.edit import ArchiveEdit
from citepress.archive.model import Entry
from citepress.base import fast_json
from citepress.base.slugs import tag_slug
from citepress.contract.kind import Kind
from citepress.edition.compiler import RenderUnit
from citepress.edition.hashed_shards import place_of
from citepress.edition.leaf import PRIVATE
from citepress.edition.lookup_shards import private_unit
from citepress.edition.pages.collection_models import INDEX_ITEMS
from citepress.edition.pages.facets import values_of
from citepress.edition.render_context import RenderContext

COUNTS_PREFIX = f"{PRIVATE}index-counts"
SHARDS = 16
"""Private leaves of a kind, a power of two, so that a request reads a sixteenth of its values for each condition."""
UPDATED = "updated"
"""The key under which each part has the second of its newest change instead of a number of records."""
NumbersByPart = Mapping[int, int]
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
        name = f"values of {kind.name} {number}"
        update = partial(_turned, part)
        values = context.derivations.maintained(name, partial(_PartValues, part), update)
        for key, count in values.counts().items():
            shards[place_of(key, SHARDS)].setdefault(key, {})[str(number)] = count
    for place, shard in enumerate(shards):
        body = orjson.dumps(shard, option=orjson.OPT_SORT_KEYS)
        yield private_unit(_path(kind, place), body, partial(bytes, body))


class _PartValues:
    """The values of the records of one part, of which an edit reads only those that differ."""

    def __init__(self, part: Sequence[Entry]) -> None:
        self._part: dict[int, Entry] = {}
        """By identity: an edit makes a new entry of a record, and comparing all others costs as much as counting."""
        self._keys: Counter[str] = Counter()
        self._newest = 0
        self.turn_to(part)

    def turn_to(self, part: Sequence[Entry]) -> None:
        """Count these records from now on."""
        now = dict(zip(map(id, part), part, strict=True))
        came = [now[key] for key in now.keys() - self._part.keys()]
        gone = [self._part[key] for key in self._part.keys() - now.keys()]
        self._keys.update(_keys_of(came))
        self._keys.subtract(_keys_of(gone))
        newest = max(map(_second, came), default=0)
        if newest < self._newest and any(_second(entry) == self._newest for entry in gone):
            self._newest = max(map(_second, part))
        self._newest = max(self._newest, newest)
        self._part = now

    def counts(self) -> dict[str, int]:
        """The number of records by value, and the second of the newest change."""
        self._keys = +self._keys
        return {**self._keys, UPDATED: self._newest}


def _turned(part: Sequence[Entry], values: _PartValues, _: ArchiveEdit) -> _PartValues:
    values.turn_to(part)
    return values


def _keys_of(entries: Iterable[Entry]) -> list[str]:
    return [_key(facet, value) for entry in entries for facet, value in set(values_of(entry))]


def _second(entry: Entry) -> int:
    return ceil(entry.head.updated_at.timestamp())


def matching_parts(
    body: Callable[[str], bytes | None], kind: Kind, conditions: Mapping[str, str]
) -> list[tuple[str, NumbersByPart]]:
    """For each condition that is counted, the parts with records that meet it, and how many these are.

    For ``since`` the numbers are no counts: records of a part are not in the order of their changes. Origins are not
    among them, because the list under one also has the records that only link to it.
    """
    parts: list[tuple[str, NumbersByPart]] = []
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


def _read(body: Callable[[str], bytes | None], kind: Kind, key: str) -> NumbersByPart | None:
    """``None`` where the edition counts nothing, because a former version compiled it."""
    if (stored := body(_path(kind, place_of(key, SHARDS)))) is None:
        return None
    shard = fast_json.loads(stored)
    return {int(part): count for part, count in shard.get(key, {}).items()}


def _key(facet: str, value: str) -> str:
    return f"{facet}={value}"


def _path(kind: Kind, shard: int) -> str:
    return f"{COUNTS_PREFIX}/{kind.name}/{shard}"
