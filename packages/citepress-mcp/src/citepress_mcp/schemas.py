"""The JSON Schemas of a tool, derived from the types of its operation: strict for input, open for output."""

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel

from citepress.contract.operation import Operation
from citepress_mcp.answers import IDENTIFYING, MAX_ANSWER_TOKENS, MIN_ANSWER_TOKENS
from citepress_mcp.cursors import MAX_CURSOR_CHARS as CURSOR_LENGTH

FRAME: Mapping[str, Any] = {
    "as_of": {"type": "string"},
    "approx_tokens": {"type": "integer"},
    "truncated": {"type": "boolean"},
    "next_cursor": {"type": "string"},
    "warnings": {"type": "array", "items": {"type": "string"}},
    "ignored": {"type": "array"},
}
ALWAYS = ("as_of", "approx_tokens", "truncated")
DROPPED = frozenset({"title", "default", "pattern"})
"""Keywords that a model does not need; a failed pattern is explained in the error message."""
MAX_SCHEMA_DEPTH = 2
"""The depth to which an output schema declares types: its members, and the members of the objects in its lists."""


def input_schema(operation: Operation) -> dict[str, Any]:
    """The input of the tool: closed, without references or alternatives."""
    schema = operation.ask.model_json_schema(mode="validation")
    properties = {
        name: _plain(member, schema.get("$defs", {})) for name, member in schema.get("properties", {}).items()
    }
    if "limit" in properties:
        properties["limit"] = _bare(properties["limit"])
    for name, field in operation.ask.model_fields.items():
        if isinstance(field.default, int) and not isinstance(field.default, bool) and name in properties:
            properties[name]["default"] = field.default
    tool = operation.tool
    if tool and tool.tokens:
        properties["max_tokens"] = {
            "type": "integer",
            "minimum": MIN_ANSWER_TOKENS,
            "maximum": MAX_ANSWER_TOKENS,
            "default": tool.tokens,
        }
        if tool.cut:
            properties["cursor"] = {"type": "string", "maxLength": CURSOR_LENGTH, "description": "A next_cursor."}
    closed: dict[str, Any] = {"type": "object", "properties": properties}
    if required := schema.get("required"):
        closed["required"] = required
    return {**closed, "additionalProperties": False}


def output_schema(operation: Operation) -> dict[str, Any]:
    """The types of the tool's output; only members that every page of every answer has are required."""
    schema = operation.answer.model_json_schema(mode="serialization")
    properties = {
        name: _typed(member, schema.get("$defs", {}), MAX_SCHEMA_DEPTH)
        for name, member in schema.get("properties", {}).items()
    }
    tool = operation.tool
    if not tool or not tool.tokens:
        required = [
            name
            for name, field in operation.answer.model_fields.items()
            if field.is_required() and not _nullable(operation.answer, name)
        ]
        return {"type": "object", "properties": properties, "required": required}
    properties.pop("as_of", None)
    fields = operation.answer.model_fields
    named = [name for name in properties if name == tool.cut or (name in IDENTIFYING and fields[name].is_required())]
    return {"type": "object", "properties": {**properties, **FRAME}, "required": [*named, *ALWAYS]}


def _nullable(model: type[BaseModel], name: str) -> bool:
    return type(None) in getattr(model.model_fields[name].annotation, "__args__", ())


def _resolved(schema: Mapping[str, Any], definitions: Mapping[str, Any]) -> dict[str, Any]:
    """A schema with its reference resolved, without ``null`` as an alternative and without refinements of its type."""
    resolved = dict(schema)
    if reference := resolved.pop("$ref", None):
        resolved = {**definitions[reference.rpartition("/")[2]], **resolved}
    options = [option for option in resolved.pop("anyOf", ()) if option.get("type") != "null"]
    if len(options) == 1:
        resolved = {**_resolved(options[0], definitions), **resolved}
    return resolved


def _plain(schema: Mapping[str, Any], definitions: Mapping[str, Any]) -> dict[str, Any]:
    """An argument's schema by itself."""
    slim = {name: value for name, value in _resolved(schema, definitions).items() if name not in DROPPED}
    if "items" in slim:
        slim["items"] = _plain(slim["items"], definitions)
        if "enum" in slim["items"]:  # the words bound the list well enough
            slim.pop("maxItems", None)
    if "properties" in slim:
        members = {name: _plain(member, definitions) for name, member in slim["properties"].items()}
        slim["properties"] = {name: _bare(member) for name, member in members.items()}
        slim.pop("description", None)
    return slim


def _bare(schema: dict[str, Any]) -> dict[str, Any]:
    """A schema without a description that only repeats the name: every model reads every byte."""
    return {name: value for name, value in schema.items() if name != "description"}


def _typed(schema: Mapping[str, Any], definitions: Mapping[str, Any], deep: int) -> dict[str, Any]:
    """A member's type, and those of what it holds down to a depth."""
    resolved = _resolved(schema, definitions)
    typed: dict[str, Any] = {"type": resolved["type"]} if "type" in resolved else {}
    if deep and "items" in resolved:
        typed["items"] = _typed(resolved["items"], definitions, deep - 1)
    if deep and "properties" in resolved:
        typed["properties"] = {name: _typed(member, definitions, 0) for name, member in resolved["properties"].items()}
    return typed
