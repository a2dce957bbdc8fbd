"""Writes JSON and names bytes in one way, so that the same content always gives the same edition."""

import base64
import hashlib
from typing import Any

import orjson
import rfc8785
from pydantic import BaseModel


def plain(value: object) -> Any:  # noqa: ANN401  (JSON is any shape)
    """A model as JSON-ready members in declared order, members without a value as ``None``."""
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


def named_digest(data: bytes) -> str:
    """A digest as our own documents write it: the algorithm's name in the IANA registry, a colon, hexadecimal digits.

    Formats of others spell it their own way: ``Repr-Digest`` (RFC 9530), the indexes of skills, Croissant.
    """
    return f"sha-256:{digest(data)}"


def repr_digest(data: bytes) -> bytes:
    """The value of ``Repr-Digest`` (RFC 9530 section 3): SHA-256 over the representation with its content coding."""
    return b"sha-256=:" + base64.b64encode(hashlib.sha256(data).digest()) + b":"


def base64url(data: bytes) -> str:
    """Base 64 for addresses, without padding (RFC 4648 section 5)."""
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def short_digest(data: bytes) -> str:
    """Sixteen hexadecimal characters of BLAKE2b: enough to name a body in an ETag."""
    return hashlib.blake2b(data, digest_size=8).hexdigest()
