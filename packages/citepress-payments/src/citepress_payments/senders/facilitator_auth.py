"""Authentication to a facilitator: a fixed token, a fixed key in a header field, or a signed token per request."""

import base64
import json
import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import TypeAlias

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ec import ECDSA, SECP256R1, EllipticCurvePrivateKey
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import load_pem_private_key

from citepress.base.canonical import base64url
from citepress.base.outgoing import Authorize
from citepress_payments.chains.nodes import secret_in
from citepress_payments.configuration import ConfiguredRail
from citepress_payments.drivers import DriverContext, DriverMissingError
from citepress_payments.ports.prices import Clock
from citepress_payments.settings import BearerAuth, FacilitatorAuth, HeaderAuth, JwtAuth

FacilitatorKey: TypeAlias = EllipticCurvePrivateKey | Ed25519PrivateKey
MEMBER = "facilitator_auth"
_EARLY = 5
"""Seconds that a token is good for before now: clocks differ."""
_SEED, _SEED_AND_PUBLIC = 32, 64
_NONCE_BYTES = 16


def authorization(context: DriverContext) -> Authorize | None:
    """What authenticates a rail's requests; ``None`` where its facilitator asks for nothing.

    Raises ``DriverMissingError``.
    """
    opened = context.opened
    auth = opened.settings.facilitator_auth
    if auth is None:
        return None
    secret = _secret(opened, auth, context.environment)
    if isinstance(auth, BearerAuth):
        return lambda _method, _host, _path: {"Authorization": f"Bearer {secret}"}
    if isinstance(auth, HeaderAuth):
        return lambda _method, _host, _path: {auth.name: secret}
    return _Tokens(auth, _key(opened, secret), context.clock)


class _Tokens:
    """Signs a token for each request: it names the request, and is good for a short time."""

    def __init__(self, auth: JwtAuth, key: FacilitatorKey, clock: Clock) -> None:
        self._auth, self._key, self._clock = auth, key, clock

    def __call__(self, method: str, host: str, path: str) -> Mapping[str, str]:
        """The field with a token for this request."""
        now, auth = self._clock(), self._auth
        algorithm = "EdDSA" if isinstance(self._key, Ed25519PrivateKey) else "ES256"
        head = {"alg": algorithm, "typ": "JWT", "kid": auth.key_id, "nonce": secrets.token_hex(_NONCE_BYTES)}
        claims = {"iss": auth.issuer, "sub": auth.key_id, "nbf": now - _EARLY, "iat": now, "exp": now + auth.lifetime_s}
        audience = {"aud": auth.audience} if auth.audience else {}
        # See "Tokens for facilitators are signed with cryptography alone" in docs/decisions/payments.md.
        signed = f"{_encoded(head)}.{_encoded({**claims, **audience, 'uris': [f'{method} {host}{path}']})}"
        return {"Authorization": f"Bearer {signed}.{base64url(self._signature(signed.encode()))}"}

    def _signature(self, data: bytes) -> bytes:
        """As RFC 7518 (3.4) and RFC 8037 (3.1) have it."""
        if isinstance(self._key, Ed25519PrivateKey):
            return self._key.sign(data)
        r, s = decode_dss_signature(self._key.sign(data, ECDSA(SHA256())))
        return r.to_bytes(32) + s.to_bytes(32)


def _secret(opened: ConfiguredRail, auth: FacilitatorAuth, environment: Mapping[str, str]) -> str:
    """The secret, from its file or variable. Raises ``DriverMissingError``, which never holds it."""
    if auth.secret_file:
        secret = secret_in(opened, Path(auth.secret_file), MEMBER)
    elif (name := auth.secret_env or "") in environment:
        secret = environment[name].strip()
    else:
        raise DriverMissingError(f"the rail {opened.slug}: facilitator_auth: {name} is not set", MEMBER, absent=True)
    # A line break in it would begin another header field.
    if not secret or not secret.isascii() or (not isinstance(auth, JwtAuth) and not secret.isprintable()):
        raise DriverMissingError(
            f"the rail {opened.slug}: facilitator_auth: the secret is empty or is not valid in a header field", MEMBER
        )
    return secret


def _key(opened: ConfiguredRail, secret: str) -> FacilitatorKey:
    """A private key: PEM (P-256 or Ed25519), or base64 of an Ed25519 seed, alone or with its public key behind it."""
    try:
        if secret.startswith("-----BEGIN"):
            key = load_pem_private_key(secret.replace("\\n", "\n").encode(), None)
        else:
            data = base64.b64decode(secret, validate=True)
            key = Ed25519PrivateKey.from_private_bytes(data[:_SEED] if len(data) == _SEED_AND_PUBLIC else data)
    except (ValueError, TypeError, UnsupportedAlgorithm):
        key = None
    if isinstance(key, Ed25519PrivateKey) or (
        isinstance(key, EllipticCurvePrivateKey) and isinstance(key.curve, SECP256R1)
    ):
        return key
    raise DriverMissingError(
        f"the rail {opened.slug}: facilitator_auth: the secret is not a private key of P-256 or Ed25519", MEMBER
    )


def _encoded(members: Mapping[str, object]) -> str:
    return base64url(json.dumps(members, separators=(",", ":")).encode())
