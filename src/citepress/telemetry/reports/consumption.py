"""The machine-consumption report: thirty days by class, purpose, operator, form and page."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from pyroaring import BitMap

from citepress.base.canonical import plain
from citepress.contract.reports import empty
from citepress.contract.reports.consumption import REVISION, SCHEMA_PATH, MachineConsumptionReport
from citepress.telemetry.identify.user_agents import referrers
from citepress.telemetry.ports import REPRESENTATIONS, STATUS_CLASSES, VERIFY, FamilyRow, FamilySums, Hour
from citepress.telemetry.reports.data import HOUR, WINDOWS, DateSpan, ReportContext, ReportData, watched
from citepress.telemetry.reports.gateway import gateway
from citepress.telemetry.reports.header import (
    FORMS,
    FURTHER,
    LEAST,
    LISTED,
    added,
    checked,
    coverage,
    gaps,
    methods,
    ranked,
    report_header,
    share,
    statuses,
    stretch,
    unchecked,
    verification,
    window,
)
from citepress.telemetry.reports.readership import ReadRows, by_material, first_read
from citepress.telemetry.reports.traffic import by_class, contradicted, total, verified

OPERATORS, TOP, SAMPLE = 100, 25, 25
"""Operators, top pages and never-read pages that are listed."""
IMPOSTORS = VERIFY.index("contradicted")
Named = Sequence[tuple[FamilyRow, FamilySums]]


def report(setting: ReportContext, seen: ReportData) -> MachineConsumptionReport:
    """The report of the last thirty days."""
    span = seen.window("30d")
    missing = [*gaps(seen, "30d", ""), *(_unknown(setting, span) if span.seen else ())]
    told_head = report_header(setting, seen, SCHEMA_PATH, WINDOWS["30d"][1], 0, missing)
    told_head |= {"schema_revision": REVISION, "window": window(seen, "30d"), "observed_window": _observed(seen, span)}
    if not span.seen:
        return MachineConsumptionReport.model_validate({**plain(empty.consumption(setting.base_url)), **told_head})
    return MachineConsumptionReport.model_validate(told_head | _sums(setting, seen) | _pages(setting, seen))


def _observed(seen: ReportData, span: DateSpan) -> dict[str, str | None]:
    """From the first hour of the window that was observed to the last."""
    hours = [one.hour for one in seen.closed if one.hour >= span.first and watched(one)]
    return dict(stretch(hours[0], hours[-1] + 1)) if hours else {"start": None, "end": None}


def named(seen: ReportData, sums: Hour) -> Named:
    """The named families of a window, those with the most requests first; also those whose name only impostors used."""
    rows = [
        (seen.families[id_], found)
        for id_, found in sums.families.items()
        if seen.families[id_].named and (found.n or found.verify[IMPOSTORS])
    ]
    return sorted(rows, key=lambda row: (-row[1].n, row[0].name, row[0].id))


def _unknown(setting: ReportContext, span: DateSpan) -> Iterator[tuple[str, str]]:
    """What this window cannot tell, and why."""
    hours = span.end - span.first
    if not span.live_hours:
        yield "/gateway", "imported logs do not tell what was done beside reading"
    elif span.imported_hours:
        yield (
            "/gateway",
            f"counted in the {span.live_hours} of {hours} hours that the service observed itself; imported logs do not tell it",
        )
    if span.imported_hours:
        yield "/representations", FURTHER[FORMS]
    yield "/operators/*/crawl_to_refer/referrals", "null where no host is known from which the operator's services would send readers"
    yield from unchecked(setting, span, "/totals/verified_requests", "/operators/*/verification")


def _sums(setting: ReportContext, seen: ReportData) -> dict[str, Any]:
    """What needs only the window's own sums."""
    now = seen.windows["30d"]
    rows, families = now.traffic, named(seen, now)
    whole, span = total(rows), seen.window("30d")
    checks = methods(setting, span, setting.basis)
    classes = by_class(rows)
    by_rep, by_status, purposes = [0] * len(REPRESENTATIONS), [0] * len(STATUS_CLASSES), dict[str, int]()
    for key, row in rows.items():
        by_rep[key.rep] += row.n
        by_status[key.status_class] += row.n
    for family, found in families:
        purposes[family.purpose] = purposes.get(family.purpose, 0) + found.n
    every = sum(purposes.values())
    forms = ranked({name: by_rep[place] for place, name in enumerate(REPRESENTATIONS)}, least=0)
    return {
        "totals": {
            "requests": whole,
            "successful_requests": sum(one.ok for one in classes.values()),
            "bytes_served": sum(one.bytes for one in classes.values()),
            "unique_materials": len(_union(families)),
            "verified_requests": checked(verified(rows), checks),
            "contradicted_requests": checked(contradicted(rows), [one for one in checks if one == LISTED]),
        },
        "classes": [
            {"class": name, "requests": one.n, "successful_requests": one.ok, "bytes_served": one.bytes, "share": share(one.n, whole)}
            for name, one in classes.items()
        ],
        "purposes": [{"purpose": name, "requests": n, "share": share(n, every)} for name, n in ranked(purposes)],
        "representations": [{"representation": name, "requests": n, "share": share(n, whole)} for name, n in forms],
        "status_classes": statuses(by_status),
        "revalidations_304": sum(row.n304 for row in rows.values()),
        "gateway": gateway(now.gateway) if span.live_hours else plain(empty.consumption(setting.base_url))["gateway"],
    }


