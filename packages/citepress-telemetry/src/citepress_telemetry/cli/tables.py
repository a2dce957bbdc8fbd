"""Reports as tables, for a terminal or as CSV: each with the window that its figures cover."""

import csv
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from citepress_telemetry.contract import consumption, journeys, readership, traffic
from citepress_telemetry.contract.words import CRAWLER_PARTS, VERIFIED, TrafficClass
from citepress_telemetry.reports.family_days import FamilyDays

Window = Literal["24h", "7d", "30d"]
NAMES: Mapping[str, str] = {
    path.removeprefix("/").removesuffix(".json"): path
    for path in (consumption.CONSUMPTION_PATH, journeys.JOURNEYS_PATH, traffic.LATEST_PATH, traffic.HISTORY_PATH)
}
"""Paths of the reports by their names."""
PAGES = readership.READERSHIP_PATH.partition("{")[0]
FAMILY_DAYS = "family-days"
"""The name of the table of families by day, which is not published."""
ROWS = 25
STATUS: Mapping[str, str] = {
    "not_observed": "nothing has been observed yet",
    "collecting": "still collecting: observation does not reach back to the start of the longest window",
    "ok": "observation reaches back to the start of the longest window",
}
"""What the status of a report means."""
NOTHING_YET = "not observed"


@dataclass(frozen=True, slots=True)
class ReportTable:
    """Figures of one window."""

    title: str
    window: Mapping[str, Any]
    """Start, end and completeness, as the report has them."""
    columns: tuple[str, ...]
    rows: Sequence[Sequence[object]]


def path_of(name: str) -> str:
    """The path of a report by its name, by its path, or by a page's canonical path."""
    plain = name.strip("/").removesuffix(".json")
    if plain in NAMES:
        return NAMES[plain]
    return f"{PAGES}{plain.removeprefix(PAGES.strip('/') + '/')}.json"


def report_lines(report: Mapping[str, Any], window: Window) -> Iterator[str]:
    """A report for people: its status, then each table under its window."""
    coverage = report["coverage"]
    yield f"Status: {report['status']} ({STATUS[report['status']]})"
    yield f"Counted up to: {report['as_of'] or NOTHING_YET}"
    yield f"Hours observed: {coverage['observed_hours'] or 0:g} of {coverage['expected_hours'] or 0}"
    for table in report_tables(report, window):
        yield ""
        yield from table_lines(table)


def table_lines(table: ReportTable) -> Iterator[str]:
    """A table under its title and window; the first rows of a long one."""
    yield f"{table.title}, {window_text(table.window)}"
    yield from aligned(table.columns, table.rows[:ROWS])
    if len(table.rows) > ROWS:
        yield f"{len(table.rows) - ROWS} more rows: --json has all"


def family_days_table(days: FamilyDays) -> ReportTable:
    """Requests of each family on each day, the newest day first."""
    columns = ("day", "family", "operator", "purpose", "requests")
    return ReportTable("Named families by UTC day", {"start": days.first, "end": days.last}, columns, days.rows)


def window_text(window: Mapping[str, Any]) -> str:
    """A window in words."""
    if window["start"] is None:
        return NOTHING_YET
    whole = {True: ", complete", False: ", observed in part", None: ""}[window.get("complete")]
    return f"{window['start']} to {window['end']}{whole}"


def csv_bytes(tables: Iterable[ReportTable]) -> bytes:
    """The first table as CSV (RFC 4180), the window in each row."""
    table = next(iter(tables))
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(("window_start", "window_end", *table.columns))
    for row in table.rows:
        writer.writerow((table.window["start"], table.window["end"], *row))
    return text.getvalue().encode()


