"""How the forecasts did: what was said against what happened, over those that resolved and count."""

from collections.abc import Iterable, Sequence
from math import sqrt
from typing import cast

from pydantic import Field

from citepress.archive.model import Entry
from citepress.base.timestamps import day
from citepress.contract.document import Pages, Section
from citepress.contract.model import Model, Moment
from citepress.contract.page import INTERFACE, Block, Cards, Chart, Facts, Item, Items, Link, Page, Series, Table
from citepress.contract.version import SCHEMA_VERSION
from citepress.edition.pages.collections import card
from citepress.edition.render_context import RenderContext, single
from citepress.kinds.parts import fact, facts, percent
from citepress_research.kinds.forecasts import BRIER_DECIMALS, ForecastRecord
from citepress_research.kinds.forecasts import KIND as FORECASTS

CALIBRATION_PATH = "/calibration/"
BINS = 5
"""Ranges of probability, of the same width."""
Z = 1.959964
"""Standard deviations on either side of an interval of 95 %."""
MAX_LISTED_FORECASTS = 50
"""Forecasts that the page lists."""


class CalibrationBin(Model):
    """The forecasts whose probabilities lie in one range."""

    least: float
    """Lowest probability of the range."""
    most: float
    """Highest probability, which belongs to the next range; 1 belongs to the last."""
    forecasts: int
    """Forecasts in it."""
    said: float
    """Their mean probability."""
    happened: float
    """The share of them that came true."""
    interval: list[float] = Field(min_length=2, max_length=2)
    """Wilson interval of that share, 95 %."""


class CalibrationReport(Model):
    """How the forecasts of the archive did."""

    schema_version: int
    """Version of this document's schema."""
    as_of: Moment
    """The newest record date of the archive."""
    resolved: int
    """Forecasts that resolved with yes or no and count: they were published before their outcome."""
    unscored: int
    """Further ones that resolved, but do not count."""
    open: int
    """Forecasts whose outcome is not known yet."""
    brier_score: float | None
    """Mean Brier score of those that count, 0 (best) to 1; null where none does."""
    bins: list[CalibrationBin]
    """Ranges of probability in which a forecast lies, the lowest first."""


def _report(context: RenderContext, records: Sequence[ForecastRecord]) -> CalibrationReport:
    scores = [record.brier for record in records if record.brier is not None]
    return CalibrationReport(
        schema_version=SCHEMA_VERSION,
        as_of=context.archive.as_of,
        resolved=len(scores),
        unscored=sum(record.unscored_reason is not None for record in records),
        open=sum(record.status == "open" for record in records),
        brier_score=round(sum(scores) / len(scores), BRIER_DECIMALS) if scores else None,
        bins=[_bin(number, part) for number in range(BINS) if (part := _within(records, number))],
    )


def _within(records: Sequence[ForecastRecord], number: int) -> list[ForecastRecord]:
    """The forecasts that count, of one range."""
    return [record for record in records if record.scored and min(int(record.probability * BINS), BINS - 1) == number]


def _bin(number: int, records: Sequence[ForecastRecord]) -> CalibrationBin:
    count = len(records)
    share = sum(record.outcome == "yes" for record in records) / count
    middle, half = share + Z * Z / (2 * count), Z * sqrt(share * (1 - share) / count + Z * Z / (4 * count * count))
    ends = [max(0.0, (middle - half) / (1 + Z * Z / count)), min(1.0, (middle + half) / (1 + Z * Z / count))]
    return CalibrationBin(
        least=number / BINS,
        most=(number + 1) / BINS,
        forecasts=count,
        said=round(sum(record.probability for record in records) / count, BRIER_DECIMALS),
        happened=round(share, BRIER_DECIMALS),
        interval=[round(end, BRIER_DECIMALS) for end in ends],
    )


def forecasts_of(context: RenderContext) -> list[ForecastRecord]:
    """Every forecast, newest first."""
    return [cast("ForecastRecord", entry.record) for entry in context.archive.collections[FORECASTS.name]]


