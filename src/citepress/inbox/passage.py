"""Passages of a record's file: located by a quotation or by the name of a field, and replaced."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from citepress.base.errors import CitepressError
from citepress.base.text import bounded
from citepress.content import yaml_loader
from citepress.content.validation_messages import dotted
from citepress.contract.refs import Location
from citepress.inbox.patch import Parts, apart

TEXT = "text"
"""The name of the place below the front matter; a passage there is ``text:LINE:COLUMN``."""
ASIDE = frozenset({"updates", "corrections", "revisions", "credits", "sources", "extra", "aliases"})
"""Front matter that describes the record's history or is not part of its text."""
SHOWN = 240
_GAP = r"[\s*_`>]+"
"""What may separate two words of a quotation: line ends, emphasis marks and block quote marks."""
_MARKS = re.compile(r"[*_`]")
_RUN, _RUN_BEFORE = re.compile(r"[*_`]+"), re.compile(r"[*_`]+$")
_BREAK = re.compile(r"\n[ \t\r]*\n")
Scalar = str | int | float | bool | None


class PassageError(CitepressError, ValueError):
    """The passage cannot be found or changed; the message says why and what to do."""


@dataclass(frozen=True, slots=True)
class Passage:
    """A part of a record's text that matches a quotation."""

    at: str
    """``text:LINE:COLUMN``, or the name of a field such as ``claims[0].text``."""
    words: str
    """The text as it is in the file; of a field the matching part, or all of it."""
    around: str
    """The paragraph, or the whole value."""

    def __str__(self) -> str:
        return f"{self.at}  “{bounded(' '.join(self.around.split()), SHOWN)}”"


@dataclass(frozen=True, slots=True)
class Edit:
    """One change to a record's text; stored with the acceptance."""

    at: str
    old: Any
    """The old text, or the whole value of the field."""
    new: Any


def passages(text: str, quote: str) -> tuple[Passage, ...]:
    """Every place of a file that matches a quotation, fields first.

    Raises ``Unpatchable`` if the file has no front matter.
    """
    wanted = _pattern(quote)
    return () if wanted is None else tuple(_matches(apart(text), wanted))


def field(text: str, name: str) -> Passage | None:
    """The whole value of a field, by its name. Raises ``Unpatchable``."""
    for location, value in _values(apart(text)):
        if dotted(location) == name:
            return Passage(name, str(value), str(value))
    return None


def edits(text: str, quote: str, at: Iterable[str], words: str) -> tuple[tuple[Edit, Passage], ...]:
    """The edits that replace a quotation with ``words``: at its only place, at the named ones, or at ``every`` place.

    A named field that does not match the quotation is replaced as a whole. Raises ``PassageError`` and ``Unpatchable``.
    """
    wanted = _pattern(quote)
    matches = passages(text, quote)
    chosen = tuple(_chosen(text, matches, tuple(at)))
    planned = tuple((_edit(text, passage, wanted, words), passage) for passage in chosen)
    if unchanged := next((edit for edit, _ in planned if edit.old == edit.new), None):
        raise PassageError(f"{unchanged.at} already reads so: nothing would change")
    return planned


def _chosen(text: str, matches: tuple[Passage, ...], at: tuple[str, ...]) -> Iterator[Passage]:
    if "every" in at and matches:
        yield from matches
        return
    if not at:
        if not matches:
            raise PassageError("the passage is not in the record: quote it with --passage, or name a field with --at")
        if len(matches) > 1:
            places = ", ".join(match.at for match in matches)
            raise PassageError(f"the passage occurs at {len(matches)} places: choose with --at ({places}, every)")
        yield matches[0]
        return
    for name in at:
        here = [match for match in matches if match.at == name or match.at.startswith(f"{name}:")]
        whole = None if here else field(text, name)
        if len(here) > 1 or not (here or whole):
            places = ", ".join(match.at for match in matches) or "none"
            raise PassageError(
                f"--at {name} does not name exactly one place: the passage occurs at {places}; a field is named like"
                " claims[0].text"
            )
        yield here[0] if here else whole  # type: ignore[misc]


def _edit(text: str, passage: Passage, wanted: re.Pattern[str] | None, words: str) -> Edit:
    if passage.at.startswith(f"{TEXT}:"):
        return Edit(passage.at, passage.words, words)
    old = next(value for location, value in _values(apart(text)) if dotted(location) == passage.at)
    return Edit(passage.at, old, _new_value(passage, old, wanted, words))


