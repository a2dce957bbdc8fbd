"""What the door says when it cannot send a leaf: a problem document, or a page that leads on."""

from collections.abc import Iterable, Mapping
from typing import Any, Protocol

from citepress.base.canonical import json_bytes
from citepress.base.media import HTML, JSON, MARKDOWN, PROBLEM_JSON
from citepress.contract.cache import Cache
from citepress.contract.limits import Headers
from citepress.contract.problem import AvailableForm, NearPage, Problem, ProblemType
from citepress.edition.fields import SiteFields
from citepress.edition.recovery import SHELLS, fill
from citepress.edition.served import VARY_FORM
from citepress.http.accept import READ_BYTES, best_match
from citepress.http.message import Request, Response
from citepress.http.path import shown

JSON_TYPES = (
    PROBLEM_JSON,
    JSON.type,
    "application/feed+json",
    "application/linkset+json",
    "application/ld+json",
    "application/schema+json",
)
FORMS = {"json": JSON_TYPES, "html": HTML.accepted, "markdown": MARKDOWN.accepted}
ENDINGS = {b".json": ("json", "html", "markdown"), b".md": ("markdown", "html", "json")}
PAGE = ("html", "markdown", "json")
TEXTS = ("html", "markdown")
"""The forms that no limit counts."""


class RecoveryTemplates(Protocol):
    """What keeps the shells of recovery documents."""

    def shell(self, name: str) -> bytes:
        """The shell of this name."""
        ...


def form_for(request: Request, order: tuple[str, ...] | None = None) -> str:
    """``json``, ``html`` or ``markdown``: what Accept asks for; where it leaves that open or wants none, the path's ending decides.

    ``order`` replaces the ending's say, the preferred form first.
    """
    if order is None:
        order = next((forms for ending, forms in ENDINGS.items() if request.target.endswith(ending)), PAGE)
    field = request.fields.get(b"accept", b"")[:READ_BYTES]
    return order[max(0, best_match(field, tuple(FORMS[form] for form in order)))]


def uncounted_form(request: Request) -> str:
    """``html`` or ``markdown`` where Accept takes it beside JSON, for a client that may have no more JSON; empty otherwise.

    An address that ends in ``.json`` asks for JSON alone.
    """
    field = request.fields.get(b"accept", b"")[:READ_BYTES]
    place = best_match(field, tuple(FORMS[form] for form in TEXTS)) if field and not request.target.endswith(b".json") else -1
    return TEXTS[place] if place >= 0 else ""


def json_problem(
    sort: ProblemType,
    site: SiteFields,
    request: Request,
    detail: str = "",
    near: Iterable[NearPage] = (),
    available: Iterable[AvailableForm] = (),
    members: Mapping[str, Any] | None = None,
) -> bytes:
    """An RFC 9457 document; ``members`` are further ones of ``Problem``."""
    document = Problem(
        type=f"{site.base_url}/developers/#problem-{sort.slug}",
        title=sort.title,
        status=sort.status,
        detail=detail or sort.about,
        instance=shown(request.target),
        available=list(available) or None,
        nearest=list(near) or None,
        **(members or {}),
    )
    return json_bytes(document.model_dump(exclude_none=True))


def reply(sort: ProblemType, request: Request, site: SiteFields, body: bytes, kind: str, further: Headers) -> Response:
    """A refusal with its header; nobody may store it. ``further`` are fields of this case."""
    headers: Headers = [(b"content-type", kind.encode()), (b"content-length", b"%d" % len(body))]
    headers += [(b"cache-control", Cache.NO_STORE.encode()), VARY_FORM]
    if kind == PROBLEM_JSON:
        headers.append((b"link", site.policy))
    return Response(sort.status, [*headers, *site.common, *further], b"" if request.method == "HEAD" else body)


def refuse(  # noqa: PLR0913  (everything a refusal may say)
    sort: ProblemType, request: Request, site: SiteFields, form: str, shelves: RecoveryTemplates | None,
    *, detail: str = "", near: Iterable[tuple[str, str]] = (), available: Iterable[tuple[str, str]] = (), further: Headers | None = None,
    members: Mapping[str, Any] | None = None,
) -> Response:  # fmt: skip
    """A refusal in this form; JSON where there is no shell yet.

    ``near`` are (path, title), ``available`` (path, media type), ``members`` further ones that the JSON form tells.
    """
    if form == "json" or shelves is None:
        pages = [NearPage(href=site.base_url + path, title=title) for path, title in near]
        forms = [AvailableForm(href=site.base_url + path, type=kind) for path, kind in available]
        return reply(sort, request, site, json_problem(sort, site, request, detail, pages, forms, members), PROBLEM_JSON, further or [])
    # Markdown is read away from its address, so its links are whole.
    address = site.target if form == "html" else site.base_url.__add__
    links: list[tuple[str, Any]] = [(address(path), name) for path, name in (*near, *available)]
    body = fill(shelves.shell(SHELLS[form]), form, sort.title, detail or sort.about, links)
    return reply(sort, request, site, body, (HTML if form == "html" else MARKDOWN).sent, further or [])
