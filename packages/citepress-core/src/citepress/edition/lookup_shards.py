"""The shards of the private index: what operations look up by a key, written for the keys that an edit touched."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache, partial
from hashlib import blake2b
from typing import Any, TypeAlias
from zlib import crc32

import orjson

from citepress.archive.edit import ArchiveEdit
from citepress.archive.model import MENTIONED, Archive, Change, Citation, Entry, Origin, SourceEntry
from citepress.base.text import bounded
from citepress.base.urls import host_of, registrable_host, without_variant
from citepress.contract.cache import Cache
from citepress.edition.compiler import RenderUnit
from citepress.edition.leaf import PRIVATE, Leaf
from citepress.edition.render_context import RenderContext

LOOKUP_PREFIX = f"{PRIVATE}lookup"
BINARY = "application/octet-stream"
SHARD_KEYS = 128
"""Keys of one shard on average."""
CITED = 200
"""Records stored for one source, the newest first; their total number is stored as well."""
CLAIMS = 5
MAX_TEXT_CHARS = 240
"""Characters of a claim or a summary."""
SOURCE, HOST_KEY, ORIGIN_KEY, HISTORY = "s:", "h:", "o:", "c:"
"""What keys begin with: a source's address, a host (with the first step of a path), an origin's id, a record's id."""
FIRST = ("published", "deprecated")
"""Changes that no existing record goes through."""
Thing: TypeAlias = SourceEntry | Origin | str | set[str] | list[Change]
"""What a key stands for: a source, an origin, the source that an alias leads to, the origins of a place, a record's
changes."""
Row: TypeAlias = list[Any]
"""A row of a shard or roll; in a roll: unix seconds, record id, title, what the roll is about, and at the end the
record's topics."""


def shard_units(context: RenderContext, surroundings: bytes) -> list[RenderUnit]:
    """One unit a shard."""
    update = partial(_updated, context, surroundings)
    shards: _LookupShards = context.derivations.maintained("lookup", partial(_whole, context, surroundings), update)
    return shards.units


@dataclass(slots=True)
class _LookupShards:
    """The keys of each shard, and its unit."""

    keys: list[set[str]]
    places: dict[str, dict[str, int]]
    """For each place, the number of sources of each origin there."""
    units: list[RenderUnit] = field(default_factory=list)


def _whole(context: RenderContext, surroundings: bytes) -> _LookupShards:
    archive = context.archive
    places: dict[str, dict[str, int]] = {}
    for source in archive.ledger.values():
        _count_places(places, source, 1)
    keys = [SOURCE + url for url in (*archive.ledger, *archive.aliases)]
    keys += [ORIGIN_KEY + id_ for id_ in archive.origins]
    keys += [HOST_KEY + place for place in places]
    keys += [HISTORY + id_ for id_ in _histories(context)]
    shards = _LookupShards(_sharded(keys), places)
    shards.units = [_shard_unit(context, surroundings, shards, place) for place in range(len(shards.keys))]
    return shards


def _updated(context: RenderContext, surroundings: bytes, shards: _LookupShards, edit: ArchiveEdit) -> _LookupShards:
    touched = _touched_keys(edit)
    for url in edit.sources:
        for state, step in ((edit.before, -1), (edit.after, 1)):
            if source := state.ledger.get(url):
                touched.update(HOST_KEY + place for place in _count_places(shards.places, source, step))
    count = len(shards.keys)
    for key in touched:
        keys = shards.keys[shard_of(key, count)]
        (keys.add if _thing(context, shards, key) else keys.discard)(key)
    if count != _count(sum(map(len, shards.keys))):
        return _whole(context, surroundings)
    for place in {shard_of(key, count) for key in touched}:
        shards.units[place] = _shard_unit(context, surroundings, shards, place)
    return shards


def _shard_unit(context: RenderContext, surroundings: bytes, shards: _LookupShards, place: int) -> RenderUnit:
    keys = sorted(shards.keys[place])
    marks = [_mark(context.archive, _thing(context, shards, key)) for key in keys]
    inputs = b"".join((surroundings, "\0".join(keys).encode(), *marks))
    return private_unit(f"{LOOKUP_PREFIX}/{place}", inputs, partial(_shard, context, shards, place))


def _touched_keys(edit: ArchiveEdit) -> set[str]:
    """The keys of everything that an edit concerns, but for places."""
    records = [entry.record for id_ in edit.records for entry in edit.versions(id_)]
    keys = {SOURCE + use.normalized_url for record in records for use in record.uses}
    keys.update(SOURCE + url for url in edit.sources)
    keys.update(ORIGIN_KEY + id_ for id_ in edit.cited)
    keys.update(HISTORY + id_ for id_ in edit.records)
    for archive in (edit.before, edit.after):
        keys.update(HISTORY + withdrawn.id for withdrawn in archive.withdrawn)
        if edit.before.aliases is not edit.after.aliases:
            keys.update(SOURCE + alias for alias in archive.aliases)
    # Of several origins of one place, some are told from the others by the first of their sources.
    for id_ in edit.origins:
        versions = [origin for archive in (edit.before, edit.after) if (origin := archive.origins.get(id_))]
        if len({_first(origin) for origin in versions}) > 1:
            urls = (url for origin in versions for url in (*origin.sources, *origin.mentions))
            keys.update(HOST_KEY + place for url in urls for place in places_of(url))
    return keys


