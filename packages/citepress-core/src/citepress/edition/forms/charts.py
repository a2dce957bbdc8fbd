"""Charts as SVG: geometry from the numbers of a block, colours from classes of the theme, and no style of its own."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from html import escape
from itertools import groupby, zip_longest

from markupsafe import Markup

from citepress.base.timestamps import is_day, spoken_day
from citepress.contract.page import Chart

WIDTH = 360
"""Units across: about the pixels of a small screen, so that text stays readable there; the theme sets smaller text on
larger ones."""
COLOURS = 7
"""Classes ``c1`` to ``c7`` of the theme."""
LABEL = 17
"""Characters of a row's name that fit beside a picture."""
MAX_BAR_NAME_CHARS = 34
"""Characters of a bar's name, which is above it."""
AREA, PANEL, NAME, FOOT = 120, 44, 24, 20
"""Units that one area takes, or each of several; its name above it, and the days below all."""
ROW, BAR, CHART_LINE_PX, LINE_PANEL = 38, 12, 30, 160
SIDE, CELL = 128, 26
"""Units that the names of a grid's rows take, and the most that one of its cells does."""
PART_GAP = 1
"""Units between the parts of a bar."""
SQUARE, LOW = 240, 22
"""Units of each side of a chart of calibration, and of the numbers beside it."""
MAX_PEAK_RATIO = 5
"""Ratio of the highest to the lowest peak up to which panels share one scale."""
PARTIAL, OWN_SCALES = "observed in part", "Each panel has its own scale."


@dataclass(frozen=True, slots=True)
class LegendEntry:
    """A line of the key."""

    swatch: Markup
    name: str


@dataclass(frozen=True, slots=True)
class ChartSvg:
    """A chart that can be part of a page."""

    svg: Markup
    key: tuple[LegendEntry, ...]
    """Empty where the picture names its parts itself."""


def chart(block: Chart) -> ChartSvg | None:
    """The picture of a chart; ``None`` where no number is known."""
    observed = [value for series in block.series for value in series.values if value is not None]
    if block.kind != "calibration" and (not observed or max(observed) <= 0):
        return None
    height, shapes = _DRAWERS[block.kind](block)
    keyed = block.kind in ("bars", "dots", "line") and len(block.series) > 1
    name = escape(block.title)
    svg = Markup(  # noqa: S704  (texts are escaped)
        f'<svg role="img" viewBox="0 0 {WIDTH} {height}" aria-labelledby="{block.id}-name {block.id}-about">'
        f'<title id="{block.id}-name">{name}</title><desc id="{block.id}-about">{escape(block.summary)}</desc>'
        f"{''.join(shapes)}</svg>"
    )
    key = (
        tuple(
            LegendEntry(Markup(_swatch(_colour(place))), series.name)  # noqa: S704  (numbers and names of ours)
            for place, series in enumerate(block.series)
        )
        if keyed
        else ()
    )
    if block.kind in ("areas", "line"):
        top = _top(_most(block))
        lines = f"Grid lines at 0, {_number(top // 2)} and {_number(top)}"
        shared = block.kind == "line" or _one_scale(block)
        key += (LegendEntry(Markup(), lines if shared else OWN_SCALES),)
    if block.partial:
        key += (LegendEntry(Markup(_swatch("partial")), PARTIAL),)  # noqa: S704  (likewise)
    return ChartSvg(svg, key)


def _swatch(colour: str) -> str:
    return f'<svg viewBox="0 0 14 14" aria-hidden="true"><rect width="14" height="14" class="{colour}"/></svg>'


def _colour(place: int) -> str:
    """The class of a series."""
    return f"c{place % COLOURS + 1}"


def _partial_days(block: Chart, first: float, step: float, top: float, height: float) -> Iterator[str]:
    """A shade behind the days that were observed in part; ``first`` is the left edge of the first day."""
    for day in block.partial:
        place = f'x="{_x(first + day * step)}" y="{_x(top)}" width="{_x(step)}" height="{_x(height)}"'
        yield f'<rect class="partial" {place}/>'


def _text(x: float, y: float, words: str, anchor: str = "start", mark: str = "") -> str:
    ends = f' text-anchor="{anchor}"' if anchor != "start" else ""
    return (
        f'<text x="{x:g}" y="{y:g}"{ends}{f" class={chr(34)}{mark}{chr(34)}" if mark else ""}'
        f' font-size="14">{escape(words)}</text>'
    )


