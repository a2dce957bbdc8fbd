"""The discovery graph: stable nodes and typed edges, in shards that stay small."""

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from operator import attrgetter
from typing import Literal, NamedTuple

import orjson
from pydantic import Field
from zstandard import compress, decompress

from citepress.archive.edit import ArchiveEdit
from citepress.archive.model import Entry
from citepress.base.canonical import json_bytes, named_digest
from citepress.base.media import JSON, SCHEMA
from citepress.base.memo import memoized
from citepress.base.timestamps import UNKNOWN, rfc3339
from citepress.contract.document import Document, Output, Parameter, Section
from citepress.contract.model import Model, Moment
from citepress.contract.version import SCHEMA_VERSION
from citepress.edition.render_context import RenderContext
from citepress.edition.schemas import schema_of
from citepress.kinds.topics import KIND as TOPICS

SHARD_NODES = 500
COUNTS = (1, 2, 4, 8, 16, 32, 64, 128, 256, 1000)
"""Numbers of shards: nodes move to other shards only when an archive has outgrown one of them."""
GRAPH_SCHEMA_PATH = "/discovery-graph-schema.json"
SITEMAP, SITEMAP_NAME = "document:/sitemap.xml", "sitemap"
SHARD = Parameter("shard", "A three-digit shard id from /discovery-graph.json.", r"[0-9]{3}", "000")
PHYSICAL = ("representation-of", "in-collection", "in-sitemap", "links-to", "mentions")


class GraphEdge(Model):
    """A typed edge that leaves a node."""

    source: str = Field(alias="from")
    """Id of the node it leaves."""
    to: str
    """Id of the node it reaches."""
    layer: Literal["physical", "knowledge"]
    """How the two are joined: physically (bytes and links) or by knowledge."""
    type: str
    """representation-of, in-collection, in-sitemap, links-to, mentions (a text links to an origin); cites, supports,
    contradicts, related, about-topic, supersedes."""


class GraphNode(Model):
    """A node with a stable id."""

    id: str
    """``record:posts/x``, ``topic:x``, ``origin:x``, ``representation:/posts/x.md``, ``collection:posts``,
    ``document:/sitemap.xml``."""
    type: Literal["record", "topic", "origin", "representation", "collection", "document"]
    """What sort of thing it is."""
    title: str
    """Its name."""
    url: str
    """Its address."""


class ShardLink(Model):
    """One shard of the graph."""

    id: str
    """Three digits."""
    url: str
    """Its address."""
    node_count: int
    """Nodes in it."""
    edge_count: int
    """Edges that leave them."""
    digest: str
    """SHA-256 of the shard before any content coding, ``sha-256:`` and 64 hexadecimal characters."""


class DiscoveryGraphIndex(Model):
    """The shards of the discovery graph."""

    schema_version: int
    """Version of this document's schema."""
    as_of: Moment
    """The newest record date of the archive."""
    node_count: int
    """Nodes in all."""
    edge_count: int
    """Edges in all."""
    shard_count: int
    """Shards in all."""
    sharding: str
    """How the shard of a node is found."""
    shards: list[ShardLink]
    """Every shard in order."""


class DiscoveryGraphShard(Model):
    """Nodes of one shard and the edges that leave them."""

    schema_version: int
    """Version of this document's schema."""
    id: str
    """Three digits."""
    as_of: Moment
    """The newest date of a record in it; the beginning of 1970 where it has none."""
    nodes: list[GraphNode]
    """Nodes by id."""
    edges: list[GraphEdge]
    """Edges that leave them, in order."""


@dataclass(frozen=True, slots=True)
class _Piece:
    """A node as a shard holds it, with the edges that leave it, written already."""

    id: str
    hash: int
    node: bytes
    edges: bytes
    """JSON objects between commas."""
    degree: int
    changed: datetime
    """The last change of the record that it belongs to."""


def node_id(record: str) -> str:
    """The node id of a record; a topic hub has its own type of node."""
    kind, _, slug = record.partition("/")
    return f"topic:{slug}" if kind == TOPICS.name else f"record:{record}"


def _hash(id_: str) -> int:
    return int.from_bytes(hashlib.sha256(id_.encode()).digest()[:8], "big")


