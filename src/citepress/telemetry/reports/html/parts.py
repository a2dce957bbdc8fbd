"""Small parts of the page on machine readers: numbers as people read them, cells, and charts of bars."""

from collections.abc import Mapping, Sequence

from citepress.contract.page import Chart, Link, Series, Table
from citepress.contract.reports.page import Shown

DASH = "not known"
BARS = 12
"""Bars of one chart."""
Row = tuple[str, int | None]
"""Name and count."""


def number(value: float | None) -> str:
    """A count with its thousands apart; a dash where nothing is known."""
    return DASH if value is None else f"{value:,}"


def percent(share: float | None) -> str:
    """A share in per cent; a dash where it cannot be told."""
    return DASH if share is None else f"{100 * share:.1f} %"


def cells(*texts: str) -> tuple[Link, ...]:
    """A row of plain texts."""
    return tuple(map(Link, texts))


def sentence(subject: str, rows: Sequence[Row]) -> str:
    """What a chart of bars tells, in words."""
    known = [(name, count) for name, count in rows if count]
    if not known:
        return f"{subject}: none in this time."
    first = ", ".join(f"{name} ({number(count)})" for name, count in known[:3])
    return f"{subject}: {first}{'' if len(known) <= 3 else f', and {len(known) - 3} more'}."  # noqa: PLR2004  (the first three)


def numbers(title: str, columns: tuple[str, ...], rows: tuple[tuple[Link, ...], ...]) -> Table:
    """The table of a chart; one without rows says so."""
    return Table("", title, columns, rows or (cells("none in this time", *[""] * (len(columns) - 1)),))


def bars(  # noqa: PLR0913  (what a chart may have)
    shown: Shown, rows: Sequence[Row], column: str, counted: str, summary: str, *, also: tuple[str, ...] = (),
    extra: Mapping[str, tuple[str, ...]] | None = None, part: tuple[str, str] | None = None, whole: int = 0,
) -> Chart:  # fmt: skip
    """One series of bars and its table; ``also`` are further columns and ``extra`` their cells by the name of the row.

    ``whole`` is what a full rail stands for. ``part`` are anchor and title of a chart that is not the first of its part of the page.
    """
    anchor, title = part or (shown.anchor, shown.title)
    more = extra or {}
    written = tuple(cells(name, number(count), *more.get(name, ())) for name, count in rows)
    table = numbers(title, (column, counted, *also), written)
    drawn = rows[:BARS]
    series = Series(counted, tuple(count for _, count in drawn))
    return Chart(anchor, title, "bars", summary, tuple(name for name, _ in drawn), (series,), table, shown.json_href, whole=whole)