def aligned(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> Iterator[str]:
    """Rows under their columns: text to the left, columns of numbers to the right."""
    cells = [[_cell(value) for value in row] for row in rows]
    if not cells:
        yield "no rows"
        return
    widths = [max(len(text) for text in column) for column in zip(columns, *cells, strict=True)]
    numeric = [all(_is_number(text) for text in column) for column in zip(*cells, strict=True)]
    for row in (columns, *cells):
        padded = (
            text.rjust(width) if number else text.ljust(width)
            for text, width, number in zip(row, widths, numeric, strict=True)
        )
        yield "  ".join(padded).rstrip()


def report_tables(report: Mapping[str, Any], window: Window) -> Sequence[ReportTable]:
    """The tables of a report, the one that CSV has first."""
    if "session_definition" in report:
        return [_journeys(report["windows"][window])]
    if "canonical_path" in report:
        name = window if window in report["windows"] else "observed"
        return [_page(report["canonical_path"], report["windows"][name])]
    if "points" in report:
        return [_history(report["points"])]
    if "operators" in report:
        return [_operators(report), _classes(report)]
    return [_families(report), _classes(report)]


def _journeys(journey: Mapping[str, Any]) -> ReportTable:
    columns = ("family", "operator", "purpose", "requests", "verified", "pages", "sessions", "depth p90")
    rows = [
        (
            *(family[name] for name in columns[:4]),
            _verified(family),
            family["unique_canonical_materials"],
            family["sessions"],
            family["session_depth"]["p90"],
        )
        for family in journey["families"]
    ]
    return ReportTable("Families", journey["window"], columns, rows)


def _page(canonical_path: str, reading: Mapping[str, Any]) -> ReportTable:
    columns = ("family", "operator", "purpose", "requests")
    rows = [[family[name] for name in columns] for family in reading["by_family"]]
    return ReportTable(f"{canonical_path}: {_cell(reading['requests'])} requests", reading["window"], columns, rows)


def _history(points: Sequence[Mapping[str, Any]]) -> ReportTable:
    columns = (
        "day",
        "observed hours",
        "requests",
        *TrafficClass,
        *(f"crawler: {purpose}" for purpose in CRAWLER_PARTS),
    )
    rows = [
        (
            point["start"],
            point["observed_hours"],
            point["total_requests"],
            *(point["classes"][name] for name in TrafficClass),
            *_parts(point["crawler_parts"]),
        )
        for point in reversed(points)
    ]
    span = {"start": points[0]["start"], "end": points[-1]["start"]} if points else {"start": None, "end": None}
    return ReportTable("UTC days, the newest first", span, columns, rows)


def _operators(report: Mapping[str, Any]) -> ReportTable:
    columns = ("operator", "families", "requests", "verified", "pages")
    rows = [
        (
            operator["operator"],
            ", ".join(operator["families"]),
            operator["requests"],
            _verified(operator),
            operator["unique_materials"],
        )
        for operator in report["operators"]
    ]
    return ReportTable("Operators", report["window"], columns, rows)


def _families(report: Mapping[str, Any]) -> ReportTable:
    columns = ("family", "class", "purpose", "requests")
    rows = [[family[name] for name in columns] for family in report["top_families"]]
    return ReportTable("Families", report["window"], columns, rows)


def _classes(report: Mapping[str, Any]) -> ReportTable:
    columns = ("class", "requests", "successful_requests", "bytes_served")
    rows = [[*(row[name] for name in columns), *_parts(row["parts"] or ())] for row in report["classes"]]
    heads = (*columns, *(f"of which {purpose}" for purpose in CRAWLER_PARTS))
    return ReportTable("Classes", report["window"], heads, rows)


def _parts(parts: Sequence[Mapping[str, Any]]) -> list[int | None]:
    """Requests of the parts of the class crawler; ``None`` for classes that have none."""
    requests = {part["purpose"]: part["requests"] for part in parts}
    return [requests.get(purpose) for purpose in CRAWLER_PARTS]


def _verified(counts: Mapping[str, Any]) -> int | None:
    """Requests whose identity was confirmed; ``None`` where no check could confirm it."""
    confirmed = [counts["verification"][name] for name in VERIFIED if counts["verification"][name] is not None]
    return sum(confirmed) if confirmed else None


def _is_number(text: str) -> bool:
    return text == "-" or text.replace(".", "", 1).isdecimal()


def _cell(value: object) -> str:
    return "-" if value is None else str(value)