def _piece(
    id_: str, title: str, url: str, edges: Iterable[tuple[str, str]] = (), changed: datetime = UNKNOWN
) -> _Piece:
    """``edges`` are (type, node that is reached)."""
    node = {"id": id_, "type": id_.partition(":")[0], "title": title, "url": url}
    written = [
        orjson.dumps({"from": id_, "to": to, "layer": "physical" if sort in PHYSICAL else "knowledge", "type": sort})
        for sort, to in dict.fromkeys(edges)
    ]
    # joined, because the encoder's own small results keep a kilobyte each
    encoded = b"".join((orjson.dumps(node), b""))
    return _Piece(id_, _hash(id_), encoded, b",".join((*written, b""))[:-1], len(written), changed)


def _pieces(context: RenderContext) -> Iterator[_Piece]:
    archive = context.archive
    yield from _of_collections(context)
    for id_ in archive.origins:
        yield _of_origin(context, id_)
    for entry in archive.entries.values():
        yield from _of_record(context, entry)


def _of_collections(context: RenderContext) -> Iterator[_Piece]:
    yield _piece(SITEMAP, "Sitemap", context.url("/sitemap.xml"))
    for kind in context.archive.kinds:
        yield _piece(f"collection:{kind.name}", kind.plural, context.url(f"/{kind.name}/"))


def _of_origin(context: RenderContext, id_: str) -> _Piece:
    return _piece(f"origin:{id_}", context.archive.origins[id_].title, context.url(f"/sources/{id_}/"))


def _of_record(context: RenderContext, entry: Entry) -> tuple[_Piece, ...]:
    """The node of a record and one for each of its forms; cached with the record where an edit may follow."""
    if not context.derivations.lasting:
        return tuple(_record(context, entry))
    return memoized(entry.memo, "graph", (context.site.base_url, context.forms), lambda: tuple(_record(context, entry)))


def _record(context: RenderContext, entry: Entry) -> Iterator[_Piece]:
    head = entry.head
    me, title, changed = node_id(head.id), head.title, head.updated_at
    for form in context.forms:
        path = form.path(entry.path)
        yield _piece(
            f"representation:{path}", f"{title} ({form.title})", context.url(path), [("representation-of", me)], changed
        )
    leaving = [("in-collection", f"collection:{entry.kind.name}"), ("in-sitemap", SITEMAP)]
    leaving += [(edge.type, node_id(edge.target)) for edge in entry.edges]
    leaving += [("cites", f"origin:{origin}") for origin in head.cited]
    leaving += [("mentions", f"origin:{origin}") for origin in head.mentioned]
    yield _piece(me, title, head.canonical_url, leaving, changed)


class _WrittenShard(NamedTuple):
    """A shard as it is published."""

    link: ShardLink
    compressed: bytes
    """Its bytes, an eighth of their size: every shard is held until the index and all shards are rendered."""

    def body(self) -> bytes:
        """Its bytes."""
        return decompress(self.compressed)


@dataclass(slots=True)
class _GraphShards:
    """Nodes by shard and id, and every shard as it is published."""

    nodes: list[dict[str, _Piece]]
    written: list[_WrittenShard]


def _sharded(pieces: Iterable[_Piece]) -> list[dict[str, _Piece]]:
    """Nodes by shard: as few shards as keep each within the bound, of the numbers in ``COUNTS``."""
    every = {piece.id: piece for piece in pieces}
    for count in COUNTS:
        shards: list[dict[str, _Piece]] = [{} for _ in range(count)]
        for piece in every.values():
            shards[piece.hash % count][piece.id] = piece
        if max(map(len, shards)) <= SHARD_NODES:
            break
    return shards


def _fits(shards: Sequence[Mapping[str, _Piece]]) -> bool:
    """Whether their nodes would be sharded in this number again."""
    count = len(shards)
    smaller = COUNTS[COUNTS.index(count) - 1] if count > 1 else 0
    if count != COUNTS[-1] and max(map(len, shards)) > SHARD_NODES:
        return False
    if not smaller or sum(map(len, shards)) > smaller * SHARD_NODES:
        return True
    sizes = [0] * smaller
    for shard in shards:
        for piece in shard.values():
            sizes[piece.hash % smaller] += 1
    return max(sizes) > SHARD_NODES


