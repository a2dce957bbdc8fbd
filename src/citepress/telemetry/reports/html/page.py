"""The page on machine readers, once there is something to tell: its parts in order, each a chart with its numbers."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial

from citepress.base.timestamps import rfc3339
from citepress.contract.page import Block, Fact, Facts, Link, Notice, Page, Prose, Table
from citepress.contract.reports import consumption, journeys, traffic
from citepress.contract.reports.consumption import MachineConsumptionReport
from citepress.contract.reports.head import ReportHead
from citepress.contract.reports.journeys import CrawlerJourneysReport
from citepress.contract.reports.page import CHARTS, PATH, TITLE, Shown, about, method
from citepress.contract.reports.traffic import BotTrafficHistory
from citepress.telemetry.identify.user_agents import probes
from citepress.telemetry.reports.data import ReportContext, ReportData
from citepress.telemetry.reports.html.gateway import gateway_blocks
from citepress.telemetry.reports.html.history import daily, sparks
from citepress.telemetry.reports.html.journeys import depths, forms, statuses, ways
from citepress.telemetry.reports.html.parts import DASH, bars, cells, number, percent, sentence

OPERATORS, SAMPLE = 20, 10
"""Operators and pages that the page shows; the JSON has more."""
WARNING = (
    "Crawl-to-refer compares HTML requests with browser-like page views that name one of the operator's hosts as their referrer. "
    "Apps send no Referer, so page views from them are missing: read the ratio as an upper bound."
)


@dataclass(frozen=True, slots=True)
class Documents:
    """The reports that the page shows."""

    consumption: MachineConsumptionReport
    journeys: CrawlerJourneysReport
    history: BotTrafficHistory


def page(setting: ReportContext, seen: ReportData, told: Documents) -> Page:
    """The page of these reports."""
    blocks = [*_status(told)]
    watched = seen.window("30d").seen
    writers = {
        "daily": partial(daily, told.history),
        "purposes": partial(_purposes, told.consumption),
        "operators": partial(_operators, told.consumption, seen),
        "representations": partial(forms, told.journeys),
        "journeys": partial(ways, told.journeys),
        "depth": partial(depths, told.journeys),
        "coverage": partial(_coverage, told.consumption),
        "first-read": partial(_first_read, told.consumption),
        "statuses": partial(statuses, told.journeys),
        "gateway": partial(gateway_blocks, told.consumption),
    }
    for shown in CHARTS:
        if watched or shown.anchor == "daily":
            blocks += writers[shown.anchor](shown)
        else:
            blocks.append(Prose(shown.anchor, shown.title, shown.unseen("Nothing was observed in the last thirty days")))
    version = Facts("table-version", "Version of the table", tuple(_version(told.consumption)))
    return Page(
        PATH, TITLE, about(setting.title), (*blocks, *method(setting.retention_hours, setting.min_count, keeps_unlisted=setting.keeps_unlisted), _probes(), version),
        label="Telemetry", updated=setting.generated_at, crumbs=(Link("Home", "/"),), data=told.consumption,
    )  # fmt: skip


def _probes() -> Table:
    """The categories with their patterns, so that scanner noise can be counted again."""
    found = probes.shipped()
    rows = [(cells(name, "  ".join(marks))) for name, marks in found.patterns.items()]
    about_them = (
        "Regular expressions, looked for in path and query after two rounds of percent-decoding, in lower case, repeated slashes as one. "
        f"The first category with one found counts. Of no category: {'  '.join(found.never)}"
    )
    return Table("probes", "Categories of probes", ("Category", "Patterns"), tuple(rows), about_them)


def _status(told: Documents) -> Iterator[Block]:
    report = told.consumption
    if report.status == "collecting":
        yield Notice("collecting", "", f"Still collecting: {_since(report)}, so the thirty days are not whole yet.")
    yield Facts("status", "Status", tuple(Fact(name, tuple(values)) for name, values in _facts(report)))


def _since(report: MachineConsumptionReport) -> str:
    """Where observation begins; it may have been broken off before these thirty days."""
    first, seen = report.coverage.observed_from, report.observed_window.start
    if first and seen and report.window.start and first < report.window.start:
        return f"nothing was observed in this window before {_when(seen)}"
    return f"observation began {_when(first)}"


def _when(moment: datetime | None) -> str:
    return rfc3339(moment) if moment else DASH


def _facts(report: MachineConsumptionReport) -> Iterator[tuple[str, Sequence[Link]]]:
    seen, totals = report.coverage, report.totals
    yield "Status", (Link(report.status),)
    yield "As of", (Link(_when(report.as_of)),)
    yield "Observed", (Link(f"{seen.observed_hours:g} of {seen.expected_hours} hours, from {_when(seen.observed_from)}"),)
    requests, verified = number(totals.requests), number(totals.verified_requests)
    impostors = number(totals.contradicted_requests)
    yield "Requests in 30 days", (Link(f"{requests}, of which verified {verified}, contradicted {impostors}"),)
    left = (
        ("late", seen.late_events), ("dropped", seen.dropped_events), ("unresolved", seen.unresolved_events),
        ("our own, left out", seen.self_traffic_excluded), ("assets, left out", seen.asset_requests_excluded),
    )  # fmt: skip
    yield "Beside the counts", tuple(Link(f"{name}: {number(count)}") for name, count in left)
    for one in report.missing:
        yield "Missing", (Link(f"{one.pointer or 'whole window'}: {one.reason}"),)
    yield "Reports", tuple(Link(path, path) for path in (consumption.PATH, journeys.PATH, traffic.LATEST_PATH, traffic.HISTORY_PATH))


def _version(report: ReportHead) -> Iterator[Fact]:
    yield Fact("Classifier", (Link(report.classifier.version or DASH),))
    sources = tuple(Link(f"{one.name} {one.version} ({one.license})") for one in report.classifier.sources)
    if sources:
        yield Fact("Built from", sources)


def _purposes(report: MachineConsumptionReport, shown: Shown) -> Iterator[Block]:
    rows = [(one.purpose.replace("_", " "), one.requests) for one in report.purposes]
    extra = {one.purpose.replace("_", " "): (percent(one.share),) for one in report.purposes}
    yield bars(shown, rows, "Purpose", "Requests", sentence("Requests of named clients by purpose", rows), extra=extra, also=("Share",))


def _operators(report: MachineConsumptionReport, seen: ReportData, shown: Shown) -> Iterator[Block]:
    best = report.operators[:OPERATORS]
    if not best:
        yield Prose(
            shown.anchor, shown.title, f"No named client was observed yet. The numbers stand in [{shown.json_href}]({shown.json_href})."
        )
        return
    yield sparks(shown, [one.operator for one in best], seen)
    rows = tuple(
        cells(
            one.operator, number(one.requests), percent(_verified(one.verification.model_dump(), one.requests)),
            DASH if one.crawl_to_refer.ratio is None else f"{one.crawl_to_refer.ratio:g}",
            number(one.crawl_to_refer.crawls), number(one.crawl_to_refer.referrals), number(one.unique_materials), ", ".join(one.families),
        )
        for one in best
    )  # fmt: skip
    columns = ("Operator", "Requests", "Verified", "Crawl-to-refer", "HTML requests", "Referred page views", "Pages", "Families")
    left = f" Of {len(report.operators)} operators these have the most requests." if len(report.operators) > len(best) else ""
    yield Table("operators-table", "Operators in numbers", columns, rows, f"Thirty days.{left}")
    yield Notice("crawl-to-refer", "", WARNING)


def _verified(counts: Mapping[str, int | None], requests: int) -> float | None:
    """The share of requests that were verified; ``None`` where nothing could be."""
    known = [n for name in ("signed", "ip_range", "fcrdns") if (n := counts[name]) is not None]
    return sum(known) / requests if requests and known else None


def _coverage(report: MachineConsumptionReport, shown: Shown) -> Iterator[Block]:
    rows = [(one.operator, one.catalog_coverage.read or 0) for one in report.operators[:12] if one.requests]
    extra = {one.operator: (number(one.catalog_coverage.of), percent(one.catalog_coverage.share)) for one in report.operators}
    rows.sort(key=lambda row: (-row[1], row[0]))
    told = f"{number(report.never_read.count)} of {number(report.never_read.of)} pages were never fetched by a named client."
    yield bars(
        shown, rows, "Operator", "Pages fetched", told, extra=extra, also=("Pages there are", "Share"), whole=report.never_read.of or 0
    )
    if report.never_read.sample:
        links = tuple(Link(path, "/" if path == "home" else f"/{path}/") for path in report.never_read.sample[:SAMPLE])
        yield Facts("never-read", "Never fetched", (Fact("Some of them", links),))


def _first_read(report: MachineConsumptionReport, shown: Shown) -> Iterator[Block]:
    fresh = report.freshness
    told = f"Of {number(fresh.published)} pages published while the service watched, {number(fresh.read)} were fetched by a named client."
    hours = fresh.time_to_first_read_hours
    rows = [("Half of them within", hours.p50), ("Nine tenths within", hours.p90)]
    yield bars(shown, rows, "Pages", "Hours", told)
