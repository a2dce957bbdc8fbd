"""Examples of documents, made from their schemas: each member of each type, with one item in each list."""

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

SAMPLE_TEXTS = (
    "text",
    "2026-09-01T00:00:00Z",
    "2026-09-01",
    "https://archive.example/",
    "posts/some-slug",
    "P1D",
    "0" * 26,
    "0" * 64,
    "sha-256:" + "0" * 64,
    "sum=:AAAA:",
)
"""Texts for the patterns and lengths that schemas ask for."""
TEXT_BY_FORMAT = {
    "date-time": SAMPLE_TEXTS[1],
    "date": SAMPLE_TEXTS[2],
    "uri": SAMPLE_TEXTS[3],
    "duration": SAMPLE_TEXTS[5],
}
MAX_LEVELS = 6
"""Levels of objects that an example shows; members below that need not be there are left out."""
VALUE_BY_TYPE = {"boolean": False, "null": None}


class Definitions:
    """What schemas refer to, by name, with the examples of it that were made: many documents share their parts."""

    def __init__(self, schemas: Mapping[str, Any]) -> None:
        self._schemas = schemas
        self._examples: dict[tuple[str, int], Any] = {}

    def example(self, name: str, depth: int) -> Any:  # noqa: ANN401  (JSON is any shape)
        """The example of a definition at a depth, which nobody changes."""
        key = name, depth
        if key not in self._examples:
            self._examples[key] = example_of(self._schemas.get(name, {}), self, depth)
        return self._examples[key]


def example_of(schema: Mapping[str, Any], definitions: Definitions, depth: int = 0) -> Any:  # noqa: ANN401  (JSON is any shape)
    """A value that fits a schema."""
    if reference := schema.get("$ref"):
        return definitions.example(reference.rpartition("/")[2], depth)
    stated = [schema[name] for name in ("const", "example", "default") if schema.get(name) is not None]
    if choice := stated or schema.get("examples") or schema.get("enum"):
        return choice[0]
    if options := schema.get("anyOf") or schema.get("oneOf") or schema.get("allOf"):
        return example_of(
            next((option for option in options if option.get("type") != "null"), options[0]), definitions, depth
        )
    return _of_type(schema, definitions, depth)


def _of_type(schema: Mapping[str, Any], definitions: Definitions, depth: int) -> Any:  # noqa: ANN401  (JSON is any shape)
    sort = schema.get("type", "null")
    sort = next((name for name in sort if name != "null"), "null") if isinstance(sort, list) else sort
    if sort == "object":
        required = schema.get("required", ())
        members = schema.get("properties", {}).items()
        shown = [(name, member) for name, member in members if depth < MAX_LEVELS or name in required]
        return {name: example_of(member, definitions, depth + 1) for name, member in shown}
    if sort == "array":
        count = max(schema.get("minItems", 0), int(depth < MAX_LEVELS))
        return [example_of(schema["items"], definitions, depth)] * count if schema.get("items") else []
    if sort == "string":
        return TEXT_BY_FORMAT.get(schema.get("format", "")) or _text(schema)
    if sort in ("integer", "number"):
        return schema["exclusiveMinimum"] + 0.5 if "exclusiveMinimum" in schema else schema.get("minimum", 0)
    return VALUE_BY_TYPE.get(sort)


def _text(schema: Mapping[str, Any]) -> str:
    """The first of the texts that has the form and the length; the first of all where none has."""
    return _sample(schema.get("pattern", ""), schema.get("minLength", 0), schema.get("maxLength", 10_000))


@lru_cache(maxsize=256)
def _sample(pattern: str, shortest: int, longest: int) -> str:
    fitting = (text for text in SAMPLE_TEXTS if shortest <= len(text) <= longest and re.search(pattern, text))
    return next(fitting, SAMPLE_TEXTS[0])
