"""What an operation takes, in words: its members as guides list them, from the one schema that also judges them."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from pydantic import BaseModel

from citepress.base.text import sentence_list

SHOWN = 6
"""Values of a closed list that are named."""
_PLAIN = {"string": "text", "integer": "whole number", "number": "number", "boolean": "true or false", "object": "object"}
_FORMATS = {"uri": "address", "date-time": "date"}
Schema = Mapping[str, Any]


class Member(NamedTuple):
    """A member of a query, of a body or of a tool's arguments."""

    name: str
    type: str
    """Its type and bounds in words."""
    required: bool
    about: str


def members(model: type[BaseModel]) -> Iterator[Member]:
    """The members of a type in order."""
    schema = model.model_json_schema(mode="validation")
    required, named = set(schema.get("required", ())), schema.get("$defs", {})
    for name, told in schema.get("properties", {}).items():
        yield Member(name, _type(told, named), name in required, told.get("description", ""))


def _type(told: Schema, named: Mapping[str, Schema]) -> str:
    """The type of a member; what may also be null is left out instead."""
    told = next((one for one in told.get("anyOf", ()) if one != {"type": "null"}), told)
    if "$ref" in told:
        target = named[told["$ref"].rpartition("/")[2]]
        return f"object with {sentence_list(list(target.get('properties', ())))}"
    if "enum" in told:
        values = [str(value) for value in told["enum"]]
        return sentence_list(values, "or") if len(values) <= SHOWN else f"one of {len(values)} names"
    if told.get("type") == "array":
        return f"list of {_type(told.get('items', {}), named)}{_bounds(told, 'minItems', 'maxItems', 'items')}"
    word = _FORMATS.get(told.get("format", "")) or (
        "date" if "[12]" in told.get("pattern", "") else _PLAIN.get(told.get("type", ""), "any")
    )
    return word + _bounds(told, "minLength", "maxLength", "characters") + _bounds(told, "minimum", "maximum", "")


def _bounds(told: Schema, least: str, most: str, unit: str) -> str:
    low, high = told.get(least), told.get(most)
    if high is None:
        return ""
    between = f"{low:,} to {high:,}" if low is not None and low != high else f"at most {high:,}"
    return f", {between} {unit}".rstrip()
