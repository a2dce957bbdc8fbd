"""The query of a request as arguments: decoded once, every fault named with its parameter."""

from collections.abc import Mapping
from typing import Any, TypeVar, get_origin
from urllib.parse import parse_qsl

from pydantic import BaseModel

from citepress.contract.json_body import read_body
from citepress.contract.problem import ProblemError

M = TypeVar("M", bound=BaseModel)
MOST = 100
"""Members of one query."""


def read_query(query: bytes, model: type[M], given: Mapping[str, str] | None = None) -> M | tuple[ProblemError, ...]:
    """The arguments that a query tells, or all its faults; members that the model does not know are passed over.

    A list takes several members of its name, or values with commas between them. An empty value is none.
    ``given`` are arguments that the path tells.
    """
    told = members(query)
    if told is None:
        return (ProblemError(detail=f"The query is no UTF-8, or has more than {MOST} members."),)
    raw: dict[str, Any] = dict(given or {})
    faults = []
    for name, field in model.model_fields.items():
        values = [value for value in told.get(name, ()) if value]
        if get_origin(field.annotation) is list:
            raw[name] = [part.strip() for value in values for part in value.split(",") if part.strip()]
        elif len(values) > 1:
            faults.append(ProblemError(detail=f"{name} is given more than once.", parameter=name))
        elif values:
            raw.setdefault(name, values[0])
    read = read_body(model, raw)
    if not isinstance(read, tuple):
        return tuple(faults) or read
    known = {fault.parameter for fault in faults}
    named = (ProblemError(detail=one.detail, parameter=(one.pointer or "/").split("/")[1]) for one in read)
    return (*faults, *(one for one in named if one.parameter not in known))


def members(query: bytes) -> dict[str, list[str]] | None:
    """The values of each member of a query; ``None`` where it cannot be read."""
    try:
        pairs = parse_qsl(query.decode("latin-1"), keep_blank_values=True, errors="strict", max_num_fields=MOST)
    except ValueError:
        return None
    found: dict[str, list[str]] = {}
    for name, value in pairs:
        found.setdefault(name, []).append(value)
    return found
