"""Charts over time: the five classes day by day, and a small line for each operator."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import date, timedelta

from citepress.contract.page import Block, Chart, Link, Series, Table
from citepress.contract.reports.page import Shown
from citepress.contract.reports.traffic import BotTrafficHistory, HistoryPoint
from citepress.telemetry.ports import CLASSES
from citepress.telemetry.reports.data import DAY_HOURS, ReportData, moment
from citepress.telemetry.reports.html.parts import cells, number

DAYS = 90
CHANGE = "classifier_change"


def daily(report: BotTrafficHistory, shown: Shown) -> Iterator[Block]:
    """Ninety days of the five classes; a day that was not observed is a gap, and every change of the classifier is marked."""
    last = max((one.start for one in report.points), default=None)
    if last is None:
        return
    first = max(last - timedelta(days=DAYS - 1), min(one.start for one in report.points))
    days = [first + timedelta(days=place) for place in range((last - first).days + 1)]
    points = {one.start: one for one in report.points}
    series = tuple(Series(_name(name), tuple(_count(points.get(one), name) for one in days)) for name in CLASSES)
    marks = tuple(
        ((one.at.date() - first).days, f"{one.at.date().isoformat()}: {one.text}")
        for one in report.annotations
        if one.kind == CHANGE and first < one.at.date() <= last
    )
    columns = ("Day", *(_name(name) for name in CLASSES), "Total", "Hours observed", "Classifier")
    rows = tuple(_row(one, points.get(one)) for one in reversed(days))
    table = Table("", shown.title, columns, rows)
    summary = f"{len(days)} days from {first} to {last}, in the five classes; {number(sum(_total(points[one]) for one in days if one in points))} requests in all days that are listed."
    partly = sum(not points[one].complete for one in days if one in points)
    if partly:
        summary += f" {partly} of these days were observed in part alone, and their counts are too low by what was missed; the table says how long."
    broken = "".join(f" Break {place}: {text}" for place, (_, text) in enumerate(marks, 1))
    yield Chart(shown.anchor, shown.title, "areas", summary + broken, tuple(map(str, days)), series, table, shown.json_href, marks)


def _name(cls: str) -> str:
    return {"human_page_view": "browser-like page views"}.get(cls, cls.replace("_", " "))


def _count(point: HistoryPoint | None, name: str) -> int | None:
    return getattr(point.classes, name) if point else None


def _total(point: HistoryPoint) -> int:
    return point.total_requests or 0


def _row(day: date, point: HistoryPoint | None) -> tuple[Link, ...]:
    if point is None:
        return cells(str(day), *["not observed"] * (len(CLASSES) + 1), "0", "")
    counts = (number(_count(point, name)) for name in CLASSES)
    return cells(str(day), *counts, number(point.total_requests), f"{point.observed_hours:g}", point.classifier_version)


def sparks(shown: Shown, operators: Sequence[str], seen: ReportData) -> Chart:
    """A line of thirty days for each operator."""
    days = tuple(moment(day * DAY_HOURS).date().isoformat() for day, _ in seen.daily)
    members = {name: [id_ for id_, row in seen.families.items() if row.named and row.operator == name] for name in operators}
    series = tuple(Series(name, tuple(_of(found, members[name]) for _, found in seen.daily)) for name in operators)
    rows = tuple(cells(one.name, *_span(one)) for one in series)
    table = Table("", f"{shown.title} by day", ("Operator", "Requests of 30 UTC days", "Busiest day", "Days with requests"), rows)
    summary = f"Requests of {len(operators)} operators on thirty UTC days, the current one last; each line has a scale of its own."
    return Chart(shown.anchor, shown.title, "lines", summary, days, series, table, shown.json_href)


def _of(found: Mapping[int, int] | None, families: Sequence[int]) -> int | None:
    return None if found is None else sum(found.get(id_, 0) for id_ in families)


def _span(series: Series) -> tuple[str, str, str]:
    known = [value for value in series.values if value is not None]
    return number(sum(known)), number(max(known, default=None)), number(sum(value > 0 for value in known))
