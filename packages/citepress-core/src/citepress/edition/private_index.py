"""Private leaves of an edition: what operations look up that no published document gives in one step.

``Lookup`` reads what ``lookup`` writes: a head, shards of an index by key, and rolls of dated rows. Their paths begin
with a character that no request path holds, so no door sends them.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any, NamedTuple, TypeAlias

import orjson

from citepress.archive.model import Change
from citepress.base import fast_json
from citepress.base.urls import variants
from citepress.edition.compiler import RenderUnit
from citepress.edition.edition import Edition
from citepress.edition.lookup_shards import (
    FIRST,
    HISTORY,
    HOST_KEY,
    LOOKUP_PREFIX,
    ORIGIN_KEY,
    SOURCE,
    Row,
    change_row,
    line,
    places_of,
    private_unit,
    shard_of,
    shard_units,
)
from citepress.edition.render_context import RenderContext

PART_ROWS = 500
"""Rows of one part of a roll; parts are counted from the oldest row, so that a new one changes the last part alone."""
PUBLISHED_ROLL, CHANGE_ROLL = "published", "changes"
"""The rolls: records by their first publication, and changes to records."""
SecondsSpan: TypeAlias = tuple[int, int]
"""From a second on, up to the one before the other."""


class Citing(NamedTuple):
    """A record that cites a source or mentions it."""

    id: str
    role: str
    """primary, secondary or mentioned."""
    updated: int
    """Unix seconds."""
    claims: list[str]


@dataclass(frozen=True, slots=True)
class Cited:
    """A source as the archive cites it."""

    url: str
    title: str
    origin: str
    count: int
    citing: tuple[Citing, ...]
    """Newest first, and those that only mention it last."""


def lookup(context: RenderContext, surroundings: bytes) -> Iterator[RenderUnit]:
    """One unit a private leaf; ``surroundings`` as for ``works``."""
    shards = shard_units(context, surroundings)
    head: dict[str, Any] = {"shards": len(shards), "rolls": {}}
    yield from shards
    for name in (PUBLISHED_ROLL, CHANGE_ROLL):
        parts = _parts(context, name)
        head["rolls"][name] = [
            context.derivations.held(f"{name} head {place}", part, partial(_part_head, part))
            for place, part in enumerate(parts)
        ]
        for place, part in enumerate(parts):
            make = partial(_part_unit, f"{LOOKUP_PREFIX}/{name}/{place}", name, part)
            yield context.derivations.held(f"{name} part {place}", part, make)
    yield private_unit(LOOKUP_PREFIX, orjson.dumps(head), partial(orjson.dumps, head))


def _parts(context: RenderContext, name: str) -> Sequence[tuple[Change, ...]]:
    """The changes of a roll in parts, the oldest first."""

    def derive() -> list[tuple[Change, ...]]:
        changes = context.archive.changes
        published = name == PUBLISHED_ROLL
        rows = [c for c in reversed(changes) if (c.change == "published" if published else c.change not in FIRST)]
        return [tuple(rows[at : at + PART_ROWS]) for at in range(0, len(rows), PART_ROWS)]

    return context.derivations.of(f"parts of {name}", derive)


def _part_unit(path: str, name: str, part: Sequence[Change]) -> RenderUnit:
    body = orjson.dumps([_row(name, change) for change in part])
    return private_unit(path, body, lambda: body)


def _row(name: str, change: Change) -> Row:
    if name == CHANGE_ROLL:
        return change_row(change)
    return [int(change.moment.timestamp()), change.record, change.title, line(change.note), list(change.topics)]


def _part_head(part: Sequence[Change]) -> dict[str, Any]:
    """When a part begins and ends, and its number of rows by what a reader may ask for."""
    counts = Counter(mark for change in part for mark in _marks(change.record.partition("/")[0], change.topics))
    oldest, newest = (int(part[place].moment.timestamp()) for place in (0, -1))
    return {"oldest": oldest, "newest": newest, "counts": dict(sorted(counts.items()))}


ANY = " "
"""The mark that every row has: of no kind and no topic."""


@lru_cache(maxsize=4_096)
def _marks(kind: str, topics: tuple[str, ...]) -> frozenset[str]:
    """``kind topic`` of a row, each left out too."""
    return frozenset(f"{prefix} {topic}" for prefix in (kind, "") for topic in ("", *topics))


def kind_of(row: Row) -> str:
    """The collection of a row's record."""
    return str(row[1]).partition("/")[0]