def _count_places(places: dict[str, dict[str, int]], source: SourceEntry, step: int) -> tuple[str, ...]:
    """Count a source at its places, or no longer."""
    names = places_of(source.url)
    for name in names:
        origins = places.setdefault(name, {})
        origins[source.origin] = origins.get(source.origin, 0) + step
        if not origins[source.origin]:
            del origins[source.origin]
        if not origins:
            del places[name]
    return names


def _histories(context: RenderContext) -> Mapping[str, list[Change]]:
    """The changes of each record."""

    def derive() -> dict[str, list[Change]]:
        history: dict[str, list[Change]] = defaultdict(list)
        for change in context.archive.changes:
            if change.change not in FIRST:
                history[change.record].append(change)
        return dict(history)

    return context.derivations.of("histories", derive)


def _thing(context: RenderContext, shards: _LookupShards, key: str) -> Thing | None:
    """What a key stands for; nothing where the archive does not know it any more."""
    archive, sort, name = context.archive, key[:2], key[2:]
    if sort == SOURCE:
        return archive.ledger.get(name) or archive.aliases.get(name)
    if sort == ORIGIN_KEY:
        return archive.origins.get(name)
    return set(shards.places.get(name, ())) if sort == HOST_KEY else _histories(context).get(name)


def private_unit(path: str, inputs: bytes, body: Callable[[], bytes]) -> RenderUnit:
    """A unit of one private leaf."""

    def leaf() -> tuple[Leaf, ...]:
        return (Leaf(path, path, "asset", BINARY, body(), Cache.NO_STORE),)

    return RenderUnit(blake2b(path.encode() + b"\0" + inputs, digest_size=16).digest(), leaf, path, path)


def _mark(archive: Archive, thing: Thing | None) -> bytes:
    """What a shard stores about an entity, cheap to compare; for a source, digests of the records that cite it."""
    if isinstance(thing, SourceEntry):
        entries = archive.entries
        digest = b"".join([_citation_mark(entries[citation.record], citation) for citation in thing.citations])
        return b"\0%b\0%b\0%b" % (thing.title.encode(), thing.origin.encode(), digest)
    if isinstance(thing, set) and len(thing) == 1:
        (only,) = thing
        return b"\0" + only.encode()
    return b"\0" + orjson.dumps(_stored(archive, thing))


def _citation_mark(entry: Entry, citation: Citation) -> bytes:
    """What a shard stores of a citation; of one that only mentions it, that is no more than when its record changed."""
    if citation.role != MENTIONED:
        return entry.digest
    return b"%b %d\0" % (citation.record.encode(), entry.head.updated_at.timestamp())


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


def _count(keys: int) -> int:
    """As many shards as that number of keys needs, a power of two."""
    count = 1
    while count * SHARD_KEYS < keys:
        count *= 2
    return count


def _sharded(keys: Iterable[str]) -> list[set[str]]:
    every = set(keys)
    shards: list[set[str]] = [set() for _ in range(_count(len(every)))]
    for key in every:
        shards[shard_of(key, len(shards))].add(key)
    return shards


def shard_of(key: str, count: int) -> int:
    """The shard of a key; that of a source is the one of its variants, so that all of a page are read at once."""
    if key.startswith(SOURCE):
        key = without_variant(key)
    return crc32(key.encode("utf-8", "replace")) & (count - 1)


def _shard(context: RenderContext, shards: _LookupShards, place: int) -> bytes:
    keys = sorted(shards.keys[place])
    return orjson.dumps({key: _stored(context.archive, _thing(context, shards, key)) for key in keys})


def _stored(archive: Archive, thing: Thing | None) -> Any:  # noqa: ANN401  (JSON is any shape)
    """What a shard stores about a thing."""
    if isinstance(thing, SourceEntry):
        return [thing.title, thing.origin, len(thing.citations), _citing(archive, thing)]
    if isinstance(thing, Origin):
        return [thing.title, len(thing.sources), len(thing.mentions)]
    if isinstance(thing, set):
        return (
            sorted(thing)
            if len(thing) == 1
            else [id_ for id_ in sorted(thing) if f".{id_}" in _hosts_of(archive.origins[id_])]
        )
    if isinstance(thing, str):
        return thing
    return [change_row(change) for change in thing or ()]


def _hosts_of(origin: Origin) -> set[str]:
    """The registrable hosts of an origin that is one itself: it takes what no declared origin of the host does."""
    return {f".{registrable_host(host_of(url))}" for url in _first(origin)}


def _first(origin: Origin) -> tuple[str, ...]:
    """One of the addresses of an origin."""
    return origin.sources[:1] or origin.mentions[:1]


def _citing(archive: Archive, source: SourceEntry) -> list[Row]:
    """The members of each ``Citing``, the newest first, and those that only mention the source last."""
    entries = archive.entries
    rows: list[Row] = [
        [
            citation.record,
            citation.role,
            int(entries[citation.record].head.updated_at.timestamp()),
            [line(claim) for claim in citation.claims[:CLAIMS]],
        ]
        for citation in source.citations
    ]
    return rows if len(rows) == 1 else sorted(rows, key=lambda row: (row[1] == MENTIONED, -row[2], row[0]))[:CITED]


def line(text: str) -> str:
    """A text on one line; most are already."""
    return text if len(text) <= MAX_TEXT_CHARS and "\n" not in text else bounded(text, MAX_TEXT_CHARS)


def change_row(change: Change) -> Row:
    """A change as it is stored."""
    return [
        int(change.moment.timestamp()),
        change.record,
        change.title,
        change.change,
        change.note,
        change.credit,
        change.id,
        list(change.topics),
    ]
