"""Passages of a record's file: located by a quotation or by the name of a field, and replaced."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from citepress.base.text import bounded
from citepress.content import yaml_loader
from citepress.content.validation_messages import dotted
from citepress.contract.refs import Location
from citepress_inbox.patch import Parts, apart
from citepress_inbox.ports import AdvisedError

TEXT_PLACE = "text"
"""The name of the place below the front matter; a passage there is ``text:LINE:COLUMN``."""
ASIDE = frozenset({"updates", "corrections", "revisions", "credits", "sources", "extra", "aliases"})
"""Front matter that describes the record's history or is not part of its text."""
TELLING = 5
"""Characters of replaced words by which a quote is known to be about the same; a number may be shorter."""
QUOTE = "quote"
"""The member of a claim that repeats the words of its source."""
MAX_PASSAGE_CHARS = 240
_LINK_END = r'\](?:\([^()\s]*(?:\([^()\s]*\)[^()\s]*)*(?:\s+"[^"]*")?\)|\[[^\]\n]*\])'
"""What follows the words of a link: its address and title, or its reference."""
_UNREAD = rf"[*_`\[]|{_LINK_END}|\[\^[^\]\s]+\]|\]"
"""What readers do not see: emphasis marks, the marks of links, and references to notes."""
_GAP = rf"(?:[\s>]|{_UNREAD})+"
"""What may separate two words of a quotation: line ends and block quote marks too."""
_INSIDE = rf"(?:{_UNREAD})*"
"""What may stand between the letters and the punctuation of a word."""
_TOKEN = re.compile(r"\w+|[^\w\s]")
_BRACKET = re.compile(rf"\[\^[^\]\s]+\]|(?P<open>\[)|(?P<close>{_LINK_END})|(?P<plain>\])")
_LINK_CLOSE = re.compile(_LINK_END)
_MARKS = re.compile(r"[*_`]")
_RUN, _RUN_BEFORE = re.compile(r"[*_`]+"), re.compile(r"[*_`]+$")
_BREAK = re.compile(r"\n[ \t\r]*\n")
_LINK_REST = re.compile(r"(?:[^\[\]\n]|\n(?![ \t\r]*\n))*\][(\[]")
"""The words of a link that follow, and what ends them."""
Scalar = str | int | float | bool | None


class PassageError(AdvisedError):
    """The passage cannot be found or changed; the message says why."""


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
        return f"{self.at}  “{bounded(' '.join(self.around.split()), MAX_PASSAGE_CHARS)}”"


@dataclass(frozen=True, slots=True)
class Edit:
    """One change to a record's text; stored with the acceptance."""

    at: str
    old: Any
    """The old text, or the whole value of the field."""
    new: Any


