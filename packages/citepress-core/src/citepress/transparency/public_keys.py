"""Public keys of publishers, as servers, readers and verifiers of signed notes are given them."""

import base64
import hashlib

from citepress.base.canonical import base64url
from citepress.base.errors import CitepressError

KEY_BYTES = 32
ED25519 = b"\x01"
"""The type of an Ed25519 key in a signed note."""
_ID_BYTES = 4


class SigningError(CitepressError):
    """A key cannot be read, made or used; the sentence says why."""


def decoded(text: str) -> bytes:
    """The bytes of base64 as encoders write it; raises ``ValueError`` for any other way to write the same bytes.

    The last character may have bits that count for nothing, which somebody could change unnoticed.
    """
    data = base64.b64decode(text, validate=True)
    if base64.b64encode(data).decode() != text:
        raise ValueError("not as an encoder writes it")
    return data


def public_bytes(public: str) -> bytes:
    """A public key as its thirty-two bytes. Raises ``SigningError``."""
    try:
        key = decoded(public)
    except ValueError:
        key = b""
    if len(key) != KEY_BYTES:
        raise SigningError(f"{public!r} is not the public key of a publisher: it has 44 characters and ends with =")
    return key


def public_jwk(public: str) -> dict[str, str]:
    """A public key as a JWK (RFC 8037), named by its thumbprint (RFC 7638)."""
    x = base64url(public_bytes(public))
    thumbprint = hashlib.sha256(f'{{"crv":"Ed25519","kty":"OKP","x":"{x}"}}'.encode()).digest()
    return {"kty": "OKP", "crv": "Ed25519", "x": x, "kid": base64url(thumbprint), "use": "sig", "alg": "EdDSA"}


def key_id(name: str, public: str) -> bytes:
    """What a signature line of a note names a key by: four bytes that follow from its name and the key."""
    return hashlib.sha256(name.encode() + b"\n" + ED25519 + public_bytes(public)).digest()[:_ID_BYTES]


def verifier_key(name: str, public: str) -> str:
    """A public key as verifiers of signed notes are given it: ``name+id+key``."""
    return f"{name}+{key_id(name, public).hex()}+{base64.b64encode(ED25519 + public_bytes(public)).decode()}"
