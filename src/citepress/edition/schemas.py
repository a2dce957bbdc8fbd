"""The one generator of JSON Schemas: from the published types, with the texts that stand below their members."""

from collections.abc import Mapping
from functools import cache
from typing import Any, Literal

import orjson
from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

Mode = Literal["serialization", "validation"]
DIALECT = "https://json-schema.org/draft/2020-12/schema"


def schema_of(model: type[BaseModel], id: str, mode: Mode = "serialization") -> dict[str, Any]:  # noqa: A002
    """The JSON Schema (2020-12) of a published document, open to members that later versions add.

    With ``mode="validation"`` that of what an author writes, closed to any other member.
    """
    return {"$schema": DIALECT, "$id": id, **orjson.loads(_generated(model, mode))}


@cache
def _generated(model: type[BaseModel], mode: Mode) -> bytes:
    """A type's schema as bytes: made once a process, and copied by reading them."""
    schema = model.model_json_schema(mode=mode)
    return orjson.dumps(schema if mode == "validation" else _opened(schema))


def components(models: Mapping[str, type[BaseModel]]) -> dict[str, Any]:
    """The schemas of many documents in one set of definitions, as OpenAPI holds them."""
    definitions: dict[str, Any] = orjson.loads(_joined(tuple(model for _, model in sorted(models.items()))))
    return definitions


@cache
def _joined(models: tuple[type[BaseModel], ...]) -> bytes:
    _, joined = models_json_schema([(model, "serialization") for model in models], ref_template="#/components/schemas/{model}")
    return orjson.dumps(_opened(joined).get("$defs", {}))


def _opened(schema: Any) -> Any:  # noqa: ANN401  (JSON is any shape)
    """Drop ``additionalProperties: false``: additive members break no reader (specification, "Versioning" rule 2)."""
    if isinstance(schema, dict):
        return {k: _opened(v) for k, v in schema.items() if not (k == "additionalProperties" and v is False)}
    if isinstance(schema, list):
        return [_opened(item) for item in schema]
    return schema