def passages(text: str, quote: str) -> tuple[Passage, ...]:
    """Every place of a file that matches a quotation, fields first.

    Raises ``Unpatchable`` if its front matter cannot be read.
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
    chosen = tuple(_chosen(text, matches, tuple(at), wanted))
    planned = tuple((_edit(text, passage, wanted, words), passage) for passage in chosen)
    if unchanged := next((edit for edit, _ in planned if edit.old == edit.new), None):
        raise PassageError(f"{unchanged.at} already reads so: nothing would change")
    return planned


def _chosen(
    text: str, matches: tuple[Passage, ...], at: tuple[str, ...], wanted: re.Pattern[str] | None
) -> Iterator[Passage]:
    if "every" in at and matches:
        yield from matches
        return
    if not at:
        if not matches:
            way = "quote it with --passage, or name a field with --at"
            if wanted and wanted.search(apart(text).below):
                way = "quote it with the whole words of the link with --passage"
                raise PassageError("the passage begins or ends inside the words of a link", way)
            raise PassageError("the passage is not in the record", way)
        if len(matches) > 1:
            places = ", ".join(match.at for match in matches)
            raise PassageError(f"the passage occurs at {len(matches)} places", f"choose with --at ({places}, every)")
        yield matches[0]
        return
    for name in at:
        here = [match for match in matches if match.at == name or match.at.startswith(f"{name}:")]
        whole = None if here else field(text, name)
        if len(here) > 1 or not (here or whole):
            places = ", ".join(match.at for match in matches) or "none"
            raise PassageError(
                f"{name} does not name exactly one place; the passage occurs at {places}, and a field is named like"
                " claims[0].text"
            )
        yield here[0] if here else whole  # type: ignore[misc]


def _edit(text: str, passage: Passage, wanted: re.Pattern[str] | None, words: str) -> Edit:
    if passage.at.startswith(f"{TEXT_PLACE}:"):
        return Edit(passage.at, passage.words, words)
    old = next(value for location, value in _values(apart(text)) if dotted(location) == passage.at)
    return Edit(passage.at, old, _new_value(passage, old, wanted, words))


def _new_value(passage: Passage, old: Scalar, wanted: re.Pattern[str] | None, words: str) -> Scalar:
    """The value with the replacement in it; a number stays a number."""
    if isinstance(old, str):
        here = wanted.search(old) if wanted else None
        start, end = (here and _balanced(old, here)) or (0, len(old))
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


def apply_change(text: str, edits_: Iterable[Edit]) -> tuple[str, dict[Location, Scalar]]:
    """The text below the front matter with its edits, and the new values of fields.

    Raises ``PassageError`` if the text that an edit replaces is no longer there.
    """
    parts = apart(text)
    values = {dotted(location): (location, value) for location, value in _values(parts)}
    below, given = parts.below, dict[Location, Scalar]()
    for edit in sorted(edits_, key=_position, reverse=True):
        if edit.at.startswith(f"{TEXT_PLACE}:"):
            below = _replaced(parts, below, edit)
        elif edit.at in values and values[edit.at][1] == edit.old:
            given[values[edit.at][0]] = edit.new
        else:
            raise PassageError(f"{edit.at} has changed since: read the record again")
    return below, given


def misfits(text: str, edits_: Iterable[Edit]) -> Iterator[tuple[str, str]]:
    """Quotes of claims that may no longer fit after edits to the record: the name of each, and its words.

    A quote is named where its claim was edited and it was not, or where it holds the words that were replaced.
    """
    quotes = {dotted(location): value for location, value in _values(apart(text)) if location[-1] == QUOTE}
    edited = tuple(edits_)
    for name, value in quotes.items():
        claim = name.removesuffix(QUOTE)
        at = {edit.at for edit in edited}
        beside = any(place.startswith(claim) for place in at)
        holds = any(_holds(str(value), str(edit.old), str(edit.new)) for edit in edited)
        if name not in at and (beside or holds):
            yield name, str(value)


def _holds(quote: str, old: str, new: str) -> bool:
    """Whether a quote has the words that an edit replaced, and not those in their place."""
    before, after = old.split(), new.split()
    while before and after and before[0] == after[0]:
        del before[0], after[0]
    while before and after and before[-1] == after[-1]:
        del before[-1], after[-1]
    words = " ".join(before).strip(".,;:")
    telling = len(words) >= TELLING or any(char.isdigit() for char in words)
    return telling and _has(quote, words) and not (after and _has(quote, " ".join(after)))


def _has(text: str, words: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(words)}(?!\w)", " ".join(text.split()), re.IGNORECASE) is not None


def _position(edit: Edit) -> tuple[int, ...]:
    """The sort key of an edit: later places come first, so that an edit does not shift those still to come."""
    return tuple(map(int, edit.at.split(":")[1:])) if edit.at.startswith(f"{TEXT_PLACE}:") else (0,)


def _replaced(parts: Parts, below: str, edit: Edit) -> str:
    words = str(edit.new).replace("\n", parts.newline)
    starts = [occurrence.start() for occurrence in re.finditer(re.escape(edit.old), below)]
    named = [start for start in starts if _label(parts, below, start) == edit.at]
    if len(starts) != 1 and not named:
        raise PassageError(f"{edit.at} has changed since: read the record again")
    start = named[0] if named else starts[0]
    return below[:start] + words + below[start + len(edit.old) :]


def _label(parts: Parts, below: str, start: int) -> str:
    return f"{TEXT_PLACE}:{parts.line + below.count(chr(10), 0, start)}:{start - below.rfind(chr(10), 0, start)}"


def _pattern(quote: str) -> re.Pattern[str] | None:
    words = _MARKS.sub(" ", quote).split()
    parts = (_INSIDE.join(map(re.escape, _TOKEN.findall(word))) for word in words)
    return re.compile(_GAP.join(parts)) if words else None


def _matches(parts: Parts, wanted: re.Pattern[str]) -> Iterator[Passage]:
    for location, value in _values(parts):
        if isinstance(value, str) and (here := wanted.search(value)) and (span := _balanced(value, here)):
            start, end = span
            yield Passage(dotted(location), value[start:end], value)
    for here in wanted.finditer(parts.below):
        if span := _balanced(parts.below, here):
            start, end = span
            yield Passage(
                _label(parts, parts.below, start), parts.below[start:end], _paragraph(parts.below, start, end)
            )


def _balanced(text: str, here: re.Match[str]) -> tuple[int, int] | None:
    """The span of a quotation with the marks at its ends whose counterparts are inside; ``None`` if it cuts a link."""
    span = _with_links(text, *here.span())
    return span and _with_emphasis(text, *span)


def _with_links(text: str, start: int, end: int) -> tuple[int, int] | None:
    """The span with the other half of a link that begins or ends with it; ``None`` if it cuts the words of a link."""
    opened = closed = 0
    for bracket in _BRACKET.finditer(text, start, end):
        if bracket["open"]:
            opened += 1
        elif opened and (bracket["close"] or bracket["plain"]):
            opened -= 1
        elif bracket["close"]:
            closed += 1
    for _ in range(closed):
        before = _RUN_BEFORE.search(text, max(0, start - 3), start)
        start = before.start() if before else start
        if text[start - 1 : start] != "[":
            return None
        start -= 1
    for _ in range(opened):
        after = _RUN.match(text, end)
        link_end = _LINK_CLOSE.match(text, after.end() if after else end)
        if link_end:
            end = link_end.end()
        elif _LINK_REST.match(text, end):
            return None
    return start, end


def _with_emphasis(text: str, start: int, end: int) -> tuple[int, int]:
    """The span with an emphasis mark at either end whose counterpart is inside."""
    inside = _RUN.findall(text[start:end])
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
