"""Faults that types find, in the words of the person who has to mend them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, get_args

from pydantic import AliasChoices, BaseModel, ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails

from citepress.base.text import did_you_mean, nearest, sentence_list
from citepress.content.source_map import SourceFile
from citepress.contract.fault import BAD_VALUE, MISSING_KEY, UNKNOWN_KEY, Fault, FaultCode
from citepress.contract.refs import Location

SLIPS = 100
"""Faults that are told of one file."""
_BOUNDS = {"greater_than_equal": "below", "less_than_equal": "above", "greater_than": "not above", "less_than": "not below"}
_LIMITS = {"greater_than_equal": "ge", "less_than_equal": "le", "greater_than": "gt", "less_than": "lt"}
_WANTED = {
    "string": "text", "int": "a whole number", "float": "a number", "bool": "true or false", "list": "a list", "dict": "a mapping of keys",
    "model": "a mapping of keys",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class ValidationIssue:
    """A value that does not fit its model."""

    location: Location
    code: FaultCode
    message: str
    hint: str = ""
    key: bool = False
    """Whether the key is at fault, not its value."""

    def fault(self, manuscript: SourceFile) -> Fault:
        """The slip as a fault of this file."""
        name = dotted(self.location)
        message = f"{name}: {self.message}" if name else self.message
        return Fault.at(self.code, manuscript.locate(self.location, key=self.key), message, self.hint)


def dotted(location: Location) -> str:
    """``sources[2].url`` for ``("sources", 2, "url")``."""
    parts = (f"[{step}]" if isinstance(step, int) else f".{step}" for step in location)
    return "".join(parts).removeprefix(".")


def validation_issues(error: ValidationError, model: type[BaseModel], raw: object) -> tuple[ValidationIssue, ...]:
    """Every fault of a validation in plain words, at the places of the raw value; unions told once."""
    found: dict[Location, ValidationIssue] = {}
    aside: dict[Location, ValidationIssue] = {}
    for detail in error.errors(include_url=False):
        location, fits = _real(detail["loc"], raw, absent=detail["type"] == "missing")
        (found if fits else aside).setdefault(location, _slip(detail, location, model))
    told = {location[:length] for location in found for length in range(len(location) + 1)}
    found |= {location: slip for location, slip in aside.items() if location not in told}
    return tuple(found.values())[:SLIPS]


def _real(location: Sequence[str | int], raw: object, *, absent: bool) -> tuple[Location, bool]:
    """The location without the names of union branches, and whether the branch fits what was written."""
    steps: list[str | int] = []
    value, fits = raw, True
    for place, step in enumerate(location):
        if isinstance(value, Mapping) and (step in value or (absent and place == len(location) - 1)):
            steps.append(step)
            value = value.get(step)
        elif isinstance(value, list) and isinstance(step, int) and step < len(value):
            steps.append(step)
            value = value[step]
        else:
            fits = isinstance(value, Mapping) == (isinstance(step, str) and step[:1].isupper())
    return tuple(steps), fits


def _slip(detail: ErrorDetails, location: Location, model: type[BaseModel]) -> ValidationIssue:
    sort = detail["type"]
    if sort == "extra_forbidden":
        known = known_keys(model, location[:-1])
        word = str(location[-1])
        if word in known:
            return ValidationIssue(location, UNKNOWN_KEY, "stands beside another name of the same key", "keep one of them", key=True)
        hint = did_you_mean(word, known) or f"the keys here are {sentence_list(known)}; free keys belong under extra:"
        return ValidationIssue(location, UNKNOWN_KEY, "is no known key", hint[:400], key=True)
    if sort == "missing":
        return ValidationIssue(location, MISSING_KEY, "a required key is missing", f"add `{location[-1]}:`" if location else "")
    if sort == "string_pattern_mismatch" and (example := _example(model, location)):
        return ValidationIssue(location, BAD_VALUE, f"{brief(detail['input'])} is not written as it has to be", f"write it as in {example}")
    return ValidationIssue(location, BAD_VALUE, *_worded(sort, detail["input"], detail.get("ctx", {}), detail["msg"]))


def _worded(sort: str, value: object, context: dict[str, Any], message: str) -> tuple[str, str]:
    """Message and hint of a value at fault."""
    if sort == "literal_error":
        return _unlisted(value, context)
    if sort == "string_pattern_mismatch":
        return f"{brief(value)} is not written as it has to be", f"the pattern is {context['pattern']}"
    if sort == "value_error":
        return str(context.get("error", message)), ""
    if bounds := _out_of_bounds(sort, value, context):
        return bounds, ""
    if wanted := _WANTED.get(sort.partition("_")[0]):
        quotes = wanted == "text" and isinstance(value, int | float)
        return f"{brief(value)} is not {wanted}", "put it in quotes" if quotes else ""
    return message[:1].lower() + message[1:], ""


def _out_of_bounds(sort: str, value: object, context: dict[str, Any]) -> str:
    if sort in _BOUNDS:
        return f"{value} is {_BOUNDS[sort]} {context[_LIMITS[sort]]}"
    if sort in ("string_too_short", "too_short"):
        return f"holds {_counted(value)}; at least {context['min_length']} are wanted" if value else "is empty"
    if sort in ("string_too_long", "too_long"):
        return f"holds {_counted(value)}; at most {context['max_length']} are allowed"
    return ""


def _unlisted(value: object, context: dict[str, Any]) -> tuple[str, str]:
    expected = str(context["expected"])
    names = [word.strip("' ") for part in expected.split(" or ") for word in part.split(",")]
    close = nearest(str(value), names, 1)
    return f"{brief(value)} is none of {sentence_list(names, 'or')}", f'did you mean "{close[0]}"?' if close else ""


def _counted(value: object) -> str:
    if isinstance(value, str):
        return f"{len(value):,} characters"
    return f"{len(value):,} items" if isinstance(value, list) else "too much"


def brief(value: object) -> str:
    """A value in a sentence: short, on one line, named when it has no short form."""
    if value is None:
        return "an empty value"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, Mapping | list):
        return "a list" if isinstance(value, list) else "a mapping"
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:76]}…'"  # noqa: PLR2004


def known_keys(model: type[BaseModel], location: Location) -> tuple[str, ...]:
    """The keys that an author may write at a location of a model."""
    here: tuple[type[BaseModel], ...] = (model,)
    for step in location:
        if isinstance(step, str):
            here = tuple(inner for outer in here for inner in _members(outer, step))
    return tuple(dict.fromkeys(name for one in here for name in written_names(one)))


@lru_cache(maxsize=512)
def written_names(model: type[BaseModel]) -> tuple[str, ...]:
    """The keys of a model as authors write them, the usual name of each first."""
    names: list[str] = []
    for name, field in model.model_fields.items():
        alias = field.validation_alias
        choices = alias.choices if isinstance(alias, AliasChoices) else [alias or name]
        names += [str(choice) for choice in choices]
    return tuple(names)


def _example(model: type[BaseModel], location: Location) -> str:
    """How the value at a location is written, as its declaration shows it; nothing where it shows nothing."""
    names = [step for step in location if isinstance(step, str)]
    here: tuple[type[BaseModel], ...] = (model,)
    for step in names[:-1]:
        here = tuple(inner for outer in here for inner in _members(outer, step))
    fields = (field for one in here for field in _fields(one, names[-1] if names else ""))
    return next((example for field in fields for example in (*(field.examples or ()), *_examples(field.annotation))), "")


def _examples(annotation: object) -> Iterator[str]:
    """Examples declared inside of an annotation: of the items of a list, of one side of a union."""
    for note in getattr(annotation, "__metadata__", ()):
        yield from getattr(note, "examples", None) or ()
    for part in get_args(annotation):
        yield from _examples(part)


def _members(model: type[BaseModel], name: str) -> Iterator[type[BaseModel]]:
    for field in _fields(model, name):
        yield from _models(field.annotation)


def _fields(model: type[BaseModel], name: str) -> Iterator[FieldInfo]:
    """The member that an author writes under a name."""
    for own, field in model.model_fields.items():
        alias = field.validation_alias
        choices = alias.choices if isinstance(alias, AliasChoices) else [alias or own]
        if name == own or name in choices:
            yield field


def _models(annotation: object) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for part in get_args(annotation):
        yield from _models(part)
