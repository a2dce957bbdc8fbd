"""What an operation takes, in words: its members as guides list them, from the one schema that also judges them."""

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, NamedTuple

from pydantic import BaseModel

from citepress.base.text import sentence_list

MAX_NAMED_VALUES = 6
"""Values of a closed list that are named."""
_PLAIN = {
    "string": "text",
    "integer": "whole number",
    "number": "number",
    "boolean": "true or false",
    "object": "object",
}
_FORMATS = {"uri": "address", "date-time": "date"}
Schema = Mapping[str, Any]


class Member(NamedTuple):
    """A member of a query, of a body or of a tool's arguments."""

    name: str
    type: str
    """Its type and bounds in words."""
    required: bool
    about: str


@cache
def members(model: type[BaseModel]) -> tuple[Member, ...]:
    """The members of a type in order, read from its schema once a process: many pages list the same."""
    return tuple(_members(model))


def _members(model: type[BaseModel]) -> Iterator[Member]:
    schema = model.model_json_schema(mode="validation")
    required, named = set(schema.get("required", ())), schema.get("$defs", {})
    for name, member in schema.get("properties", {}).items():
        # Docstrings mark code with two backticks; words of a page with one.
        about = member.get("description", "").replace("``", "`")
        yield Member(name, _type(member, named), name in required, about)


def _type(schema: Schema, named: Mapping[str, Schema]) -> str:
    """The type of a member; what may also be null is left out instead."""
    schema = next((option for option in schema.get("anyOf", ()) if option != {"type": "null"}), schema)
    if "$ref" in schema:
        target = named[schema["$ref"].rpartition("/")[2]]
        return f"object with {sentence_list(list(target.get('properties', ())))}"
    if "enum" in schema:
        values = [str(value) for value in schema["enum"]]
        return sentence_list(values, "or") if len(values) <= MAX_NAMED_VALUES else f"one of {len(values)} names"
    if schema.get("type") == "array":
        return f"list of {_type(schema.get('items', {}), named)}{_bounds(schema, 'minItems', 'maxItems', 'items')}"
    word = _FORMATS.get(schema.get("format", "")) or (
        "date" if "[12]" in schema.get("pattern", "") else _PLAIN.get(schema.get("type", ""), "any")
    )
    return word + _bounds(schema, "minLength", "maxLength", "characters") + _bounds(schema, "minimum", "maximum", "")


def _bounds(schema: Schema, least: str, most: str, unit: str) -> str:
    low, high = schema.get(least), schema.get(most)
    if high is None:
        return ""
    between = f"{low:,} to {high:,}" if low is not None and low != high else f"at most {high:,}"
    return f", {between} {unit}".rstrip()