def _shards(context: RenderContext) -> Sequence[_WrittenShard]:
    """Every shard, for the index and for the shards themselves."""

    def whole() -> _GraphShards:
        nodes = _sharded(_pieces(context))
        written = [_written(context, number, shard) for number, shard in enumerate(nodes)]
        return _GraphShards(nodes if context.derivations.lasting else [], written)

    def update(shards: _GraphShards, edit: ArchiveEdit) -> _GraphShards:
        changed = {f"origin:{id_}": None for id_ in edit.origins}
        versions = [entry for id_ in edit.records for entry in edit.versions(id_)]
        changed |= {piece.id: None for entry in versions for piece in _of_record(context, entry)}
        now: list[_Piece] = [_of_origin(context, id_) for id_ in edit.origins if id_ in context.archive.origins]
        for id_ in edit.records:
            if entry := context.archive.entries.get(id_):
                now += _of_record(context, entry)
        count = len(shards.nodes)
        numbers = {_hash(id_) % count for id_ in changed}
        for id_ in changed:
            shards.nodes[_hash(id_) % count].pop(id_, None)
        for piece in now:
            shards.nodes[piece.hash % count][piece.id] = piece
        if not _fits(shards.nodes):
            return whole()
        for number in numbers:
            shards.written[number] = _written(context, number, shards.nodes[number])
        return shards

    return context.derivations.maintained("graph", whole, update).written


def _written(context: RenderContext, number: int, shard: Mapping[str, _Piece]) -> _WrittenShard:
    ordered = sorted(shard.values(), key=attrgetter("id"))
    newest = max((piece.changed for piece in ordered), default=UNKNOWN)
    head = orjson.dumps({"schema_version": SCHEMA_VERSION, "id": f"{number:03d}", "as_of": rfc3339(newest)})
    nodes = b",".join(piece.node for piece in ordered)
    edges = b",".join(piece.edges for piece in ordered if piece.edges)
    body = b'%b,"nodes":[%b],"edges":[%b]}\n' % (head[:-1], nodes, edges)
    link = ShardLink(
        id=f"{number:03d}",
        url=context.url(f"/discovery-graph/{number:03d}.json"),
        node_count=len(shard),
        edge_count=sum(piece.degree for piece in ordered),
        digest=named_digest(body),
    )
    return _WrittenShard(link, bytes(memoryview(compress(body, 1))))


def _index(context: RenderContext) -> Iterable[Output]:
    links = [shard.link for shard in _shards(context)]
    index = DiscoveryGraphIndex(
        schema_version=SCHEMA_VERSION,
        as_of=context.archive.as_of,
        node_count=sum(link.node_count for link in links),
        edge_count=sum(link.edge_count for link in links),
        shard_count=len(links),
        sharding="the first 8 bytes of SHA-256 of the node id, as a big-endian number, modulo shard_count",
        shards=links,
    )
    return [Output(index)]


def _all_shards(context: RenderContext) -> Iterator[Output]:
    for shard in _shards(context):
        yield Output(shard.body, {"shard": shard.link.id}, inputs=shard.link.digest)


def _schema(context: RenderContext) -> Iterable[Output]:
    schema = schema_of(DiscoveryGraphIndex, context.url(GRAPH_SCHEMA_PATH))
    shard = schema_of(DiscoveryGraphShard, context.url(GRAPH_SCHEMA_PATH))
    definitions = {**schema.pop("$defs", {}), **shard.pop("$defs", {})}
    for part in (schema, shard):
        part.pop("$schema")
        part.pop("$id")
    joined = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": context.url(GRAPH_SCHEMA_PATH),
        "title": "Discovery graph",
        "description": "The index of the discovery graph, or one of its shards.",
        "anyOf": [{"$ref": "#/$defs/DiscoveryGraphIndex"}, {"$ref": "#/$defs/DiscoveryGraphShard"}],
        "$defs": {"DiscoveryGraphIndex": schema, "DiscoveryGraphShard": shard, **definitions},
    }
    return [Output(json_bytes(joined))]


ALL = (
    Document[RenderContext](
        "discovery_graph",
        "/discovery-graph.json",
        JSON,
        Section.DISCOVERY,
        "The shards of the discovery graph, with counts and digests.",
        _index,
        "DiscoveryGraphIndex",
        DiscoveryGraphIndex,
        described_by=GRAPH_SCHEMA_PATH,
        resource=0.6,
        before=SITEMAP_NAME,
    ),
    Document[RenderContext](
        "discovery_graph_schema",
        GRAPH_SCHEMA_PATH,
        SCHEMA,
        Section.DISCOVERY,
        "The JSON Schema of the graph's index and shards.",
        _schema,
        "JsonSchemaDocument",
        before=SITEMAP_NAME,
    ),
    Document[RenderContext](
        "discovery_graph_shard",
        "/discovery-graph/{shard}.json",
        JSON,
        Section.DISCOVERY,
        "Nodes of one shard and the typed edges that leave them.",
        _all_shards,
        "DiscoveryGraphShard",
        DiscoveryGraphShard,
        (SHARD,),
        described_by=GRAPH_SCHEMA_PATH,
        before=SITEMAP_NAME,
    ),
)
