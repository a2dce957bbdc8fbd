"""The discovery graph: stable nodes and typed edges, in shards that stay small."""

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from operator import attrgetter
from typing import Literal

import orjson
from pydantic import Field

from citepress.archive.model import Entry
from citepress.base.canonical import digest, json_bytes
from citepress.base.media import JSON, SCHEMA
from citepress.base.timestamps import rfc3339
from citepress.contract.document import SHARD, Document, Output, Section
from citepress.contract.model import Model, Moment
from citepress.contract.version import SCHEMA_VERSION
from citepress.edition.render_context import RenderContext
from citepress.edition.schemas import schema_of

SHARD_NODES = 500
MOST_SHARDS = 1000
SCHEMA_PATH = "/discovery-graph-schema.json"
SITEMAP = "document:/sitemap.xml"
PHYSICAL = ("representation-of", "in-collection", "in-sitemap", "links-to")


class GraphEdge(Model):
    """A typed edge that leaves a node."""

    source: str = Field(alias="from")
    """Id of the node it leaves."""
    to: str
    """Id of the node it reaches."""
    layer: Literal["physical", "knowledge"]
    """How the two are joined: by bytes and links, or by what they say."""
    type: str
    """representation-of, in-collection, in-sitemap, links-to; cites, supports, contradicts, related, about-topic, supersedes."""


class GraphNode(Model):
    """A node with a stable id."""

    id: str
    """``record:posts/x``, ``topic:x``, ``origin:x``, ``representation:/posts/x.md``, ``collection:posts``, ``document:/sitemap.xml``."""
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
    """SHA-256 of the shard's bytes."""


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
    """The newest record date of the archive."""
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


def node_id(record: str) -> str:
    """The node of a record id; a topic hub is a node of its own sort."""
    kind, _, slug = record.partition("/")
    return f"topic:{slug}" if kind == "topics" else f"record:{record}"


def _piece(id_: str, title: str, url: str, edges: Iterable[tuple[str, str]] = ()) -> _Piece:
    """``edges`` are (type, node that is reached)."""
    node = {"id": id_, "type": id_.partition(":")[0], "title": title, "url": url}
    written = [
        orjson.dumps({"from": id_, "to": to, "layer": "physical" if sort in PHYSICAL else "knowledge", "type": sort})
        for sort, to in dict.fromkeys(edges)
    ]
    hashed = int.from_bytes(hashlib.sha256(id_.encode()).digest()[:8], "big")
    # joined, because the encoder's own small results keep a kilobyte each
    return _Piece(id_, hashed, b"".join((orjson.dumps(node), b"")), b",".join((*written, b""))[:-1], len(written))


def _pieces(desk: RenderContext) -> Iterator[_Piece]:
    archive = desk.archive
    yield _piece(SITEMAP, "Sitemap", desk.url("/sitemap.xml"))
    for kind in archive.kinds:
        yield _piece(f"collection:{kind.name}", kind.plural, desk.url(f"/{kind.name}/"))
    for origin in archive.origins.values():
        yield _piece(f"origin:{origin.id}", origin.title, desk.url(f"/sources/{origin.id}/"))
    for entry in archive.entries.values():
        yield from _of_record(desk, entry)


def _of_record(desk: RenderContext, entry: Entry) -> tuple[_Piece, ...]:
    """A record's own node and one for each of its forms; kept with the record, which says all of it but the address."""
    key = (desk.site.base_url, desk.forms)
    known = entry.memo.get("graph")
    if known is None or known[0] != key:
        known = entry.memo["graph"] = (key, tuple(_record(desk, entry)))
    pieces: tuple[_Piece, ...] = known[1]
    return pieces


def _record(desk: RenderContext, entry: Entry) -> Iterator[_Piece]:
    me, title = node_id(entry.record.id), entry.record.title
    for form in desk.forms:
        path = form.path(entry.path)
        yield _piece(f"representation:{path}", f"{title} ({form.title})", desk.url(path), [("representation-of", me)])
    leaving = [("in-collection", f"collection:{entry.kind.name}"), ("in-sitemap", SITEMAP)]
    leaving += [(edge.type, node_id(edge.target)) for edge in entry.edges]
    leaving += [("cites", f"origin:{source.origin}") for source in entry.record.sources]
    yield _piece(me, title, entry.record.canonical_url, leaving)


