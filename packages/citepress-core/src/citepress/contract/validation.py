"""Validation errors in words, and the names that a model has: the same for content, settings and requests."""

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any, get_args, get_origin

from pydantic import AliasChoices, BaseModel
from pydantic.fields import FieldInfo

from citepress.contract.refs import Location

_REQUIREMENTS = {
    "string_too_short": "must have at least {min_length} characters",
    "string_too_long": "may have at most {max_length:,} characters",
    "too_short": "must hold at least {min_length} items",
    "too_long": "may hold at most {max_length:,} items",
    "greater_than_equal": "must be at least {ge}",
    "less_than_equal": "may be at most {le}",
    "greater_than": "must be more than {gt}",
    "less_than": "must be less than {lt}",
    "literal_error": "must be {expected}",
    "missing": "is required",
    "string_unicode": "is not valid Unicode text",
    "string_pattern_mismatch": "must have the form {pattern}",
}
JSON_TYPES: Mapping[str, str] = {
    "string": "a string",
    "list": "an array",
    "model": "an object",
    "dict": "an object",
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
}
"""What a value should be, as clients of a JSON interface call it."""
AUTHOR_TYPES: Mapping[str, str] = {
    **JSON_TYPES,
    "string": "text",
    "list": "a list",
    "model": "a mapping of keys",
    "dict": "a mapping of keys",
}
"""The same as authors of YAML and TOML call it."""


def requirement(sort: str, context: Mapping[str, Any], types: Mapping[str, str]) -> str:
    """What a value at fault must be; nothing for a validation error of another type."""
    if sort in ("string_too_short", "too_short") and context["min_length"] == 1:
        return "must not be empty"
    if sort in _REQUIREMENTS:
        return _REQUIREMENTS[sort].format(**context)
    wanted = types.get(sort.partition("_")[0])
    return f"must be {wanted}" if wanted else ""


def known_names(model: type[BaseModel], location: Location) -> tuple[str, ...]:
    """The names that may be written at a location of a model."""
    models = _models_at(model, [step for step in location if isinstance(step, str)])
    return tuple(dict.fromkeys(name for inner in models for name in written_names(inner)))


@lru_cache(maxsize=512)
def written_names(model: type[BaseModel]) -> tuple[str, ...]:
    """The names of a model's members as they are written, the usual name of each first."""
    return tuple(name for own, field in model.model_fields.items() for name in _names(own, field))


def same_member(model: type[BaseModel], location: Location, other: Location) -> bool:
    """Whether two locations are names of one member."""
    if location[:-1] != other[:-1]:
        return False
    models = _models_at(model, [step for step in location[:-1] if isinstance(step, str)])
    return any(set(_fields(inner, str(location[-1]))) & set(_fields(inner, str(other[-1]))) for inner in models)


def example_at(model: type[BaseModel], location: Location) -> str:
    """How the value at a location is written, as its declaration shows it; nothing where it shows nothing."""
    names = [step for step in location if isinstance(step, str)]
    if not names:
        return ""
    fields = (field for inner in _models_at(model, names[:-1]) for field in _fields(inner, names[-1]))
    examples = (example for field in fields for example in (*(field.examples or ()), *_examples(field.annotation)))
    return next(examples, "")


def _models_at(model: type[BaseModel], names: list[str]) -> tuple[type[BaseModel], ...]:
    """The models that may be at a location; a union has several."""
    here: list[object] = [model]
    for name in names:
        here = [inner for outer in here for inner in _inside(outer, name)]
    return tuple(inner for annotation in here for inner in _models(annotation))


def _inside(annotation: object, name: str) -> Iterator[object]:
    """The annotations of what is written under a name: a member of a model, or any key of a mapping."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield from (field.annotation for field in _fields(annotation, name))
    elif get_origin(annotation) is dict:
        yield get_args(annotation)[1]
    else:
        for part in get_args(annotation):
            yield from _inside(part, name)


def _names(own: str, field: FieldInfo) -> list[str]:
    alias = field.validation_alias
    return [str(choice) for choice in (alias.choices if isinstance(alias, AliasChoices) else [alias or own])]


def _fields(model: type[BaseModel], name: str) -> Iterator[FieldInfo]:
    """The member that is written under a name."""
    for own, field in model.model_fields.items():
        if name == own or name in _names(own, field):
            yield field


def _models(annotation: object) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for part in get_args(annotation):
        yield from _models(part)


def _examples(annotation: object) -> Iterator[str]:
    """Examples declared inside of an annotation: of the items of a list, of one side of a union."""
    for note in getattr(annotation, "__metadata__", ()):
        yield from getattr(note, "examples", None) or ()
    for part in get_args(annotation):
        yield from _examples(part)
