"""The answer to a query of a published page: a body that is made for the request, with the fields of the page."""

from collections.abc import Collection, Iterable
from typing import Protocol
from urllib.parse import quote

from citepress.base.headers import Headers
from citepress.contract.cache import Cache
from citepress.edition.edition import Edition
from citepress.edition.served import PATH_SAFE, VARY_FORM, Served
from citepress.http.message import Request, Response
from citepress.http.preconditions import OK
from citepress.http.query import ignored_field
from citepress.http.response import with_body


class QueriedPages(Protocol):
    """Pages that can be asked for a part of what they show."""

    def parameters(self, edition: Edition, served: Served) -> Collection[str]:
        """The names that a query of a page may have."""
        ...

    def asked(self, edition: Edition, served: Served, query: bytes) -> bool:
        """Whether a query changes what a page shows; an invalid one has to be refused, so it does."""
        ...

    def answer(
        self, request: Request, edition: Edition, served: Served, rate: Headers, *, negotiated: bool
    ) -> Response:
        """The part in the form of a leaf. Raises ``InvalidArgumentsError``.

        ``negotiated`` says that the address is that of another form.
        """
        ...


def ignored_fields(queried: Iterable[QueriedPages], query: bytes, edition: Edition, served: Served) -> Headers:
    """The field that names what nobody reads in the query of a JSON document.

    Links to pages carry campaign parameters, which are no mistake of the client.
    """
    if served.leaf.kind != "json":
        return []
    return ignored_field(query, [name for pages in queried for name in pages.parameters(edition, served)])


def queried_reply(
    request: Request,
    edition: Edition,
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
