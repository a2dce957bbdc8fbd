"""The geometry of a timeline: the positions of dots and ticks, in per cent of its width."""

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
MOST = 500
"""Dots that are drawn."""


@dataclass(frozen=True, slots=True)
class Mark:
    """A dot (``layer`` counts from the axis) or a tick (with its label) of a timeline."""

    at: str
    """Distance from the left, as in ``12.50%``."""
    layer: int = 0
    label: str = ""
    anchor: str = "middle"


@dataclass(frozen=True, slots=True)
class Timeline:
    """A timeline ready to be drawn."""

    label: str
    """What it shows, in words."""
    dots: tuple[Mark, ...]
    ticks: tuple[Mark, ...]


def timeline(dates: Iterable[datetime | None]) -> Timeline | None:
    """The timeline of these moments; ``None`` where fewer than two different days are known."""
    moments = sorted(moment for moment in dates if moment)[:MOST]
    if not moments or day(moments[0]) == day(moments[-1]):
        return None
    first, span = moments[0], moments[-1] - moments[0]
    label = f"Timeline of {len(moments)} dated entries from {spoken_day(first)} to {spoken_day(moments[-1])}"
    return Timeline(label, tuple(_dots(moments, first, span)), tuple(_ticks(moments, first, span)))


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


def _ticks(moments: Sequence[datetime], first: datetime, span: timedelta) -> Iterator[Mark]:
    months = (moments[-1].year - first.year) * 12 + moments[-1].month - first.month
    step = next((step for step in STEPS if months // step < TICKS), STEPS[-1])
    start = first.year * 12 + first.month - 1
    for month in range(start - start % step + step, start + months + 1, step):
        year, index = divmod(month, 12)
        at = _place(datetime(year, index + 1, 1, tzinfo=UTC), first, span)
        anchor = "start" if at < MARGIN + 1 else "end" if at > 99 - MARGIN else "middle"
        yield Mark(f"{at:.2f}%", label=str(year) if index == 0 else f"{MONTHS[index][:3]} {year}", anchor=anchor)
