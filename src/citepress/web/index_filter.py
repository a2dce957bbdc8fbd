"""Index filters (``?topic= ?origin= ?since=``): only matching items of the published part; links keep the query."""

import re
from collections.abc import Callable, Iterable, Iterator
from urllib.parse import urlencode

import orjson

from citepress.base.canonical import json_bytes
from citepress.base.timestamps import rfc3339
from citepress.contract.index_filter import IndexFilter
from citepress.contract.json_body import InvalidArgumentsError
from citepress.contract.problem import ProblemError
from citepress.edition.served import Served
from citepress.http.preconditions import OK
from citepress.http.query import members, read_query
from citepress.kinds import ALL as KINDS

_PART = re.compile(r'^<([^>]*)>(; rel="(?:first|prev|next|last)".*)$')
ROUTES = frozenset(route for kind in KINDS for route in (f"/{kind.name}.json", f"/{kind.name}/index/{{page}}.json"))
"""Path templates of the indexes and of their older parts."""


def has_conditions(query: bytes) -> bool:
    """Whether a query narrows an index; an invalid one has to be refused, so it counts as well."""
    try:
        return not IndexFilter.model_fields.keys().isdisjoint(members(query))
    except InvalidArgumentsError:
        return True


def parse_filter(query: bytes, find: Callable[[str], Served | None]) -> IndexFilter:
    """The conditions of a query. Raises ``InvalidArgumentsError``.

    ``find`` gives what is published at a path: a condition has to name a topic or an origin of this archive.
    """
    conditions = read_query(query, IndexFilter)
    pages = (
        ("topic", conditions.topic, "/topics/{}/", "/topics.json"),
        ("origin", conditions.origin, "/sources/{}/", "/source-entities.json"),
    )
    faults = []
    for name, wanted, page, index in pages:
        hub = find(page.format(wanted)) if wanted else None
        if wanted and (hub is None or hub.leaf.status != OK):
            faults.append(ProblemError(detail=f'There is no {name} "{wanted}"; {index} lists them.', parameter=name))
    if faults:
        raise InvalidArgumentsError(faults)
    return conditions


def apply_filter(index: bytes | memoryview, conditions: IndexFilter, origin: bytes | memoryview | None) -> bytes:
    """An index with the items that meet the conditions. ``origin`` is the hub of the requested origin, as JSON."""
    document = orjson.loads(index)
    backlinks = orjson.loads(origin)["backlinks"] if origin else ()
    citing = {back["id"] for back in backlinks if back["relation"] == "cites"}
    since = rfc3339(conditions.since) if conditions.since else ""
    document["items"] = [
        item
        for item in document["items"]
        if (not conditions.topic or conditions.topic in item["topics"])
        and item["updated_at"] >= since
        and (not conditions.origin or item["id"] in citing)
    ]
    document["count"] = len(document["items"])
    if document["next"]:
        document["next"] += _query(conditions)
    return json_bytes(document)


def linked(links: Iterable[str], conditions: IndexFilter) -> Iterator[bytes]:
    """The links of an index, with the query added to those that lead to another part of it."""
    query = _query(conditions)
    return (_PART.sub(lambda match: f"<{match[1]}{query}>{match[2]}", link).encode() for link in links)


def _query(conditions: IndexFilter) -> str:
    return "?" + urlencode(conditions.model_dump(mode="json", exclude_none=True))
