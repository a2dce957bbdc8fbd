"""The bot-traffic documents: 24 hours in five classes, and the classes day by day since the beginning."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, get_args

from citepress.base.canonical import plain
from citepress.contract.reports import empty
from citepress.contract.reports.traffic import (
    HISTORY_SCHEMA,
    POINTS,
    SNAPSHOT_SCHEMA,
    BotTrafficHistory,
    BotTrafficSnapshot,
    HistoryAnnotation,
)
from citepress.contract.reports.words import Purpose
from citepress.telemetry.ports import CLASSES, VERIFY, Day, Hour, Traffic, TrafficKey
from citepress.telemetry.reports.data import DAY_HOURS, HOUR, WINDOWS, DateSpan, ReportContext, ReportData
from citepress.telemetry.reports.header import (
    CONTRADICTED,
    LEAST,
    LISTED,
    VERIFIED,
    checked,
    gaps,
    methods,
    ranked,
    report_header,
    share,
    unchecked,
    verification,
    window,
)

TOP = 50
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
UNNAMED = {
    "unlisted_automation": "(unlisted automation)",
    "unlisted_clients": "(unlisted client)",
    "no_user_agent": "(no user agent)",
    "unresolved": "(unresolved)",
}
"""Families without a name by the member that tells of them."""
PURPOSES = frozenset(get_args(Purpose))
NAMED = ("crawler", "ai_user_agent")
"""Classes whose every request is a named client's."""
Rows = Mapping[TrafficKey, Traffic]


def by_class(rows: Rows) -> dict[str, Traffic]:
    """The sums of each class; every class is there."""
    sums = {name: Traffic() for name in CLASSES}
    for key, row in rows.items():
        one = sums[key.cls]
        one.n, one.ok, one.n304, one.bytes = one.n + row.n, one.ok + row.ok, one.n304 + row.n304, one.bytes + row.bytes
    return sums


def verified(rows: Rows) -> int:
    """Requests whose declared identity was confirmed."""
    return sum(row.n for key, row in rows.items() if VERIFY[key.verify] in VERIFIED)


def contradicted(rows: Rows) -> int:
    """Requests whose address contradicts their name."""
    return sum(row.n for key, row in rows.items() if VERIFY[key.verify] == CONTRADICTED)


def total(rows: Rows) -> int:
    """Requests of all classes."""
    return sum(row.n for row in rows.values())


def snapshot(setting: ReportContext, seen: ReportData) -> BotTrafficSnapshot:
    """The last 24 hours."""
    span = seen.window("24h")
    unknown = unchecked(setting, span, "/top_families/*/verification", "/contradicted_requests") if span.seen else ()
    told = report_header(setting, seen, SNAPSHOT_SCHEMA, WINDOWS["24h"][1], 0, [*gaps(seen, "24h", ""), *unknown])
    if not span.seen:
        return BotTrafficSnapshot.model_validate({**plain(empty.snapshot(setting.base_url)), **told, "window": window(seen, "24h")})
    now = seen.windows["24h"]
    named = {row.name: now.families[id_].n for id_, row in seen.families.items() if not row.named and id_ in now.families}
    return BotTrafficSnapshot.model_validate(
        told
        | {
            "window": window(seen, "24h"),
            "total_requests": total(now.traffic),
            "classes": list(_classes(seen, now)),
            "top_families": _top(setting, seen, now),
            "contradicted_requests": checked(contradicted(now.traffic), _lists(setting, span)),
            "unattributed": {member: named.get(name, 0) for member, name in UNNAMED.items()},
            "scanner": {"probe_categories": [{"category": name, "requests": n} for name, n in ranked(now.probes)]},
        }
    )


def _classes(seen: ReportData, now: Hour) -> Iterator[dict[str, Any]]:
    whole, classes = total(now.traffic), by_class(now.traffic)
    earlier = seen.span(seen.as_of - 2 * DAY_HOURS, seen.as_of - DAY_HOURS).seen
    before = by_class(seen.before.traffic)
    for name, sums in classes.items():
        former = before[name].n if earlier else None
        yield {
            "class": name,
            "requests": sums.n,
            "share": share(sums.n, whole),
            "successful_requests": sums.ok,
            "bytes_served": sums.bytes,
            "previous_requests": former,
            "change": round((sums.n - former) / former, 4) if former is not None and former >= LEAST else None,
        }


