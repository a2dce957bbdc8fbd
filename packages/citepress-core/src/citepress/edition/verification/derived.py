"""Leaves of the documents by which an edition is verified: made from its tree and its log when they are asked for."""

import re
from collections.abc import Iterator
from datetime import datetime
from functools import cached_property
from pathlib import Path

from citepress.base.canonical import json_bytes
from citepress.base.media import JSON, KEY_DIRECTORY, OCTETS, PLAIN_TEXT, Media
from citepress.contract.cache import Cache
from citepress.edition.leaf import Leaf
from citepress.edition.verification import declared
from citepress.edition.verification.models import (
    EditionHead,
    EditionShard,
    KeyDirectory,
    LogPosition,
    PublicKey,
    ShardEntry,
)
from citepress.edition.verification.tree import Stored, shard_path, stored_roots
from citepress.transparency.entries import EditionLogError, LogEntry
from citepress.transparency.heads import LogHead, origin_of
from citepress.transparency.merkle import inclusion_proof, leaf_hash
from citepress.transparency.public_keys import public_jwk, verifier_key
from citepress.transparency.shards import shard_entries, shard_names
from citepress.transparency.tiles import tile, tile_names

_PREFIX = "/.well-known/edition"
_SHARD = re.compile(re.escape(declared.SHARD).replace(r"\{shard\}", "([0-9a-f]{1,5})"))
_TILES = declared.TILES.partition("{")[0]


class EditionLog:
    """The log as an edition knows it: up to its own entry, whatever was appended since."""

    def __init__(self, head: LogHead, folder: Path) -> None:
        """``folder`` is that of the pointer to the edition."""
        self.head, self._folder = head, folder

    @cached_property
    def entry(self) -> LogEntry:
        """The entry of the edition. Raises ``EditionLogError``."""
        return self.head.newest

    @cached_property
    def lines(self) -> list[bytes]:
        """Every entry up to that of the edition. Raises ``EditionLogError``."""
        lines: list[bytes] = []
        for name in self.head.files:
            try:
                lines += (self._folder / name).read_bytes().split(b"\n")[:-1]
            except OSError as error:
                raise EditionLogError(f"the log of editions cannot be read: {error.strerror}") from None
        return lines[: self.entry.number]


def log_paths(log: EditionLog) -> Iterator[str]:
    """Every path that is answered from a log, for those who write files."""
    yield declared.EDITION_HEAD_PATH
    yield declared.CHECKPOINT
    yield declared.DIRECTORY
    yield from (declared.SHARD.format(shard=name) for name in shard_names(log.entry.tree.digits))
    yield from (f"{_TILES}{name}" for name in tile_names(log.entry.number))


def log_leaf(log: EditionLog, path: str, stored: Stored, base_url: str) -> Leaf | None:
    """The leaf of a path by which an edition is verified; ``None`` where it is no such path.

    ``stored`` reads what the edition stores. Raises ``EditionLogError``.
    """
    if path == declared.DIRECTORY:
        return _leaf(path, path, KEY_DIRECTORY, json_bytes(KeyDirectory(keys=_keys(log))))
    if not path.startswith(_PREFIX):
        return None
    if path == declared.EDITION_HEAD_PATH:
        return _json_leaf(path, path, json_bytes(_head(log, base_url)), base_url, "EditionHead")
    if path == declared.CHECKPOINT:
        return _leaf(path, path, PLAIN_TEXT, log.head.checkpoint.encode())
    if match := _SHARD.fullmatch(path):
        shard = _shard(log, match[1], stored)
        return _json_leaf(path, declared.SHARD, json_bytes(shard), base_url, "EditionShard") if shard else None
    body = tile(path.removeprefix(_TILES), log.lines) if path.startswith(_TILES) else None
    return _leaf(path, declared.TILES, OCTETS, body) if body is not None else None


def _head(log: EditionLog, base_url: str) -> EditionHead:
    head, entry, origin = log.head, log.entry, origin_of(base_url)
    return EditionHead(
        base_url=base_url,
        number=entry.number,
        previous=entry.previous,
        digest=entry.digest,
        entries=entry.entries,
        shards=entry.shards,
        published_at=datetime.fromisoformat(entry.published_at),
        shard_template=f"{base_url}{declared.SHARD}",
        log=LogPosition(
            origin=origin,
            size=entry.number,
            root=head.root,
            audit_path=list(head.audit_path),
            checkpoint=head.checkpoint,
            verifier_keys=[verifier_key(origin, key) for key in head.keys],
            tiles=f"{base_url}{declared.LOG}/",
        ),
        keys=_keys(log),
    )


def _keys(log: EditionLog) -> list[PublicKey]:
    return [PublicKey.model_validate(public_jwk(key)) for key in log.head.keys]


def _shard(log: EditionLog, name: str, stored: Stored) -> EditionShard | None:
    entry = log.entry
    body = stored(shard_path(name)) if len(name) == entry.tree.digits else None
    if body is None:
        return None
    leaves = [leaf_hash(root) for root in stored_roots(stored, entry.tree)]
    return EditionShard(
        edition=entry.number,
        digest=entry.digest,
        shard=name,
        shards=entry.shards,
        entries=[ShardEntry(path=path, sha256=digest) for path, digest in shard_entries(body)],
        audit_path=[node.hex() for node in inclusion_proof(leaves, int(name, 16))],
    )


def _json_leaf(path: str, route: str, body: bytes, base_url: str, shape: str) -> Leaf:
    return _leaf(path, route, JSON, body, f'<{base_url}/schemas/{shape}.json>; rel="describedby"')


def _leaf(path: str, route: str, media: Media, body: bytes, *links: str) -> Leaf:
    cache = Cache.ASSET if route == declared.TILES else Cache.LIVE
    return Leaf(path, route, media.name, media.sent, body, cache, media.accepted, links=tuple(links))
