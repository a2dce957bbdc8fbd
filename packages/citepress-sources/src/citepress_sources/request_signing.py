"""Signatures of requests: HTTP Message Signatures (RFC 9421) as Web Bot Auth uses them, with the publisher's key.

Whoever is asked finds the key in the directory of the archive, and so knows who asks.
"""

import base64
from datetime import datetime
from typing import Any
from urllib.parse import urlsplit

import http_sf

from citepress.transparency.public_keys import public_jwk
from citepress.transparency.signing import SigningKey

LIFE_S = 300
"""Seconds for which a signature is valid."""
_TAG, _LABEL = "web-bot-auth", "sig1"


def agent_origin(base_url: str) -> str:
    """The origin under which the directory of an archive is asked for; empty where nobody would find one there.

    It lies at the root of a host and is read over TLS, so an archive below a path or without TLS signs nothing.
    """
    parts = urlsplit(base_url)
    return f"https://{parts.netloc}" if parts.scheme == "https" and parts.path in {"", "/"} else ""


def signed_fields(key: SigningKey, origin: str, authority: str, moment: datetime) -> dict[str, str]:
    """The header fields that sign a request to a host; ``origin`` is that of the directory with the key.

    ``Signature-Agent`` is a dictionary, whose member has the label of the signature
    (draft-ietf-webbotauth-httpsig-protocol).
    """
    created = int(moment.timestamp())
    parameters: dict[str, Any] = {
        "created": created,
        "expires": created + LIFE_S,
        "keyid": public_jwk(key.public)["kid"],
        "alg": "ed25519",
        "tag": _TAG,
    }
    agent = http_sf.ser(origin)
    signatures: Any = {_LABEL: ([("@authority", {}), ("signature-agent", {"key": _LABEL})], parameters)}
    covered = http_sf.ser(signatures)
    base = (
        f'"@authority": {authority.lower()}\n"signature-agent";key="{_LABEL}": {agent}\n'
        f'"@signature-params": {covered.removeprefix(f"{_LABEL}=")}'
    )
    signature = base64.b64encode(key.sign(base.encode())).decode()
    return {"Signature-Agent": f"{_LABEL}={agent}", "Signature-Input": covered, "Signature": f"{_LABEL}=:{signature}:"}