def _shards(pieces: Iterable[_Piece]) -> list[list[_Piece]]:
    """Nodes by shard, sorted by id: as few shards as keep each within the bound, found by a stable hash."""
    ordered = sorted(pieces, key=attrgetter("id"))
    count = min(MOST_SHARDS, max(1, -(-len(ordered) // SHARD_NODES)))
    while True:
        shards: list[list[_Piece]] = [[] for _ in range(count)]
        for piece in ordered:
            shards[piece.hash % count].append(piece)
        if count >= MOST_SHARDS or max(map(len, shards)) <= SHARD_NODES:
            return shards
        count = min(MOST_SHARDS, count + max(1, count // 16))


def _bodies(desk: RenderContext) -> list[tuple[ShardLink, bytes]]:
    """Every shard with its bytes, for the index and for the shards themselves."""
    if "graph" not in desk.memo:
        desk.memo["graph"] = [_written(desk, number, shard) for number, shard in enumerate(_shards(_pieces(desk)))]
    found: list[tuple[ShardLink, bytes]] = desk.memo["graph"]
    return found


def _written(desk: RenderContext, number: int, shard: list[_Piece]) -> tuple[ShardLink, bytes]:
    head = orjson.dumps({"schema_version": SCHEMA_VERSION, "id": f"{number:03d}", "as_of": rfc3339(desk.archive.as_of)})
    nodes = b",".join(piece.node for piece in shard)
    edges = b",".join(piece.edges for piece in shard if piece.edges)
    body = b'%b,"nodes":[%b],"edges":[%b]}\n' % (head[:-1], nodes, edges)
    link = ShardLink(
        id=f"{number:03d}", url=desk.url(f"/discovery-graph/{number:03d}.json"), node_count=len(shard),
        edge_count=sum(piece.degree for piece in shard), digest=f"sha256:{digest(body)}",
    )  # fmt: skip
    return link, body


def _index(desk: RenderContext) -> Iterable[Output]:
    links = [link for link, _ in _bodies(desk)]
    index = DiscoveryGraphIndex(
        schema_version=SCHEMA_VERSION, as_of=desk.archive.as_of, node_count=sum(link.node_count for link in links),
        edge_count=sum(link.edge_count for link in links), shard_count=len(links),
        sharding="the first 8 bytes of SHA-256 of the node id, as a big-endian number, modulo shard_count", shards=links,
    )  # fmt: skip
    return [Output(index)]


def _all_shards(desk: RenderContext) -> Iterator[Output]:
    for link, body in _bodies(desk):
        yield Output(body, {"shard": link.id})


def _schema(desk: RenderContext) -> Iterable[Output]:
    schema = schema_of(DiscoveryGraphIndex, desk.url(SCHEMA_PATH))
    shard = schema_of(DiscoveryGraphShard, desk.url(SCHEMA_PATH))
    definitions = {**schema.pop("$defs", {}), **shard.pop("$defs", {})}
    for part in (schema, shard):
        part.pop("$schema")
        part.pop("$id")
    joined = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": desk.url(SCHEMA_PATH),
        "title": "Discovery graph",
        "description": "The index of the discovery graph, or one of its shards.",
        "anyOf": [{"$ref": "#/$defs/DiscoveryGraphIndex"}, {"$ref": "#/$defs/DiscoveryGraphShard"}],
        "$defs": {"DiscoveryGraphIndex": schema, "DiscoveryGraphShard": shard, **definitions},
    }
    return [Output(json_bytes(joined))]


ALL = (
    Document[RenderContext](
        "discovery_graph", "/discovery-graph.json", JSON, Section.DISCOVERY, "The shards of the discovery graph, with counts and digests.",
        _index, "DiscoveryGraphIndex", DiscoveryGraphIndex, described_by=SCHEMA_PATH, resource=0.6,
    ),
    Document[RenderContext](
        "discovery_graph_schema", SCHEMA_PATH, SCHEMA, Section.DISCOVERY, "The JSON Schema of the graph's index and shards.",
        _schema, "JsonSchemaDocument",
    ),
    Document[RenderContext](
        "discovery_graph_shard", "/discovery-graph/{shard}.json", JSON, Section.DISCOVERY,
        "Nodes of one shard and the typed edges that leave them.", _all_shards, "DiscoveryGraphShard", DiscoveryGraphShard, (SHARD,),
        described_by=SCHEMA_PATH,
    ),
)  # fmt: skip
