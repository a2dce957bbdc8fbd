"""The key of a publisher: Ed25519 (RFC 8032), in a file that its owner alone may read."""

import base64
import os
from pathlib import Path
from typing import Any

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from citepress.transparency.public_keys import SigningError, public_bytes

KEY_FILE = "edition.key"
"""The publisher's signing key, in its state folder."""
FORMER_KEY_FILE = "edition.key.former"
"""The key before, which signs heads beside the present one while readers get to know that."""
PRIVATE_MODE = 0o600


class SigningKey:
    """The publisher's key."""

    def __init__(self, private: Ed25519PrivateKey) -> None:
        self._private = private
        self.public = base64.b64encode(private.public_key().public_bytes_raw()).decode()
        """The public half, as servers are given it."""

    def sign(self, data: bytes) -> bytes:
        """The signature of these bytes."""
        return self._private.sign(data)


def existing_key(state: Path) -> SigningKey:
    """The publisher's key, for what only goes on with editions that it signed. Raises ``SigningError``."""
    if not (state / KEY_FILE).is_file():
        raise SigningError(
            f"{state} holds no {KEY_FILE}: name the state folder that citepress publish used, with --state"
        )
    return signing_key(state)[0]


def signing_key(state: Path) -> tuple[SigningKey, bool]:
    """The publisher's key in its state folder, and whether it was made now. Raises ``SigningError``."""
    file = state / KEY_FILE
    if file.exists():
        return _read_key(file), False
    try:
        return _new_key(file), True
    except OSError as error:
        raise SigningError(f"{file} cannot be made: {error}") from None


def signing_keys(state: Path) -> tuple[SigningKey, ...]:
    """The keys that sign the head of a log: the publisher's own, then the one before, where that is still kept.

    Raises ``SigningError``.
    """
    own, former = signing_key(state)[0], state / FORMER_KEY_FILE
    return (own, _read_key(former)) if former.exists() else (own,)


def is_signed_by(public: str, signature: bytes, data: bytes) -> bool:
    """Whether the owner of a public key signed these bytes. Raises ``SigningError`` where it is no key."""
    try:
        Ed25519PublicKey.from_public_bytes(public_bytes(public)).verify(signature, data)
    except InvalidSignature:
        return False
    return True


def _read_key(file: Path) -> SigningKey:
    try:
        if file.stat().st_mode & 0o077:
            raise SigningError(f"{file} can be read by others: chmod 600 {file}")
        private: Any = serialization.load_pem_private_key(file.read_bytes(), password=None)
    except OSError as error:
        raise SigningError(f"{file} cannot be used as a signing key: {error}") from None
    except ValueError:
        raise SigningError(
            f"{file} cannot be used as a signing key, because it is damaged: restore it from a backup; without one,"
            " move it away and pass --break-history, which takes a new key"
        ) from None
    if not isinstance(private, Ed25519PrivateKey):
        raise SigningError(f"{file} is not an Ed25519 key")
    return SigningKey(private)


def _new_key(file: Path) -> SigningKey:
    file.parent.mkdir(parents=True, exist_ok=True)
    private = Ed25519PrivateKey.generate()
    data = private.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, PRIVATE_MODE)
    with os.fdopen(descriptor, "wb") as target:
        target.write(data)
    return SigningKey(private)
