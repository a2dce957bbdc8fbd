"""A leaf as the door sends it: each coding's header is written once, when the leaf is first asked for."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from urllib.parse import quote

from citepress.base.timestamps import http_date
from citepress.contract.cache import Cache
from citepress.contract.limits import Headers
from citepress.edition.fields import SiteFields
from citepress.edition.leaf import Leaf, Variant

VARY = b"vary"
VARY_FORM = (VARY, b"Accept, Accept-Encoding")
VARY_CODING = (VARY, b"Accept-Encoding")
PATH_SAFE = "/-._~!$&'()*+,;=:@"
"""Characters of a path that stand unescaped in a header (RFC 3986, pchar and slash)."""


@dataclass(frozen=True, slots=True)
class Coded:
    """One content coding of a leaf."""

    etag: bytes
    """Strong, and different for each coding (RFC 9110 section 8.8.3.3)."""
    headers: Headers
    """What speaks of the representation, beside a body (200, HEAD)."""
    unchanged: Headers
    """The same without a body (304)."""
    body: bytes | memoryview


@dataclass(frozen=True, slots=True)
class Served:
    """What answers at one path, ready to send."""

    leaf: Leaf
    counted: bool
    """Whether an answer is JSON, and so counts against the REST limit and shows it."""
    offers: tuple[tuple[str, ...], ...]
    """Media types under which each form fits an Accept field, the default first; a leaf that fits anything has none."""
    fields: tuple[Headers, ...]
    """What speaks of the path, for each form: caching, the address of the form."""
    codings: tuple[str, ...]
    """The stored codings, the preferred first, ``identity`` last."""
    coded: Mapping[str, Coded]


def served(
    leaf: Leaf, bodies: Mapping[str, bytes | memoryview], etag: str, site: SiteFields, digests: Mapping[str, str] | None = None
) -> Served:
    """Prepare a leaf. ``bodies`` are its codings with ``identity`` among them, ``etag`` an unquoted name for its content.

    ``digests`` are the values of ``Repr-Digest`` by coding, for a leaf whose answers carry it.
    """
    content = _content(leaf, site)
    codings = (*(coding for coding in bodies if coding != "identity"), "identity")
    coded = {coding: _coded(leaf, coding, bodies[coding], etag, content, _digest(digests, coding)) for coding in codings}
    offers = tuple(variant.accepted for variant in leaf.variants) or ((leaf.accepted,) if leaf.accepted else ())
    return Served(leaf, leaf.kind == "json", offers, _fields(leaf, site, negotiable=len(bodies) > 1), codings, coded)


def _content(leaf: Leaf, site: SiteFields) -> Headers:
    """Fields of the representation that all its codings share."""
    fields: Headers = []
    if leaf.modified:
        fields.append((b"last-modified", http_date(datetime.fromtimestamp(leaf.modified, UTC)).encode()))
    links = [link.encode() for link in leaf.links]
    if leaf.kind == "json":
        links.append(site.policy)
    if links:
        fields.append((b"link", b", ".join(links)))
    return [*fields, *site.common]


def _digest(digests: Mapping[str, str] | None, coding: str) -> Headers:
    """``Repr-Digest`` of a coding, for a leaf whose answers carry it."""
    return [(b"repr-digest", digests[coding].encode())] if digests else []


def _coded(leaf: Leaf, coding: str, body: bytes | memoryview, etag: str, content: Headers, digest: Headers) -> Coded:
    suffix = "" if coding == "identity" else f"-{coding}"
    name = f'"{etag}{suffix}"'.encode()
    unchanged = [(b"etag", name), *content]
    about = [(b"content-type", leaf.type.encode()), (b"content-length", b"%d" % len(body))]
    if suffix:
        about.append((b"content-encoding", coding.encode()))
    about += digest
    return Coded(name, [*about, *unchanged], unchanged, body)


def _fields(leaf: Leaf, site: SiteFields, *, negotiable: bool) -> tuple[Headers, ...]:
    """Fields of the path for its own form and for each further form that it negotiates."""
    vary = [VARY_FORM] if leaf.variants else [VARY_CODING] if negotiable else []
    own = [site.caching(leaf.cache), *vary]
    return (own, *(_negotiated(variant, site) for variant in leaf.variants[1:]))


def _negotiated(variant: Variant, site: SiteFields) -> Headers:
    """A form other than the default on the canonical path: no shared cache may hand it to someone else."""
    fields: Headers = [(b"cache-control", Cache.NEGOTIATED.encode()), VARY_FORM]
    if variant.addressed:
        fields.append((b"content-location", quote(site.target(variant.path), safe=PATH_SAFE).encode()))
    return fields
