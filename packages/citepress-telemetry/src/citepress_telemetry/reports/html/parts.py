"""Parts of the page about machine readers: formatted numbers, cells, bar charts."""

from collections.abc import Mapping, Sequence

from citepress.contract.page import Chart, Link, Series, Table
from citepress_telemetry.contract.page import Shown

DASH = "not known"
BARS = 12
"""Bars of one chart."""
Row = tuple[str, int | None]
"""Name and count."""


def number(value: float | None) -> str:
    """A count with thousands separators, or ``not known``."""
    return DASH if value is None else f"{value:,}"


def percent(share: float | None) -> str:
    """A share in per cent, or ``not known``."""
    return DASH if share is None else f"{100 * share:.1f} %"


def cells(*texts: str) -> tuple[Link, ...]:
    """A row of plain texts."""
    return tuple(map(Link, texts))


def sentence(subject: str, rows: Sequence[Row], whole: int | None = None) -> str:
    """The summary of a bar chart, which begins with the longest bar; ``whole`` where the bars do not add up to it."""
    counted = [(name, count) for name, count in rows if count]
    if not counted:
        return f"{subject}: none in this time."
    counted.sort(key=lambda row: -(row[1] or 0))
    total = sum(count or 0 for _, count in counted) if whole is None else whole
    (most, count), *others = counted
    then = [f"{name} ({number(count)})" for name, count in others[:2]]
    more = f", and {len(others) - 2} more" if len(others) > 2 else ""  # noqa: PLR2004  (the next two)
    return f"{subject}: {', '.join([f'{most} ({number(count)} of {number(total)})', *then])}{more}."


def numbers(title: str, columns: tuple[str, ...], rows: tuple[tuple[Link, ...], ...]) -> Table:
    """The table of a chart, which says so if there are no rows."""
    return Table("", title, columns, rows or (cells("none in this time", *[""] * (len(columns) - 1)),))


def bars(  # noqa: PLR0913  (what a chart may have)
    shown: Shown,
    rows: Sequence[Row],
    column: str,
    counted: str,
    summary: str,
    *,
    also: tuple[str, ...] = (),
    extra: Mapping[str, tuple[str, ...]] | None = None,
    part: tuple[str, str] | None = None,
    whole: int = 0,
) -> Chart:
    """One series of bars and its table; ``also`` are further columns and ``extra`` their cells by name of the row.

    ``whole`` is the value of a full rail. ``part`` is anchor and title of a chart that is not the first of its section.
    """
    anchor, title = part or (shown.anchor, shown.title)
    more = extra or {}
    written = tuple(cells(name, number(count), *more.get(name, ())) for name, count in rows)
    table = numbers(title, (column, counted, *also), written)
    drawn = rows[:BARS]
    series = Series(counted, tuple(count for _, count in drawn))
    return Chart(
        anchor, title, "bars", summary, tuple(name for name, _ in drawn), (series,), table, shown.json_href, whole=whole
    )
