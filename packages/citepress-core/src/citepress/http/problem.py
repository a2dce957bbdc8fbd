"""Responses for errors: a problem document, or a page with links that help the reader on."""

from collections.abc import Iterable, Mapping
from typing import Any

from citepress.base.canonical import json_bytes
from citepress.base.headers import Headers
from citepress.base.media import HTML, JSON, MARKDOWN, PROBLEM_JSON
from citepress.contract.cache import Cache
from citepress.contract.problem import NOT_FOUND, AvailableForm, NearPage, Problem, ProblemType
from citepress.edition.edition import Edition
from citepress.edition.pages.recovery import RECOVERY_TEMPLATES, fill
from citepress.edition.response_headers import SiteFields
from citepress.edition.served import VARY_FORM
from citepress.http.accept import READ_BYTES, best_match
from citepress.http.message import Request, Response
from citepress.http.path import printable_target
from citepress.http.response import with_body

MAX_GUESSES = 3
"""Pages that people are offered in place of one that is missing; JSON names all that are near."""
JSON_TYPES = (
    PROBLEM_JSON,
    JSON.type,
    "application/feed+json",
    "application/linkset+json",
    "application/ld+json",
    "application/schema+json",
)
PROBLEM_TYPES = {"json": JSON_TYPES, "html": HTML.accepted, "markdown": MARKDOWN.accepted}
ENDINGS = {b".json": ("json", "html", "markdown"), b".md": ("markdown", "html", "json")}
PAGE_FORMS = ("html", "markdown", "json")
TEXTS = ("html", "markdown")
"""The forms that do not count against a limit."""


def form_for(request: Request, order: tuple[str, ...] | None = None) -> str:
    """``json``, ``html`` or ``markdown``: what Accept asks for.

    Where it has no preference or accepts none, the path's ending decides.

    ``order`` takes precedence over the ending, the preferred form first.
    """
    if order is None:
        order = next((forms for ending, forms in ENDINGS.items() if request.target.endswith(ending)), PAGE_FORMS)
    field = request.fields.get(b"accept", b"")[:READ_BYTES]
    return order[max(0, best_match(field, tuple(PROBLEM_TYPES[form] for form in order)))]


def uncounted_form(request: Request) -> str:
    """``html`` or ``markdown`` where Accept takes it beside JSON, for a client that may have no more JSON.

    Empty otherwise.

    An address that ends in ``.json`` asks for JSON alone.
    """
    field = request.fields.get(b"accept", b"")[:READ_BYTES]
    place = (
        best_match(field, tuple(PROBLEM_TYPES[form] for form in TEXTS))
        if field and not request.target.endswith(b".json")
        else -1
    )
    return TEXTS[place] if place >= 0 else ""


def json_problem(
    problem_type: ProblemType,
    site: SiteFields,
    request: Request,
    detail: str = "",
    near: Iterable[NearPage] = (),
    available: Iterable[AvailableForm] = (),
    members: Mapping[str, Any] | None = None,
) -> bytes:
    """An RFC 9457 document; ``members`` are further ones of ``Problem``."""
    document = Problem(
        type=f"{site.base_url}/developers/#problem-{problem_type.slug}",
        title=problem_type.title,
        status=problem_type.status,
        detail=detail or problem_type.about,
        instance=printable_target(request.target),
        available=list(available) or None,
        nearest=list(near) or None,
        **(members or {}),
    )
    return json_bytes(document.model_dump(exclude_none=True))


def reply(
    problem_type: ProblemType, request: Request, site: SiteFields, body: bytes, kind: str, further: Headers
) -> Response:
    """An error response with its header; it must not be stored. ``further`` are additional header fields."""
    policy = [(b"link", site.policy)] if kind == PROBLEM_JSON else []
    # What is missing now may be published in a second, so no cache may keep an error.
    fields = [(b"cache-control", Cache.NO_STORE.encode()), VARY_FORM, *policy, *site.common, *further]
    return with_body(problem_type.status, kind, body, fields, head=request.method == "HEAD")


def refuse(  # noqa: PLR0913  (everything a refusal may say)
    problem_type: ProblemType,
    request: Request,
    edition: Edition | SiteFields,
    form: str = "json",
    *,
    detail: str = "",
    near: Iterable[tuple[str, str]] = (),
    available: Iterable[tuple[str, str]] = (),
    further: Headers | None = None,
    members: Mapping[str, Any] | None = None,
) -> Response:
    """A refusal in this form; JSON where there is no edition yet, which is where the templates of pages are.

    ``near`` are (path, title), ``available`` (path, media type), ``members`` are added to the JSON form.
    """
    site = edition if isinstance(edition, SiteFields) else edition.fields
    if form == "json" or isinstance(edition, SiteFields):
        pages = [NearPage(href=site.base_url + path, title=title) for path, title in near]
        forms = [AvailableForm(href=site.base_url + path, type=kind) for path, kind in available]
        return reply(
            problem_type,
            request,
            site,
            json_problem(problem_type, site, request, detail, pages, forms, members),
            PROBLEM_JSON,
            further or [],
        )
    # Markdown is read away from its address, so its links are whole.
    address = site.target if form == "html" else site.base_url.__add__
    guessed = problem_type is NOT_FOUND
    named = tuple(near)[: MAX_GUESSES if guessed else None]
    links: list[tuple[str, Any]] = [(address(path), name) for path, name in (*named, *available)]
    lead = "Did you mean:" if guessed and named else ""
    template = edition.page_template(RECOVERY_TEMPLATES[form])
    body = fill(template, form, problem_type.title, detail or problem_type.about, links, lead)
    return reply(problem_type, request, site, body, (HTML if form == "html" else MARKDOWN).sent, further or [])
