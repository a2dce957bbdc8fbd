"""Charts over time: the five classes by day, and a sparkline for each operator."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, date, datetime, time, timedelta

from citepress.base.timestamps import spoken_day
from citepress.contract.page import Block, Chart, Link, Series, Table
from citepress_telemetry.contract.page import Shown
from citepress_telemetry.contract.traffic import BotTrafficHistory, HistoryPoint
from citepress_telemetry.contract.words import CRAWLER_PARTS
from citepress_telemetry.model import NUMBERED_CLASSES
from citepress_telemetry.reports.data import DAY_HOURS, ReportData, moment
from citepress_telemetry.reports.html.parts import cells, number, sentence
from citepress_telemetry.reports.traffic import window_points

CHANGE = "classifier_change"
PART_COLUMNS = tuple(f"crawlers: {spoken}" for spoken in CRAWLER_PARTS.values())


def _changes(report: BotTrafficHistory, first: date, last: date) -> Iterator[tuple[int, str]]:
    """The changes of the classifier within the days of a chart: the place of the day, and what changed."""
    for annotation in report.annotations:
        day = annotation.at.date()
        # A change on the first day breaks nothing: no earlier day is shown that it could be compared with.
        if annotation.kind == CHANGE and first < day <= last:
            yield (day - first).days, f"{day.isoformat()}: {annotation.text}"


def daily(report: BotTrafficHistory, data: ReportData, shown: Shown) -> Iterator[Block]:
    """Thirty days of the five classes; unobserved days are gaps, and changes of the classifier are marked."""
    points = {point.start: point for point in window_points(data)}
    first, last = min(points), max(points)
    days = [first + timedelta(days=place) for place in range((last - first).days + 1)]
    series = tuple(
        Series(name.spoken, tuple(_count(points.get(day), name) for day in days)) for name in NUMBERED_CLASSES
    )
    marks = tuple(_changes(report, first, last))
    columns = (
        "Day",
        *(name.spoken for name in NUMBERED_CLASSES),
        "Total",
        "Hours observed",
        "Classifier",
        *PART_COLUMNS,
    )
    rows = tuple(_row(day, points.get(day)) for day in reversed(days))
    earlier = "The JSON also has the days before these." if report.points[0].start < first else ""
    table = Table("", shown.title, columns, rows, earlier)
    requests = sum(_total(points[day]) for day in days if day in points)
    most = _most(series) or f"{number(requests)} requests. "
    parts = _parts_sentence(points[day] for day in days if day in points)
    summary = f"{most}{parts}{_days(first, last)}, in five classes."
    partial = tuple(place for place, day in enumerate(days) if day in points and not points[day].complete)
    if partial:
        summary += (
            f" {len(partial)} of these days are shaded: they lie only in part within the thirty days, or were observed"
            " only in part. The table says how many hours each has."
        )
    broken = "".join(f" Break {place}: {text}" for place, (_, text) in enumerate(marks, 1))
    yield Chart(
        shown.anchor,
        shown.title,
        "areas",
        summary + broken,
        tuple(map(str, days)),
        series,
        table,
        shown.json_href,
        marks,
        partial=partial,
    )


def _days(first: date, last: date) -> str:
    count = (last - first).days + 1
    dates = [spoken_day(datetime.combine(day, time(), UTC)) for day in (first, last)]
    return f"{count} UTC days from {dates[0]} to {dates[1]}"


def _most(series: Sequence[Series]) -> str:
    """Which class had the most requests, in a sentence; empty where none had any."""
    sums = {line.name: sum(value or 0 for value in line.values) for line in series}
    name, count = max(sums.items(), key=lambda row: row[1])
    return (
        f"Most requests came from {name}: {number(int(count))} of {number(int(sum(sums.values())))}. " if count else ""
    )


def _count(point: HistoryPoint | None, name: str) -> int | None:
    return getattr(point.classes, name) if point else None


def _parts_sentence(points: Iterable[HistoryPoint]) -> str:
    """How many of the crawlers' requests monitors and feed readers made; empty where they made none."""
    sums = Counter[str]()
    for point in points:
        sums.update({part.purpose: part.requests for part in point.crawler_parts})
    named = [f"{number(sums[purpose])} of {spoken}" for purpose, spoken in CRAWLER_PARTS.items() if sums[purpose]]
    return f"Among the crawlers' requests are {' and '.join(named)}. " if named else ""


def _total(point: HistoryPoint) -> int:
    return point.total_requests or 0


def _row(day: date, point: HistoryPoint | None) -> tuple[Link, ...]:
    dated = Link(str(day), spoken=True)
    if point is None:
        return (
            dated,
            *cells(*["not observed"] * (len(NUMBERED_CLASSES) + 1), "0", "", *["not observed"] * len(CRAWLER_PARTS)),
        )
    counts = (number(_count(point, name)) for name in NUMBERED_CLASSES)
    requests: dict[str, int] = {part.purpose: part.requests for part in point.crawler_parts}
    parts = (number(requests.get(purpose)) for purpose in CRAWLER_PARTS)
    hours = f"{point.observed_hours:g}"
    return (dated, *cells(*counts, number(point.total_requests), hours, point.classifier_version, *parts))


def sparks(shown: Shown, operators: Mapping[str, int], data: ReportData) -> Chart:
    """A sparkline of thirty days for each operator; ``operators`` has the requests of each in these days."""
    # Days before the first observed one would take most of the width of a young archive.
    whole = data.window_daily()
    begun = next((place for place, (_, counts) in enumerate(whole) if counts is not None), 0)
    daily = whole[begun:]
    dates = [moment(day * DAY_HOURS).date() for day, _ in daily]
    members = {
        name: [id_ for id_, row in data.families.items() if row.named and row.operator == name] for name in operators
    }
    series = tuple(Series(name, tuple(_of(counts, members[name]) for _, counts in daily)) for name in operators)
    rows = tuple(cells(line.name, number(operators[line.name]), *_span(line)) for line in series)
    table = Table("", f"{shown.title} by day", ("Operator", "Requests", "Busiest day", "Days with requests"), rows)
    summary = (
        f"{sentence('Requests by operator', [*operators.items()])} {_days(dates[0], dates[-1])}, all to one scale."
    )
    held_back = sum(max(0, operators[line.name] - sum(value or 0 for value in line.values)) for line in series)
    if held_back:
        summary += f" {number(int(held_back))} fetches for a person are not shown by day: a day has too few of them."
    complete = {day.day for day in data.window_days() if day.complete}
    partial = tuple(place for place, (day, counts) in enumerate(daily) if counts is not None and day not in complete)
    if partial:
        summary += f" {len(partial)} of the days are shaded: only a part of them is counted."
    days = tuple(map(str, dates))
    return Chart(shown.anchor, shown.title, "lines", summary, days, series, table, shown.json_href, partial=partial)


def _of(counts: Mapping[int, int] | None, families: Sequence[int]) -> int | None:
    return None if counts is None else sum(counts.get(id_, 0) for id_ in families)


def _span(series: Series) -> tuple[str, str]:
    observed = [value for value in series.values if value is not None]
    return number(max(observed, default=None)), number(sum(value > 0 for value in observed))
