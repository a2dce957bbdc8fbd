"""The page about machine readers once something was observed: charts with their numbers, in order."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial

from citepress.base.timestamps import spoken_moment
from citepress.contract.page import Block, Fact, Facts, Item, Items, Link, Notice, Page, Prose, Table
from citepress_telemetry.contract import consumption, journeys, traffic
from citepress_telemetry.contract.consumption import MachineConsumptionReport
from citepress_telemetry.contract.head import ReportHead
from citepress_telemetry.contract.journeys import CrawlerJourneysReport
from citepress_telemetry.contract.page import (
    CHARTS,
    MACHINE_CONSUMPTION_PATH,
    REPORT_TITLE,
    Shown,
    about,
    expected,
    method,
)
from citepress_telemetry.contract.traffic import BotTrafficHistory
from citepress_telemetry.contract.words import FURTHER_CAVEATS, VERIFIED
from citepress_telemetry.identify.user_agents import probes
from citepress_telemetry.reports.data import ReportContext, ReportData
from citepress_telemetry.reports.header import EXAMPLE
from citepress_telemetry.reports.html.cited import from_fetched_to_cited
from citepress_telemetry.reports.html.gateway import gateway_blocks
from citepress_telemetry.reports.html.history import daily, sparks
from citepress_telemetry.reports.html.journeys import depths, forms, statuses, ways
from citepress_telemetry.reports.html.parts import DASH, bars, cells, number, percent, sentence

OPERATORS = 20
"""Operators that the page shows; the JSON has more."""
WARNING = (
    "Crawl-to-refer compares requests in HTML, Markdown and JSON with browser-like page views that name one of the"
    " operator's hosts as their referrer. Apps send no Referer, so page views from them are missing: read the"
    " ratio as an upper bound."
)


@dataclass(frozen=True, slots=True)
class Documents:
    """The reports that the page shows."""

    consumption: MachineConsumptionReport
    journeys: CrawlerJourneysReport
    history: BotTrafficHistory


def page(context: ReportContext, data: ReportData, documents: Documents) -> Page:
    """The page for these reports."""
    example = [Notice(EXAMPLE, "", FURTHER_CAVEATS[EXAMPLE])] * context.example
    blocks: list[Block] = [*example, *_opening(documents.consumption)]
    watched = data.window("30d").observed
    writers = {
        "daily": partial(daily, documents.history, data),
        "cited": partial(from_fetched_to_cited, documents.consumption),
        "purposes": partial(_purposes, documents.consumption),
        "operators": partial(_operators, documents.consumption, data),
        "representations": partial(forms, documents.journeys),
        "journeys": partial(ways, documents.journeys),
        "depth": partial(depths, documents.journeys),
        "coverage": partial(_coverage, documents.consumption),
        "first-read": partial(_first_read, documents.consumption),
        "statuses": partial(statuses, documents.journeys),
        "gateway": partial(gateway_blocks, documents.consumption),
    }
    if watched:
        for shown in CHARTS:
            blocks += writers[shown.anchor](shown)
    else:
        blocks.append(Notice("unwatched", "", "Nothing was observed in the last thirty days."))
        blocks.append(expected(CHARTS))
    version = Facts("table-version", "Version of the table", tuple(_version(documents.consumption)))
    return Page(
        MACHINE_CONSUMPTION_PATH,
        REPORT_TITLE,
        about(context.title),
        (
            *blocks,
            *_status(documents.consumption),
            *method(context.retention_hours, context.min_count, keeps_unlisted=context.keeps_unlisted),
            _probes(),
            version,
        ),
        label="Telemetry",
        updated=context.generated_at,
        crumbs=(Link("Home", "/"),),
        data=documents.consumption,
    )


def _probes() -> Table:
    """The categories with their patterns, so that the count of scanner noise can be repeated."""
    table = probes.shipped()
    rows = [(cells(name, "  ".join(marks))) for name, marks in table.patterns.items()]
    about_them = (
        f"Regular expressions, looked for in path and query after {probes.DECODING_ROUNDS} rounds of percent-decoding,"
        " in lower case, repeated slashes as one, line breaks and tabs as spaces, and an escaped & as ; so that each &"
        f" separates two parameters. Of a target beyond {probes.MAX_TARGET_BYTES:,} bytes the beginning and the end are"
        f" looked at. The first category with one found counts. Of no category: {'  '.join(table.never)}"
    )
    return Table("probes", "Categories of probes", ("Category", "Patterns"), tuple(rows), about_them)


def _opening(report: MachineConsumptionReport) -> Iterator[Block]:
    """What was counted, and of how much of the time; how it stands with the counting comes behind the charts."""
    if report.status == "collecting":
        yield Notice("collecting", "", f"Still collecting: {_since(report)}, so the thirty days are not whole yet.")
    coverage, totals = report.coverage, report.totals
    verified = "unknown" if totals.verified_requests is None else number(totals.verified_requests)
    requests = f"{number(totals.requests)}; verified: {verified}"
    hours = f"{coverage.observed_hours:.0f} of {coverage.expected_hours} hours, to {_when(report.as_of)}"
    yield Facts("figures", "Thirty days", (Fact("Requests", (Link(requests),)), Fact("Observed", (Link(hours),))))


def _status(report: MachineConsumptionReport) -> Iterator[Block]:
    yield Facts("status", "Status", tuple(Fact(name, tuple(values)) for name, values in _facts(report)))
    if report.missing:
        yield Items("missing", "Missing figures", tuple(_missing(report)))


def _missing(report: MachineConsumptionReport) -> Iterator[Item]:
    """What has no figure, once for each reason."""
    pointers = dict[str, list[str]]()
    for gap in report.missing:
        pointers.setdefault(gap.reason, []).append(f"`{gap.pointer}`" if gap.pointer else "whole window")
    for reason, names in pointers.items():
        yield Item(f"{', '.join(names)}: {reason}", spoken=True)


def _since(report: MachineConsumptionReport) -> str:
    """When observation began; it may have been interrupted before these thirty days."""
    first, window_start = report.coverage.observed_from, report.observed_window.start
    if first and window_start and report.window.start and first < report.window.start:
        return f"nothing was observed in this window before {_when(window_start)}"
    return f"observation began {_when(first)}"


def _when(moment: datetime | None) -> str:
    return spoken_moment(moment) if moment else DASH


def _facts(report: MachineConsumptionReport) -> Iterator[tuple[str, Sequence[Link]]]:
    coverage, totals = report.coverage, report.totals
    yield "Status", (Link(report.status),)
    yield "As of", (Link(_when(report.as_of)),)
    yield "Observed since", (Link(_when(coverage.observed_from)),)
    yield "Claims of identity that were contradicted", (Link(number(totals.contradicted_requests)),)
    left = (
        ("late", coverage.late_events),
        ("dropped", coverage.dropped_events),
        ("unresolved", coverage.unresolved_events),
        ("our own (left out)", coverage.self_traffic_excluded),
        ("assets (left out)", coverage.asset_requests_excluded),
    )
    yield "Counted separately", tuple(Link(f"{name}: {number(count)}") for name, count in left)
    yield (
        "Reports",
        tuple(
            Link(path, path)
            for path in (
                consumption.CONSUMPTION_PATH,
                journeys.JOURNEYS_PATH,
                traffic.LATEST_PATH,
                traffic.HISTORY_PATH,
            )
        ),
    )


def _version(report: ReportHead) -> Iterator[Fact]:
    yield Fact("Classifier", (Link(report.classifier.version or DASH),))
    sources = tuple(Link(f"{source.name} {source.version} ({source.license})") for source in report.classifier.sources)
    if sources:
        yield Fact("Built from", sources)


def _purposes(report: MachineConsumptionReport, shown: Shown) -> Iterator[Block]:
    rows = [(row.purpose.replace("_", " "), row.requests) for row in report.purposes]
    extra = {row.purpose.replace("_", " "): (percent(row.share),) for row in report.purposes}
    yield bars(
        shown,
        rows,
        "Purpose",
        "Requests",
        sentence("Requests of named clients by purpose", rows),
        extra=extra,
        also=("Share",),
    )


def _operators(report: MachineConsumptionReport, data: ReportData, shown: Shown) -> Iterator[Block]:
    best = report.operators[:OPERATORS]
    if not best:
        yield Prose(
            shown.anchor,
            shown.title,
            f"No named client was observed yet. The numbers are in [{shown.json_href}]({shown.json_href}).",
        )
        return
    yield sparks(shown, {operator.operator: operator.requests for operator in best}, data)
    rows = tuple(
        cells(
            operator.operator,
            number(operator.requests),
            percent(_verified(operator.verification.model_dump(), operator.requests)),
            DASH if operator.crawl_to_refer.ratio is None else f"{operator.crawl_to_refer.ratio:g}",
            number(operator.crawl_to_refer.crawls),
            number(operator.crawl_to_refer.referrals),
            number(operator.unique_materials),
            ", ".join(operator.families),
        )
        for operator in best
    )
    columns = (
        "Operator",
        "Requests",
        "Verified",
        "Crawl-to-refer",
        "Page requests",
        "Referred page views",
        "Pages",
        "Families",
    )
    left = (
        f" Of {len(report.operators)} operators these have the most requests."
        if len(report.operators) > len(best)
        else ""
    )
    yield Table("operators-table", "Operators in numbers", columns, rows, f"Thirty days.{left}")
    yield Notice("crawl-to-refer", "", WARNING)


def _verified(counts: Mapping[str, int | None], requests: int) -> float | None:
    """The share of verified requests; ``None`` if nothing could be verified."""
    confirmed = [n for name in VERIFIED if (n := counts[name]) is not None]
    return sum(confirmed) / requests if requests and confirmed else None


def _coverage(report: MachineConsumptionReport, shown: Shown) -> Iterator[Block]:
    rows = [
        (operator.operator, operator.catalog_coverage.read or 0)
        for operator in report.operators[:12]
        if operator.requests
    ]
    extra = {
        operator.operator: (number(operator.catalog_coverage.of), percent(operator.catalog_coverage.share))
        for operator in report.operators
    }
    rows.sort(key=lambda row: (-row[1], row[0]))
    summary = sentence("Pages that each operator fetched", rows, whole=report.never_read.of)
    yield bars(
        shown,
        rows,
        "Operator",
        "Pages fetched",
        summary,
        extra=extra,
        also=("Pages there are", "Share"),
        whole=report.never_read.of or 0,
    )
    if report.never_read.sample:
        links = tuple(Link(path, "/" if path == "home" else f"/{path}/") for path in report.never_read.sample)
        count, whole = number(report.never_read.count), number(report.never_read.of)
        since = f"Since {_when(report.coverage.observed_from)}"
        facts = (Fact(since, (Link(f"{count} of {whole} pages"),)), Fact("Some of them", links))
        yield Facts("never-read", "Never fetched by a named client", facts)


def _first_read(report: MachineConsumptionReport, shown: Shown) -> Iterator[Block]:
    fresh = report.freshness
    summary = (
        f"Of {number(fresh.published)} pages published in observed hours of these thirty days,"
        f" {number(fresh.read)} were fetched by a named client."
    )
    hours = fresh.time_to_first_read_hours
    rows = [("Half of them within", hours.p50), ("Nine tenths within", hours.p90)]
    yield bars(shown, rows, "Pages", "Hours", summary)
