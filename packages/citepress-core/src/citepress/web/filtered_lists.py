"""Lists under a query (``?topic= ?tag= ?year= ?origin= ?since=`` and members of few values): JSON, HTML and Markdown.

Every form is made from the items of one part of the published index, so the work for a request is bounded. Links to
other parts keep the query.
"""

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import replace
from typing import Any
from urllib.parse import urlencode

from citepress.archive.labels import labelled
from citepress.base import fast_json
from citepress.base.canonical import json_bytes
from citepress.base.headers import Headers
from citepress.base.invisible import CONTROL
from citepress.base.slugs import tag_slug
from citepress.contract.form import Form
from citepress.contract.index_filter import IndexFilter
from citepress.contract.json_body import InvalidArgumentsError
from citepress.contract.kind import Kind
from citepress.contract.problem import ProblemError
from citepress.edition.edition import Edition
from citepress.edition.forms import ALL as FORMS
from citepress.edition.page_context import Rendering
from citepress.edition.pages.collection_models import index_filter
from citepress.edition.pages.collections import index_path
from citepress.edition.pages.filtered_lists import ListQuery, filtered_page
from citepress.edition.served import Served
from citepress.http.message import Request, Response
from citepress.http.preconditions import OK
from citepress.http.query import members, page_number, read_query
from citepress.kinds import ALL as KINDS
from citepress.kinds.parts import words
from citepress.kinds.topics import KIND as TOPICS
from citepress.web.index_parts import IndexParts, index_parts
from citepress.web.page_contexts import PageContexts
from citepress.web.queried_reply import queried_reply

_PART = re.compile(r'^<([^>]*)>(; rel="(?:first|prev|next|last)".*)$')
KIND_OF = {
    path: kind
    for kind in KINDS
    for path in (*(form.path(f"/{kind.name}/") for form in FORMS), f"/{kind.name}/index/{{page}}.json")
}
"""The kind that is listed at a path template: in each form, and in older parts of its index."""
VALUE_PAGES = {"topic": f"{TOPICS.path}{{}}/", "origin": "/sources/{}/", "tag": "/tags/{}/"}
"""The page of a value, by the facet that it belongs to."""
PAGING = ("page", "part", "view")
"""What pages, and no documents for machines, can be asked for besides conditions."""
MAX_PART_DIGITS = 4
WRITERS = {form.media.name: form for form in FORMS if isinstance(form, Form)}


class FilteredLists:
    """Makes lists under a query, in every form."""

    def __init__(self, rendering: Rendering) -> None:
        """``rendering`` makes what pages are written with."""
        self._contexts = PageContexts(rendering)

    def asked(self, edition: Edition, served: Served, query: bytes) -> bool:  # noqa: ARG002  (as datasets)
        """Whether a query changes what the list at a path shows; an invalid one has to be refused, so it does."""
        kind = KIND_OF.get(served.leaf.route)
        if kind is None:
            return False
        names = index_filter(kind).model_fields.keys() | (set() if served.leaf.kind == "json" else set(PAGING))
        try:
            return not names.isdisjoint(members(query))
        except InvalidArgumentsError:
            return True

    def parameters(self, edition: Edition, served: Served) -> Collection[str]:  # noqa: ARG002  (as datasets)
        """The names that a query of a list may have."""
        kind = KIND_OF.get(served.leaf.route)
        return index_filter(kind).model_fields if kind else ()

    def answer(
        self, request: Request, edition: Edition, served: Served, rate: Headers, *, negotiated: bool
    ) -> Response:
        """The list in the form of a leaf, without validators: it is made for this request.

        ``negotiated`` says that the address is that of another form. Raises ``InvalidArgumentsError``.
        """
        kind = KIND_OF[served.leaf.route]
        conditions = parse_filter(request.query, kind, edition.find)
        if served.leaf.kind == "json":
            document, parts = _filtered(kind, served, conditions, edition)
            body = json_bytes(document)
            links = [*_linked(kind, served.leaf.links, parts, conditions, edition), edition.fields.policy]
        else:
            query = _list_query(request.query, conditions)
            index = edition.find(index_path(kind, query.part)) or _missing(query.part)
            document, parts = _filtered(kind, index, conditions, edition)
            page = filtered_page(
                labelled(kind, edition.config.publication),
                document,
                replace(query, older=parts.next),
                edition.config.site.page_size,
                _titles(edition),
            )
            body = WRITERS[served.leaf.kind].write(page, self._contexts.of(edition))
            links = [f'<{edition.fields.base_url}{page.path}>; rel="canonical"'.encode()]
        return queried_reply(request, edition, served, body, links, rate, negotiated=negotiated)


