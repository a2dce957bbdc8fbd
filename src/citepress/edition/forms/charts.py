"""Charts as SVG: geometry from the numbers of a block, colours from classes of the theme, and no style of its own."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from itertools import accumulate, groupby, zip_longest

from markupsafe import Markup

from citepress.contract.page import Chart

WIDTH = 360
"""Units across: about the pixels of a small screen, so that text stays readable there; the theme sets smaller text on
larger ones."""
COLOURS = 7
"""Classes ``c1`` to ``c7`` of the theme; each has its own pattern as well as its colour."""
LABEL = 17
"""Characters of a row's name that fit beside a picture."""
LONG = 34
"""Characters of a bar's name, which is above it."""
AREA, FOOT, TOP = 150, 20, 18
ROW, BAR, LINE = 34, 12, 26
SIDE, CELL = 128, 26
"""Units that the names of a grid's rows take, and the most that one of its cells does."""
PATTERNS = (
    "",
    '<path class="cut" d="M-1,1l2,-2M0,6l6,-6M5,7l2,-2"/>',
    '<circle class="dot" cx="3" cy="3" r="1"/>',
    '<path class="cut" d="M0,3h6"/>',
    '<path class="cut" d="M3,0v6"/>',
    '<path class="cut" d="M-1,5l2,2M0,0l6,6M5,-1l2,2"/>',
    '<path class="cut" d="M0,3h6M3,0v6"/>',
)
"""What is cut out of each colour, in a tile of six units."""
HATCHING = '<path class="axis" d="M-1,1l2,-2M0,4l4,-4M3,5l2,-2"/>'
"""Drawn over days that were observed in part, in a tile of four units."""
PARTIAL = "observed in part"


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
    if not observed or max(observed) <= 0:
        return None
    height, shapes = _DRAWERS[block.kind](block)
    keyed = block.kind in {"areas", "bars"} and len(block.series) > 1
    patterns = "".join(_pattern(block.id, place) for place in range(min(COLOURS, len(block.series)))) if keyed else ""
    if block.partial:
        patterns += (
            f'<pattern id="{block.id}-partial" width="4" height="4" patternUnits="userSpaceOnUse">{HATCHING}</pattern>'
        )
    name = escape(block.title)
    svg = Markup(  # noqa: S704  (texts are escaped)
        f'<svg role="img" viewBox="0 0 {WIDTH} {height}" aria-labelledby="{block.id}-name {block.id}-about">'
        f'<title id="{block.id}-name">{name}</title><desc id="{block.id}-about">{escape(block.summary)}</desc>'
        f"{f'<defs>{patterns}</defs>' if patterns else ''}{''.join(shapes)}</svg>"
    )
    key = (
        tuple(
            LegendEntry(Markup(_swatch(_fill(block.id, place))), series.name)  # noqa: S704  (numbers and names of ours)
            for place, series in enumerate(block.series)
        )
        if keyed
        else ()
    )
    if block.partial:
        key += (LegendEntry(Markup(_swatch(_hatched(block.id))), PARTIAL),)  # noqa: S704  (likewise)
    return ChartSvg(svg, key)


def _pattern(stem: str, place: int) -> str:
    return (
        f'<pattern id="{stem}-p{place + 1}" width="6" height="6" patternUnits="userSpaceOnUse">'
        f'<rect class="c{place + 1}" width="6" height="6"/>{PATTERNS[place]}</pattern>'
    )


def _swatch(fill: str) -> str:
    return f'<svg viewBox="0 0 14 14" aria-hidden="true"><rect width="14" height="14" {fill}/></svg>'


def _fill(stem: str, place: int) -> str:
    return f'fill="url(#{stem}-p{place % COLOURS + 1})"'


def _hatched(stem: str) -> str:
    return f'fill="url(#{stem}-partial)"'


def _partial_days(block: Chart, first: float, step: float, top: float, height: float) -> Iterator[str]:
    """Hatching over the days that were observed in part; ``first`` is the left edge of the first day."""
    for day in block.partial:
        place = f'x="{_x(first + day * step)}" y="{_x(top)}" width="{_x(step)}" height="{_x(height)}"'
        yield f"<rect {_hatched(block.id)} {place}/>"


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
    """Days side by side, the series stacked; a day without observation is a gap."""
    return TOP + AREA + FOOT, _area_shapes(block)


def _area_shapes(block: Chart) -> Iterator[str]:
    days = len(block.labels)
    stacks = [_stack([series.values[day] for series in block.series]) for day in range(days)]
    most = max(stack[-1] for stack in stacks if stack)
    step, floor = WIDTH / days, TOP + AREA
    for share in (0.0, 0.5, 1.0):
        yield f'<path class="grid" d="M0,{_x(floor - AREA * share)}H{WIDTH}"/>'
    for place in range(len(block.series)):
        runs = (list(run) for present, run in groupby(range(days), key=lambda day: bool(stacks[day])) if present)
        outline = "".join(
            _steps(run, [s[place : place + 2] if s else (0, 0) for s in stacks], step, floor, AREA / most)
            for run in runs
        )
        yield (
            f"<path {_fill(block.id, place) if len(block.series) > 1 else f'class={chr(34)}c1{chr(34)}'}"
            f' d="{outline}"/>'
        )
    yield from _partial_days(block, 0, step, TOP, AREA)
    yield f'<path class="axis" d="M0,{floor}H{WIDTH}"/>'
    yield _text(2, TOP - 4, f"{_number(most)} at most", mark="quiet")
    for number, (at, _) in enumerate(block.marks, 1):
        yield f'<path class="break" d="M{_x(at * step)},{TOP - 2}V{floor}"/>'
        yield _text(round(at * step, 1), TOP - 4, str(number), "end" if at > days / 2 else "middle")
    yield _text(0, floor + 15, block.labels[0], mark="quiet")
    if days > 1:
        yield _text(WIDTH, floor + 15, block.labels[-1], "end", "quiet")


