"""The query of a request as arguments: decoded once, with every error attributed to its parameter."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, TypeVar, get_origin
from urllib.parse import parse_qsl, quote

from pydantic import BaseModel

from citepress.base.headers import Headers
from citepress.contract.json_body import InvalidArgumentsError, read_body
from citepress.contract.problem import ProblemError

M = TypeVar("M", bound=BaseModel)
MAX_QUERY_MEMBERS = 100
"""Members of one query."""
IGNORED_FIELD = b"ignored-parameters"
MAX_IGNORED, MAX_NAME_CHARS = 20, 60
"""Names that the field lists, and characters of each."""


def read_query(query: bytes, model: type[M], path_arguments: Mapping[str, str] | None = None) -> M:
    """The arguments of a query; members that the model does not know are ignored.

    A list takes several members of its name, or values separated by commas. An empty value counts as absent.
    Raises ``InvalidArgumentsError`` with every fault, each at its parameter.
    """
    given = members(query)
    for name, meant in getattr(model, "also_named", {}).items():
        given.setdefault(meant, given.get(name, []))
    raw: dict[str, Any] = dict(path_arguments or {})
    faults: list[ProblemError] = []
    for name, field in model.model_fields.items():
        values = [value for value in given.get(name, ()) if value]
        if get_origin(field.annotation) is list:
            raw[name] = [part.strip() for value in values for part in value.split(",") if part.strip()]
        elif len(values) > 1:
            faults.append(ProblemError(detail=f"{name} is given more than once.", parameter=name))
        elif values:
            raw.setdefault(name, values[0])
    try:
        arguments = read_body(model, raw)
    except InvalidArgumentsError as error:
        repeated = {fault.parameter for fault in faults}
        parameters = ((fault.detail, (fault.pointer or "/").split("/")[1]) for fault in error.faults)
        faults += [ProblemError(detail=detail, parameter=name) for detail, name in parameters if name not in repeated]
    if faults:
        raise InvalidArgumentsError(faults)
    return arguments


def ignored_field(query: bytes, names: Collection[str]) -> Headers:
    """The field that names the members of a query that nobody reads; no field where there are none."""
    try:
        unread = [name for name in members(query) if name not in names]
    except InvalidArgumentsError:
        return []
    return (
        [(IGNORED_FIELD, ", ".join(quote(name[:MAX_NAME_CHARS]) for name in unread[:MAX_IGNORED]).encode())]
        if unread
        else []
    )


def parameter_names(model: type[BaseModel]) -> Collection[str]:
    """The names that a query with this model's arguments may have."""
    return model.model_fields.keys() | getattr(model, "also_named", {}).keys()


def members(query: bytes) -> dict[str, list[str]]:
    """The values of each member of a query. Raises ``InvalidArgumentsError`` where it cannot be read."""
    try:
        pairs = parse_qsl(
            query.decode("latin-1"), keep_blank_values=True, errors="strict", max_num_fields=MAX_QUERY_MEMBERS
        )
    except ValueError:
        detail = f"The query is not UTF-8, or has more than {MAX_QUERY_MEMBERS} members."
        raise InvalidArgumentsError([ProblemError(detail=detail)]) from None
    values: dict[str, list[str]] = {}
    for name, value in pairs:
        values.setdefault(name, []).append(value)
    return values


def page_number(values: Sequence[str], max_digits: int) -> int:
    """The first value as a number of at least 1; 1 for whatever is none, or is longer, and where there is no value."""
    number = values[0] if values else "1"
    return max(1, int(number)) if number.isascii() and number.isdecimal() and len(number) <= max_digits else 1
