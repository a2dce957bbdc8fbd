"""Private leaves of an edition: what operations look up that no published document gives in one step.

``Lookup`` reads what ``lookup`` writes: a head, shards of an index by key, and rolls of dated rows. Their paths begin
with a character that no request path holds, so no door sends them.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from hashlib import blake2b
from typing import Any, NamedTuple, TypeAlias
from zlib import crc32

import orjson

from citepress.archive.model import Archive, Change, Entry, Origin, SourceEntry
from citepress.base.text import bounded
from citepress.base.urls import host_of, registrable_host
from citepress.contract.cache import Cache
from citepress.edition.compiler import RenderUnit
from citepress.edition.edition import Edition
from citepress.edition.leaf import PRIVATE, Leaf
from citepress.edition.render_context import RenderContext

HEAD = f"{PRIVATE}lookup"
BINARY = "application/octet-stream"
SHARD_KEYS = 128
"""Keys of one shard on average."""
PART_ROWS = 500
"""Rows of one part of a roll; parts are counted from the oldest row, so that a new one changes the last part alone."""
CITED = 200
"""Records that are kept for one source, the newest first; their number is told beside them."""
CLAIMS = 5
TEXT = 240
"""Characters of a claim or a summary."""
SOURCE, PLACE, ORIGIN, HISTORY = "s:", "h:", "o:", "c:"
"""What keys begin with: a source's address, a host (with the first step of a path), an origin's id, a record's id."""
PUBLISHED, CHANGES = "published", "changes"
"""The rolls: records by their first publication, and changes to records."""
FIRST = ("published", "deprecated")
"""Changes that no existing record goes through."""
Thing: TypeAlias = SourceEntry | Origin | str | set[str] | list[Change]
"""What a key stands for: a source, an origin, the source that an alias leads to, the origins of a place, a record's changes."""
Row: TypeAlias = list[Any]
"""A row of a shard or roll; in a roll: unix seconds, record id, title, what the roll is about, and at the end the record's topics."""
Span: TypeAlias = tuple[int, int]
"""From a second on, up to the one before the other."""


class Citing(NamedTuple):
    """A record that cites a source."""

    id: str
    role: str
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
    """Newest first."""


def lookup(desk: RenderContext, surroundings: bytes) -> Iterator[RenderUnit]:
    """One unit a private leaf; ``surroundings`` as for ``works``."""
    things = _things(desk.archive)
    shards = _shards(things)
    digests = {id_: entry.digest for id_, entry in desk.archive.entries.items()}
    rolls = {PUBLISHED: _published(desk.archive), CHANGES: _changed(desk.archive)}
    head: dict[str, Any] = {"shards": len(shards), "rolls": {}}
    for place, keys in enumerate(shards):
        marks = [_mark(desk.archive, digests, things[key]) for key in keys]
        yield _unit(
            f"{HEAD}/{place}", b"".join((surroundings, "\0".join(keys).encode(), *marks)), partial(_shard, desk.archive, things, keys)
        )
    for name, rows in rolls.items():
        parts = [rows[at : at + PART_ROWS] for at in range(0, len(rows), PART_ROWS)]
        head["rolls"][name] = [_part_head(part) for part in parts]
        for place, part in enumerate(parts):
            yield _unit(f"{HEAD}/{name}/{place}", orjson.dumps(part), partial(orjson.dumps, part))
    yield _unit(HEAD, orjson.dumps(head), partial(orjson.dumps, head))


def _unit(path: str, inputs: bytes, body: Callable[[], bytes]) -> RenderUnit:
    def leaf() -> tuple[Leaf, ...]:
        return (Leaf(path, path, "asset", BINARY, body(), 0, Cache.NO_STORE),)

    return RenderUnit(blake2b(path.encode() + b"\0" + inputs, digest_size=16).digest(), leaf)


def _mark(archive: Archive, digests: Mapping[str, bytes], thing: Thing) -> bytes:
    """Everything that a shard says of a thing, in a cheaper form: a source says nothing but what the records that cite it say."""
    if isinstance(thing, SourceEntry):
        cited = thing.citations
        told = digests[cited[0].record] if len(cited) == 1 else b"".join([digests[one.record] for one in cited])
        return b"\0%b\0%b\0%b" % (thing.title.encode(), thing.origin.encode(), told)
    if isinstance(thing, set) and len(thing) == 1:
        (only,) = thing
        return b"\0" + only.encode()
    return b"\0" + orjson.dumps(_told(archive, thing))


