"""Web Bot Auth: requests signed by their operator (draft-ietf-webbotauth-httpsig-protocol, RFC 9421)."""

from collections.abc import Iterable, Mapping
from dataclasses import astuple, dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Literal

import http_sf
import orjson

from citepress.base import fast_json
from citepress.base.errors import CitepressError
from citepress_telemetry.identify.verify.directories import Directory, Key, origin

try:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    from http_message_signatures import (
        HTTPMessageSignaturesException,
        HTTPMessageVerifier,
        InvalidSignature,
        MappingKeyResolver,
    )
    from http_message_signatures.algorithms import ED25519
except ImportError:  # the extra is not installed; ``required`` says so
    AVAILABLE = False
    HTTPMessageVerifier, HTTPMessageSignaturesException = object, Exception  # type: ignore[misc, assignment]
else:
    AVAILABLE = True

SIGNATURE_TAG = "web-bot-auth"
HEADER_BYTES = 2_048
"""Bytes of the three headers together that are examined."""
SKEW = 60
"""Seconds that clocks may differ."""
MAX_SIGNATURE_LIFETIME = timedelta(days=1)
HOSTS = frozenset(("@authority", "@target-uri"))
"""A signature must cover one of these: otherwise it is valid for any site."""
KNOWN = HOSTS | {"@method", "@path", "@scheme", "signature-agent"}
"""What a signature may cover; anything else is not kept of a request, so it could not be checked."""


class SignaturesUnavailable(CitepressError):  # noqa: N818  (a setting that is refused)
    """The library is not installed; the message says what to do."""


@dataclass(frozen=True, slots=True)
class SignedRequest:
    """What is kept of a signed request until its hour is closed: three headers and no query."""

    method: str
    authority: str
    """The site's own host (and port), never the one in the request."""
    path: str
    signature: str
    signature_input: str
    signature_agent: str

    @property
    def url(self) -> str:
        """The requested URL."""
        return f"https://{self.authority}{self.path}"

    @property
    def headers(self) -> dict[str, str]:
        """The headers that are present."""
        headers = {
            "Signature": self.signature,
            "Signature-Input": self.signature_input,
            "Signature-Agent": self.signature_agent,
        }
        return {name: value for name, value in headers.items() if value}


def store_request(held: SignedRequest) -> bytes:
    """A signed request as bytes for the spool."""
    return orjson.dumps(astuple(held))


def restore_request(value: bytes) -> SignedRequest:
    """A signed request from the spool's bytes."""
    return SignedRequest(*fast_json.loads(value))


def required() -> None:
    """Raise ``SignaturesUnavailable`` if the library is not installed."""
    if not AVAILABLE:
        raise SignaturesUnavailable("[telemetry] signatures needs the extra: pip install 'citepress[signatures]'")


def signed_request(method: str, authority: str, target: str, headers: Mapping[str, str]) -> SignedRequest | None:
    """What to keep of a signed request; ``None`` if its signature could never be checked. Never raises.

    ``target`` is path and query as they were sent; ``headers`` has ``signature``, ``signature-input`` and
    ``signature-agent`` in lower case, each as one value. A request with a query whose signature covers the whole
    URL is not kept, for queries are not.
    """
    values = [headers.get(name, "") for name in ("signature", "signature-input", "signature-agent")]
    path, query, _ = target.partition("?")
    if not values[0] or not values[1] or sum(map(len, values)) > HEADER_BYTES or not path.startswith("/"):
        return None
    covered = _covered(values[1])
    if covered is None or not covered <= KNOWN or not covered & HOSTS or (query and "@target-uri" in covered):
        return None
    return SignedRequest(method.upper(), authority.lower(), path, *values)


def agents(value: str) -> frozenset[str]:
    """The origins in a ``Signature-Agent``: a dictionary (the current draft) or a bare string (the previous one)."""
    for kind in ("item", "dictionary"):
        try:
            parsed: Any = http_sf.parse(value.encode("ascii"), tltype=kind)
        except (ValueError, TypeError, UnicodeError):
            continue
        members = [parsed[0]] if kind == "item" else [member[0] for member in parsed.values()]
        return frozenset(filter(None, (origin(member) for member in members if isinstance(member, str))))
    return frozenset()


class Checker:
    """Checks signed requests against the pinned directories; raises ``SignaturesUnavailable`` without the library."""

    __slots__ = ("_directories",)

    def __init__(self, directories: Iterable[Directory]) -> None:
        required()
        self._directories = tuple(directories)

    def directory(self, request: SignedRequest, at: datetime) -> str:
        """The pinned directory whose key signed the request and was valid at that moment; empty for none.

        Never raises.
        """
        named = agents(request.signature_agent)
        for directory in self._directories:
            if (not request.signature_agent or directory.origin in named) and _signed(request, directory.keys, at):
                return directory.url
        return ""

    def state(self, directory: str, request: SignedRequest, at: datetime) -> Literal["signed", "claimed"]:
        """``signed`` if a key of this directory signed the request; ``directory`` is a URL, or empty."""
        return "signed" if directory and self.directory(request, at) == directory else "claimed"


class _Verifier(HTTPMessageVerifier):
    """Compares times with the moment of the request, not with the present."""

    at: datetime

    def validate_created_and_expires(self, sig_input: Any, max_age: timedelta | None = None) -> None:  # noqa: ANN401  (untyped library)
        """Require both, and the moment of the request between them."""
        created, expires = sig_input.params.get("created"), sig_input.params.get("expires")
        if type(created) is not int or type(expires) is not int:
            raise InvalidSignature("created and expires are needed")
        moment = int(self.at.timestamp())
        if not created - SKEW <= moment <= expires:
            raise InvalidSignature("not valid at the moment of the request")
        if max_age is not None and expires - created > max_age.total_seconds():
            raise InvalidSignature("valid for too long")


def _signed(request: SignedRequest, keys: Mapping[str, Key], at: datetime) -> bool:
    """Whether one of the keys signed the request."""
    moment = at.astimezone(UTC)
    good = {
        name: Ed25519PublicKey.from_public_bytes(key.x)
        for name, key in keys.items()
        if key.good(int(moment.timestamp()))
    }
    verifier = _Verifier(
        signature_algorithm=ED25519, key_resolver=MappingKeyResolver(public_keys=good, private_keys={})
    )
    verifier.at = moment
    try:
        results = verifier.verify(request, max_age=MAX_SIGNATURE_LIFETIME, expect_tag=SIGNATURE_TAG)
    except (HTTPMessageSignaturesException, ValueError):
        return False
    return bool(results) and all(_covers(request, result.covered_components) for result in results)


def _covers(request: SignedRequest, covered: Mapping[str, str]) -> bool:
    """Whether a signature covers the host and, if present, the ``Signature-Agent``."""
    names = {name.partition(";")[0].strip('"') for name in covered}
    return bool(names & HOSTS) and (not request.signature_agent or "signature-agent" in names)


def _covered(value: str) -> frozenset[str] | None:
    """The components that signatures of this tag cover; ``None`` without such a signature."""
    try:
        parsed: Any = http_sf.parse(value.encode("ascii"), tltype="dictionary")
        lists = [
            member
            for member, params in parsed.values()
            if isinstance(member, list) and params.get("tag") == SIGNATURE_TAG
        ]
        return frozenset(str(name) for items in lists for name, _ in items) if lists else None
    except (ValueError, TypeError, UnicodeError, AttributeError):
        return None
