"""Signed heads of a log: C2SP checkpoints (tlog-checkpoint) in signed notes (signed-note), with Ed25519."""

import base64
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from citepress.base.errors import CitepressError
from citepress.transparency.entries import EditionLogError
from citepress.transparency.heads import LogHead, origin_of
from citepress.transparency.merkle import HASH_BYTES, inclusion_proof, leaf_hash, root_of
from citepress.transparency.public_keys import ED25519, decoded, key_id, public_bytes
from citepress.transparency.signing import SigningKey, is_signed_by

NOTE_BYTES = 16_384
"""Bytes of the longest note that is read."""
MAX_SIGNATURES = 16
_ID_BYTES = 4
_NAME = re.compile(r"[^\s+]{1,300}")
_SIGNATURE = re.compile(r"\u2014 ([^\s+]+) ([A-Za-z0-9+/]+={0,2})")
_VERIFIER = re.compile(r"([^\s+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/]+={0,2})")
_SIZE = re.compile(r"0|[1-9][0-9]{0,17}")


class CheckpointError(CitepressError, ValueError):
    """A head of a log that cannot be read, or is not signed as it should be; the sentence says why."""


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """The head of a log."""

    origin: str
    """Names the log: the address of the archive without its scheme."""
    size: int
    """Entries of the log."""
    root: bytes
    """Root of the tree over them."""

    @property
    def text(self) -> str:
        """What is signed."""
        return f"{self.origin}\n{self.size}\n{base64.b64encode(self.root).decode()}\n"


@dataclass(frozen=True, slots=True)
class _SignatureLine:
    name: str
    id: bytes
    signature: bytes


def signed_note(checkpoint: Checkpoint, keys: Iterable[SigningKey]) -> str:
    """A checkpoint with a signature of each key, all under the name of its origin."""
    lines = []
    for key in keys:
        signature = key_id(checkpoint.origin, key.public) + key.sign(checkpoint.text.encode())
        lines.append(f"\u2014 {checkpoint.origin} {base64.b64encode(signature).decode()}\n")
    return f"{checkpoint.text}\n{''.join(lines)}"


def head_of(lines: Sequence[bytes], base_url: str, keys: Sequence[SigningKey], files: Sequence[str]) -> LogHead:
    """The signed head of a log with these entries, one at least. Raises ``EditionLogError``."""
    if not lines:
        raise EditionLogError("the log of editions is empty")
    hashes = [leaf_hash(line) for line in lines]
    root = root_of(hashes)
    return LogHead(
        lines[-1].decode(),
        tuple(node.hex() for node in inclusion_proof(hashes, len(hashes) - 1)),
        root.hex(),
        signed_note(Checkpoint(origin_of(base_url), len(lines), root), keys),
        tuple(key.public for key in keys),
        tuple(files),
    )


def opened_note(note: str, keys: Iterable[str]) -> tuple[Checkpoint, tuple[str, ...]]:
    """The checkpoint of a note, and those of these public keys that signed it; they are base64 of 32 bytes.

    Raises ``CheckpointError`` where the note cannot be read, or a signature under the name and id of one of the keys
    does not fit.
    """
    text, lines = _parts(note)
    checkpoint = _checkpoint(text)
    signers = []
    for public in keys:
        id_ = key_id(checkpoint.origin, public)
        own = [line for line in lines if line.name == checkpoint.origin and line.id == id_]
        if any(not is_signed_by(public, line.signature, text.encode()) for line in own):
            raise CheckpointError("a signature of the checkpoint does not fit: it was changed after it was signed")
        signers += [public] if own else []
    return checkpoint, tuple(signers)


def key_of(written: str) -> str:
    """The public key that somebody wrote as a verifier key or as base64. Raises ``CheckpointError``."""
    try:
        # Base64 has plus signs too, so only what fits as a whole is a verifier key.
        if match := _VERIFIER.fullmatch(written):
            data = decoded(match[3])
            public = base64.b64encode(data[1:]).decode()
            fits = data[:1] == ED25519 and key_id(match[1], public).hex() == match[2]
        else:
            public, fits = written, bool(public_bytes(written))
    except (CitepressError, ValueError):
        fits = False
    if not fits:
        raise CheckpointError(
            f"{written!r} is no Ed25519 key: give the verifier key of the log, or 44 characters of base64"
        )
    return public


def _parts(note: str) -> tuple[str, list[_SignatureLine]]:
    """The signed text and the signature lines. Raises ``CheckpointError``."""
    text, blank, block = note.rpartition("\n\n")
    if len(note) > NOTE_BYTES or not blank or not block.endswith("\n"):
        raise CheckpointError("the checkpoint is not a signed note")
    lines = block[:-1].split("\n")
    if len(lines) > MAX_SIGNATURES:
        raise CheckpointError(f"the checkpoint has more than {MAX_SIGNATURES} signatures")
    return f"{text}\n", [_signature(line) for line in lines]


def _signature(line: str) -> _SignatureLine:
    match = _SIGNATURE.fullmatch(line)
    try:
        data = decoded(match[2]) if match else b""
    except ValueError:
        data = b""
    if match is None or len(data) <= _ID_BYTES:
        raise CheckpointError("a signature line of the checkpoint cannot be read")
    return _SignatureLine(match[1], data[:_ID_BYTES], data[_ID_BYTES:])


def _checkpoint(text: str) -> Checkpoint:
    """The checkpoint of a note's text; further lines are extensions and are signed too."""
    lines = text.split("\n")
    try:
        origin, size, encoded = lines[:3]
        root = decoded(encoded)
    except ValueError:
        raise CheckpointError("the checkpoint has no origin, size and root") from None
    if not _NAME.fullmatch(origin) or not _SIZE.fullmatch(size) or len(root) != HASH_BYTES:
        raise CheckpointError("the checkpoint has no origin, size and root")
    return Checkpoint(origin, int(size), root)
