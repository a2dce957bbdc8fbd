"""The answer to a query of a published page: a body that is made for the request, with the fields of the page."""

from collections.abc import Collection, Iterable, Sequence
from typing import Protocol
from urllib.parse import quote

from citepress.base.headers import Headers
from citepress.contract.cache import Cache
from citepress.edition.memento import ListedRevision
from citepress.edition.response_headers import SiteFields
from citepress.edition.served import PATH_SAFE, VARY_FORM, Served
from citepress.edition.site_config import SiteConfig
from citepress.http.message import Request, Response
from citepress.http.preconditions import OK
from citepress.http.query import ignored_field
from citepress.http.response import with_body

MAX_NEAR_PAGES = 5
"""Pages that an answer proposes instead of one that is not there."""


class QueriedEdition(Protocol):
    """What answers to queries need of an edition."""

    fields: SiteFields
    config: SiteConfig
    latest: int
    """Unix seconds that no ``Last-Modified`` exceeds."""

    def find(self, path: str) -> Served | None:
        """The leaf published at a decoded path."""
        ...

    def body(self, path: str) -> bytes | None:
        """The body of a path, also of one that is never sent by itself."""
        ...


class ServedEdition(QueriedEdition, Protocol):
    """What the application needs of an edition."""

    def inherit(self, former: object) -> None:
        """Keep what another edition holds ready to send, where it is the same in both."""
        ...

    def revisions(self, page: str) -> Sequence[ListedRevision]:
        """The revisions of the record with this page, oldest first; none where none are kept."""
        ...

    def near(self, path: str, count: int = MAX_NEAR_PAGES) -> tuple[tuple[str, str], ...]:
        """(path, title) of pages whose paths are close, best first."""
        ...

    def page_template(self, name: str) -> bytes:
        """A recovery template (``404.html``, ``404.md``)."""
        ...


class QueriedPages(Protocol):
    """Pages that can be asked for a part of what they show."""

    def parameters(self, edition: QueriedEdition, served: Served) -> Collection[str]:
        """The names that a query of a page may have."""
        ...

    def asked(self, edition: QueriedEdition, served: Served, query: bytes) -> bool:
        """Whether a query changes what a page shows; an invalid one has to be refused, so it does."""
        ...

    def answer(
        self, request: Request, edition: QueriedEdition, served: Served, rate: Headers, *, negotiated: bool
    ) -> Response:
        """The part in the form of a leaf. Raises ``InvalidArgumentsError``.

        ``negotiated`` says that the address is that of another form.
        """
        ...


def ignored_fields(queried: Iterable[QueriedPages], query: bytes, edition: QueriedEdition, served: Served) -> Headers:
    """The field that names what nobody reads in the query of a JSON document.

    Links to pages carry campaign parameters, which are no mistake of the client.
    """
    if served.leaf.kind != "json":
        return []
    return ignored_field(query, [name for pages in queried for name in pages.parameters(edition, served)])


def queried_reply(
    request: Request,
    edition: QueriedEdition,
    served: Served,
    body: bytes,
    links: Iterable[bytes],
    rate: Headers,
    *,
    negotiated: bool,
) -> Response:
    """The answer without validators: it is made for this request."""
    fields: Headers = [(b"link", b", ".join(links)), *edition.fields.common]
    if negotiated:
        address = quote(edition.fields.target(served.leaf.path), safe=PATH_SAFE).encode() + b"?" + request.query
        fields += [(b"cache-control", Cache.NEGOTIATED.encode()), (b"content-location", address), VARY_FORM]
    else:
        fields += [edition.fields.caching(Cache.LIVE), *([VARY_FORM] if served.leaf.variants else [])]
    keys = edition.fields.keys(served.leaf.path, served.leaf.canonical)
    reply = with_body(OK, served.leaf.type, body, [*fields, *keys, *rate], head=request.method == "HEAD")
    return reply._replace(leaf=served.leaf)
