"""A leaf as it is sent: each content coding and its header are made once, on the first request that wants them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any, NamedTuple
from urllib.parse import quote

from citepress.base.canonical import repr_digest
from citepress.base.file_part import StoredBody
from citepress.base.headers import Headers
from citepress.base.timestamps import http_date
from citepress.contract.cache import Cache
from citepress.edition.encodings import ENCODER_TAG, codings_of, encode_body
from citepress.edition.leaf import Leaf, Variant
from citepress.edition.memento import TIMEGATE
from citepress.edition.pack import StoredCoding
from citepress.edition.response_headers import SiteFields

VARY = b"vary"
VARY_FORM = (VARY, b"Accept, Accept-Encoding")
VARY_TIME = (VARY, b"Accept, Accept-Datetime, Accept-Encoding")
"""On the page of a record whose revisions are kept (RFC 7089 section 2.1.2)."""
VARY_CODING = (VARY, b"Accept-Encoding")
CACHE_BYTES = 64 * 1024 * 1024
"""Bytes of bodies that a worker holds ready to send, unless it is told otherwise."""
MAX_DATE_S = 2**33
"""Unix seconds later than any date."""
IDENTITY = "identity"
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
    body: StoredBody


@dataclass(slots=True)
class CacheBudget:
    """Bounds the bytes of bodies that a worker holds ready to send, over all editions that share it.

    They are held in two generations, each of at most half the bytes.
    """

    limit: int = CACHE_BYTES
    used: int = 0
    """Bytes of the younger generation."""
    older: int = 0
    """Bytes of the other one, when it was the younger."""
    full: Callable[[], Callable[[], None] | None] | None = None
    """A weak reference to what makes room: the cache that fills lately belongs to the newest edition."""

    def take(self, size: int) -> None:
        """Count bytes that were added, and make room when they were too many."""
        self.used += size
        if self.used > self.limit // 2 and self.full is not None and (make_room := self.full()) is not None:
            make_room()
            self.older, self.used = self.used - size, size


class Codings(dict[str, Coded]):
    """The content codings of a leaf by name, each made when it is first looked up.

    A subclass with ``__missing__``, so that a coding that is there costs one lookup and no call.
    """

    __slots__ = ("_budget", "_content", "_etag", "_leaf", "_stored")

    def __init__(
        self, leaf: Leaf, etag: str, stored: Mapping[str, StoredCoding], content: Headers, budget: CacheBudget
    ) -> None:
        super().__init__()
        self._leaf, self._etag, self._stored, self._content, self._budget = leaf, etag, stored, content, budget

    def __missing__(self, coding: str) -> Coded:
        stored = self._stored.get(coding) or self._encoded(coding)
        coded = self[coding] = _coded(self._leaf, coding, stored, self._etag, self._content)
        return coded

    def _encoded(self, coding: str) -> StoredCoding:
        """A coding that is made on demand, which takes room; the body itself is there already."""
        leaf = self._leaf
        if coding == IDENTITY:
            return StoredCoding(leaf.body, "", repr_digest(bytes(leaf.body)).decode() if leaf.digested else "")
        body = encode_body(leaf, coding)
        self._budget.take(len(body))
        return StoredCoding(body, ENCODER_TAG, repr_digest(body).decode() if leaf.digested else "")


class PathFields(dict[int, Headers]):
    """Fields about the path by the place of the form that is sent, each made when it is first looked up."""

    __slots__ = ("_leaf", "_site", "_vary")

    def __init__(self, leaf: Leaf, site: SiteFields, *, negotiable: bool) -> None:
        super().__init__()
        self._leaf, self._site, self._vary = leaf, site, _vary(leaf, negotiable=negotiable)

    def __missing__(self, place: int) -> Headers:
        leaf, site = self._leaf, self._site
        fields = [site.caching(leaf.cache)] if place == 0 else _negotiated(leaf.variants[place], site)
        fields = self[place] = [*fields, *self._vary]
        return fields


class Served(NamedTuple):
    """What answers at one path, ready to send."""

    leaf: Leaf
    counted: bool
    """Whether an answer is JSON, and so counts against the REST limit and shows it."""
    offers: tuple[tuple[str, ...], ...]
    """Media types under which each form fits an Accept field, the default first; a leaf that fits anything has none."""
    fields: Mapping[int, Headers]
    """Fields about the path, by the place of the form: caching, the address of the form."""
    codings: tuple[str, ...]
    """The content codings that a client can have, the preferred first, ``identity`` last."""
    coded: Mapping[str, Coded]
    """Each of them, made when it is first looked up."""
    sum: str
    """Digest of everything that a client can see of the leaf."""
    modified: int
    """Unix seconds of ``Last-Modified``, which is earlier where these are in the future."""


def prepare_leaf(
    leaf: Leaf,
    meta: Mapping[str, Any],
    stored: Mapping[str, StoredCoding],
    site: SiteFields,
    budget: CacheBudget,
    written: int,
    latest: int = MAX_DATE_S,
) -> Served:
    """Prepare a leaf.

    ``stored`` are its codings where it lies as it is sent; empty where they are made from its body on demand, which
    ``budget`` counts. ``written`` are the Unix seconds since which the leaf has these bytes here: a page changes with
    its site, its theme and what others say of it, so that the date of its content says nothing of its bytes.
    ``Last-Modified`` is not later than ``latest``: the clock may have been set back (RFC 9110, section 8.8.2.1).
    """
    modified = max(leaf.modified, written)
    codings = (*((coding for coding in stored if coding != IDENTITY) if stored else codings_of(leaf)), IDENTITY)
    coded = Codings(leaf, meta["etag"], stored, _content(leaf, site, min(modified, latest)), budget)
    offers = tuple(variant.accepted for variant in leaf.variants) or ((leaf.accepted,) if leaf.accepted else ())
    fields = PathFields(leaf, site, negotiable=len(codings) > 1)
    return Served(leaf, leaf.kind == "json", offers, fields, codings, coded, meta["sum"], modified)


def _content(leaf: Leaf, site: SiteFields, modified: int) -> Headers:
    """Fields of the representation that all its codings share."""
    fields: Headers = [(b"last-modified", _date(modified))]
    if leaf.memento:
        fields.append((b"memento-datetime", _date(leaf.memento)))
    links = ", ".join(leaf.links).encode()
    if leaf.kind == "json":
        links = b", ".join([links, site.policy] if links else [site.policy])
    if links:
        fields.append((b"link", links))
    return [*fields, *site.common, *site.keys(leaf.path, leaf.canonical)]


@lru_cache(maxsize=4096)  # records of one day share it
def _date(seconds: int) -> bytes:
    return http_date(datetime.fromtimestamp(seconds, UTC)).encode()


def _coded(leaf: Leaf, coding: str, stored: StoredCoding, etag: str, content: Headers) -> Coded:
    suffix = "" if coding == IDENTITY else f"-{coding}.{stored.tag}"
    name = f'"{etag}{suffix}"'.encode()
    unchanged = [(b"etag", name), *content]
    about = [(b"content-type", leaf.type.encode()), (b"content-length", b"%d" % len(stored.body))]
    if suffix:
        about.append((b"content-encoding", coding.encode()))
    if stored.digest:
        about.append((b"repr-digest", stored.digest.encode()))
    return Coded(name, [*about, *unchanged], unchanged, stored.body)


def _vary(leaf: Leaf, *, negotiable: bool) -> Headers:
    """Which fields of a request decide about the answer."""
    if not leaf.variants:
        return [VARY_CODING] if negotiable else []
    if not leaf.memento and any(link.endswith(TIMEGATE) for link in leaf.links):
        return [VARY_TIME]
    return [VARY_FORM]


def _negotiated(variant: Variant, site: SiteFields) -> Headers:
    """A form other than the default on the canonical path: no shared cache may hand it to someone else."""
    fields: Headers = [(b"cache-control", Cache.NEGOTIATED.encode())]
    if variant.addressed:
        fields.append((b"content-location", quote(site.target(variant.path), safe=PATH_SAFE).encode()))
    return fields