def parse_filter(query: bytes, kind: Kind, find: Callable[[str], Served | None]) -> IndexFilter:
    """The conditions of a query. Raises ``InvalidArgumentsError``.

    ``find`` gives what is published at a path: a condition has to name a topic, an origin or a tag of this archive.
    """
    conditions = read_query(query, index_filter(kind))
    if CONTROL.search(conditions.tag or ""):
        raise InvalidArgumentsError([ProblemError(detail="tag holds a control character.", parameter="tag")])
    pages = (
        ("topic", conditions.topic, VALUE_PAGES["topic"], f"/{TOPICS.name}.json"),
        ("origin", conditions.origin, VALUE_PAGES["origin"], "/source-entities.json"),
        ("tag", conditions.tag, VALUE_PAGES["tag"], "/tags.json"),
    )
    faults = []
    for name, wanted, page, index in pages:
        hub = find(page.format(tag_slug(wanted) if name == "tag" else wanted)) if wanted else None
        if wanted and (hub is None or hub.leaf.status != OK):
            faults.append(ProblemError(detail=f'There is no {name} "{wanted}"; {index} lists them.', parameter=name))
    if faults:
        raise InvalidArgumentsError(faults)
    return conditions


def _list_query(query: bytes, conditions: IndexFilter) -> ListQuery:
    given = members(query)
    return ListQuery(
        _written(conditions),
        page_number(given.get("page", ()), MAX_PART_DIGITS),
        page_number(given.get("part", ()), MAX_PART_DIGITS),
        table=given.get("view") == ["table"],
    )


def _missing(part: int) -> Served:
    raise InvalidArgumentsError([ProblemError(detail=f"The list has no part {part}.", parameter="part")])


def _filtered(
    kind: Kind, index: Served, conditions: IndexFilter, edition: Edition
) -> tuple[dict[str, Any], IndexParts]:
    """An index document with the items that meet the conditions, and what is known of its other parts."""
    document: dict[str, Any] = fast_json.loads(bytes(index.leaf.body))
    wanted = _tests(conditions, edition)
    document["items"] = [item for item in document["items"] if all(fits(item) for fits in wanted)]
    matches, records = len(document["items"]), document["count"]
    parts = index_parts(edition, kind, index.leaf.path, records, _written(conditions), matches)
    if parts.total is None and _written(conditions).keys() == {"origin"}:
        leading, complete = _leading_to(edition, conditions.origin or "")
        if complete:
            parts = replace(parts, total=sum(id_.startswith(f"{kind.name}/") for id_ in leading))
    document |= {"count": matches, "total": parts.total}
    document["next"] = _part_url(kind, parts.next, conditions, edition) if parts.next else None
    return document, parts


def _part_url(kind: Kind, part: int, conditions: IndexFilter, edition: Edition) -> str:
    return edition.fields.base_url + index_path(kind, part) + _query(conditions)


def _tests(conditions: IndexFilter, edition: Edition) -> list[Callable[[Mapping[str, Any]], bool]]:
    """What each item has to pass."""
    tests: list[Callable[[Mapping[str, Any]], bool]] = []
    given = conditions.model_dump(exclude_none=True)
    if topic := given.pop("topic", None):
        tests.append(lambda item: topic in item["topics"])
    if since := given.pop("since", None):
        tests.append(lambda item: item["updated_at"] >= since)
    if tag := given.pop("tag", None):
        tests.append(lambda item: tag_slug(tag) in map(tag_slug, item["tags"]))
    if year := given.pop("year", None):
        tests.append(lambda item: item["published_at"].startswith(year))
    if origin := given.pop("origin", None):
        leading, _ = _leading_to(edition, origin)
        tests.append(lambda item: item["id"] in leading)
    tests += [lambda item, name=name, value=value: item[name] == value for name, value in given.items()]  # type: ignore[misc]
    return tests


def _leading_to(edition: Edition, origin: str) -> tuple[frozenset[str], bool]:
    """Ids of the records that cite an origin or link to it, and whether these are all.

    They are those of its page: items of an index do not name their origins.
    """
    hub = edition.find(f"/sources/{origin}.json")
    document: Mapping[str, Any] = (
        fast_json.loads(bytes(hub.leaf.body)) if hub else {"backlinks": (), "backlink_count": 0}
    )
    ids = frozenset(back["id"] for back in document["backlinks"])
    return ids, len(ids) == document["backlink_count"]


def _titles(edition: Edition) -> Callable[[str, str], str]:
    """The words for a value: the title of its page, or the value as people read it."""

    def title(facet: str, value: str) -> str:
        page = (
            edition.find(VALUE_PAGES[facet].format(tag_slug(value) if facet == "tag" else value))
            if facet in VALUE_PAGES
            else None
        )
        return page.leaf.title if page else words(value)

    return title


def _linked(
    kind: Kind, links: tuple[str, ...], parts: IndexParts, conditions: IndexFilter, edition: Edition
) -> Iterator[bytes]:
    """The links of an index, those to its other parts under the same conditions."""
    paging = [link for link in links if _PART.match(link)]
    yield from (link.encode() for link in links if link not in paging)
    for relation, part in parts.relations() if paging else ():
        yield f'<{_part_url(kind, part, conditions, edition)}>; rel="{relation}"'.encode()


def _written(conditions: IndexFilter) -> dict[str, str]:
    return {name: str(value) for name, value in conditions.model_dump(mode="json", exclude_none=True).items()}


def _query(conditions: IndexFilter) -> str:
    return "?" + urlencode(_written(conditions))
