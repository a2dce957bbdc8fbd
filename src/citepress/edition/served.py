"""A leaf as it is sent: the header for each content coding is built once, on the first request."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any, NamedTuple
from urllib.parse import quote

from citepress.base.canonical import repr_digest
from citepress.base.file_part import Body
from citepress.base.headers import Headers
from citepress.base.timestamps import http_date
from citepress.contract.cache import Cache
from citepress.edition.encodings import ENCODER_TAG, codings_of, encoded
from citepress.edition.fields import SiteFields
from citepress.edition.leaf import Leaf, Variant
from citepress.edition.memento import TIMEGATE
from citepress.edition.pack import StoredCoding

VARY = b"vary"
VARY_FORM = (VARY, b"Accept, Accept-Encoding")
VARY_TIME = (VARY, b"Accept, Accept-Datetime, Accept-Encoding")
"""On the page of a record whose revisions are kept (RFC 7089 section 2.1.2)."""
VARY_CODING = (VARY, b"Accept-Encoding")
CACHE_BYTES = 64 * 1024 * 1024
"""Bytes of bodies that a worker holds ready to send, unless it is told otherwise."""
PATH_SAFE = "/-._~!$&'()*+,;=:@"
"""Characters of a path that are not escaped in a header (RFC 3986, pchar and slash)."""


class Coded(NamedTuple):
    """One content coding of a leaf."""

    etag: bytes
    """Strong, and different for each coding (RFC 9110 section 8.8.3.3)."""
    headers: Headers
    """Fields about the representation, sent with a body (200, HEAD)."""
    unchanged: Headers
    """The same without a body (304)."""
    body: Body


@dataclass(slots=True)
class CacheBudget:
    """Bounds the bytes of bodies that a worker holds ready to send, over all editions that share it."""

    limit: int = CACHE_BYTES
    used: int = 0
    full: Callable[[], Callable[[], None] | None] | None = None
    """A weak reference to what makes room: the cache that fills lately belongs to the newest edition."""

    def take(self, size: int) -> None:
        """Count bytes that were added, and make room when they were too many."""
        self.used += size
        if self.used > self.limit and self.full is not None and (make_room := self.full()) is not None:
            make_room()
            self.used = size


class Codings(dict[str, Coded]):
    """The content codings of a leaf by name: one that was not asked for yet is made when it is looked up.

    A subclass with ``__missing__``, so that a coding that is there costs one lookup and no call.
    """

    def __init__(self, leaf: Leaf, etag: str, content: Headers, budget: CacheBudget) -> None:
        super().__init__()
        self._leaf, self._etag, self._content, self._budget = leaf, etag, content, budget

    def __missing__(self, coding: str) -> Coded:
        body = encoded(self._leaf, coding)
        digest = repr_digest(body).decode() if self._leaf.digested else ""
        coded = self[coding] = _coded(
            self._leaf, coding, StoredCoding(body, ENCODER_TAG, digest), self._etag, self._content
        )
        self._budget.take(len(body))
        return coded


class Served(NamedTuple):
    """What answers at one path, ready to send."""

    leaf: Leaf
    counted: bool
    """Whether an answer is JSON, and so counts against the REST limit and shows it."""
    offers: tuple[tuple[str, ...], ...]
    """Media types under which each form fits an Accept field, the default first; a leaf that fits anything has none."""
    fields: tuple[Headers, ...]
    """Fields about the path, for each form: caching, the address of the form."""
    codings: tuple[str, ...]
    """The content codings that a client can have, the preferred first, ``identity`` last."""
    coded: Mapping[str, Coded]
    """Each of them; one that is not stored is made when it is first looked up."""
    sum: str
    """Digest of everything that a client can see of the leaf."""


def served(
    leaf: Leaf,
    meta: Mapping[str, Any],
    stored: Mapping[str, StoredCoding],
    site: SiteFields,
    budget: CacheBudget,
) -> Served:
    """Prepare a leaf.

    ``stored`` are its codings where it lies as it is sent; empty where they are made from its body on demand, which
    ``budget`` counts.
    """
    content = _content(leaf, site)
    etag = meta["etag"]
    coded = Codings(leaf, etag, content, budget)
    codings: tuple[str, ...]
    if not stored:
        digest = repr_digest(bytes(leaf.body)).decode() if leaf.digested else ""
        stored = {"identity": StoredCoding(leaf.body, "", digest)}
        codings = (*codings_of(leaf), "identity")
    else:
        codings = (*(coding for coding in stored if coding != "identity"), "identity")
    for coding, body in stored.items():
        coded[coding] = _coded(leaf, coding, body, etag, content)
    offers = tuple(variant.accepted for variant in leaf.variants) or ((leaf.accepted,) if leaf.accepted else ())
    fields = _fields(leaf, site, negotiable=len(codings) > 1)
    return Served(leaf, leaf.kind == "json", offers, fields, codings, coded, meta["sum"])


def _content(leaf: Leaf, site: SiteFields) -> Headers:
    """Fields of the representation that all its codings share."""
    fields: Headers = []
    if leaf.modified:
        fields.append((b"last-modified", _date(leaf.modified)))
    if leaf.memento:
        fields.append((b"memento-datetime", _date(leaf.memento)))
    links = [link.encode() for link in leaf.links]
    if leaf.kind == "json":
        links.append(site.policy)
    if links:
        fields.append((b"link", b", ".join(links)))
    return [*fields, *site.common, *site.keys(leaf.path, leaf.canonical)]


@lru_cache(maxsize=4096)  # records of one day share it
def _date(seconds: int) -> bytes:
    return http_date(datetime.fromtimestamp(seconds, UTC)).encode()


def _coded(leaf: Leaf, coding: str, stored: StoredCoding, etag: str, content: Headers) -> Coded:
    suffix = "" if coding == "identity" else f"-{coding}.{stored.tag}"
    name = f'"{etag}{suffix}"'.encode()
    unchanged = [(b"etag", name), *content]
    about = [(b"content-type", leaf.type.encode()), (b"content-length", b"%d" % len(stored.body))]
    if suffix:
        about.append((b"content-encoding", coding.encode()))
    if stored.digest:
        about.append((b"repr-digest", stored.digest.encode()))
    return Coded(name, [*about, *unchanged], unchanged, stored.body)


def _fields(leaf: Leaf, site: SiteFields, *, negotiable: bool) -> tuple[Headers, ...]:
    """Fields of the path for its own form and for each further form that it negotiates."""
    vary = [VARY_FORM] if leaf.variants else [VARY_CODING] if negotiable else []
    if leaf.variants and not leaf.memento and any(link.endswith(TIMEGATE) for link in leaf.links):
        vary = [VARY_TIME]
    own = [site.caching(leaf.cache), *vary]
    return (own, *(_negotiated(variant, site, vary) for variant in leaf.variants[1:]))


def _negotiated(variant: Variant, site: SiteFields, vary: Headers) -> Headers:
    """A form other than the default on the canonical path: no shared cache may hand it to someone else."""
    fields: Headers = [(b"cache-control", Cache.NEGOTIATED.encode()), *vary]
    if variant.addressed:
        fields.append((b"content-location", quote(site.target(variant.path), safe=PATH_SAFE).encode()))
    return fields
