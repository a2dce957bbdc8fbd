"""Requests of each named family by day: for the publisher's own eyes, in no published document."""

from collections.abc import Sequence
from typing import NamedTuple

from citepress_telemetry.reports.data import DAY_HOURS, ReportData, moment
from citepress_telemetry.reports.suppression import withheld


class FamilyDay(NamedTuple):
    """What one family requested on one UTC day."""

    day: str
    family: str
    operator: str
    purpose: str
    requests: int


class FamilyDays(NamedTuple):
    """Thirty days, the newest first."""

    first: str
    last: str
    observed: Sequence[str]
    """Days on which anything was observed: a family without a row made no request on these."""
    rows: Sequence[FamilyDay]


def family_days(data: ReportData, least: int) -> FamilyDays:
    """The days that are known by family; ``least`` holds back personal fetches, as in every report."""
    rows: list[FamilyDay] = []
    daily = withheld(data, least).daily
    dates = [moment(day * DAY_HOURS).date().isoformat() for day, _ in daily]
    for date, (_, counts) in zip(dates, daily, strict=True):
        named = [(data.families[family], requests) for family, requests in (counts or {}).items() if requests]
        rows += [FamilyDay(date, row.name, row.operator, row.purpose, n) for row, n in named if row.named]
    rows.sort(key=lambda row: (row.day, row.requests, row.family), reverse=True)
    observed = [date for date, (_, counts) in zip(dates, daily, strict=True) if counts is not None]
    return FamilyDays(dates[0], dates[-1], observed, rows)