class Lookup:
    """The private leaves of one edition, read."""

    def __init__(self, edition: Edition) -> None:
        """Raises ``LookupError`` for an edition without them."""
        self._edition = edition
        head = self._read(LOOKUP_PREFIX)
        if head is None:
            raise LookupError("the edition holds no lookup leaves")
        self._shards: int = head["shards"]
        self._rolls: Mapping[str, Sequence[Mapping[str, Any]]] = head["rolls"]

    def sources(self, url: str) -> list[tuple[str, Cited]]:
        """The sources that are one page, each with the address by which it was found.

        First that of the normalised address itself or of one that it is known to lead to, then those of its variants
        (scheme, ``www.``).
        """
        shard = self._read(f"{LOOKUP_PREFIX}/{shard_of(SOURCE + url, self._shards)}")
        sources: dict[str, tuple[str, Cited]] = {}
        for address in (url, *variants(url)):
            stored = shard.get(SOURCE + address)
            source_url = address
            if isinstance(stored, str):
                source_url, stored = stored, self._get(SOURCE + stored)
            if stored and source_url not in sources:
                title, origin, count, citing = stored
                sources[source_url] = (
                    address,
                    Cited(source_url, title, origin, count, tuple([Citing(*row) for row in citing])),
                )
        return list(sources.values())

    def origin_of(self, url: str) -> str:
        """Id of the origin that a normalised address belongs to, cited or not; empty where the archive knows none."""
        for place in places_of(url):
            ids: list[str] = self._get(HOST_KEY + place) or []
            if len(ids) == 1:
                return ids[0]
        return ""

    def origin(self, id_: str) -> tuple[str, int, int] | None:
        """Title of an origin, how many of its addresses records cite, and to how many more texts only link."""
        stored = self._get(ORIGIN_KEY + id_)
        return tuple(stored) if stored else None

    def history(self, id_: str) -> list[Row]:
        """The changes of one record, newest first."""
        return list(self._get(HISTORY + id_) or ())

    def part(
        self, roll: str, span: SecondsSpan, kinds: Iterable[str], topic: str, start: int, count: int
    ) -> tuple[int, list[Row]]:
        """The number of rows in a span of time, and ``count`` of them after ``start``, newest first."""
        since, until = span
        wanted = {f"{kind} {topic}" for kind in tuple(kinds) or ("",)}
        total, page = 0, list[Row]()
        heads = self._rolls[roll]
        for place in range(len(heads) - 1, -1, -1):
            head = heads[place]
            if head["newest"] < since:
                break
            if head["oldest"] >= until:
                continue
            here = sum(head["counts"].get(mark, 0) for mark in wanted)
            if (
                head["oldest"] < since
                or head["newest"] >= until
                or (here and total + here > start and len(page) < count)
            ):
                rows = [
                    row
                    for row in reversed(self._read(f"{LOOKUP_PREFIX}/{roll}/{place}"))
                    if since <= row[0] < until and (ANY in wanted or wanted & _marks(kind_of(row), tuple(row[-1])))
                ]
                page += rows[max(0, start - total) :][: count - len(page)]
                here = len(rows)
            total += here
        return total, page

    def _get(self, key: str) -> Any:  # noqa: ANN401  (JSON is any shape)
        return self._read(f"{LOOKUP_PREFIX}/{shard_of(key, self._shards)}").get(key)

    def _read(self, path: str) -> Any:  # noqa: ANN401  (JSON is any shape)
        body = self._edition.body(path)
        try:
            return orjson.loads(body) if body else None
        except orjson.JSONDecodeError as error:
            raise fast_json.cause_of(error) from error