def _new_value(passage: Passage, old: Scalar, wanted: re.Pattern[str] | None, words: str) -> Scalar:
    """The value with the replacement in it; a number stays a number."""
    if isinstance(old, str):
        here = wanted.search(old) if wanted else None
        start, end = _balanced(old, here) if here else (0, len(old))
        return old[:start] + words + old[end:]
    try:
        new = yaml_loader.load(f"{words}\n")
    except yaml_loader.YamlFault:
        new = words
    number = isinstance(old, int | float) and not isinstance(old, bool)
    if number != (isinstance(new, int | float) and not isinstance(new, bool)) or isinstance(old, bool) != isinstance(
        new, bool
    ):
        raise PassageError(
            f"{passage.at} is {'a number' if number else 'true or false'}: {bounded(words, 60)!r} is not"
        )
    return new  # type: ignore[return-value]


def changed(text: str, edits_: Iterable[Edit]) -> tuple[str, dict[Location, Scalar]]:
    """The text below the front matter with its edits, and the new values of fields.

    Raises ``PassageError`` if the text that an edit replaces is no longer there.
    """
    parts = apart(text)
    values = {dotted(location): (location, value) for location, value in _values(parts)}
    below, given = parts.below, dict[Location, Scalar]()
    for edit in sorted(edits_, key=_position, reverse=True):
        if edit.at.startswith(f"{TEXT}:"):
            below = _replaced(parts, below, edit)
        elif edit.at in values and values[edit.at][1] == edit.old:
            given[values[edit.at][0]] = edit.new
        else:
            raise PassageError(f"{edit.at} has changed since: read the record again")
    return below, given


def _position(edit: Edit) -> tuple[int, ...]:
    """The sort key of an edit: later places come first, so that an edit does not shift those still to come."""
    return tuple(map(int, edit.at.split(":")[1:])) if edit.at.startswith(f"{TEXT}:") else (0,)


def _replaced(parts: Parts, below: str, edit: Edit) -> str:
    words = str(edit.new).replace("\n", parts.newline)
    starts = [occurrence.start() for occurrence in re.finditer(re.escape(edit.old), below)]
    named = [start for start in starts if _label(parts, below, start) == edit.at]
    if len(starts) != 1 and not named:
        raise PassageError(f"{edit.at} has changed since: read the record again")
    start = named[0] if named else starts[0]
    return below[:start] + words + below[start + len(edit.old) :]


def _label(parts: Parts, below: str, start: int) -> str:
    return f"{TEXT}:{parts.line + below.count(chr(10), 0, start)}:{start - below.rfind(chr(10), 0, start)}"


def _pattern(quote: str) -> re.Pattern[str] | None:
    words = _MARKS.sub(" ", quote).split()
    return re.compile(_GAP.join(map(re.escape, words))) if words else None


def _matches(parts: Parts, wanted: re.Pattern[str]) -> Iterator[Passage]:
    for location, value in _values(parts):
        if isinstance(value, str) and (here := wanted.search(value)):
            start, end = _balanced(value, here)
            yield Passage(dotted(location), value[start:end], value)
    for here in wanted.finditer(parts.below):
        start, end = _balanced(parts.below, here)
        yield Passage(_label(parts, parts.below, start), parts.below[start:end], _paragraph(parts.below, start, end))


def _balanced(text: str, here: re.Match[str]) -> tuple[int, int]:
    """The span of a quotation, including an emphasis mark at either end whose counterpart is inside."""
    start, end = here.span()
    inside = _RUN.findall(here[0])
    before, after = _RUN_BEFORE.search(text, max(0, start - 3), start), _RUN.match(text, end)
    if before and inside.count(before[0]) % 2:
        return start - len(before[0]), end
    return (start, end + len(after[0])) if after and inside.count(after[0]) % 2 else (start, end)


def _paragraph(text: str, start: int, end: int) -> str:
    before = [gap.end() for gap in _BREAK.finditer(text, 0, start)]
    after = _BREAK.search(text, end)
    return text[before[-1] if before else 0 : after.start() if after else len(text)].strip("\r\n")


def _values(parts: Parts) -> Iterator[tuple[Location, Scalar]]:
    """Every scalar of the front matter that is part of the record's text."""
    for key, value in parts.values.items():
        if key not in ASIDE:
            yield from _scalars((key,), value)


def _scalars(at: Location, value: Any) -> Iterator[tuple[Location, Scalar]]:  # noqa: ANN401
    if isinstance(value, dict):
        for key, member in value.items():
            yield from _scalars((*at, key), member)
    elif isinstance(value, list):
        for place, member in enumerate(value):
            yield from _scalars((*at, place), member)
    elif value is not None:
        yield at, value
