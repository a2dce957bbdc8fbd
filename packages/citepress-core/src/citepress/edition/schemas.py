"""The generator of JSON Schemas: from the published types, with the docstrings of their members as descriptions."""

from collections.abc import Mapping
from functools import cache
from typing import Any

import orjson
from pydantic import BaseModel
from pydantic.json_schema import GenerateJsonSchema

from citepress.base import fast_json
from citepress.contract.operation import Answer
from citepress.contract.problem import Problem

COMPONENT = "#/components/schemas/{model}"
"""Where OpenAPI holds the schema of a type."""
DIALECT = "https://json-schema.org/draft/2020-12/schema"


def schema_of(model: type[BaseModel], id: str) -> dict[str, Any]:  # noqa: A002
    """The JSON Schema (2020-12) of a published document, open to members that later versions add."""
    return {"$schema": DIALECT, "$id": id, **fast_json.loads(_generated(model))}


@cache
def _generated(model: type[BaseModel]) -> bytes:
    """A type's schema as bytes: made once a process, and copied by reading them."""
    generator = SchemaWithoutNull if _omits_null(model) else GenerateJsonSchema
    return orjson.dumps(_opened(model.model_json_schema(mode="serialization", schema_generator=generator)))


def request_schema(model: type[BaseModel]) -> dict[str, Any]:
    """The JSON Schema of what a request takes; it refers to definitions where OpenAPI holds them."""
    schema: dict[str, Any] = fast_json.loads(_requested(model))
    return schema


@cache
def _requested(model: type[BaseModel]) -> bytes:
    return orjson.dumps(model.model_json_schema(mode="validation", ref_template=COMPONENT))


def components(models: Mapping[str, type[BaseModel]]) -> dict[str, Any]:
    """The schemas of many documents in one set of definitions, as OpenAPI holds them."""
    definitions: dict[str, Any] = fast_json.loads(_joined(tuple(model for _, model in sorted(models.items()))))
    return definitions


@cache
def _joined(models: tuple[type[BaseModel], ...]) -> bytes:
    """One set of definitions, from the schemas of the models; no two have the same name.

    A definition that models of both sorts hold is that of those without null.
    """
    joined: dict[str, Any] = {}
    for omits in (False, True):
        definitions: dict[str, Any] = {}
        for model in models:
            if _omits_null(model) is omits:
                schema = fast_json.loads(_generated(model))
                definitions |= schema.pop("$defs", {})
                # One that refers to itself is its own definition.
                definitions |= {} if "$ref" in schema else {model.__name__: schema}
        joined |= dict(sorted(definitions.items()))
    return orjson.dumps(joined).replace(b'"#/$defs/', b'"#/components/schemas/')  # as ``COMPONENT`` says


def _omits_null(model: type[BaseModel]) -> bool:
    """Whether what is written of a model leaves out members that are null; every other document has all its members."""
    return issubclass(model, Answer | Problem)


class SchemaWithoutNull(GenerateJsonSchema):
    """Schemas of what is written without null: a member is always there unless its default is null."""

    def field_is_required(self, field: Any, total: bool) -> bool:  # noqa: ANN401  (as the generator declares it)
        """Whether a member is always there."""
        schema = field["schema"]
        if schema["type"] == "default" and schema.get("default", ...) is None:
            return False
        return super().field_is_required(field, total)


def _opened(schema: Any) -> Any:  # noqa: ANN401  (JSON is any shape)
    """Drop ``additionalProperties: false``: additive members break no reader (specification, "Versioning" rule 2).

    A constant boolean is a plain one whose description says so, because client generators refuse the constant.
    """
    if isinstance(schema, dict):
        if isinstance(constant := schema.get("const"), bool):
            always = f"Always {str(constant).lower()}."
            plain = {name: value for name, value in schema.items() if name != "const"}
            return {**plain, "description": f"{schema['description']} {always}" if "description" in schema else always}
        return {k: _opened(v) for k, v in schema.items() if not (k == "additionalProperties" and v is False)}
    if isinstance(schema, list):
        return [_opened(item) for item in schema]
    return schema
