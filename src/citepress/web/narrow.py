"""Indexes narrowed by their query (``?topic= ?origin= ?since=``): the published part with fewer items, links that keep the query."""

from typing import Annotated
from urllib.parse import urlencode

import orjson
from pydantic import Field

from citepress.base.canonical import json_bytes
from citepress.base.moments import rfc3339
from citepress.contract.document import ORIGIN, SLUG
from citepress.contract.problem import ProblemError
from citepress.contract.shape import Shape
from citepress.kinds import ALL as KINDS
from citepress.operations.shapes import Date
from citepress.web.query import members, read_query

ROUTES = frozenset(route for kind in KINDS for route in (f"/{kind.name}.json", f"/{kind.name}/index/{{page}}.json"))
"""Path templates of the indexes and of their older parts."""


class Narrow(Shape):
    """What an index can be narrowed by."""

    topic: Annotated[str, Field(max_length=120, pattern=f"^{SLUG.pattern}$")] | None = None
    """Slug of a topic hub."""
    origin: Annotated[str, Field(max_length=253, pattern=f"^{ORIGIN.pattern}$")] | None = None
    """Id of a source origin."""
    since: Date | None = None
    """Updated on or after this date."""


def asked(query: bytes) -> Narrow | tuple[ProblemError, ...] | None:
    """The conditions of a query, or what is wrong with them; ``None`` where it has none."""
    told = members(query)
    if told is not None and Narrow.model_fields.keys().isdisjoint(told):
        return None
    return read_query(query, Narrow)


def narrowed(index: bytes | memoryview, conditions: Narrow, origin: bytes | memoryview | None) -> bytes:
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
    if document["next"]:
        document["next"] += "?" + urlencode(conditions.model_dump(exclude_none=True))
    return json_bytes(document)
