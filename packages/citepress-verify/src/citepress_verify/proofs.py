"""Checks one file against the documents of an edition and the keys that a reader trusts; takes no server's word.

Documents are JSON as it was fetched: anything in them may be missing or false.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from citepress.base.errors import CitepressError
from citepress.base.text import counted
from citepress.transparency.checkpoints import Checkpoint, CheckpointError, opened_note
from citepress.transparency.entries import LogEntry
from citepress.transparency.merkle import HASH_BYTES, consistency_proof, is_consistent, is_included, leaf_hash, root_of
from citepress.transparency.public_keys import public_bytes
from citepress.transparency.shards import SHARD_DIGITS, is_ordered, shard_of, shard_root

MAX_SIBLINGS = 64
"""Hashes of the longest audit path that is read."""
MAX_SAFE_INTEGER = 1 << 53
"""More than any number in JSON that everybody reads alike."""
_SHARDS = frozenset(1 << 4 * digits for digits in SHARD_DIGITS)
_T = TypeVar("_T")


class VerificationError(CitepressError):
    """Something does not fit, or cannot be checked; the sentence says what."""


class DifferentBytesError(VerificationError):
    """The edition has the path, with other bytes."""


@dataclass(frozen=True, slots=True)
class VerifiedHead:
    """An edition whose entry a signed head covers."""

    base_url: str
    entry: LogEntry
    checkpoint: Checkpoint
    signers: tuple[str, ...]
    """The trusted keys that signed it, in the order in which the document names them."""

    @property
    def digits(self) -> int:
        """How many digits name a shard."""
        return self.entry.tree.digits


def verified_head(document: object, trusted: Iterable[str] | None) -> VerifiedHead:
    """The edition of an ``edition.json`` that one of the trusted keys signed. Raises ``VerificationError``.

    With ``None`` the keys that the document names itself are taken: the first time, when nothing is known yet.
    """
    head = _object(document, "the edition")
    log = _object(_member(head, "log", dict), "the log")
    named = _named_keys(head)
    try:
        wanted = named if trusted is None else tuple(trusted)
        checkpoint, signed = opened_note(_member(log, "checkpoint", str), dict.fromkeys((*named, *wanted)))
    except CheckpointError as error:
        raise VerificationError(str(error)) from None
    signers = tuple(key for key in signed if key in wanted)
    if not signers:
        raise VerificationError("the head of the log is not signed with the key that is trusted")
    entry = _entry(head)
    path = _hashes(log, "audit_path")
    if entry.number != checkpoint.size or not is_included(
        leaf_hash(entry.line), entry.number - 1, checkpoint.size, path, checkpoint.root
    ):
        raise VerificationError("the edition is not the newest entry of the log that was signed")
    return VerifiedHead(_member(head, "base_url", str), entry, checkpoint, signers)


def verified_shard(document: object, head: VerifiedHead, name: str) -> dict[str, str]:
    """The (path, digest) of a shard that belongs to the edition. Raises ``VerificationError``."""
    shard = _object(document, "the shard")
    if _member(shard, "shard", str) != name:
        raise VerificationError("another shard was sent than the one asked for")
    rows = [_object(row, "an entry of the shard") for row in _member(shard, "entries", list)]
    entries = [(_member(row, "path", str), _member(row, "sha256", str)) for row in rows]
    if not is_ordered([path for path, _ in entries]) or any(shard_of(path, head.digits) != name for path, _ in entries):
        raise VerificationError("the entries of the shard are not in order, or belong to another")
    path, root = _hashes(shard, "audit_path"), bytes.fromhex(head.entry.digest)
    if not is_included(leaf_hash(shard_root(entries)), int(name, 16), head.entry.shards, path, root):
        raise VerificationError("the shard does not belong to the edition: an entry was changed, added or left out")
    return dict(entries)


def check_file(entries: Mapping[str, str], path: str, digest: str) -> None:
    """Raise ``VerificationError`` unless a verified shard has this digest for a path."""
    if path not in entries:
        raise VerificationError(f"the edition has no {path}, or does not vouch for it")
    if entries[path] != digest:
        raise DifferentBytesError(
            f"the bytes are not those of {path} in the edition: SHA-256 {entries[path]} was expected"
        )


def check_consistency(former: tuple[int, bytes], checkpoint: Checkpoint, leaves: Sequence[bytes]) -> None:
    """Raise ``VerificationError`` unless a log only grew since the head (size, root) that a reader remembers.

    ``leaves`` are the hashes of all its entries, as its tiles have them.
    """
    size, root = former
    if size > checkpoint.size:
        raise VerificationError(
            f"the log has {counted(checkpoint.size, 'edition')}, and had {size:,} before: history was taken back"
        )
    if len(leaves) != checkpoint.size or root_of(leaves) != checkpoint.root:
        raise VerificationError("the tiles of the log do not lead to its signed head")
    proof = consistency_proof(leaves, size)
    if not is_consistent(size, root, checkpoint.size, checkpoint.root, proof):
        raise VerificationError(f"the first {size} entries of the log are not those of before: history was rewritten")


def _entry(head: Mapping[str, Any]) -> LogEntry:
    previous = head.get("previous")
    if previous is not None and not isinstance(previous, str):
        raise VerificationError("the edition names no digest of the one before")
    entry = LogEntry(
        _member(head, "number", int),
        previous,
        _member(head, "digest", str),
        _member(head, "entries", int),
        _member(head, "shards", int),
        _member(head, "published_at", str),
    )
    _hash(entry.digest)
    counts = 0 < entry.number < MAX_SAFE_INTEGER and 0 <= entry.entries < MAX_SAFE_INTEGER and entry.shards in _SHARDS
    if not counts or (previous is None) != (entry.number == 1):
        raise VerificationError("the edition contradicts itself")
    return entry


def _named_keys(head: Mapping[str, Any]) -> tuple[str, ...]:
    """The keys that the document names, as base64."""
    named = []
    for row in _member(head, "keys", list)[:MAX_SIBLINGS]:
        x = _member(_object(row, "a key"), "x", str)
        public = x.replace("-", "+").replace("_", "/") + "=" * (-len(x) % 4)
        try:
            public_bytes(public)
        except CitepressError:
            raise VerificationError("a key of the edition cannot be read") from None
        named.append(public)
    return tuple(named)


def _object(value: object, name: str) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise VerificationError(f"{name} is no JSON object")
    return value


def _member(document: Mapping[str, Any], name: str, kind: type[_T]) -> _T:
    value = document.get(name)
    # A bool is an int in Python, and none in JSON.
    if not isinstance(value, kind) or isinstance(value, bool):
        raise VerificationError(f"{name!r} is missing, or is not what it should be")
    return value


def _hashes(document: Mapping[str, Any], name: str) -> list[bytes]:
    values = _member(document, name, list)
    if len(values) > MAX_SIBLINGS:
        raise VerificationError(f"{name!r} is too long")
    return [_hash(value) for value in values]


def _hash(value: object) -> bytes:
    try:
        data = bytes.fromhex(value) if isinstance(value, str) and value == value.lower() else b""
    except ValueError:
        data = b""
    if len(data) != HASH_BYTES:
        raise VerificationError("a hash is no SHA-256 in hexadecimal")
    return data
