"""Charts of sessions: requested forms, ways through the archive, depth and statuses."""

from collections import Counter
from collections.abc import Iterator, Sequence

from citepress.contract.page import Block, Chart, Series
from citepress_telemetry.contract.journeys import CrawlerJourneysReport, FamilyJourney
from citepress_telemetry.contract.page import Shown
from citepress_telemetry.contract.words import SentForm
from citepress_telemetry.reports.html.parts import Row, bars, cells, number, numbers, sentence

MAX_CHART_FAMILIES, SIDE = 12, 12
"""Families in the chart of forms, and routes on each side of the map of steps."""


def _families(report: CrawlerJourneysReport) -> list[FamilyJourney]:
    return report.windows.month.families


def forms(report: CrawlerJourneysReport, shown: Shown) -> Iterator[Block]:
    """The representations that the largest families were sent, and so whether Markdown is used."""
    best = _families(report)[:MAX_CHART_FAMILIES]
    counts = [family.representations.model_dump(by_alias=True) for family in best]
    used = [form for form in SentForm if any(row[form] for row in counts)]
    sums = [sum(row.values()) for row in counts]
    series = tuple(
        Series(
            form, tuple(round(100 * row[form] / of, 1) if of else None for row, of in zip(counts, sums, strict=True))
        )
        for form in used
    )
    rows = tuple(
        cells(family.family, *(number(row[form]) for form in used)) for family, row in zip(best, counts, strict=True)
    )
    table = numbers(shown.title, ("Family", *used), rows)
    whole = sum(sum(row.values()) for row in counts)
    markdown = sum(row["markdown"] for row in counts)
    summary = (
        f"Markdown was {number(markdown)} of {number(whole)} answers. The forms that the {len(best)} families with the"
        " most requests were sent, in per cent of each family's answers."
    )
    yield Chart(
        shown.anchor,
        shown.title,
        "bars",
        summary,
        tuple(family.family for family in best),
        series,
        table,
        shown.json_href,
        whole=100,
    )


def ways(report: CrawlerJourneysReport, shown: Shown) -> Iterator[Block]:
    """Where sessions begin, the steps between routes, and where sessions end, from the rows of the report."""
    entries, ends, steps = Counter[str](), Counter[str](), Counter[tuple[str, str]]()
    for family in _families(report):
        entries.update({row.route: row.sessions for row in family.entrypoints})
        ends.update({row.route: row.sessions for row in family.terminal_routes})
        steps.update({(row.from_route, row.to): row.count for row in family.transitions})
    sessions = sum(family.sessions or 0 for family in _families(report))
    first, last, least = _ranked(entries), _ranked(ends), report.privacy.min_count
    about = (
        f"{number(sessions)} sessions of {len(_families(report))} families in thirty days."
        f" {_route_sentence('They begin at', first, least, sessions)}"
    )
    yield bars(shown, first[:SIDE], "Route", "Sessions", about)
    yield _map(shown, steps)
    yield bars(
        shown,
        last[:SIDE],
        "Route",
        "Sessions",
        _route_sentence("Sessions end at", last, least, sessions),
        part=("terminals", "Where sessions end"),
    )


def _route_sentence(subject: str, rows: list[Row], least: int, sessions: int) -> str:
    """The summary of a chart of routes; rows below the smallest published count are in no report."""
    return (
        sentence(subject, rows, sessions)
        if rows
        else f"{subject}: no route that {least} or more sessions of one family share."
    )


def _ranked(counts: Counter[str]) -> list[Row]:
    return [*sorted(counts.items(), key=lambda row: (-row[1], row[0]))]


def _map(shown: Shown, steps: Counter[tuple[str, str]]) -> Chart:
    """Steps between the busiest routes."""
    weight = Counter[str]()
    for (came_from, to), n in steps.items():
        weight.update({came_from: n})
        weight.update({to: n})
    names = sorted(weight, key=lambda name: (-weight[name], name))[:SIDE]
    series = tuple(Series(came_from, tuple(steps.get((came_from, to), 0) for to in names)) for came_from in names)
    ranked = sorted(
        ((pair, n) for pair, n in steps.items() if set(pair) <= set(names)), key=lambda row: (-row[1], row[0])
    )
    columns = ("Number", "From", "To", "Steps")
    rows = tuple(cells(f"{names.index(a) + 1} → {names.index(b) + 1}", a, b, number(n)) for (a, b), n in ranked)
    table = numbers("Steps between routes", columns, rows)
    summary = (
        f"{_commonest(ranked)}The {len(names)} busiest routes: rows are where a step begins, columns have the numbers"
        " of the rows, and the area of a square is the number of steps."
    )
    return Chart("transitions", "Steps between routes", "grid", summary, tuple(names), series, table, shown.json_href)


def _commonest(ranked: Sequence[tuple[tuple[str, str], int]]) -> str:
    """The commonest step, in a sentence; empty where none was counted."""
    if not ranked:
        return ""
    (came_from, to), count = ranked[0]
    return (
        f"The commonest step leads from {came_from} to {to}: {number(count)} of {number(sum(n for _, n in ranked))}. "
    )


def depths(report: CrawlerJourneysReport, shown: Shown) -> Iterator[Block]:
    """Sessions by number of requests."""
    sums = Counter[int | None]()
    for family in _families(report):
        sums.update({bucket.le: bucket.sessions for bucket in family.session_depth.histogram})
    rows: list[Row] = []
    low = 1
    for le, n in sums.items():
        rows.append((f"{low} or more" if le is None else f"{low} to {le}" if le > low else "1 request", n))
        low = (le or 0) + 1
    while len(rows) > 1 and not rows[-1][1]:
        rows.pop()
    yield bars(
        shown, rows, "Requests of a session", "Sessions", sentence("Sessions by the number of their requests", rows)
    )


def statuses(report: CrawlerJourneysReport, shown: Shown) -> Iterator[Block]:
    """Responses to named clients by status class."""
    sums = Counter[str]()
    for family in _families(report):
        sums.update({name: n or 0 for name, n in family.status_classes.model_dump(by_alias=True).items()})
    rows: list[Row] = [*sums.items()]
    yield bars(shown, rows, "Status", "Answers", sentence("Answers to named clients by class of the HTTP status", rows))
