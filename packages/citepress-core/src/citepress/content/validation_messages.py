"""Values that do not fit their model, reported to the author who has to correct them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from citepress.base.text import nearest, sentence_list
from citepress.content.source_map import SourceFile
from citepress.content.value_hints import date_hint, value_hint
from citepress.contract.fault import BAD_VALUE, MISSING_KEY, UNKNOWN_KEY, Fault, FaultCode
from citepress.contract.model import NOT_A_DATE
from citepress.contract.refs import Location
from citepress.contract.validation import AUTHOR_TYPES, example_at, known_names, requirement, same_member

MAX_ISSUES = 100
"""Faults that are reported of one file."""
NOT_A_KEY = "is not a known key"
_SHOWN = 80
"""Characters of a value that a message repeats."""


@dataclass(frozen=True, slots=True)
class ValidationIssue:
    """A value that does not fit its model."""

    location: Location
    code: FaultCode
    message: str
    hint: str = ""
    key: bool = False
    """Whether the key is at fault, not its value."""
    meant: str = ""
    """The key that was meant instead."""

    def fault(self, source_file: SourceFile) -> Fault:
        """The issue as a fault of this file."""
        name = dotted(self.location)
        message = f"{name}: {self.message}" if name else self.message
        return Fault.at(self.code, source_file.locate(self.location, key=self.key), message, self.hint)


def dotted(location: Location) -> str:
    """``sources[2].url`` for ``("sources", 2, "url")``."""
    parts = (f"[{step}]" if isinstance(step, int) else f".{step}" for step in location)
    return "".join(parts).removeprefix(".")


def validation_issues(error: ValidationError, model: type[BaseModel], raw: object) -> tuple[ValidationIssue, ...]:
    """Every fault of a validation in plain words, at the places of the raw value, once where a union has it twice."""
    fitting: dict[Location, ValidationIssue] = {}
    others: dict[Location, ValidationIssue] = {}
    for detail in error.errors(include_url=False):
        location, fits = _real(detail["loc"], raw, absent=detail["type"] == "missing")
        (fitting if fits else others).setdefault(location, _issue(detail, location, model))
    # What other branches of a union say counts only where the branch that was meant says nothing.
    reported = {location[:length] for location in fitting for length in range(len(location) + 1)}
    fitting |= {location: issue for location, issue in others.items() if location not in reported}
    misspelt = [(*issue.location[:-1], issue.meant) for issue in fitting.values() if issue.meant]
    issues = (
        issue
        for issue in fitting.values()
        if issue.code is not MISSING_KEY or not any(same_member(model, issue.location, meant) for meant in misspelt)
    )
    return tuple(islice(issues, MAX_ISSUES))


def _real(location: Sequence[str | int], raw: object, *, absent: bool) -> tuple[Location, bool]:
    """The location without the names of union branches, and whether the branch fits what was written."""
    steps: list[str | int] = []
    here, fits = raw, True
    for place, step in enumerate(location):
        if isinstance(here, Mapping) and (step in here or (absent and place == len(location) - 1)):
            steps.append(step)
            here = here.get(step)
        elif isinstance(here, list) and isinstance(step, int) and step < len(here):
            steps.append(step)
            here = here[step]
        else:
            fits = isinstance(here, Mapping) == (isinstance(step, str) and step[:1].isupper())
    return tuple(steps), fits


def _issue(detail: ErrorDetails, location: Location, model: type[BaseModel]) -> ValidationIssue:
    error, written, context = detail["type"], detail["input"], detail.get("ctx", {})
    if error == "extra_forbidden":
        return _unknown_key(location, model)
    if error == "missing":
        hint = f"add `{location[-1]}:`" if location else ""
        return ValidationIssue(location, MISSING_KEY, "a required key is missing", hint)
    if error == "value_error":
        reason = str(context.get("error", detail["msg"]))
        return ValidationIssue(location, BAD_VALUE, reason, date_hint(written) if NOT_A_DATE in reason else "")
    if error == "string_pattern_mismatch":
        hint = _as_in(model, location) or f"the pattern is {context['pattern']}"
        return ValidationIssue(location, BAD_VALUE, f"{brief(written)} is not in the expected form", hint)
    if wanted := requirement(error, context, AUTHOR_TYPES):
        message = wanted if wanted == "must not be empty" else f"{wanted}, not {_compared(error, written)}"
        hint = value_hint(error, written, context, known_names(model, location)) or _as_in(model, location)
        return ValidationIssue(location, BAD_VALUE, message, hint)
    return ValidationIssue(location, BAD_VALUE, detail["msg"][:1].lower() + detail["msg"][1:])


def _as_in(model: type[BaseModel], location: Location) -> str:
    example = example_at(model, location)
    return f"write it as in {example}" if example else ""


def _unknown_key(location: Location, model: type[BaseModel]) -> ValidationIssue:
    names, word = known_names(model, location[:-1]), str(location[-1])
    if word in names:
        message = "is another name of a key that is there too"
        return ValidationIssue(location, UNKNOWN_KEY, message, "keep one of them", key=True)
    if close := nearest(word, names, 1) or nearest(word.lower(), names, 1):
        hint = f'did you mean "{close[0]}"?'
        return ValidationIssue(location, UNKNOWN_KEY, NOT_A_KEY, hint, key=True, meant=close[0])
    free = "; free keys belong under extra:" if "extra" in names else ""
    hint = f"the keys here are {sentence_list(names)}{free}"
    return ValidationIssue(location, UNKNOWN_KEY, NOT_A_KEY, hint[:400], key=True)


def _compared(error: str, written: object) -> str:
    """What was written, as far as it bears on the requirement: its length, or itself."""
    if error.endswith(("too_long", "too_short")) and isinstance(written, str | list):
        return f"{len(written):,}"
    return brief(written)


def brief(value: object) -> str:
    """A value in a sentence: short, on one line, named where it has no short form."""
    if value is None:
        return "an empty value"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, Mapping | list):
        return "a list" if isinstance(value, list) else "a mapping"
    text = repr(value)
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 4]}…'"
