"""The header fields that every answer of one site carries alike, worked out once an edition."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import quote, urlsplit

from citepress.base.headers import Headers
from citepress.base.media import RSL
from citepress.base.timestamps import http_date
from citepress.contract.cache import Cache
from citepress.contract.site import Deprecation, Robots
from citepress.edition.cache_keys import key_fields, keys_of
from citepress.edition.site_config import SiteConfig

URI_SAFE = ":/?#[]@!$&'()*+,;=%-._~"
"""Characters that an address keeps between angle brackets."""
LICENSE_PATH = "/license.xml"
POLICY_PATH = "/developers/#deprecation-policy"
SECURITY: Headers = [
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"strict-origin-when-cross-origin"),
    (
        b"content-security-policy",
        (
            b"default-src 'none'; style-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self';"
            b" base-uri 'none'; frame-ancestors 'none'"
        ),
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
            b"ETag, Link, Location, Content-Location, Memento-Datetime, RateLimit, RateLimit-Limit,"
            b" RateLimit-Remaining, RateLimit-Reset, RateLimit-Policy, Repr-Digest, Retry-After, Deprecation, Sunset,"
            b" PAYMENT-REQUIRED, PAYMENT-RESPONSE, Ignored-Parameters"
        ),
    ),
]
DRAFTS: Headers = [(b"x-robots-tag", b"noindex, nofollow, noarchive")]
"""Instead of ``SHARING`` where drafts are shown: no other site's page may read them, and no index may keep them."""


@dataclass(frozen=True, slots=True)
class SiteFields:
    """The header fields that follow from the configuration of a site."""

    base_url: str
    """Public address without a trailing slash."""
    prefix: str
    """Path of the public address, in front of every path in ``Location`` and ``Content-Location``; mostly empty."""
    common: Headers
    """On every answer: security, CORS, usage preferences."""
    policy: bytes
    """The ``Link`` value to the deprecation policy, on every JSON answer (specification, "Versioning" 4)."""
    deprecated: tuple[tuple[re.Pattern[str], Headers], ...]
    """``Deprecation``, ``Sunset`` and their ``Link`` by the paths that they speak of; empty while nothing is
    deprecated."""
    key_names: tuple[str, ...] = ()
    """Fields that carry the keys by which caches are purged."""
    private: bool = False
    """Whether drafts are shown, so that nothing is for the public yet."""

    @classmethod
    def of(cls, config: SiteConfig) -> "SiteFields":
        """The fields that the configuration of a site asks for."""
        address = urlsplit(config.base_url)
        transport = TRANSPORT if address.scheme == "https" else []
        return cls(
            base_url=config.base_url,
            prefix=address.path,
            common=[*SECURITY, *transport, *(DRAFTS if config.drafts else SHARING), *_declared(config)],
            policy=f'<{config.base_url}{POLICY_PATH}>; rel="deprecation"'.encode(),
            deprecated=tuple(_deprecated_paths(config)),
            key_names=() if config.drafts else tuple(config.publication.cache_keys or ()),
            private=config.drafts,
        )

    def deprecation(self, path: str) -> Headers:
        """What the answers at a decoded path say of its end; empty where none is announced."""
        return next((fields for pattern, fields in self.deprecated if pattern.fullmatch(path)), [])

    def caching(self, cache: str) -> tuple[bytes, bytes]:
        """``Cache-Control`` of an answer that may be kept so long.

        Where drafts are shown no shared cache keeps anything.
        """
        return (b"cache-control", (Cache.NEGOTIATED if self.private and cache != Cache.NO_STORE else cache).encode())

    def keys(self, path: str, canonical: str = "") -> Headers:
        """The keys of an answer that is sent from the leaf of a path."""
        return key_fields(self.key_names, keys_of(path, canonical)) if self.key_names else []

    def preflight(self, allow: bytes) -> Headers:
        """Fields of an answer to OPTIONS: methods of a path, open to pages of other sites unless drafts are shown."""
        return [(b"allow", allow), *([] if self.private else preflight(allow))]

    def target(self, path: str) -> str:
        """A path as ``Location`` and ``Content-Location`` write it; an absolute URL stays itself."""
        return self.prefix + path if path.startswith("/") else path


def preflight(methods: bytes, fields: bytes = b"*") -> Headers:
    """What pages of other sites may send (Fetch, CORS preflight): these methods and request fields."""
    return [
        (b"access-control-allow-methods", methods),
        (b"access-control-allow-headers", fields),
        (b"access-control-max-age", b"86400"),
    ]


def content_usage(robots: Robots) -> bytes:
    """The content signals as ``Content-Usage`` (draft-ietf-aipref-attach), in the labels of draft-ietf-aipref-vocab."""
    words = (("train-ai", robots.ai_train), ("search", robots.search))
    return ", ".join(f"{label}={answer[0]}" for label, answer in words).encode()


def _declared(config: SiteConfig) -> Iterator[tuple[bytes, bytes]]:
    """What every answer declares about its use, as ``[declarations]`` switches it on."""
    switches = config.publication.declarations
    if switches.content_usage:
        yield b"content-usage", content_usage(config.publication.robots)
    if switches.rsl:
        yield b"link", f'<{config.base_url}{LICENSE_PATH}>; rel="license"; type="{RSL.type}"'.encode()


def _deprecated_paths(config: SiteConfig) -> Iterator[tuple[re.Pattern[str], Headers]]:
    """Each deprecated path with its fields; one that is spelled out goes before a template that covers it."""
    for row in sorted(config.publication.deprecations, key=lambda row: "{" in row.path):
        pattern = config.deprecated_paths.get(row.path) or re.escape(row.path)
        yield re.compile(pattern), _deprecation(row, config.base_url)


def _deprecation(row: Deprecation, base_url: str) -> Headers:
    """RFC 9745 and RFC 8594 for one row of ``site.toml``."""
    fields = [(b"deprecation", b"@%d" % int(row.deprecated_on.timestamp()))]
    if row.sunset_on:
        fields.append((b"sunset", http_date(row.sunset_on).encode()))
    link = row.link or POLICY_PATH
    where = quote(base_url + link if link.startswith("/") else link, safe=URI_SAFE)
    return [*fields, (b"link", f'<{where}>; rel="deprecation"'.encode())]
