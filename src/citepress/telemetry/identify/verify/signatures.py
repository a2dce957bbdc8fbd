"""Web Bot Auth: requests that carry a signature of their operator (draft-ietf-webbotauth-httpsig-protocol, RFC 9421)."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Literal, Protocol

import http_sf

from citepress.base.errors import CitepressError
from citepress.telemetry.identify.verify.directories import Directory, Key, origin

try:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    from http_message_signatures import HTTPMessageSignaturesException, HTTPMessageVerifier, InvalidSignature, MappingKeyResolver
    from http_message_signatures.algorithms import ED25519
except ImportError:  # the extra is not installed; ``required`` says so
    AVAILABLE = False
    HTTPMessageVerifier, HTTPMessageSignaturesException = object, Exception  # type: ignore[misc, assignment]
else:
    AVAILABLE = True

TAG = "web-bot-auth"
HEADER_BYTES = 2_048
"""Bytes of the three headers together that are looked at."""
SKEW = 60
"""Seconds that clocks may differ."""
LONGEST_LIFE = timedelta(days=1)
HOSTS = frozenset(("@authority", "@target-uri"))
"""What a signature has to cover, one of them: else it was made for any site."""
KNOWN = HOSTS | {"@method", "@path", "@scheme", "signature-agent"}
"""What can be covered; a signature over anything else cannot be checked here, for nothing else of the request is kept."""


class SignaturesUnavailable(CitepressError):  # noqa: N818  (a setting that is refused)
    """The library is not installed; the text says what to do."""


class RequestSigner(Protocol):
    """What is asked of a family: the directory of its keys."""

    @property
    def signature(self) -> str:
        """URL of the directory; empty for none."""
        ...


@dataclass(frozen=True, slots=True)
class SignedRequest:
    """What is kept of a signed request until its hour is closed: no query, no header but these three."""

    method: str
    authority: str
    """The site's own host (and port), never what the request said of itself."""
    path: str
    signature: str
    signature_input: str
    signature_agent: str

    @property
    def url(self) -> str:
        """The URL that was asked for."""
        return f"https://{self.authority}{self.path}"

    @property
    def headers(self) -> dict[str, str]:
        """The three headers, those that are there."""
        told = {"Signature": self.signature, "Signature-Input": self.signature_input, "Signature-Agent": self.signature_agent}
        return {name: value for name, value in told.items() if value}


def required() -> None:
    """Refuse the setting when the library is not there. Raises ``SignaturesUnavailable``."""
    if not AVAILABLE:
        raise SignaturesUnavailable("[telemetry] signatures needs the extra: pip install 'citepress[signatures]'")


def signed_request(method: str, authority: str, target: str, headers: Mapping[str, str]) -> SignedRequest | None:
    """What to keep of a signed request, or ``None`` where its signature could never be checked; never raises.

    ``target`` is path and query as they were sent; ``headers`` has ``signature``, ``signature-input`` and ``signature-agent`` in lower
    case, each as one value. A request with a query whose signature covers the whole URL is not kept, for queries are not.
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
    """The origins that a ``Signature-Agent`` names: a dictionary (the current draft) or a bare string (the one before)."""
    for kind in ("item", "dictionary"):
        try:
            parsed: Any = http_sf.parse(value.encode("ascii"), tltype=kind)
        except (ValueError, TypeError, UnicodeError):
            continue
        told = [parsed[0]] if kind == "item" else [member[0] for member in parsed.values()]
        return frozenset(filter(None, (origin(one) for one in told if isinstance(one, str))))
    return frozenset()


class Checker:
    """Checks held requests against the pinned directories. Raises ``SignaturesUnavailable`` when it is made without the library."""

    __slots__ = ("_directories",)

    def __init__(self, directories: Iterable[Directory]) -> None:
        required()
        self._directories = tuple(directories)

    def directory(self, request: SignedRequest, at: datetime) -> str:
        """The pinned directory whose key signed the request, as it stood at that moment; empty for none. Never raises."""
        named = agents(request.signature_agent)
        for one in self._directories:
            if (not request.signature_agent or one.origin in named) and _signed(request, one.keys, at):
                return one.url
        return ""

    def state(self, family: RequestSigner, request: SignedRequest, at: datetime) -> Literal["signed", "claimed"]:
        """``signed`` when the signature is valid and of the family's own directory."""
        return "signed" if family.signature and self.directory(request, at) == family.signature else "claimed"


class _Verifier(HTTPMessageVerifier):
    """Judges times by the moment of the request, not by now."""

    at: datetime

    def validate_created_and_expires(self, sig_input: Any, max_age: timedelta | None = None) -> None:  # noqa: ANN401  (untyped library)
        """Both have to be there, and the moment between them."""
        created, expires = sig_input.params.get("created"), sig_input.params.get("expires")
        if type(created) is not int or type(expires) is not int:
            raise InvalidSignature("created and expires are needed")
        moment = int(self.at.timestamp())
        if not created - SKEW <= moment <= expires:
            raise InvalidSignature("not valid at the moment of the request")
        if max_age is not None and expires - created > max_age.total_seconds():
            raise InvalidSignature("valid for too long")


def _signed(request: SignedRequest, keys: Mapping[str, Key], at: datetime) -> bool:
    """Whether one of the keys made the request's signature."""
    moment = at.astimezone(UTC)
    good = {name: Ed25519PublicKey.from_public_bytes(key.x) for name, key in keys.items() if key.good(int(moment.timestamp()))}
    verifier = _Verifier(signature_algorithm=ED25519, key_resolver=MappingKeyResolver(public_keys=good, private_keys={}))
    verifier.at = moment
    try:
        results = verifier.verify(request, max_age=LONGEST_LIFE, expect_tag=TAG)
    except (HTTPMessageSignaturesException, ValueError):
        return False
    return bool(results) and all(_covers(request, result.covered_components) for result in results)


def _covers(request: SignedRequest, covered: Mapping[str, str]) -> bool:
    """Whether a signature covers the host, and who is said to have made it."""
    names = {name.partition(";")[0].strip('"') for name in covered}
    return bool(names & HOSTS) and (not request.signature_agent or "signature-agent" in names)


def _covered(value: str) -> frozenset[str] | None:
    """Names of what the signatures of this tag cover; ``None`` where there is none or it cannot be read."""
    try:
        parsed: Any = http_sf.parse(value.encode("ascii"), tltype="dictionary")
        lists = [member for member, params in parsed.values() if isinstance(member, list) and params.get("tag") == TAG]
        return frozenset(str(name) for items in lists for name, _ in items) if lists else None
    except (ValueError, TypeError, UnicodeError, AttributeError):
        return None