def _stack(values: Sequence[float | None]) -> tuple[float, ...]:
    """Lower and upper edges of the parts of one day, from 0; empty where nothing was observed."""
    return (
        tuple(accumulate((value or 0 for value in values), initial=0))
        if any(value is not None for value in values)
        else ()
    )


def _steps(run: Sequence[int], edges: Sequence[Sequence[float]], step: float, floor: float, scale: float) -> str:
    """The outline of a part over neighbouring days: along its upper edge, and back along its lower one."""
    there = "".join(f"V{_x(floor - edges[day][1] * scale)}H{_x((day + 1) * step)}" for day in run)
    back = "".join(f"V{_x(floor - edges[day][0] * scale)}H{_x(day * step)}" for day in reversed(run))
    return f"M{_x(run[0] * step)},{_x(floor - edges[run[0]][0] * scale)}{there}{back}Z"


def _bars(block: Chart) -> tuple[int, Iterator[str]]:
    """A bar a label, its name and number above it."""
    return len(block.labels) * ROW, _bar_shapes(block)


def _bar_shapes(block: Chart) -> Iterator[str]:
    rows = [[series.values[place] for series in block.series] for place in range(len(block.labels))]
    sums = [None if all(value is None for value in row) else sum(value or 0 for value in row) for row in rows]
    most = block.whole or max(value for value in sums if value is not None)
    for place, (label, row, whole) in enumerate(zip(_apart(block.labels, LONG), rows, sums, strict=True)):
        top = place * ROW
        yield _text(0, top + 13, label)
        yield _text(WIDTH, top + 13, _number(whole), "end", "quiet")
        yield f'<rect class="rail" x="0" y="{top + 17}" width="{WIDTH}" height="{BAR}"/>'
        at = 0.0
        for part, value in enumerate(row):
            if value:
                wide = WIDTH * value / most
                fill = _fill(block.id, part) if len(row) > 1 else 'class="c1"'
                yield f'<rect {fill} x="{_x(at)}" y="{top + 17}" width="{max(wide, 0.5):.1f}" height="{BAR}"/>'
                at += wide


def _lines(block: Chart) -> tuple[int, Iterator[str]]:
    """A small line for each series, each to its own scale, with its name and sum."""
    return len(block.series) * LINE, _line_shapes(block)


def _line_shapes(block: Chart) -> Iterator[str]:
    step = (WIDTH - SIDE - 70) / max(1, len(block.labels) - 1)
    names = _apart([series.name for series in block.series], LABEL)
    yield from _partial_days(block, SIDE - step / 2, step, 0, len(block.series) * LINE)
    for row, (series, name) in enumerate(zip(block.series, names, strict=True)):
        top = row * LINE
        observed = [value for value in series.values if value is not None]
        total = sum(observed) if observed else None
        yield _text(0, top + 17, name)
        yield _text(WIDTH, top + 17, _number(total), "end", "quiet")
        # Each line has a scale of its own, so that a small family shows its shape beside a large one.
        scale = (LINE - 10) / max(observed, default=1) if any(observed) else 0
        points = [
            None if value is None else f"{_x(SIDE + place * step)},{_x(top + LINE - 5 - value * scale)}"
            for place, value in enumerate(series.values)
        ]
        runs = (list(run) for present, run in groupby(points, key=lambda point: point is not None) if present)
        yield f'<path class="line" d="{"".join(_run(run) for run in runs)}"/>' if observed else ""


def _run(points: Sequence[str | None]) -> str:
    """Neighbouring points joined; one alone is a short stroke."""
    first, *rest = (point for point in points if point)
    return f"M{first}" + ("L" + " ".join(rest) if rest else "h1.5")


def _grid(block: Chart) -> tuple[int, Iterator[str]]:
    """A square a pair, its area as its number; columns bear the numbers of their names."""
    size = min(CELL, (WIDTH - SIDE) / max(1, len(block.labels)))
    return int(TOP + size * len(block.series)) + 2, _grid_shapes(block, size)


def _grid_shapes(block: Chart, size: float) -> Iterator[str]:
    most = max(value for series in block.series for value in series.values if value is not None)
    for column, _ in enumerate(block.labels):
        yield _text(round(SIDE + (column + 0.5) * size, 1), TOP - 5, str(column + 1), "middle", "quiet")
    for row, (series, label) in enumerate(zip_longest(block.series, block.labels[: len(block.series)])):
        top = TOP + row * size
        number = f"{row + 1} " if series.name == label else ""
        yield _text(0, round(top + size / 2 + 4, 1), _short(number + series.name, LABEL))
        yield f'<path class="grid" d="M{SIDE},{_x(top + size / 2)}H{WIDTH}"/>'
        for column, value in enumerate(series.values):
            if value:
                side = max(1.5, (size - 1) * (value / most) ** 0.5)
                x, y = SIDE + (column + 0.5) * size - side / 2, top + (size - side) / 2
                yield f'<rect class="c1" x="{_x(x)}" y="{_x(y)}" width="{_x(side)}" height="{_x(side)}"/>'


_DRAWERS: Mapping[str, Callable[[Chart], tuple[int, Iterator[str]]]] = {
    "areas": _areas,
    "bars": _bars,
    "lines": _lines,
    "grid": _grid,
}