def _short(words: str, most: int) -> str:
    """A name that fits: both of its ends, for paths that begin alike differ in how they end."""
    if len(words) <= most:
        return words
    last = most // 2
    return f"{words[: most - last - 1]}…{words[-last:]}"


def _apart(names: Sequence[str], most: int) -> list[str]:
    """Names that fit and differ; those that are cut to the same text bear their place."""
    cut = [_short(name, most) for name in names]
    return [
        text if cut.count(text) == 1 or names.count(name) > 1 else f"{place} {_short(name, most - len(str(place)) - 1)}"
        for place, (name, text) in enumerate(zip(names, cut, strict=True), 1)
    ]


def _number(value: float | None) -> str:
    if value is None:
        return "not observed"
    return f"{value:,}" if isinstance(value, int) else f"{value:,.4g}"


def _x(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")


def _areas(block: Chart) -> tuple[int, Iterator[str]]:
    """A panel for each series, all to one scale, with days side by side; a day without observation is a gap."""
    return len(block.series) * (NAME + _panel(block)) + FOOT, _area_shapes(block)


def _panel(block: Chart) -> int:
    """The height of each panel."""
    return AREA if len(block.series) == 1 else PANEL


def _top(most: float) -> int:
    """What the highest of three grid lines stands for: an even digit and zeros, so that the middle line is round."""
    unit = 1
    while 10 * unit < most:
        unit *= 10
    return next(digit * unit for digit in (2, 4, 6, 8, 10) if digit * unit >= most)


def _one_scale(block: Chart) -> bool:
    """Whether panels share one scale; they do not if one of them would look flat."""
    peaks = [max((value or 0 for value in series.values), default=0) for series in block.series]
    return max(peaks) <= MAX_PEAK_RATIO * min(peak for peak in peaks if peak)


def _most(block: Chart) -> float:
    return max(value for series in block.series for value in series.values if value is not None)


def _area_shapes(block: Chart) -> Iterator[str]:
    days, high = len(block.labels), _panel(block)
    common = _top(_most(block)) if _one_scale(block) else 0
    step, foot = WIDTH / days, len(block.series) * (NAME + high)
    yield from _partial_days(block, 0, step, 0, foot)
    for place, series in enumerate(block.series):
        floor = (place + 1) * (NAME + high)
        observed = [value for value in series.values if value is not None]
        most = common or _top(max([*observed, 1]))
        for share in (0.0, 0.5, 1.0):
            yield f'<path class="grid" d="M0,{_x(floor - high * share)}H{WIDTH}"/>'
        runs = (list(run) for present, run in groupby(range(days), key=lambda day: _observed(block, day)) if present)
        for run in runs:
            line = "".join(
                f"V{_x(floor - (series.values[day] or 0) * high / most)}H{_x((day + 1) * step)}" for day in run
            )
            start = _x(run[0] * step)
            yield f'<path class="{_colour(place)} light" d="M{start},{floor}{line}V{floor}Z"/>'
            yield f'<path class="{_colour(place)} line" d="M{start},{floor}{line}"/>'
        yield _text(0, floor - high - 5, _short(series.name, MAX_BAR_NAME_CHARS))
        peak = f"peak {_number(max(observed))}" if observed else "not observed"
        yield _text(WIDTH, floor - high - 5, peak, "end", "quiet")
    for number, (at, _) in enumerate(block.marks, 1):
        yield f'<path class="break" d="M{_x(at * step)},{NAME}V{foot}"/>'
        # Within the first panel, for the days are below all of them.
        side, anchor = (-4, "end") if at * step > WIDTH / 2 else (4, "start")
        yield _text(round(at * step + side, 1), NAME + 13, str(number), anchor)
    yield _text(0, foot + 15, _spoken(block.labels[0]), mark="quiet")
    if days > 1:
        yield _text(WIDTH, foot + 15, _spoken(block.labels[-1]), "end", "quiet")


def _spoken(label: str) -> str:
    """A label, a day as people write it."""
    return spoken_day(datetime.fromisoformat(label)) if is_day(label) else label


def _observed(block: Chart, day: int) -> bool:
    """Whether anything was observed on a day."""
    return any(series.values[day] is not None for series in block.series)


def _bars(block: Chart) -> tuple[int, Iterator[str]]:
    """A bar a label, its name and number above it."""
    return len(block.labels) * ROW + (FOOT if block.unit else 0), _bar_shapes(block)


def _bar_shapes(block: Chart) -> Iterator[str]:
    rows = [[series.values[place] for series in block.series] for place in range(len(block.labels))]
    sums = [None if all(value is None for value in row) else sum(value or 0 for value in row) for row in rows]
    most = block.whole or max(value for value in sums if value is not None)
    values = [_largest(block, row) for row in rows] if block.whole and len(block.series) > 1 else map(_number, sums)
    for place, (label, row, number) in enumerate(
        zip(_apart(block.labels, MAX_BAR_NAME_CHARS), rows, values, strict=True)
    ):
        top = place * ROW
        yield _text(0, top + 13, label)
        yield _text(WIDTH, top + 13, f"{number} {block.unit}".rstrip(), "end", "quiet")
        yield f'<rect class="track" x="0" y="{top + 17}" width="{WIDTH}" height="{BAR}"/>'
        at = 0.0
        for part, value in enumerate(row):
            if value:
                wide = WIDTH * value / most
                shown = max(wide - (PART_GAP if len(row) > 1 else 0), 0.5)
                yield f'<rect class="{_colour(part)}" x="{_x(at)}" y="{top + 17}" width="{_x(shown)}" height="{BAR}"/>'
                at += wide

    if block.unit:
        yield from _scale(block, len(rows) * ROW)


def _scale(block: Chart, foot: float) -> Iterator[str]:
    """Marks at both ends and in the middle of bars whose whole is known, under the last of them."""
    for share, anchor in ((0.0, "start"), (0.5, "middle"), (1.0, "end")):
        at = WIDTH * share
        yield f'<path class="axis" d="M{_x(min(max(at, 0.5), WIDTH - 0.5))},{foot - ROW + 17}V{foot}"/>'
        yield _text(at, foot + 15, f"{_number(block.whole * share)} {block.unit}", anchor, "quiet")


def _largest(block: Chart, row: Sequence[float | None]) -> str:
    """The largest part of a bar of shares, whose sum would tell nothing."""
    part, name = max((value or 0, series.name) for value, series in zip(row, block.series, strict=True))
    return f"{name} {part / block.whole * 100:.0f} %" if part else _number(None)


def _lines(block: Chart) -> tuple[int, Iterator[str]]:
    """A small line for each series, all to one scale, with its name and sum."""
    return len(block.series) * CHART_LINE_PX, _line_shapes(block)


def _line_shapes(block: Chart) -> Iterator[str]:
    step = (WIDTH - SIDE - 70) / max(1, len(block.labels) - 1)
    names = _apart([series.name for series in block.series], LABEL)
    yield from _partial_days(block, SIDE - step / 2, step, 0, len(block.series) * CHART_LINE_PX)
    most = _most(block)
    scale = (CHART_LINE_PX - 8) / most
    for row, (series, name) in enumerate(zip(block.series, names, strict=True)):
        floor = (row + 1) * CHART_LINE_PX - 5
        observed = [value for value in series.values if value is not None]
        total = sum(observed) if observed else None
        yield _text(0, floor - 6, name)
        yield _text(WIDTH, floor - 6, _number(total), "end", "quiet")
        yield f'<path class="grid" d="M{SIDE},{floor}H{WIDTH - 70}"/>'
        points = [
            None if value is None else f"{_x(SIDE + place * step)},{_x(floor - value * scale)}"
            for place, value in enumerate(series.values)
        ]
        runs = (list(run) for present, run in groupby(points, key=lambda point: point is not None) if present)
        yield f'<path class="line" d="{"".join(_run(run) for run in runs)}"/>' if observed else ""


def _run(points: Sequence[str | None]) -> str:
    """Neighbouring points joined; one alone is a short stroke."""
    first, *rest = (point for point in points if point)
    return f"M{first}" + ("L" + " ".join(rest) if rest else "h1.5")


def _dots(block: Chart) -> tuple[int, Iterator[str]]:
    """A row a label, its name above a line from zero to the largest number, and a dot on it for each series."""
    return len(block.labels) * ROW, _dot_shapes(block)


def _dot_shapes(block: Chart) -> Iterator[str]:
    most = _most(block)
    for place, label in enumerate(_apart(block.labels, MAX_BAR_NAME_CHARS)):
        middle, values = place * ROW + 23, [series.values[place] for series in block.series]
        yield _text(0, middle - 10, label)
        yield _text(WIDTH, middle - 10, ", ".join(map(_number, values)), "end", "quiet")
        yield f'<path class="grid" d="M0,{middle}H{WIDTH}"/>'
        for part, value in enumerate(values):
            if value is not None:
                at = _x(5 + (WIDTH - 10) * value / most)
                yield f'<circle class="{_colour(part)}" cx="{at}" cy="{middle}" r="5"/>'


def _line(block: Chart) -> tuple[int, Iterator[str]]:
    """All series in one panel over three grid lines."""
    return LINE_PANEL + 2 * FOOT, _line_panel(block)


def _line_panel(block: Chart) -> Iterator[str]:
    top, floor = _top(_most(block)), LINE_PANEL + FOOT
    step = WIDTH / max(1, len(block.labels) - 1)
    for share in (0.0, 0.5, 1.0):
        yield f'<path class="grid" d="M0,{_x(floor - LINE_PANEL * share)}H{WIDTH}"/>'
    for place, series in enumerate(block.series):
        points = [
            None if value is None else f"{_x(at * step)},{_x(floor - value * LINE_PANEL / top)}"
            for at, value in enumerate(series.values)
        ]
        runs = (list(run) for present, run in groupby(points, key=lambda point: point is not None) if present)
        yield f'<path class="{_colour(place)} line" d="{"".join(_run(run) for run in runs)}"/>'
    yield _text(0, floor + 15, _spoken(block.labels[0]), mark="quiet")
    if len(block.labels) > 1:
        yield _text(WIDTH, floor + 15, _spoken(block.labels[-1]), "end", "quiet")


def _grid(block: Chart) -> tuple[int, Iterator[str]]:
    """A square a pair, its area as its number; columns bear the numbers of their names."""
    size = min(CELL, (WIDTH - SIDE) / max(1, len(block.labels)))
    return int(NAME + size * len(block.series)) + 2, _grid_shapes(block, size)


def _grid_shapes(block: Chart, size: float) -> Iterator[str]:
    most = _most(block)
    for column, _ in enumerate(block.labels):
        yield _text(round(SIDE + (column + 0.5) * size, 1), NAME - 5, str(column + 1), "middle", "quiet")
    for row, (series, label) in enumerate(zip_longest(block.series, block.labels[: len(block.series)])):
        top = NAME + row * size
        number = f"{row + 1} " if series.name == label else ""
        yield _text(0, round(top + size / 2 + 4, 1), _short(number + series.name, LABEL))
        yield f'<path class="grid" d="M{SIDE},{_x(top + size / 2)}H{WIDTH}"/>'
        for column, value in enumerate(series.values):
            if value:
                side = max(1.5, (size - 1) * (value / most) ** 0.5)
                x, y = SIDE + (column + 0.5) * size - side / 2, top + (size - side) / 2
                yield f'<rect class="c1" x="{_x(x)}" y="{_x(y)}" width="{_x(side)}" height="{_x(side)}"/>'


def _calibration(block: Chart) -> tuple[int, Iterator[str]]:
    """What was said against what happened: a dot for each label, and how far its share may be from the truth."""
    return SQUARE + 2 * LOW, _calibration_shapes(block)


def _calibration_shapes(block: Chart) -> Iterator[str]:
    said, happened, lowest, highest = (series.values for series in block.series)
    left, floor = 2 * LOW, SQUARE + LOW / 2

    def x(share: float) -> str:
        return _x(left + SQUARE * share)

    def y(share: float) -> str:
        return _x(floor - SQUARE * share)

    for share in (0.0, 0.5, 1.0):
        yield f'<path class="grid" d="M{x(0)},{y(share)}H{x(1)}M{x(share)},{y(0)}V{y(1)}"/>'
        yield _text(left - 6, floor - SQUARE * share + 5, f"{share * 100:.0f} %", "end", "quiet")
        yield _text(left + SQUARE * share, floor + 17, f"{share * 100:.0f} %", "middle", "quiet")
    yield f'<path class="break" d="M{x(0)},{y(0)}L{x(1)},{y(1)}"/>'
    for at, came, low, high in zip(said, happened, lowest, highest, strict=True):
        if at is not None and came is not None and low is not None and high is not None:
            yield f'<path class="c1 line" d="M{x(at)},{y(low)}V{y(high)}"/>'
            yield f'<circle class="c1" cx="{x(at)}" cy="{y(came)}" r="5"/>'


_DRAWERS: Mapping[str, Callable[[Chart], tuple[int, Iterator[str]]]] = {
    "areas": _areas,
    "bars": _bars,
    "dots": _dots,
    "line": _line,
    "lines": _lines,
    "grid": _grid,
    "calibration": _calibration,
}
