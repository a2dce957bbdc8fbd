"""The chart from fetched to cited: what machines read, which page views there were, and what was reported back."""

from collections.abc import Iterator
from dataclasses import dataclass

from citepress.base.timestamps import spoken_moment
from citepress.contract.page import Block
from citepress_telemetry.contract.consumption import MachineConsumptionReport
from citepress_telemetry.contract.page import Shown
from citepress_telemetry.contract.words import CRAWLER_PARTS, READERS, TrafficClass
from citepress_telemetry.reports.header import MIN_DENOMINATOR
from citepress_telemetry.reports.html.parts import bars, number

FETCHED, VIEWED, SENT_TITLE, REPORTED = (
    "Fetched by machine readers",
    "Browser-like page views",
    "Sent by search and answer engines",
    "Reported as used",
)
MACHINES, BROWSERS = frozenset(READERS), frozenset({TrafficClass.HUMAN_PAGE_VIEW})
"""The classes whose successful requests the first two steps count."""


@dataclass(frozen=True, slots=True)
class CountedStep:
    """A step from fetched to cited."""

    name: str
    number: int | None
    """``None`` where the report does not know it: the step is left out."""
    counted: str
    """What is counted, in a sentence."""


def from_fetched_to_cited(report: MachineConsumptionReport, shown: Shown) -> Iterator[Block]:
    """The steps whose figures are known; nothing where no machine fetched anything, or nobody knows whether."""
    steps = [step for step in _steps(report) if step.number is not None]
    counts = {step.name: step.number for step in steps if step.number is not None}
    if not counts.get(FETCHED):
        return
    extra = {step.name: (step.counted,) for step in steps}
    rows = [(step.name, step.number) for step in steps]
    summary = f"{_headline(counts, _monitoring(report))} {_window(report)}"
    yield bars(shown, rows, "Step", "Number", summary, extra=extra, also=("What is counted",))


def _steps(report: MachineConsumptionReport) -> Iterator[CountedStep]:
    yield CountedStep(
        FETCHED,
        _successful(report, MACHINES),
        f"Successful requests of the classes crawler and ai_user_agent, for whatever they fetched{_parts(report)}.",
    )
    yield CountedStep(
        VIEWED,
        _successful(report, BROWSERS),
        "Successful requests of the class human_page_view, which may include undeclared automation.",
    )
    yield CountedStep(
        SENT_TITLE,
        sum(row.crawl_to_refer.referrals or 0 for row in report.operators),
        "Those page views that name a host of an operator as their referrer; apps send none.",
    )
    yield CountedStep(
        REPORTED,
        report.gateway.inbox.submissions.usage_receipt if report.gateway else None,
        "Usage receipts that reached the inbox: somebody says that a record was used or cited. Counted before review,"
        " and only where the service itself observed.",
    )


def _parts(report: MachineConsumptionReport) -> str:
    """How many of the fetches monitors and feed readers made; empty where they made none."""
    named = [
        f"{number(part.successful_requests)} of {CRAWLER_PARTS[part.purpose]}"
        for row in report.classes
        for part in row.parts or ()
        if part.successful_requests
    ]
    return f", among them {' and '.join(named)}" if named else ""


def _monitoring(report: MachineConsumptionReport) -> int:
    """How many of the fetches uptime monitors made."""
    parts = [part for row in report.classes for part in row.parts or () if part.purpose == "monitoring"]
    return sum(part.successful_requests or 0 for part in parts)


def _successful(report: MachineConsumptionReport, classes: frozenset[TrafficClass]) -> int | None:
    counts = [row.successful_requests for row in report.classes if row.traffic_class in classes]
    observed = [count for count in counts if count is not None]
    return sum(observed) if len(observed) == len(classes) else None


def _headline(counts: dict[str, int], monitoring: int) -> str:
    """What became of the fetches.

    The rate leaves uptime monitors out, because one of them may make most of the fetches, and is told only over at
    least ``MIN_DENOMINATOR`` others.
    """
    fetched, viewed, others = counts[FETCHED], counts.get(VIEWED), counts[FETCHED] - monitoring
    watched = f", {number(monitoring)} of them uptime monitors" if monitoring else ""
    parts = [f"Machine readers fetched {number(fetched)} times{watched}"]
    if viewed is not None:
        which = "other fetches" if monitoring else "fetches"
        rate = f", {number(round(100 * viewed / others))} for every 100 {which}" if others >= MIN_DENOMINATOR else ""
        parts.append(f"{number(viewed)} browser-like page views were counted{rate}")
    if SENT_TITLE in counts:
        parts.append(f"search and answer engines sent {number(counts[SENT_TITLE])} of these views")
    if REPORTED in counts:
        parts.append(f"{number(counts[REPORTED])} uses were reported back")
    return f"{'; '.join(parts)}."


def _window(report: MachineConsumptionReport) -> str:
    """The time that is counted, and how much of it was observed."""
    coverage, end = report.coverage, report.window.end
    until = f" to {spoken_moment(end)}" if end else ""
    return (
        f"Thirty days{until}, of which {coverage.observed_hours:,.0f} of {coverage.expected_hours} hours were observed."
        " These are different events, counted side by side: no fetch is followed to a view."
    )