def _lists(setting: ReportContext, span: DateSpan) -> Sequence[str]:
    """The one check that can disprove a name, where it is made."""
    return [one for one in methods(setting, span, setting.basis) if one == LISTED]


def _top(setting: ReportContext, seen: ReportData, now: Hour) -> list[dict[str, Any]]:
    named = [(seen.families[id_], sums) for id_, sums in now.families.items() if seen.families[id_].named and sums.n]
    named.sort(key=lambda one: (-one[1].n, one[0].name, one[0].id))
    span = seen.window("24h")
    return [
        {
            "family": row.name,
            "class": row.cls,
            "purpose": row.purpose,
            "requests": sums.n,
            "verification": verification(sums.verify, methods(setting, span, [row.name])),
        }
        for row, sums in named[:TOP]
    ]


def history(setting: ReportContext, seen: ReportData) -> BotTrafficHistory:
    """Every day that was observed, whole months, and what explains a step."""
    days = seen.days[-POINTS:]
    whole_day = seen.as_of // DAY_HOURS > -(-seen.begun // DAY_HOURS)
    missing = [
        (f"/points/*/{name}", "null for imported days, and where nothing could be checked")
        for name in ("verified_requests", "contradicted_requests")
    ]
    told = report_header(setting, seen, HISTORY_SCHEMA, seen.as_of - seen.begun, 0, missing)
    checks = methods(setting, seen.span(seen.begun, seen.as_of), setting.basis)
    return BotTrafficHistory.model_validate(
        told
        | {
            "status": "ok" if whole_day else "collecting",
            "interval": "P1D",
            "timezone": "UTC",
            "points": [_point(_date(one.day), one, checks) for one in days],
            "months": [_point(f"{month}-01", one, checks) for month, one in seen.months],
            "annotations": sorted((*_steps(days), *setting.annotations), key=lambda one: (one.at, one.kind, one.text)),
        }
    )


def _date(day: int) -> str:
    return (EPOCH + timedelta(days=day)).date().isoformat()


def _point(start: str, one: Day, checks: Collection[str]) -> dict[str, Any]:
    seen = bool(one.observed_seconds or one.imported or one.traffic)
    classes = by_class(one.traffic)
    return {
        "start": start,
        "complete": one.complete,
        "observed_hours": round(one.observed_seconds / HOUR, 2),
        "imported": one.imported,
        "classifier_version": one.classifiers[-1] if one.classifiers else "",
        "total_requests": total(one.traffic) if seen else None,
        "classes": {name: sums.n if seen else None for name, sums in classes.items()},
        "purposes": _purposes(one.traffic),
        "verified_requests": checked(verified(one.traffic), () if one.imported or not seen else checks),
        "contradicted_requests": checked(contradicted(one.traffic), {LISTED} & {*checks} if seen and not one.imported else ()),
    }


def _purposes(rows: Rows) -> dict[str, int]:
    """Requests of named clients by purpose; outside the classes of named clients an unknown purpose is nobody's."""
    sums: dict[str, int] = {}
    for key, row in rows.items():
        if key.purpose in PURPOSES and (key.cls in NAMED or key.purpose != "unknown"):
            sums[key.purpose] = sums.get(key.purpose, 0) + row.n
    return dict(ranked(sums))


def _steps(days: Sequence[Day]) -> Iterator[HistoryAnnotation]:
    """Changes of the classifier, and days from imported logs, as the days themselves tell them."""
    version, imported = "", False
    for one in days:
        for name in one.classifiers:
            if version and name != version:
                yield _step(one.day, "classifier_change", f"Classifier {name} counts from this day on; before it {version} did.")
            version = name
        if one.imported and not imported:
            yield _step(
                one.day, "import", "Counts from here on come from imported logs, in part or in whole; their clients are claimed alone."
            )
        elif imported and not one.imported:
            yield _step(one.day, "import", "Counts from here on were observed by the service itself.")
        imported = one.imported


def _step(day: int, kind: str, text: str) -> HistoryAnnotation:
    return HistoryAnnotation.model_validate({"at": EPOCH + timedelta(days=day), "kind": kind, "text": text})
