"""Reads a JSON body into its model, and describes every fault in words with its JSON Pointer."""

import re
from collections.abc import Iterable, Iterator
from typing import TypeVar

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from citepress.base.errors import CitepressError
from citepress.base.strict_json import DuplicateNameError
from citepress.base.text import did_you_mean, sentence_list
from citepress.contract.problem import ProblemError
from citepress.contract.refs import Location
from citepress.contract.validation import JSON_TYPES, known_names, requirement

M = TypeVar("M", bound=BaseModel)

MAX_BODY_FAULTS = 100
"""Faults that one answer lists."""
OWN_ERROR = "citepress"
"""Type of the pydantic errors whose message is a sentence of its own, set behind the member's name and a colon."""
_SHOWN = 60
"""Characters of an unknown name that a sentence repeats."""


class InvalidArgumentsError(CitepressError):
    """Arguments that do not fit their model: every fault of a body, a query or a tool call."""

    def __init__(self, faults: Iterable[ProblemError], nearest: Iterable[str] = ()) -> None:
        """``nearest`` are ids close to one that no record has."""
        self.faults = tuple(faults)
        self.nearest = tuple(nearest)
        super().__init__(" ".join(fault.detail for fault in self.faults))

    @property
    def summary(self) -> str:
        """The only fault, or how many there are."""
        return self.faults[0].detail if len(self.faults) == 1 else f"{len(self.faults)} faults; errors lists them."


def read_body(model: type[M], raw: object, context: object = None) -> M:
    """The body as its model (specification, "Errors").

    ``context`` is what validators of the model may ask, such as which records exist.
    Raises ``InvalidArgumentsError`` with every fault, answered with 422.
    """
    if not isinstance(raw, dict):
        raise InvalidArgumentsError([ProblemError(detail="The body must be a JSON object.", pointer="")])
    try:
        return model.model_validate(raw, context=context)
    except ValidationError as error:
        details = error.errors(include_url=False)[:MAX_BODY_FAULTS]
        nearest = [id_ for detail in details for id_ in detail.get("ctx", {}).get("nearest", ())]
        raise InvalidArgumentsError((_fault(detail, model) for detail in details), nearest) from None


def duplicate_names(error: DuplicateNameError) -> InvalidArgumentsError:
    """The names that a body repeats, each at its JSON Pointer (answered with 422)."""
    return InvalidArgumentsError(
        ProblemError(detail=f"{_named(location)} is given more than once; keep one of them.", pointer=pointer(location))
        for location in error.locations
    )


def faults_of(error: ValidationError, model: type[BaseModel]) -> Iterator[tuple[str, str, ErrorDetails]]:
    """Each fault: the member's name, what is wrong with it in words, and pydantic's own description."""
    for detail in error.errors(include_url=False)[:MAX_BODY_FAULTS]:
        yield _named(detail["loc"]), _words(detail, detail["loc"], model), detail


def pointer(location: Location) -> str:
    """The JSON Pointer (RFC 6901) of a location: ``/evidence_urls/2``."""
    return "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in location)


def _fault(detail: ErrorDetails, model: type[BaseModel]) -> ProblemError:
    location = detail["loc"]
    separator = ": " if detail["type"] == OWN_ERROR else " "
    words = f"{_named(location)}{separator}{_words(detail, location, model)}"
    return ProblemError(detail=words if words.endswith(("?", ".")) else f"{words}.", pointer=pointer(location))


def _named(location: Location) -> str:
    """``evidence_urls[2]``; a name that only the client knows is shortened and made harmless."""
    parts = (f"[{step}]" if isinstance(step, int) else "." + re.sub(r"[^\w-]", "?", step)[:_SHOWN] for step in location)
    return "".join(parts).removeprefix(".")


def _words(detail: ErrorDetails, location: Location, model: type[BaseModel]) -> str:
    error, context = detail["type"], detail.get("ctx", {})
    if error == OWN_ERROR:
        return detail["msg"]
    if error == "extra_forbidden":
        names = known_names(model, location[:-1])
        hint = did_you_mean(str(location[-1])[:_SHOWN], names) or f"the members here are {sentence_list(names)}"
        return f"is not known; {hint}"
    if error == "value_error":
        return str(context.get("error", detail["msg"]))
    return requirement(error, context, JSON_TYPES) or f"is wrong: {detail['msg']}"
