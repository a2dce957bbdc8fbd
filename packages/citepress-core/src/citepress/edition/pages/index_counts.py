"""How many records with a value each part of a long index holds: what lists under a query say of other parts."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from itertools import zip_longest
from math import ceil

import orjson

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
    counts = context.derivations.maintained(
        f"values of {kind.name}", partial(_PartNumbers, entries), lambda counts, _: counts.turn_to(entries)
    )
    for place, body in enumerate(counts.written):
        yield private_unit(_path(kind, place), body, partial(bytes, body))


class _PartNumbers:
    """The shards of a kind, of which an edit writes those anew that hold a value of a record that came or went."""

    def __init__(self, entries: Sequence[Entry]) -> None:
        self._parts: list[Sequence[Entry]] = []
        self._shards: list[dict[str, dict[str, int]]] = [{} for _ in range(SHARDS)]
        self.written = [orjson.dumps(shard) for shard in self._shards]
        self.turn_to(entries)

    def turn_to(self, entries: Sequence[Entry]) -> "_PartNumbers":
        """Count these records from now on."""
        parts = [entries[at : at + INDEX_ITEMS] for at in range(0, len(entries), INDEX_ITEMS)]
        keys: set[str] = set()
        for number, (before, now) in enumerate(zip_longest(self._parts, parts, fillvalue=()), 1):
            if before != now:
                keys.update(self._count(str(number), before, now))
        self._parts = parts
        for place in {place_of(key, SHARDS) for key in keys}:
            shard = {key: numbers for key, numbers in self._shards[place].items() if numbers}
            self.written[place] = orjson.dumps(shard, option=orjson.OPT_SORT_KEYS)
        return self

    def _count(self, part: str, before: Sequence[Entry], now: Sequence[Entry]) -> Iterable[str]:
        """Count the records of a part; returns the keys whose numbers may differ."""
        # By identity: an edit makes a new entry of a record, and comparing all others costs as much as counting.
        former, present = (dict(zip(map(id, part), part, strict=True)) for part in (before, now))
        came = [present[key] for key in present.keys() - former.keys()]
        gone = [former[key] for key in former.keys() - present.keys()]
        steps = Counter(_keys_of(came))
        steps.subtract(_keys_of(gone))
        for key, step in steps.items():
            numbers = self._numbers(key)
            numbers[part] = numbers.get(part, 0) + step
            if not numbers[part]:
                del numbers[part]
        newest = self._numbers(UPDATED)
        second, former_second = max(map(_second, came), default=0), newest.pop(part, 0)
        if second < former_second:
            is_gone = any(_second(entry) == former_second for entry in gone)
            second = max(map(_second, now), default=0) if is_gone else former_second
        if now:
            newest[part] = second
        return UPDATED, *steps

    def _numbers(self, key: str) -> dict[str, int]:
        return self._shards[place_of(key, SHARDS)].setdefault(key, {})


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
