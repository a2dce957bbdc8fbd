"""The bot-traffic documents: 24 hours in five classes, and the classes day by day since the beginning."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from typing import get_args

from citepress.base.timestamps import HOUR_S
from citepress.contract.content_head import Missing
from citepress_telemetry.contract import traffic as contract
from citepress_telemetry.contract.unobserved import snapshot_classes, unobserved
from citepress_telemetry.contract.words import READERS, VERIFIED, Purpose, TrafficClass
from citepress_telemetry.model import NUMBERED_CLASSES, VERIFY, Day, FamilySums, Hour, Traffic, TrafficKey
from citepress_telemetry.ports import FamilyRow
from citepress_telemetry.reports import header
from citepress_telemetry.reports.data import DAY_HOURS, PERSONAL, WINDOWS, DateSpan, ReportContext, ReportData
from citepress_telemetry.sums.windows import add_counts, add_traffic

MAX_TOP_ROWS = 50
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
UNNAMED = {
    "unlisted_automation": "(unlisted automation)",
    "unlisted_clients": "(unlisted client)",
    "no_user_agent": "(no user agent)",
    "unresolved": "(unresolved)",
}
"""Families without a name by the member that counts them."""
PURPOSES = frozenset(get_args(Purpose))
Rows = Mapping[TrafficKey, Traffic]


def by_class(rows: Rows) -> dict[str, Traffic]:
    """The sums of each class; every class is there."""
    sums: dict[str, Traffic] = {name: Traffic() for name in NUMBERED_CLASSES}
    for key, row in rows.items():
        add_traffic(sums[key.cls], row)
    return sums


def verified(rows: Rows) -> int:
    """Requests whose declared identity was confirmed."""
    return sum(row.n for key, row in rows.items() if VERIFY[key.verify] in VERIFIED)


def contradicted(rows: Rows) -> int:
    """Requests whose address contradicts their name."""
    return sum(row.n for key, row in rows.items() if VERIFY[key.verify] == header.CONTRADICTED)


def total(rows: Rows) -> int:
    """Requests of all classes."""
    return sum(row.n for row in rows.values())


def snapshot(context: ReportContext, data: ReportData) -> contract.BotTrafficSnapshot:
    """The last 24 hours."""
    span = data.window("24h")
    unknown = (
        header.unchecked(context, span, "/top_families/*/verification", "/contradicted_requests")
        if span.observed
        else ()
    )
    missing = [*header.gaps(data, "24h", ""), *unknown]
    head = dict(header.report_header(context, data, contract.SNAPSHOT_SCHEMA, WINDOWS["24h"][1], 0, missing))
    head["window"] = header.window(data, "24h")
    if not span.observed:
        return unobserved(contract.BotTrafficSnapshot, **head, classes=snapshot_classes())
    sums = data.windows["24h"]
    checks = header.methods(context, span, context.basis)
    return contract.BotTrafficSnapshot(
        **head,
        total_requests=total(sums.traffic),
        classes=list(_classes(data, sums)),
        top_families=_top(context, data, sums),
        contradicted_requests=header.checked(contradicted(sums.traffic), checks & {header.LISTED_RANGE}),
        unattributed=_unattributed(data, sums),
        scanner=contract.ScannerNoise(
            probe_categories=[
                contract.ProbeCategory(category=name, requests=n) for name, n in header.rank_counts(sums.probes)
            ]
        ),
    )


def _unattributed(data: ReportData, sums: Hour) -> contract.Unattributed:
    unnamed = {
        row.name: sums.families[id_].n for id_, row in data.families.items() if not row.named and id_ in sums.families
    }
    return contract.Unattributed(**{member: unnamed.get(name, 0) for member, name in UNNAMED.items()})


def _classes(data: ReportData, sums: Hour) -> Iterator[contract.SnapshotClass]:
    whole = total(sums.traffic)
    day_before = data.span(data.as_of - 2 * DAY_HOURS, data.as_of - DAY_HOURS)
    before = by_class(data.before.traffic)
    for name, traffic in by_class(sums.traffic).items():
        previous = before[name].n if day_before.observed else None
        yield contract.SnapshotClass(
            traffic_class=name,
            requests=traffic.n,
            share=header.share(traffic.n, whole),
            parts=header.crawler_parts(sums.traffic) if name == TrafficClass.CRAWLER else None,
            successful_requests=traffic.ok,
            bytes_served=traffic.bytes,
            previous_requests=previous,
            change=_growth(traffic.n, previous),
        )


def _growth(requests: int, previous: int | None) -> float | None:
    if previous is None or previous < header.MIN_DENOMINATOR:
        return None
    return round((requests - previous) / previous, 4)


def _top(context: ReportContext, data: ReportData, sums: Hour) -> list[contract.TopFamily]:
    span = data.window("24h")
    families = [(data.families[id_], family) for id_, family in sums.families.items() if family.n]
    named = [(row, family) for row, family in families if row.named]
    named.sort(key=lambda pair: (-pair[1].n, pair[0].name, pair[0].id))
    return [_top_family(context, span, row, family) for row, family in named[:MAX_TOP_ROWS]]


def _top_family(context: ReportContext, span: DateSpan, row: FamilyRow, family: FamilySums) -> contract.TopFamily:
    return contract.TopFamily(
        family=row.name,
        traffic_class=row.cls,
        purpose=row.purpose,
        requests=family.n,
        verification=header.verification(family.verify, header.methods(context, span, [row.name])),
    )


def history(context: ReportContext, data: ReportData) -> contract.BotTrafficHistory:
    """Every day that was observed, whole months, and what explains a step."""
    days = data.days[-contract.POINTS :]
    whole_day = data.as_of // DAY_HOURS > -(-data.begun // DAY_HOURS)
    missing = [
        Missing(pointer=f"/points/*/{name}", reason="null for imported days, and where nothing could be checked")
        for name in ("verified_requests", "contradicted_requests")
    ]
    head = dict(header.report_header(context, data, contract.HISTORY_SCHEMA, data.as_of - data.begun, 0, missing))
    head["status"] = "ok" if whole_day else "collecting"
    checks = header.methods(context, data.span(data.begun, data.as_of), context.basis)
    annotations = [*_steps(days), *context.annotations]
    return contract.BotTrafficHistory(
        **head,
        interval="P1D",
        timezone="UTC",
        points=[_point(_date(day.day), day, checks, data.personal_in(day.day, day.day + 1)) for day in days],
        months=[_month(date.fromisoformat(f"{month}-01"), sums, checks, data) for month, sums in data.months],
        annotations=sorted(annotations, key=lambda step: (step.at, step.kind, step.text)),
    )


def window_points(data: ReportData) -> list[contract.HistoryPoint]:
    """The days of the window of thirty days, oldest first: their classes add up to its counts."""
    return [_point(_date(day.day), day, frozenset(), 0) for day in data.window_days()]


def _date(day: int) -> date:
    return (EPOCH + timedelta(days=day)).date()


def _point(start: date, day: Day, checks: Collection[str], personal: int) -> contract.HistoryPoint:
    """One day, or the sums of a month; ``personal``: requests for a person that no report holds back."""
    observed = bool(day.observed_seconds or day.imported or day.traffic)
    day_checks = checks if observed and not day.imported else frozenset[str]()
    classes = {name: sums.n if observed else None for name, sums in by_class(day.traffic).items()}
    return contract.HistoryPoint(
        start=start,
        complete=day.complete,
        observed_hours=round(day.observed_seconds / HOUR_S, 2),
        imported=day.imported,
        classifier_version=day.classifiers[-1] if day.classifiers else "",
        total_requests=total(day.traffic) if observed else None,
        classes=contract.ClassCounts.model_validate(classes),
        crawler_parts=header.crawler_parts(day.traffic) if observed else [],
        purposes=_purposes(day.traffic, personal),
        verified_requests=header.checked(verified(day.traffic), day_checks),
        contradicted_requests=header.checked(contradicted(day.traffic), {header.LISTED_RANGE} & {*day_checks}),
    )


def _month(start: date, sums: Day, checks: Collection[str], data: ReportData) -> contract.HistoryPoint:
    days = ((start + timedelta(days=32)).replace(day=1) - start).days
    return _point(start, sums, checks, data.personal_in(sums.day, sums.day + days))


def _purposes(rows: Rows, personal: int) -> dict[str, int]:
    """Requests of named clients by purpose; outside the classes of named clients an unknown purpose is nobody's."""
    requests: dict[str, int] = {}
    for key, row in rows.items():
        if key.purpose in PURPOSES and (key.cls in READERS or key.purpose != "unknown"):
            add_counts(requests, {key.purpose: row.n})
    if PERSONAL in requests:
        requests[PERSONAL] = personal
    return dict(header.rank_counts(requests))


def _steps(days: Sequence[Day]) -> Iterator[contract.HistoryAnnotation]:
    """Changes of the classifier, and days from imported logs, as the days themselves show them."""
    version, imported = "", False
    for day in days:
        for name in day.classifiers:
            if version and name != version:
                text = f"Classifier {name} counts from this day on; before it {version} did."
                yield _step(day.day, "classifier_change", text)
            version = name
        if day.imported and not imported:
            text = "Counts from here on come from imported logs, in part or in whole; their clients are claimed alone."
            yield _step(day.day, "import", text)
        elif imported and not day.imported:
            yield _step(day.day, "import", "Counts from here on were observed by the service itself.")
        imported = day.imported


def _step(day: int, kind: str, text: str) -> contract.HistoryAnnotation:
    return contract.HistoryAnnotation(at=EPOCH + timedelta(days=day), kind=kind, text=text)
