"""The TimeGate: a record's own address leads to the revision that was public at a moment (RFC 7089 section 4)."""

from collections.abc import Sequence
from datetime import datetime
from urllib.parse import quote

from citepress.base.headers import Headers
from citepress.base.ids import revision_path
from citepress.base.timestamps import parse_http_date
from citepress.contract.cache import Cache
from citepress.contract.problem import BAD_HEADER
from citepress.edition.edition import Edition
from citepress.edition.memento import ListedRevision, memento_link, timegate_links
from citepress.edition.response_headers import SiteFields
from citepress.edition.revisions.derived import at
from citepress.edition.served import PATH_SAFE, VARY_TIME, Served
from citepress.http.message import Request, Response
from citepress.http.preconditions import DATE_BYTES
from citepress.http.problem import form_for, refuse
from citepress.http.response import without_body

FIELD = b"accept-datetime"
SEE_REVISION = 302
FORM_ORDER = ("html", "markdown", "json")
"""The order of forms of a refusal where the client likes several alike."""


def answer(request: Request, served: Served, rows: Sequence[ListedRevision], edition: Edition) -> Response:
    """The way to the revision of a record at the moment that the client names; 400 where that is no date."""
    moment = parse_http_date(request.fields[FIELD][:DATE_BYTES])
    if moment is None:
        detail = "Accept-Datetime is no HTTP date, such as Sat, 21 Nov 2026 05:00:00 GMT."
        return refuse(BAD_HEADER, request, edition, form_for(request, FORM_ORDER), detail=detail)
    return redirect(served, rows, moment, edition.fields)


def redirect(served: Served, rows: Sequence[ListedRevision], moment: datetime, site: SiteFields) -> Response:
    """To the revision of a record that was public at a moment, with its first and last ones."""
    page = served.leaf.path

    def url(path: str) -> str:
        return site.base_url + path

    chosen = at(rows, moment)
    links = [*timegate_links(page, url)]
    for row in dict.fromkeys((rows[0].number, chosen.number, rows[-1].number)):
        listed = next(each for each in rows if each.number == row)
        ends = [*(["first"] if listed is rows[0] else []), *(["last"] if listed is rows[-1] else [])]
        links.append(memento_link(url(revision_path(page, row)), listed, " ".join([*ends, "memento"])))
    location = quote(site.target(revision_path(page, chosen.number)), safe=PATH_SAFE)
    fields: Headers = [
        (b"location", location.encode()),
        (b"link", ", ".join(links).encode()),
        VARY_TIME,
        site.caching(Cache.RECORD),
        *site.common,
        *site.keys(page, served.leaf.canonical),
    ]
    return without_body(SEE_REVISION, fields)._replace(leaf=served.leaf)
