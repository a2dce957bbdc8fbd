"""Reading a JSON body into its model, with every fault in words and at its JSON Pointer."""

import re
from collections.abc import Iterator
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from citepress.base.strict_json import DuplicateNameError
from citepress.base.text import did_you_mean, sentence_list
from citepress.contract.problem import ProblemError
from citepress.contract.refs import Location

M = TypeVar("M", bound=BaseModel)

TOLD = 100
"""Faults that are told of one body."""
_SHOWN = 60
"""Characters of an unknown name that a sentence repeats."""
_TYPES = {
    "string": "a string", "list": "an array", "model": "an object", "dict": "an object", "int": "a whole number", "float": "a number",
    "bool": "true or false",
}  # fmt: skip
_BOUNDS = {
    "string_too_short": "must have at least {min_length} characters", "string_too_long": "may have at most {max_length:,} characters",
    "too_short": "must hold at least {min_length} items", "too_long": "may hold at most {max_length} items",
    "greater_than_equal": "must be at least {ge}", "less_than_equal": "may be at most {le}", "literal_error": "must be {expected}",
    "missing": "is required", "string_unicode": "is no valid Unicode text",
    "string_pattern_mismatch": "must have the form {pattern}",
}  # fmt: skip


def read_body(model: type[M], raw: object) -> M | tuple[ProblemError, ...]:
    """The body as its model, or all its faults (specification, "Errors"; answered with 422)."""
    if not isinstance(raw, dict):
        return (ProblemError(detail="The body must be a JSON object.", pointer=""),)
    try:
        return model.model_validate(raw)
    except ValidationError as error:
        return tuple(_fault(detail, model) for detail in error.errors(include_url=False)[:TOLD])


def duplicate_faults(error: DuplicateNameError) -> tuple[ProblemError, ...]:
    """The names that a body repeats, each at its JSON Pointer (answered with 422)."""
    return tuple(
        ProblemError(detail=f"{_named(location)} is given more than once; keep one of them.", pointer=pointer(location))
        for location in error.locations
    )


def faults_of(error: ValidationError, model: type[BaseModel]) -> Iterator[tuple[str, str, ErrorDetails]]:
    """Each fault that is told: the member's name, what is wrong with it in words, and what pydantic knows of it."""
    for detail in error.errors(include_url=False)[:TOLD]:
        yield _named(detail["loc"]), _words(detail, detail["loc"], model), detail


def pointer(location: Location) -> str:
    """The JSON Pointer (RFC 6901) of a location: ``/evidence_urls/2``."""
    return "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in location)


def _fault(detail: ErrorDetails, model: type[BaseModel]) -> ProblemError:
    location = detail["loc"]
    words = f"{_named(location)} {_words(detail, location, model)}"
    return ProblemError(detail=words if words.endswith("?") else f"{words}.", pointer=pointer(location))


def _named(location: Location) -> str:
    """``evidence_urls[2]``; a name that only the client knows is shortened and made harmless."""
    parts = (f"[{step}]" if isinstance(step, int) else "." + re.sub(r"[^\w-]", "?", step)[:_SHOWN] for step in location)
    return "".join(parts).removeprefix(".")


def _words(detail: ErrorDetails, location: Location, model: type[BaseModel]) -> str:
    sort, context = detail["type"], detail.get("ctx", {})
    if sort == "extra_forbidden":
        known = _members(model, location[:-1])
        meant = did_you_mean(str(location[-1])[:_SHOWN], known) or f"the members here are {sentence_list(known)}"
        return f"is not known; {meant}"
    if sort == "value_error":
        return str(context.get("error", detail["msg"]))
    if sort in _BOUNDS:
        return _BOUNDS[sort].format(**context)
    if wanted := _TYPES.get(sort.partition("_")[0]):
        return f"must be {wanted}"
    return f"is wrong: {detail['msg']}"


def _members(model: type[BaseModel], location: Location) -> tuple[str, ...]:
    """The names that may stand at a location of a body."""
    here: Any = model
    for step in location:
        if isinstance(step, str):
            here = _model_in(here.model_fields[step].annotation)
    return tuple(here.model_fields)


def _model_in(annotation: Any) -> Any:  # noqa: ANN401  (any type that a field may have)
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    return (
        next(found for part in annotation.__args__ if (found := _model_in(part)) is not None) if hasattr(annotation, "__args__") else None
    )
