"""The header fields that every answer of one site carries alike, worked out once an edition."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from urllib.parse import quote, urlsplit

from citepress.base.timestamps import http_date
from citepress.contract.cache import Cache
from citepress.contract.limits import Headers
from citepress.contract.site import Robots

URI_SAFE = ":/?#[]@!$&'()*+,;=%-._~"
"""Characters that an address keeps between angle brackets."""
POLICY_PATH = "/developers/#deprecation-policy"
SECURITY: Headers = [
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"strict-origin-when-cross-origin"),
    (
        b"content-security-policy",
        b"default-src 'none'; style-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    ),
    (b"permissions-policy", b"browsing-topics=(), camera=(), geolocation=(), microphone=(), payment=(), usb=()"),
    (b"cross-origin-resource-policy", b"cross-origin"),
]
TRANSPORT: Headers = [(b"strict-transport-security", b"max-age=31536000")]
SHARING: Headers = [
    (b"access-control-allow-origin", b"*"),
    (
        b"access-control-expose-headers",
        (
            b"ETag, Link, Location, Content-Location, RateLimit, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, RateLimit-Policy"
            b", Repr-Digest, Retry-After, Deprecation, Sunset, PAYMENT-REQUIRED, PAYMENT-RESPONSE"
        ),
    ),
]
DRAFTS: Headers = [(b"x-robots-tag", b"noindex, nofollow, noarchive")]
"""Instead of ``SHARING`` where drafts are shown: no other site's page may read them, and no index may keep them."""


@dataclass(frozen=True, slots=True)
class SiteFields:
    """What the facts of a site mean for the header of its answers."""

    base_url: str
    """Public address without a trailing slash."""
    prefix: str
    """Path of the public address, in front of every path in ``Location`` and ``Content-Location``; mostly empty."""
    common: Headers
    """On every answer: security, CORS, usage preferences."""
    policy: bytes
    """The ``Link`` value to the deprecation policy, on every JSON answer (specification, "Versioning" 4)."""
    deprecated: tuple[tuple[re.Pattern[str], Headers], ...]
    """``Deprecation``, ``Sunset`` and their ``Link`` by the paths that they speak of; empty while nothing is deprecated."""
    private: bool = False
    """Whether drafts are shown, so that nothing is for the public yet."""

    @classmethod
    def of(cls, facts: Mapping[str, Any]) -> "SiteFields":
        """Read ``base_url``, ``robots``, ``deprecations`` and ``drafts`` as the facts have them; only the first is required.

        ``deprecated_paths`` tells the pattern of a deprecated path that is a template of the route table.
        """
        base_url = str(facts["base_url"]).rstrip("/")
        address = urlsplit(base_url)
        transport = TRANSPORT if address.scheme == "https" else []
        usage = (b"content-usage", content_usage(Robots.model_validate(facts.get("robots") or {})))
        private = bool(facts.get("drafts"))
        return cls(
            base_url=base_url,
            prefix=address.path,
            common=[*SECURITY, *transport, *(DRAFTS if private else SHARING), usage],
            policy=f'<{base_url}{POLICY_PATH}>; rel="deprecation"'.encode(),
            deprecated=tuple(_deprecated(facts, base_url)),
            private=private,
        )

    def deprecation(self, path: str) -> Headers:
        """What the answers at a decoded path say of its end; empty where none is announced."""
        return next((fields for pattern, fields in self.deprecated if pattern.fullmatch(path)), [])

    def caching(self, cache: str) -> tuple[bytes, bytes]:
        """``Cache-Control`` of an answer that may be kept so long; where drafts are shown no shared cache keeps anything."""
        return (b"cache-control", (Cache.NEGOTIATED if self.private and cache != Cache.NO_STORE else cache).encode())

    def preflight(self, allow: bytes) -> Headers:
        """What OPTIONS is told: the methods of a path, and that pages of other sites may use them, unless drafts are shown."""
        shared = [(b"access-control-allow-methods", allow), (b"access-control-allow-headers", b"*"), (b"access-control-max-age", b"86400")]
        return [(b"allow", allow), *([] if self.private else shared)]

    def target(self, path: str) -> str:
        """A path as ``Location`` and ``Content-Location`` write it; an absolute URL stays itself."""
        return self.prefix + path if path.startswith("/") else path


def content_usage(robots: Robots) -> bytes:
    """The content signals as ``Content-Usage`` (draft-ietf-aipref-attach), in the labels of draft-ietf-aipref-vocab."""
    words = (("train-ai", robots.ai_train), ("ai-use", robots.ai_input), ("search", robots.search))
    return ", ".join(f"{label}={answer[0]}" for label, answer in words).encode()


def _deprecated(facts: Mapping[str, Any], base_url: str) -> Iterator[tuple[re.Pattern[str], Headers]]:
    """Each deprecated path with its fields; one that is spelled out goes before a template that covers it."""
    rows = facts.get("deprecations") or ()
    templates = facts.get("deprecated_paths") or {}
    for row in sorted(rows, key=lambda row: "{" in row["path"]):
        pattern = templates.get(row["path"]) or re.escape(row["path"])
        yield re.compile(pattern), _deprecation(row, base_url)


def _deprecation(row: Mapping[str, Any], base_url: str) -> Headers:
    """RFC 9745 and RFC 8594 for one row of ``site.toml``."""
    since = int(datetime.fromisoformat(row["deprecated_on"]).timestamp())
    fields = [(b"deprecation", b"@%d" % since)]
    if sunset := row.get("sunset_on"):
        fields.append((b"sunset", http_date(datetime.fromisoformat(sunset)).encode()))
    link = row.get("link") or POLICY_PATH
    where = quote(base_url + link if link.startswith("/") else link, safe=URI_SAFE)
    return [*fields, (b"link", f'<{where}>; rel="deprecation"'.encode())]
