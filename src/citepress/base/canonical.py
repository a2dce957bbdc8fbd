"""One way to write JSON and one way to name bytes, so the same content always gives the same edition."""

import base64
import hashlib
from typing import Any

import orjson
import rfc8785
from pydantic import BaseModel


def plain(value: object) -> Any:  # noqa: ANN401  (JSON is any shape)
    """A model as JSON-ready members: unset optional members left out, members in declared order."""
    return value.model_dump(mode="json", by_alias=True) if isinstance(value, BaseModel) else value


def json_bytes(value: object) -> bytes:
    """Public JSON: UTF-8, members in declared order, no spaces, a final newline."""
    if isinstance(value, BaseModel):
        return value.model_dump_json(by_alias=True).encode() + b"\n"
    return orjson.dumps(value, option=orjson.OPT_APPEND_NEWLINE, default=plain)


def canonical_bytes(value: object) -> bytes:
    """RFC 8785 canonical JSON, the form that is hashed where a digest is published."""
    return rfc8785.dumps(plain(value))


def sorted_bytes(value: object) -> bytes:
    """JSON with sorted members: a fast input for our own fingerprints, never published."""
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS | orjson.OPT_NON_STR_KEYS, default=plain)


def digest(data: bytes) -> str:
    """SHA-256 in hexadecimal (64 characters)."""
    return hashlib.sha256(data).hexdigest()


def repr_digest(data: bytes | memoryview) -> bytes:
    """The value of ``Repr-Digest``: SHA-256 over the representation as it is sent, its content coding included (RFC 9530 section 3)."""
    return b"sha-256=:" + base64.b64encode(hashlib.sha256(data).digest()) + b":"


def short_digest(data: bytes | memoryview) -> str:
    """Sixteen hexadecimal characters of BLAKE2b: enough to name a body in an ETag."""
    return hashlib.blake2b(data, digest_size=8).hexdigest()
