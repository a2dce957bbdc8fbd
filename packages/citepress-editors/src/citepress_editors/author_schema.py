"""The JSON Schema of what an author writes, made from the model that reads it: neither refuses more than the other."""

from collections.abc import Iterator, Mapping
from types import UnionType
from typing import Annotated, Any, ClassVar, Union, get_args, get_origin

from pydantic import BaseModel
from pydantic.json_schema import GenerateJsonSchema, models_json_schema
from pydantic_core import core_schema

from citepress.contract.model import NOT_A_DATE
from citepress.contract.record import SourceInput
from citepress.contract.refs import Ref, SourceMark
from citepress.contract.validation import AUTHOR_TYPES, written_names

Json = dict[str, Any]
DATE = "^[1-9][0-9]{3}-?(0[1-9]|1[0-2]|W[0-5][0-9])"
"""How a moment begins, as ``datetime.fromisoformat`` reads it."""
TRUE_AND_FALSE = ("true", "false", "yes", "no", "on", "off", "t", "f", "y", "n", "1", "0")
"""Words that are read as true or false, in letters of either case."""
WHOLE, DECIMAL = r"^\s*[-+]?[0-9_]+(\.0+)?\s*$", r"^\s*[-+]?[0-9_.eE+-]+\s*$"
"""How numbers in quotes look, which are read as numbers."""
ANY, SOURCES = "", "sources"
Names = Mapping[str, tuple[str, ...]]
"""What an archive has to refer to: slugs by their kind, all record ids under ``ANY``, sources under ``SOURCES``."""


def author_schemas(
    models: Mapping[str, type[BaseModel]], names: Names | None = None
) -> tuple[Mapping[str, Json], Json]:
    """What refers to each model, and the definitions that they share.

    What ``names`` has is offered where a member refers to something, and nothing else is refused there: the schema may
    be older than the record that is meant.
    """

    class Generator(_AuthorSchema):
        names_to_offer: ClassVar[Names] = names or {}

    wanted = [(model, "validation") for model in models.values()]
    references, shared = models_json_schema(wanted, schema_generator=Generator)  # type: ignore[arg-type]
    schemas = {name: _plain(references[model, "validation"]) for name, model in models.items()}
    return schemas, {name: _plain(schema) for name, schema in shared.get("$defs", {}).items()}


def either_case(words: tuple[str, ...]) -> str:
    """A pattern of these words that needs no flag, which JSON Schema has none for."""
    letters = ("".join(f"[{c.upper()}{c}]" if c.isalpha() else c for c in word) for word in words)
    return f"^({'|'.join(letters)})$"


class _AuthorSchema(GenerateJsonSchema):
    """What a model takes in every spelling: another name of a key, ``yes`` for true, a number in quotes."""

    names_to_offer: ClassVar[Names] = {}

    def model_schema(self, schema: core_schema.ModelSchema) -> Json:
        schema_of_model = super().model_schema(schema)
        model: type[BaseModel] = schema["cls"]
        members, required = schema_of_model.get("properties", {}), schema_of_model.get("required", [])
        alternatives: list[Json] = []
        for name, field in model.model_fields.items():
            names = _spellings(model, name)
            first = next((each for each in names if each in members), None)
            if first is None:
                continue
            for mark, steps in _marks([*field.metadata], field.annotation):
                self._offer(members[first], steps, mark)
            for other in names:
                members.setdefault(other, {**members[first], "description": f"Another name of `{first}`."})
            if names[1:] and first in required:
                required.remove(first)
                alternatives.append({"anyOf": [{"required": [each]} for each in names]})
        return schema_of_model | ({"allOf": alternatives} if alternatives else {})

    def _offer(self, member: Json, steps: int, mark: Ref | SourceMark) -> None:
        """Offer what a reference may name, this many lists deep in a member."""
        names = self.names_to_offer.get(SOURCES if isinstance(mark, SourceMark) else mark.kind, ())
        here = [member]
        for _ in range(steps):
            here = [each["items"] for part in here for each in (part, *part.get("anyOf", ())) if "items" in each]
        for part in here if names else ():
            texts = [each for each in (part, *part.get("anyOf", ())) if each.get("type") == "string"]
            for text in texts:
                free = dict(text)
                text.clear()
                text["anyOf"] = [{"enum": list(names)}, free]

    def datetime_schema(self, schema: core_schema.DatetimeSchema) -> Json:  # noqa: ARG002
        return {"type": "string", "pattern": DATE, "patternErrorMessage": NOT_A_DATE, "examples": ["2026-01-31"]}

    def bool_schema(self, schema: core_schema.BoolSchema) -> Json:  # noqa: ARG002
        words = {"pattern": either_case(TRUE_AND_FALSE), "patternErrorMessage": f"must be {AUTHOR_TYPES['bool']}"}
        return {"type": ["boolean", "string", "integer"], **words, "minimum": 0, "maximum": 1}

    def int_schema(self, schema: core_schema.IntSchema) -> Json:
        return {**super().int_schema(schema), **_quoted("integer", WHOLE, "int")}

    def float_schema(self, schema: core_schema.FloatSchema) -> Json:
        return {**super().float_schema(schema), **_quoted("number", DECIMAL, "float")}

    def field_title_should_be_set(self, schema: Any) -> bool:  # noqa: ANN401, ARG002  (as the generator declares it)
        """No member has a title: hovers would begin with its name in other letters."""
        return False


def _quoted(number: str, pattern: str, sort: str) -> Json:
    """A number, or the text of one."""
    return {"type": [number, "string"], "pattern": pattern, "patternErrorMessage": f"must be {AUTHOR_TYPES[sort]}"}


def _spellings(model: type[BaseModel], name: str) -> list[str]:
    """The names under which a member may be written, the usual one first."""
    alias = model.model_fields[name].validation_alias
    choices = {name, *getattr(alias, "choices", [alias])}
    return [each for each in written_names(model) if each in choices] or [name]


def _marks(metadata: list[object], annotation: object, steps: int = 0) -> Iterator[tuple[Ref | SourceMark, int]]:
    """The references of one member, each with how many lists it is in; those of models inside it are their own."""
    yield from ((mark, steps) for mark in metadata if isinstance(mark, Ref | SourceMark))
    origin, parts = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        yield from _marks([*parts[1:]], parts[0], steps)
    elif origin in (list, Union, UnionType):
        if {SourceInput, str} <= {*parts}:  # the text may be the key of a shared source
            yield SourceMark(), steps
        for part in parts:
            yield from _marks([], part, steps + (origin is list))


def _plain(schema: Any) -> Any:  # noqa: ANN401  (JSON is any shape)
    """A part of a schema as an editor shows it: code in one backtick, and no default that says nothing."""
    if isinstance(schema, list):
        return [_plain(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    part = {
        key: _plain(value)
        for key, value in schema.items()
        if (key, value) != ("default", None) and not (key == "title" and isinstance(value, str))
    }
    if isinstance(about := part.get("description"), str):
        part["description"] = about.replace("``", "`")
    return part
