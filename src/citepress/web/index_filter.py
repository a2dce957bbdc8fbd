"""Indexes narrowed by their query (``?topic= ?origin= ?since=``): the published part with fewer items, links that keep the query."""

import re
from collections.abc import Callable, Iterable, Iterator
from urllib.parse import urlencode

import orjson

from citepress.base.canonical import json_bytes
from citepress.base.timestamps import rfc3339
from citepress.contract.index_filter import IndexFilter
from citepress.contract.problem import ProblemError
from citepress.edition.served import Served
from citepress.http.preconditions import OK
from citepress.http.query import members, read_query
from citepress.kinds import ALL as KINDS

_PART = re.compile(r'^<([^>]*)>(; rel="(?:first|prev|next|last)".*)$')
ROUTES = frozenset(route for kind in KINDS for route in (f"/{kind.name}.json", f"/{kind.name}/index/{{page}}.json"))
"""Path templates of the indexes and of their older parts."""


def parse_filter(query: bytes) -> IndexFilter | tuple[ProblemError, ...] | None:
    """The conditions of a query, or what is wrong with them; ``None`` where it has none."""
    told = members(query)
    if told is not None and IndexFilter.model_fields.keys().isdisjoint(told):
        return None
    return read_query(query, IndexFilter)


def apply_filter(index: bytes | memoryview, conditions: IndexFilter, origin: bytes | memoryview | None) -> bytes:
    """An index with those of its items that fit. ``origin`` is the hub of the origin that is asked for, as JSON."""
    document = orjson.loads(index)
    citing = {back["id"] for back in orjson.loads(origin)["backlinks"]} if origin else set()
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
    """The links of an index with the query kept where they lead to another part of it."""
    kept = _query(conditions)
    return (_PART.sub(lambda found: f"<{found[1]}{kept}>{found[2]}", link).encode() for link in links)


def unknown(conditions: IndexFilter, found: Callable[[str], Served | None]) -> tuple[ProblemError, ...]:
    """The conditions that name nothing of this archive; ``found`` gives what is published at a path."""
    pages = (
        ("topic", conditions.topic, "/topics/{}/", "/topics.json"),
        ("origin", conditions.origin, "/sources/{}/", "/source-entities.json"),
    )
    faults = []
    for name, value, page, index in pages:
        there = found(page.format(value)) if value else None
        if value and (there is None or there.leaf.status != OK):
            faults.append(ProblemError(detail=f'There is no {name} "{value}"; {index} lists them.', parameter=name))
    return tuple(faults)


def _query(conditions: IndexFilter) -> str:
    return "?" + urlencode(conditions.model_dump(mode="json", exclude_none=True))
