"""The geometry of a timeline: the positions of dots, their names and ticks, in per cent of its width."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from citepress.base.timestamps import MONTHS, day, spoken_day

MARGIN = 3.0
"""Per cent left free at both ends."""
BIN = 2.0
"""Dots closer than so many per cent are stacked."""
LAYERS = 4
"""Dots of one stack that are drawn; more would leave the picture."""
TICKS = 5
STEPS = (1, 2, 3, 6, 12, 24, 60, 120, 240, 600, 1200)
"""Months between ticks."""
MAX_DOTS = 500
"""Dots that are drawn."""
MAX_NAMED_DOTS, MAX_DOT_NAME_CHARS = 5, 16
"""Entries of a timeline that names its dots, at most, and characters of such a name."""
CHARACTER, RIGHT = 2.1, 100.0
"""Per cent of the width that a character of a name takes on a small screen, and where names end."""
AXIS, LAYER, LINE_PX = 48, 11, 15
"""Pixels above the axis of a timeline without names, between dots of a stack, and between lines of names."""
HEAD_PX = 32
"""Pixels that a dot and the lowest line of names take above the axis."""


@dataclass(frozen=True, slots=True)
class Mark:
    """A dot (``layer`` counts from the axis) or a tick (with its label) of a timeline."""

    at: str
    """Distance from the left, as in ``12.50%``."""
    layer: int = 0
    label: str = ""
    anchor: str = "middle"
    line: int = 0
    """Of a name: its line, counted from the axis."""


@dataclass(frozen=True, slots=True)
class Timeline:
    """A timeline ready to be drawn."""

    label: str
    """What it shows, in words."""
    dots: tuple[Mark, ...]
    ticks: tuple[Mark, ...]
    names: tuple[Mark, ...] = ()
    """The names of the dots, where these are few and their names short."""
    against: tuple[Mark, ...] = ()
    """The dots below the axis."""

    @property
    def below(self) -> int:
        """Pixels that the dots below the axis take."""
        return 8 + LAYER * (1 + max(dot.layer for dot in self.against)) if self.against else 0

    @property
    def axis(self) -> int:
        """Pixels from its upper edge to its axis."""
        return max(AXIS, HEAD_PX + self._stacked + LINE_PX * max((name.line for name in self.names), default=0))

    @property
    def foot(self) -> int:
        """Pixels from its upper edge to the lowest line of names."""
        return self.axis - self._stacked - HEAD_PX + LINE_PX - 3

    @property
    def _stacked(self) -> int:
        return LAYER * max(dot.layer for dot in self.dots)


def timeline(entries: Iterable[tuple[datetime | None, str]], against: Sequence[datetime] = ()) -> Timeline | None:
    """The timeline of moments and what happened then; ``None`` where fewer than two different days are known.

    ``against`` are the moments drawn below its axis.
    """
    dated = sorted((moment, words) for moment, words in entries if moment)[:MAX_DOTS]
    moments = [moment for moment, _ in dated]
    other = sorted(against)[:MAX_DOTS]
    ends = sorted([*moments[:1], *moments[-1:], *other[:1], *other[-1:]])
    if not moments or day(ends[0]) == day(ends[-1]):
        return None
    first, span = ends[0], ends[-1] - ends[0]
    label = f"Timeline of {len(moments)} dated entries from {spoken_day(first)} to {spoken_day(ends[-1])}"
    if other:
        label += f"; below it {len(other)} that {'speaks' if len(other) == 1 else 'speak'} against it"
    few = len(dated) <= MAX_NAMED_DOTS and all(words and len(words) <= MAX_DOT_NAME_CHARS for _, words in dated)
    names = _names([(_place(moment, first, span), words) for moment, words in dated]) if few else ()
    return Timeline(
        label,
        tuple(_dots(moments, first, span)),
        tuple(_ticks([first, ends[-1]], first, span)),
        tuple(names),
        tuple(_dots(other, first, span)),
    )


def _place(moment: datetime, first: datetime, span: timedelta) -> float:
    return MARGIN + (100 - 2 * MARGIN) * ((moment - first) / span)


def _dots(moments: Sequence[datetime], first: datetime, span: timedelta) -> Iterator[Mark]:
    last, layer = -BIN, 0
    for moment in moments:
        at = _place(moment, first, span)
        layer = layer + 1 if at - last < BIN else 0
        last = last if layer else at
        if layer < LAYERS:
            yield Mark(f"{last:.2f}%", layer)


def _names(dots: Sequence[tuple[float, str]]) -> Iterator[Mark]:
    """Each name beside the line that leads up from its dot, as low as it touches neither another name nor its line.

    A name for which there is no room is left out.
    """
    sides = [(at, words, at + len(words) * CHARACTER <= RIGHT) for at, words in dots]
    placed: list[tuple[int, float, float, float]] = []
    # The last that goes to the right is the lowest, and so is the first of those that have room only to the left.
    for at, words, right in [*reversed([side for side in sides if side[2]]), *(side for side in sides if not side[2])]:
        wide = len(words) * CHARACTER
        spans = {"start": (at, at + wide), "end": (at - wide, at)}
        anchors = [anchor for anchor in (("start", "end") if right else ("end",)) if spans[anchor][0] >= 0]
        ways = ((line, anchor) for line in range(MAX_NAMED_DOTS) for anchor in anchors)
        way = next(((line, anchor) for line, anchor in ways if _free(line, at, *spans[anchor], placed)), None)
        if way is None:  # the list below names the dot
            continue
        line, anchor = way
        placed.append((line, at, *spans[anchor]))
        yield Mark(f"{at:.2f}%", label=words, anchor=anchor, line=line)


def _free(line: int, at: float, begin: float, end: float, placed: Iterable[tuple[int, float, float, float]]) -> bool:
    """Whether a name at ``line`` touches no other name there, none below with its line, and no line from above."""
    return not any(
        (other == line and begin < far + MARGIN and near < end + MARGIN)
        or (other < line and near <= at <= far)
        or (other > line and begin <= mark <= end)
        for other, mark, near, far in placed
    )


def _ticks(moments: Sequence[datetime], first: datetime, span: timedelta) -> Iterator[Mark]:
    months = (moments[-1].year - first.year) * 12 + moments[-1].month - first.month
    step = next((step for step in STEPS if months // step < TICKS), STEPS[-1])
    start = first.year * 12 + first.month - 1
    for month in range(start - start % step + step, start + months + 1, step):
        year, index = divmod(month, 12)
        at = _place(datetime(year, index + 1, 1, tzinfo=UTC), first, span)
        anchor = "start" if at < MARGIN + 1 else "end" if at > 99 - MARGIN else "middle"
        yield Mark(f"{at:.2f}%", label=str(year) if index == 0 else f"{MONTHS[index][:3]} {year}", anchor=anchor)