def _page(context: RenderContext) -> Page:
    entries = context.archive.collections[FORECASTS.name]
    records = forecasts_of(context)
    scored = [entry for entry, record in zip(entries, records, strict=True) if record.scored]
    report = _report(context, records)
    return Page(
        CALIBRATION_PATH,
        "Calibration",
        "How often the forecasts of this archive came true, by the probability that they stated.",
        tuple(_blocks(report, scored, open_items(records, MAX_LISTED_FORECASTS))),
        label="Forecasts",
        updated=max((entry.head.updated_at for entry in scored), default=context.archive.as_of),
        crumbs=(Link("Home", "/"), Link("Forecasts", FORECASTS.path)),
        data=report,
    )


def open_items(records: Sequence[ForecastRecord], most: int) -> tuple[Item, ...]:
    """The open forecasts that resolve first, each with its probability as words and as a bar."""
    waiting = [record for record in records if record.status == "open"]
    return tuple(
        Item(
            f"{percent(record.probability)}, by {day(record.resolves_at)}",
            None,
            f"/{record.id}/",
            record.title,
            language=INTERFACE,
            title_language=record.language,
            spoken=True,
            chance=record.probability,
        )
        for record in sorted(waiting, key=lambda record: (record.resolves_at, record.id))[:most]
    )


def _blocks(report: CalibrationReport, scored: Sequence[Entry], waiting: tuple[Item, ...]) -> Iterable[Block]:
    mean = (
        None if report.brier_score is None else f"{report.brier_score:.4f} (0 is best; always saying 50 % gives 0.25)"
    )
    yield Facts(
        "score",
        "Track record",
        facts(
            fact("Forecasts that count", f"{report.resolved:,}" if report.resolved else None),
            fact("Brier score", mean),
            fact("Resolved, not scored", f"{report.unscored:,}" if report.unscored else None),
            fact("Open", f"{report.open:,}"),
        ),
    )
    yield _chart(report)
    if scored:
        yield Cards("forecasts", "Forecasts that count", tuple(map(card, scored[:MAX_LISTED_FORECASTS])))
    if waiting:
        yield Items("open-forecasts", "Open, by deadline", waiting)


def _chart(report: CalibrationReport) -> Chart:
    bins = report.bins
    rows = tuple(
        (
            Link(f"{percent(round(part.least, 2))} to {percent(round(part.most, 2))}"),
            Link(f"{part.forecasts:,}"),
            Link(percent(round(part.said, 3))),
            Link(percent(round(part.happened, 3))),
            Link(f"{percent(round(part.interval[0], 2))} to {percent(round(part.interval[1], 2))}"),
        )
        for part in bins
    )
    columns = ("Probability", "Forecasts", "Said on average", "Came true", "95 % interval")
    series = (
        Series("said", tuple(part.said for part in bins)),
        Series("came true", tuple(part.happened for part in bins)),
        Series("low", tuple(part.interval[0] for part in bins)),
        Series("high", tuple(part.interval[1] for part in bins)),
    )
    fitting = sum(part.interval[0] <= part.said <= part.interval[1] for part in bins)
    fit = (
        f"In {fitting} of {len(bins)} ranges of probability, what was said lies within the interval of what happened."
        if bins
        else "No forecast that was published before its outcome has resolved yet."
    )
    summary = (
        f"{fit} Horizontal: the stated probability. Vertical: the share that came true, with its 95 % interval. On the"
        " dashed line, both are equal."
    )
    labels = tuple(f"{percent(round(part.least, 2))} to {percent(round(part.most, 2))}" for part in bins)
    return Chart(
        "calibration",
        "Forecast and outcome",
        "calibration",
        summary,
        labels,
        series,
        Table("", "Calibration", columns, rows),
    )


ALL = (
    Pages[RenderContext](
        "calibration",
        CALIBRATION_PATH,
        Section.RECORDS,
        "How often forecasts came true, by the probability that they were given.",
        single(_page),
        "CalibrationReport",
        CalibrationReport,
        before="json_schema",
    ),
)