def _things(archive: Archive) -> dict[str, Thing]:
    """What each key stands for, keys in order."""
    things: dict[str, Thing] = {SOURCE + url: source for url, source in archive.ledger.items()}
    things |= {SOURCE + alias: url for alias, url in archive.aliases.items()}
    things |= {ORIGIN + id_: origin for id_, origin in archive.origins.items()}
    things |= {PLACE + place: ids for place, ids in _places(archive.ledger.values()).items()}
    history: dict[str, list[Change]] = defaultdict(list)
    for change in archive.changes:
        if change.change not in FIRST:
            history[HISTORY + change.record].append(change)
    return {**things, **history}


def _places(sources: Iterable[SourceEntry]) -> dict[str, set[str]]:
    """The origins of each place: a registrable host, a host, and the first step of a path on it."""
    found: dict[str, set[str]] = defaultdict(set)
    for place, origin in {(place, source.origin): None for source in sources for place in places_of(source.url)}:
        found[place].add(origin)
    return found


@lru_cache(maxsize=65_536)
def places_of(url: str) -> tuple[str, str, str]:
    """The places of a normalised address, the nearest first."""
    _, _, netloc, path = url.split("/", 3)
    host, own = _host(netloc)
    return f"{host}/{path.partition('/')[0].partition('?')[0]}", host, own


@lru_cache(maxsize=8_192)
def _host(netloc: str) -> tuple[str, str]:
    """The host of an address, and the registrable one with a dot before it."""
    host = host_of(f"//{netloc}")
    return host, f".{registrable_host(host)}"


def _shards(things: Mapping[str, Thing]) -> list[list[str]]:
    count = 1
    while count * SHARD_KEYS < len(things):
        count *= 2
    shards: list[list[str]] = [[] for _ in range(count)]
    for key in sorted(things):
        shards[_place(key, count)].append(key)
    return shards


def _place(key: str, count: int) -> int:
    return crc32(key.encode("utf-8", "replace")) & (count - 1)


def _shard(archive: Archive, things: Mapping[str, Thing], keys: Sequence[str]) -> bytes:
    return orjson.dumps({key: _told(archive, things[key]) for key in keys})


def _told(archive: Archive, thing: Thing) -> Any:  # noqa: ANN401  (JSON is any shape)
    """What a shard says of a thing."""
    if isinstance(thing, SourceEntry):
        return [thing.title, thing.origin, len(thing.citations), _citing(archive, thing)]
    if isinstance(thing, Origin):
        return [thing.title, len(thing.sources)]
    if isinstance(thing, set):
        return sorted(thing) if len(thing) == 1 else [id_ for id_ in sorted(thing) if f".{id_}" in _hosts_of(archive.origins[id_])]
    if isinstance(thing, str):
        return thing
    return [_change(archive, change) for change in thing]


def _hosts_of(origin: Origin) -> set[str]:
    """The registrable hosts of an origin that is one itself: it takes what no declared origin of the host does."""
    return {f".{registrable_host(host_of(url))}" for url in origin.sources[:1]}


def _citing(archive: Archive, source: SourceEntry) -> list[Row]:
    """The members of each ``Citing``."""
    entries = archive.entries
    rows: list[Row] = [
        [one.record, one.role, int(entries[one.record].record.updated_at.timestamp()), [_line(claim) for claim in one.claims[:CLAIMS]]]
        for one in source.citations
    ]
    return rows if len(rows) == 1 else sorted(rows, key=lambda row: (-row[2], row[0]))[:CITED]


def _line(text: str) -> str:
    """A text on one line; most are already."""
    return text if len(text) <= TEXT and "\n" not in text else bounded(text, TEXT)


def _change(archive: Archive, change: Change) -> Row:
    entry = archive.entries.get(change.record)
    topics = entry.record.topics if entry else []
    return [int(change.moment.timestamp()), change.record, change.title, change.change, change.note, change.credit, change.id, topics]


def _published(archive: Archive) -> list[Row]:
    """Every record by its first publication, the oldest first."""
    rows: list[Row] = [_first(entry) for entry in archive.entries.values()]
    return sorted(rows, key=lambda row: (-row[0], row[1]), reverse=True)


