"""The shards of the private index: what operations look up by a key, written for the keys that an edit touched."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, partial
from hashlib import blake2b
from typing import Any, NamedTuple, TypeAlias

import orjson

from citepress.archive.edit import ArchiveEdit
from citepress.archive.model import MENTIONED, Archive, Change, Citation, Entry, Origin, SourceEntry
from citepress.base.text import bounded
from citepress.base.urls import host_of, registrable_host, without_variant
from citepress.contract.cache import Cache
from citepress.edition.compiler import RenderUnit
from citepress.edition.hashed_shards import HashedShards, place_of
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
Places: TypeAlias = dict[str, dict[str, int]]
"""For each place, the number of sources of each origin there."""
Row: TypeAlias = list[Any]
"""A row of a shard or roll; in a roll: unix seconds, record id, title, what the roll is about, and at the end the
record's topics."""


def shard_units(context: RenderContext, surroundings: bytes) -> list[RenderUnit]:
    """One unit a shard."""
    whole, update = partial(_whole, context, surroundings), partial(_updated, context)
    lookup: _Lookup = context.derivations.maintained("lookup", whole, update)
    return lookup.shards.written


class _Lookup(NamedTuple):
    """A digest of what each shard stores of each of its keys, and its unit."""

    shards: HashedShards[bytes, RenderUnit]
    places: Places


def _whole(context: RenderContext, surroundings: bytes) -> _Lookup:
    archive = context.archive
    places: Places = {}
    for id_, origin in archive.origins.items():  # whose addresses are at hand, as those of sources are not
        for url in (*origin.sources, *origin.mentions):
            _count_places(places, url, id_, 1)
    keys = [SOURCE + url for url in (*archive.ledger, *archive.aliases)]
    keys += [ORIGIN_KEY + id_ for id_ in archive.origins]
    keys += [HOST_KEY + place for place in places]
    keys += [HISTORY + id_ for id_ in _histories(context)]
    write = partial(_shard_unit, context, surroundings, places)
    marks = ((key, _mark(archive, _thing(context, places, key))) for key in keys)
    return _Lookup(HashedShards(marks, SHARD_KEYS, write, shard_of), places)


def _updated(context: RenderContext, lookup: _Lookup, edit: ArchiveEdit) -> _Lookup:
    touched = _touched_keys(edit)
    for url in edit.sources:
        for state, step in ((edit.before, -1), (edit.after, 1)):
            if source := state.ledger.get(url):
                touched.update(HOST_KEY + place for place in _count_places(lookup.places, url, source.origin, step))
    things = {key: _thing(context, lookup.places, key) for key in touched}
    lookup.shards.revise({key: _mark(edit.after, thing) if thing else None for key, thing in things.items()})
    return lookup


def _shard_unit(
    context: RenderContext, surroundings: bytes, places: Places, place: int, shard: Mapping[str, bytes]
) -> RenderUnit:
    keys = sorted(shard)
    inputs = b"".join((surroundings, "\0".join(keys).encode(), *[shard[key] for key in keys]))
    return private_unit(f"{LOOKUP_PREFIX}/{place}", inputs, partial(_shard, context, places, keys))


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


def _count_places(places: Places, url: str, origin: str, step: int) -> tuple[str, ...]:
    """Count a source of an origin at its places, or no longer."""
    names = places_of(url)
    for name in names:
        origins = places.setdefault(name, {})
        origins[origin] = origins.get(origin, 0) + step
        if not origins[origin]:
            del origins[origin]
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


def _thing(context: RenderContext, places: Places, key: str) -> Thing | None:
    """What a key stands for; nothing where the archive does not know it any more."""
    archive, sort, name = context.archive, key[:2], key[2:]
    if sort == SOURCE:
        return archive.ledger.get(name) or archive.aliases.get(name)
    if sort == ORIGIN_KEY:
        return archive.origins.get(name)
    return set(places.get(name, ())) if sort == HOST_KEY else _histories(context).get(name)


def private_unit(path: str, inputs: bytes, body: Callable[[], bytes]) -> RenderUnit:
    """A unit of one private leaf."""

    def leaf() -> tuple[Leaf, ...]:
        return (Leaf(path, path, "asset", BINARY, body(), Cache.NO_STORE),)

    return RenderUnit(blake2b(path.encode() + b"\0" + inputs, digest_size=16).digest(), leaf, path, path)


def _mark(archive: Archive, thing: Thing | None) -> bytes:
    """A digest of what a shard stores about an entity; for a source, of the digests of the records that cite it."""
    if isinstance(thing, SourceEntry):
        entries = archive.entries
        digests = [_citation_mark(entries[citation.record], citation) for citation in thing.citations]
        stored = b"\0".join((thing.title.encode(), thing.origin.encode(), *digests))
    else:
        stored = orjson.dumps(_stored(archive, thing))
    return blake2b(stored, digest_size=8).digest()


def _citation_mark(entry: Entry, citation: Citation) -> bytes:
    """What a shard stores of a citation; of one that only mentions it, that is no more than when its record changed."""
    if citation.role != MENTIONED:
        return entry.digest
    return b"%b %d\0" % (citation.record.encode(), entry.head.updated_at.timestamp())


@lru_cache(maxsize=4_096)
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


def shard_of(key: str, count: int) -> int:
    """The shard of a key; that of a source is the one of its variants, so that all of a page are read at once."""
    if key.startswith(SOURCE):
        key = without_variant(key)
    return place_of(key, count)


def _shard(context: RenderContext, places: Places, keys: Sequence[str]) -> bytes:
    return orjson.dumps({key: _stored(context.archive, _thing(context, places, key)) for key in keys})


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
    ranked = [
        (each.role == MENTIONED, -int(entries[each.record].head.updated_at.timestamp()), each.record, each)
        for each in source.citations
    ]
    return [
        [record, citation.role, -before, list(map(line, citation.claims[:CLAIMS]))]
        for _, before, record, citation in sorted(ranked)[:CITED]
    ]


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
