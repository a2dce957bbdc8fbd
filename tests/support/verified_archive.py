"""An archive with a log of editions, in memory: its files, and the documents that vouch for them."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from citepress.transparency.checkpoints import Checkpoint, signed_note
from citepress.transparency.entries import EditionTree, LogEntry, entry_of
from citepress.transparency.merkle import inclusion_proof, leaf_hash, root_of
from citepress.transparency.public_keys import public_jwk
from citepress.transparency.shards import digits_for, edition_root, shard_digests, shard_root
from citepress.transparency.signing import SigningKey

ORIGIN = "notes.example"


@dataclass
class VerifiedArchive:
    """A publisher who does everything right."""

    keys: Sequence[SigningKey]
    files: dict[str, bytes] = field(default_factory=dict)
    lines: list[bytes] = field(default_factory=list)
    digits: int | None = None
    """Of the names of shards; as many as the number of files asks for when left out."""

    def publish(self, changed: Mapping[str, bytes]) -> None:
        """Publish an edition with these files changed."""
        self.files |= changed
        roots = [shard_root(sorted(shard.items())) for shard in self._shards().values()]
        tree = EditionTree(edition_root(roots).hex(), len(self.files), len(roots))
        former = entry_of(self.lines[-1]) if self.lines else None
        self.lines.append(LogEntry.after(former, tree, f"2026-11-21T05:00:{len(self.lines):02d}Z").line)

    def checkpoint(self) -> Checkpoint:
        """The head of the log."""
        return Checkpoint(ORIGIN, len(self.lines), root_of(self.leaves()))

    def leaves(self) -> list[bytes]:
        """The hashes of all entries."""
        return [leaf_hash(line) for line in self.lines]

    def head(self) -> dict[str, Any]:
        """The document ``edition.json``, as far as anybody checks it."""
        entry, checkpoint = entry_of(self.lines[-1]), self.checkpoint()
        members = {name: getattr(entry, name) for name in entry.__slots__}
        path = [node.hex() for node in inclusion_proof(self.leaves(), len(self.lines) - 1)]
        log = {"checkpoint": signed_note(checkpoint, self.keys), "audit_path": path}
        return {
            "base_url": f"https://{ORIGIN}",
            **members,
            "log": log,
            "keys": [public_jwk(k.public) for k in self.keys],
        }

    def shard(self, name: str) -> dict[str, Any]:
        """The document of a shard."""
        shards = self._shards()
        leaves = [leaf_hash(shard_root(sorted(shard.items()))) for shard in shards.values()]
        rows = [{"path": path, "sha256": digest} for path, digest in sorted(shards[name].items())]
        path = [node.hex() for node in inclusion_proof(leaves, int(name, 16))]
        return {"shard": name, "entries": rows, "audit_path": path}

    def _shards(self) -> dict[str, dict[str, str]]:
        digests = {path: hashlib.sha256(body).hexdigest() for path, body in self.files.items()}
        return shard_digests(digests, self.digits or digits_for(len(digests)))