def _first(entry: Entry) -> Row:
    """The row of a record's publication; kept with the record, and never changed."""
    if "published" not in entry.memo:
        record = entry.record
        entry.memo["published"] = [int(record.published_at.timestamp()), record.id, record.title, _line(record.summary), record.topics]
    row: Row = entry.memo["published"]
    return row


def _changed(archive: Archive) -> list[Row]:
    """Every change to a record, the oldest first."""
    return [_change(archive, change) for change in reversed(archive.changes) if change.change not in FIRST]


def _part_head(rows: Sequence[Row]) -> dict[str, Any]:
    """When a part begins and ends, and its number of rows by what a reader may ask for."""
    counts: dict[str, int] = defaultdict(int)
    for row in rows:
        for key in _marks(kind_of(row), tuple(row[-1])):
            counts[key] += 1
    return {"oldest": rows[0][0], "newest": rows[-1][0], "counts": dict(sorted(counts.items()))}


ANY = " "
"""The mark that every row has: of no kind and no topic."""


@lru_cache(maxsize=4_096)
def _marks(kind: str, topics: tuple[str, ...]) -> frozenset[str]:
    """``kind topic`` of a row, each left out too."""
    return frozenset(f"{one} {topic}" for one in (kind, "") for topic in ("", *topics))


def kind_of(row: Row) -> str:
    """The collection of a row's record."""
    return str(row[1]).partition("/")[0]


class Lookup:
    """The private leaves of one edition, read."""

    def __init__(self, edition: Edition) -> None:
        """Raises ``LookupError`` for an edition without them."""
        self._edition = edition
        head = self._read(HEAD)
        if head is None:
            raise LookupError("the edition holds no lookup leaves")
        self._shards: int = head["shards"]
        self._rolls: Mapping[str, Sequence[Mapping[str, Any]]] = head["rolls"]

    def source(self, url: str) -> Cited | None:
        """A source by its normalised address, or by another one that is known to lead to it."""
        found = self._get(SOURCE + url)
        if isinstance(found, str):
            url, found = found, self._get(SOURCE + found)
        if not found:
            return None
        title, origin, count, citing = found
        return Cited(url, title, origin, count, tuple(Citing(*one) for one in citing))

    def origin_of(self, url: str) -> str:
        """Id of the origin that a normalised address belongs to, cited or not; empty where the archive knows none."""
        for place in places_of(url):
            ids: list[str] = self._get(PLACE + place) or []
            if len(ids) == 1:
                return ids[0]
        return ""

    def origin(self, id_: str) -> tuple[str, int] | None:
        """Title of an origin, and how many sources are its."""
        found = self._get(ORIGIN + id_)
        return (found[0], found[1]) if found else None

    def history(self, id_: str) -> list[Row]:
        """The changes of one record, newest first."""
        return list(self._get(HISTORY + id_) or ())

    def part(self, roll: str, span: Span, kinds: Iterable[str], topic: str, start: int, count: int) -> tuple[int, list[Row]]:
        """The number of rows in a span of time, and ``count`` of them after ``start``, newest first."""
        since, until = span
        wanted = {f"{kind} {topic}" for kind in (tuple(kinds) or ("",))}
        total, found = 0, list[Row]()
        heads = self._rolls[roll]
        for place in range(len(heads) - 1, -1, -1):
            head = heads[place]
            if head["newest"] < since:
                break
            if head["oldest"] >= until:
                continue
            here = sum(head["counts"].get(mark, 0) for mark in wanted)
            if head["oldest"] < since or head["newest"] >= until or (here and total + here > start and len(found) < count):
                rows = [
                    row
                    for row in reversed(self._read(f"{HEAD}/{roll}/{place}"))
                    if since <= row[0] < until and (ANY in wanted or wanted & _marks(kind_of(row), tuple(row[-1])))
                ]
                found += rows[max(0, start - total) :][: count - len(found)]
                here = len(rows)
            total += here
        return total, found

    def _get(self, key: str) -> Any:  # noqa: ANN401  (JSON is any shape)
        return self._read(f"{HEAD}/{_place(key, self._shards)}").get(key)

    def _read(self, path: str) -> Any:  # noqa: ANN401  (JSON is any shape)
        bodies = self._edition.bodies(path)
        return orjson.loads(bodies["identity"]) if bodies else None
