"""How a facilitator knows us: a fixed token, a fixed key in a field of its choice, or a signed token for each request."""

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

from citepress.contract.paid import BearerAuth, FacilitatorAuth, HeaderAuth, JwtAuth
from citepress.payments.chains.nodes import secret_in
from citepress.payments.configuration import ConfiguredRail
from citepress.payments.drivers import DriverContext, DriverMissingError
from citepress.payments.json_client import Authorize
from citepress.payments.ports import Clock

Key: TypeAlias = EllipticCurvePrivateKey | Ed25519PrivateKey
MEMBER = "facilitator_auth"
_EARLY = 5
"""Seconds that a token is good for before now: clocks differ."""
_SEED, _SEED_AND_PUBLIC = 32, 64
_NONCE_BYTES = 16


def authorization(materials: DriverContext) -> Authorize | None:
    """What authenticates a rail's requests; ``None`` where its facilitator asks for nothing. Raises ``DriverMissingError``."""
    opened = materials.opened
    told = opened.settings.facilitator_auth
    if told is None:
        return None
    secret = _secret(opened, told, materials.environment)
    if isinstance(told, BearerAuth):
        return lambda _method, _host, _path: {"Authorization": f"Bearer {secret}"}
    if isinstance(told, HeaderAuth):
        return lambda _method, _host, _path: {told.name: secret}
    return _Tokens(told, _key(opened, secret), materials.clock)


class _Tokens:
    """Signs a token for each request: it names the request, and is good for a short time."""

    def __init__(self, told: JwtAuth, key: Key, clock: Clock) -> None:
        self._told, self._key, self._clock = told, key, clock

    def __call__(self, method: str, host: str, path: str) -> Mapping[str, str]:
        """The field with a token for this request."""
        now, told = self._clock(), self._told
        algorithm = "EdDSA" if isinstance(self._key, Ed25519PrivateKey) else "ES256"
        head = {"alg": algorithm, "typ": "JWT", "kid": told.key_id, "nonce": secrets.token_hex(_NONCE_BYTES)}
        claims = {"iss": told.issuer, "sub": told.key_id, "nbf": now - _EARLY, "iat": now, "exp": now + told.lifetime_s}
        audience = {"aud": told.audience} if told.audience else {}
        signed = f"{_encoded(head)}.{_encoded({**claims, **audience, 'uris': [f'{method} {host}{path}']})}"
        return {"Authorization": f"Bearer {signed}.{_base64(self._signature(signed.encode()))}"}

    def _signature(self, data: bytes) -> bytes:
        """As RFC 7518 (3.4) and RFC 8037 (3.1) have it."""
        if isinstance(self._key, Ed25519PrivateKey):
            return self._key.sign(data)
        r, s = decode_dss_signature(self._key.sign(data, ECDSA(SHA256())))
        return r.to_bytes(32) + s.to_bytes(32)


def _secret(opened: ConfiguredRail, told: FacilitatorAuth, environment: Mapping[str, str]) -> str:
    """The secret, from where the setting says. Raises ``DriverMissingError`` without telling it."""
    if told.secret_file:
        found = secret_in(opened, Path(told.secret_file), MEMBER)
    elif (name := told.secret_env or "") in environment:
        found = environment[name].strip()
    else:
        raise DriverMissingError(f"the rail {opened.slug}: facilitator_auth: {name} is not set", MEMBER, absent=True)
    if not found or not found.isascii() or (not isinstance(told, JwtAuth) and not found.isprintable()):
        raise DriverMissingError(
            f"the rail {opened.slug}: facilitator_auth: the secret is empty, or cannot stand in a header field", MEMBER
        )
    return found


def _key(opened: ConfiguredRail, secret: str) -> Key:
    """A private key: PEM (P-256 or Ed25519), or base64 of an Ed25519 seed, alone or with its public key behind it."""
    try:
        if secret.startswith("-----BEGIN"):
            found = load_pem_private_key(secret.replace("\\n", "\n").encode(), None)
        else:
            data = base64.b64decode(secret, validate=True)
            found = Ed25519PrivateKey.from_private_bytes(data[:_SEED] if len(data) == _SEED_AND_PUBLIC else data)
    except (ValueError, TypeError, UnsupportedAlgorithm):
        found = None
    if isinstance(found, Ed25519PrivateKey) or (isinstance(found, EllipticCurvePrivateKey) and isinstance(found.curve, SECP256R1)):
        return found
    raise DriverMissingError(f"the rail {opened.slug}: facilitator_auth: the secret is no private key of P-256 or Ed25519", MEMBER)


def _encoded(told: Mapping[str, object]) -> str:
    return _base64(json.dumps(told, separators=(",", ":")).encode())


def _base64(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode().rstrip("=")