def _union(families: Named) -> BitMap:
    return BitMap.union(*(found.materials for _, found in families)) if families else BitMap()


def _pages(setting: ReportContext, seen: ReportData) -> dict[str, Any]:
    """What needs the pages of the edition."""
    ids = seen.ids
    current = BitMap(ids[page.canonical_path] for page in setting.catalogue if page.canonical_path in ids)
    of = len(setting.catalogue)
    totals = by_material(seen.totals)
    unread = sorted(page.canonical_path for page in setting.catalogue if ids.get(page.canonical_path, 0) not in totals)
    return {
        "operators": list(_operators(setting, seen, current, of))[:OPERATORS],
        "top_materials": _top(seen, totals, current),
        "never_read": {"count": len(unread), "of": of, "sample": unread[:SAMPLE]},
        "freshness": _freshness(setting, seen, totals),
    }


def _operators(setting: ReportContext, seen: ReportData, current: BitMap, of: int) -> Iterator[dict[str, Any]]:
    now = seen.windows["30d"]
    groups: dict[str, list[tuple[FamilyRow, FamilySums]]] = {}
    for row, found in named(seen, now):
        if row.operator:
            groups.setdefault(row.operator, []).append((row, found))
    referrals = {seen.operators[id_]: n for id_, n in now.referrals.items() if n}
    span = seen.window("30d")
    for operator in referrals:
        groups.setdefault(operator, [])
    sums = {operator: sum(found.n for _, found in families) for operator, families in groups.items()}
    for operator, _ in ranked(sums, least=0):
        came = referrals.get(operator, 0 if operator in referrers.shipped().operators else None)
        yield _operator(setting, span, operator, groups[operator], came, (current, of))


def _operator(
    setting: ReportContext, span: DateSpan, operator: str, families: Named, referrals: int | None, catalogue: tuple[BitMap, int]
) -> dict[str, Any]:  # fmt: skip
    read = _union(families)
    names = sorted({row.name for row, _ in families})
    crawls = sum(found.rep[REPRESENTATIONS.index("html")] for _, found in families)
    basis = {(one.method, one.source_url, one.fetched_at): one for name in names for one in setting.basis.get(name, ())}
    return {
        "operator": operator,
        "families": names,
        "requests": sum(found.n for _, found in families),
        "successful_requests": sum(found.ok for _, found in families),
        "bytes_served": sum(found.bytes for _, found in families),
        "unique_materials": len(read),
        "catalog_coverage": coverage(len(read & catalogue[0]), catalogue[1]),
        "verification": verification(added((found.verify for _, found in families), len(VERIFY)), methods(setting, span, names)),
        "verification_basis": list(basis.values()),
        "crawl_to_refer": {
            "crawls": crawls, "referrals": referrals, "ratio": round(crawls / referrals, 4) if referrals is not None and referrals >= LEAST else None,
        },
    }  # fmt: skip


def _top(seen: ReportData, totals: Mapping[int, ReadRows], current: BitMap) -> list[dict[str, Any]]:
    """Pages by the number of families."""
    counts: dict[int, int] = {}
    for _, found in named(seen, seen.windows["30d"]):
        for material in found.materials & current:
            counts[material] = counts.get(material, 0) + 1
    best = sorted(counts, key=lambda material: (-counts[material], seen.materials[material].canonical_path))[:TOP]
    day, seen_day = by_material(seen.reads), seen.window("24h").seen
    return [
        {
            "canonical_path": seen.materials[material].canonical_path,
            "families_30d": counts[material],
            "requests_24h": _requests(day.get(material, ())) if seen_day else None,
            "requests_observed": _requests(totals.get(material, ())),
        }
        for material in best
    ]


def _requests(rows: ReadRows) -> int:
    return sum(reads.n for _, reads in rows)


def _freshness(setting: ReportContext, seen: ReportData, totals: Mapping[int, ReadRows]) -> dict[str, Any]:
    """Pages published in the part of the window that was observed, and how long they waited."""
    since, hours = seen.as_of - WINDOWS["30d"][1], seen.watched()
    fresh = [page for page in setting.catalogue if page.published_at and since <= (hour := _hour(page.published_at)) and hour in hours]
    ids, waited = seen.ids, list[int]()
    for page in fresh:
        known = totals.get(ids.get(page.canonical_path, 0), ())
        wait = first_read(page, hours, min((reads.first for _, reads in known), default=0))
        if wait is not None:
            waited.append(wait)
    waited.sort()
    return {
        "published": len(fresh),
        "read": len(waited),
        "time_to_first_read_hours": {"p50": _rank(waited, 50), "p90": _rank(waited, 90)},
    }


def _hour(when: datetime) -> int:
    return int(when.timestamp()) // HOUR


def _rank(values: Sequence[int], percent: int) -> int | None:
    """The smallest value that so many per cent do not exceed."""
    return values[-(-len(values) * percent // 100) - 1] if values else None
