"""What changed between two revisions, member by member and word by word, within a bound of work."""

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from typing import Any, Literal

import orjson

from citepress.edition.revisions.models import MemberComparison, WordOperation

MAX_COMPARED_LINES = 500
"""Lines between two that both texts have once which are compared with each other; more of them are replaced."""
PAIRS = 250_000
"""Pairs of words that are compared in all; behind that, lines that differ are replaced as a whole."""
RUNS = 2_000
"""Runs of words in all; behind that, lines that differ are replaced as a whole, all that follow each other at once."""
_WORD = re.compile(r"\w+\s*|[^\w\s]\s*|\s+")
_LINE = re.compile(r"[^\n]*\n|[^\n]+")
Op = Literal["equal", "delete", "insert"]
Run = tuple[Op, str]
"""An operation and its text."""


def compared(former: Mapping[str, Any], later: Mapping[str, Any]) -> list[MemberComparison]:
    """The members that differ, those of the later revision first."""
    words = _Words()
    changes = []
    for member in dict.fromkeys((*later, *former)):
        before, now = former.get(member), later.get(member)
        if before != now:
            runs = _joined(words.runs(_shown(before), _shown(now)))
            operations = [WordOperation.model_construct(op=op, text=text) for op, text in runs]
            changes.append(MemberComparison.model_construct(member=member, operations=operations))
    return changes


def _shown(value: object) -> str:
    """A value as text: JSON over several lines for what is no text."""
    if value is None or value == []:
        return ""
    return value if isinstance(value, str) else orjson.dumps(value, option=orjson.OPT_INDENT_2).decode()


class _Words:
    """Compares texts, and counts what that took."""

    def __init__(self) -> None:
        self.left = PAIRS
        self.runs_left = RUNS

    def runs(self, before: str, now: str) -> Iterator[Run]:
        """The runs of words that lead from one text to another."""
        for op, was, becomes in _line_steps(_LINE.findall(before), _LINE.findall(now)):
            if op == "replace" and len(was) == len(becomes):
                yield from self._lines(was, becomes)
            elif op == "replace":
                yield from self._words("".join(was), "".join(becomes))
            else:
                yield from _run(op, was, becomes)

    def _lines(self, was: Sequence[str], becomes: Sequence[str]) -> Iterator[Run]:
        """The runs of as many lines on both sides, each compared with its counterpart while the bound allows it."""
        for place, (line, other) in enumerate(zip(was, becomes, strict=True)):
            if self.runs_left <= 0:
                yield from _run("replace", was[place:], becomes[place:])
                return
            yield from self._words(line, other)

    def _words(self, before: str, now: str) -> Iterator[Run]:
        """The runs of words of two passages; the whole of both where these would be too many."""
        # The end of both lines stays, so that what came stands on the line of what went.
        end = "\n" if before.endswith("\n") and now.endswith("\n") else ""
        steps = self._word_runs(before.removesuffix(end), now.removesuffix(end))
        runs = [run for run in (*steps, ("equal", end)) if run[1]]
        if len(runs) > self.runs_left:
            runs = [("delete", before), ("insert", now)]
        self.runs_left -= len(runs)
        yield from runs

    def _word_runs(self, before: str, now: str) -> Iterator[Run]:
        was, becomes = _WORD.findall(before), _WORD.findall(now)
        self.left -= (cost := len(was) * len(becomes))
        if self.left < 0:
            self.left += cost
            yield from (("delete", before), ("insert", now))
            return
        for op, *parts in _steps(was, becomes, PAIRS):
            yield from _run(op, *parts)


def _line_steps(before: Sequence[str], now: Sequence[str]) -> Iterator[tuple[str, Sequence[str], Sequence[str]]]:
    """What to do with lines of one text to get the other, in time that grows with their number and not its square.

    Lines that both texts have once and in the same order stay ("patience diff", Bram Cohen); what lies between is
    compared by itself.
    """
    x = y = 0
    for line, counterpart in _anchors(before, now):
        yield from _steps(before[x:line], now[y:counterpart], MAX_COMPARED_LINES)
        yield "equal", before[line : line + 1], now[counterpart : counterpart + 1]
        x, y = line + 1, counterpart + 1
    yield from _steps(before[x:], now[y:], MAX_COMPARED_LINES)


def _anchors(before: Sequence[str], now: Sequence[str]) -> list[tuple[int, int]]:
    """The places of the most lines that both texts have once and in the same order."""
    counts, others = Counter(before), Counter(now)
    places = {line: place for place, line in enumerate(now) if others[line] == 1}
    pairs = [(place, places[line]) for place, line in enumerate(before) if counts[line] == 1 and line in places]
    # The longest rising sequence: of each length the one that ends lowest, and before each pair the one it follows.
    ends: list[int] = []
    heads: list[int] = []
    former: list[int] = []
    for number, (_, place) in enumerate(pairs):
        length = bisect_left(ends, place)
        former.append(heads[length - 1] if length else -1)
        ends[length : length + 1], heads[length : length + 1] = [place], [number]
    chosen: list[tuple[int, int]] = []
    number = heads[-1] if heads else -1
    while number >= 0:
        chosen.append(pairs[number])
        number = former[number]
    return chosen[::-1]


def _steps(before: Sequence[str], now: Sequence[str], most: int) -> Iterator[tuple[str, Sequence[str], Sequence[str]]]:
    """What to do with parts of one sequence to get the other; the ends that both share are found first."""
    shortest = min(len(before), len(now))
    head = next((place for place in range(shortest) if before[place] != now[place]), shortest)
    rest = shortest - head
    tail = next((place for place in range(rest) if before[-1 - place] != now[-1 - place]), rest)
    was, becomes = before[head : len(before) - tail], now[head : len(now) - tail]
    yield "equal", before[:head], now[:head]
    if max(len(was), len(becomes)) > most:
        yield "replace", was, becomes
    else:
        for op, a, b, c, d in SequenceMatcher(None, was, becomes).get_opcodes():
            yield op, was[a:b], becomes[c:d]
    yield "equal", before[len(before) - tail :], now[len(now) - tail :]


def _run(op: str, was: Sequence[str], becomes: Sequence[str]) -> Iterator[Run]:
    if op == "equal":
        yield "equal", "".join(was)
    else:
        yield "delete", "".join(was)
        yield "insert", "".join(becomes)


def _joined(runs: Iterator[Run]) -> Iterator[Run]:
    """The runs without empty ones; those that follow each other with the same operation are one."""
    held: list[str] = []
    last: Op = "equal"
    for op, text in runs:
        if not text:
            continue
        if op != last and held:
            yield last, "".join(held)
            held = []
        last = op
        held.append(text)
    if held:
        yield last, "".join(held)
