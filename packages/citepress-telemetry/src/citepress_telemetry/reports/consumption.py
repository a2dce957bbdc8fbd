"""The machine-consumption report: thirty days by class, purpose, operator, form and page."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime

from pyroaring import BitMap

from citepress.base.timestamps import HOUR_S
from citepress.contract.content_head import Missing
from citepress_telemetry.contract import consumption as contract
from citepress_telemetry.contract.head import TrafficSpan
from citepress_telemetry.contract.unobserved import consumption_classes, unobserved
from citepress_telemetry.contract.words import FURTHER_CAVEATS, READERS, SentForm, TrafficClass, VerificationState
from citepress_telemetry.identify.user_agents import referrers
from citepress_telemetry.model import REPRESENTATIONS, STATUS_CLASSES, VERIFY, FamilySums, Hour, Traffic
from citepress_telemetry.ports import FamilyRow
from citepress_telemetry.reports import header
from citepress_telemetry.reports.data import WINDOWS, DateSpan, ListedPage, ReportContext, ReportData, moment, watched
from citepress_telemetry.reports.gateway import gateway
from citepress_telemetry.reports.readership import ReadRows, by_material, first_read
from citepress_telemetry.reports.traffic import Rows, by_class, contradicted, total, verified
from citepress_telemetry.sums.windows import add_counts

OPERATORS, MAX_TOP_ROWS, SAMPLE = 100, 25, 25
"""Operators, top pages and never-read pages that are listed."""
IMPOSTORS = VerificationState.CONTRADICTED.stored
PAGE_FORMS = (SentForm.HTML, SentForm.MARKDOWN, SentForm.JSON)
"""The forms of a page: whoever takes Markdown has crawled it as well."""
NamedFamilies = Sequence[tuple[FamilyRow, FamilySums]]


def report(context: ReportContext, data: ReportData) -> contract.MachineConsumptionReport:
    """The report of the last thirty days."""
    span = data.window("30d")
    missing = [*header.gaps(data, "30d", ""), *(_unknown(context, span) if span.observed else ())]
    head = dict(header.report_header(context, data, contract.CONSUMPTION_SCHEMA_PATH, WINDOWS["30d"][1], 0, missing))
    head |= {
        "schema_revision": contract.REVISION,
        "window": header.window(data, "30d"),
        "observed_window": _observed(data, span),
    }
    if not span.observed:
        return unobserved(
            contract.MachineConsumptionReport,
            **head,
            classes=consumption_classes(),
            gateway=unobserved(contract.GatewayUse),
        )
    sums = data.windows["30d"]
    families = named_families(data, sums)
    return contract.MachineConsumptionReport(
        **head,
        totals=_totals(context, span, sums.traffic, families),
        classes=_classes(sums.traffic),
        purposes=_purposes(families),
        representations=_forms(sums.traffic),
        status_classes=header.statuses(_by_status(sums.traffic)),
        revalidations_304=sum(traffic.n304 for traffic in sums.traffic.values()),
        gateway=gateway(sums.gateway) if span.live_hours else unobserved(contract.GatewayUse),
        **_pages(context, data, sums),
    )


def _observed(data: ReportData, span: DateSpan) -> TrafficSpan:
    """From the first hour of the window that was observed to the last."""
    hours = [cursor.hour for cursor in data.closed if cursor.hour >= span.first and watched(cursor)]
    if not hours:
        return TrafficSpan(start=None, end=None)
    return TrafficSpan(start=moment(hours[0]), end=moment(hours[-1] + 1))


def named_families(data: ReportData, sums: Hour) -> NamedFamilies:
    """The named families of a window, the largest first; also those whose name only impostors used."""
    rows = [
        (data.families[id_], family)
        for id_, family in sums.families.items()
        if data.families[id_].named and (family.n or family.verify[IMPOSTORS])
    ]
    return sorted(rows, key=lambda row: (-row[1].n, row[0].name, row[0].id))


def _unknown(context: ReportContext, span: DateSpan) -> Iterator[Missing]:
    """What this window cannot tell, and why."""
    hours = span.end - span.first
    if not span.live_hours:
        yield Missing(pointer="/gateway", reason="imported logs do not record what was done besides reading")
    elif span.imported_hours:
        reason = (
            f"counted in the {span.live_hours} of {hours} hours that the service observed itself; imported logs do not"
            " tell it"
        )
        yield Missing(pointer="/gateway", reason=reason)
    if span.imported_hours:
        yield Missing(pointer="/representations", reason=FURTHER_CAVEATS[header.IMPORTED_FORMS])
    yield Missing(
        pointer="/operators/*/crawl_to_refer/referrals",
        reason="null where no host is known from which the operator's services would send readers",
    )
    yield from header.unchecked(context, span, "/totals/verified_requests", "/operators/*/verification")


def _totals(
    context: ReportContext, span: DateSpan, traffic: Rows, families: NamedFamilies
) -> contract.ConsumptionTotals:
    checks = header.methods(context, span, context.basis)
    return contract.ConsumptionTotals(
        requests=total(traffic),
        successful_requests=sum(row.ok for row in traffic.values()),
        bytes_served=sum(row.bytes for row in traffic.values()),
        unique_materials=len(_union([pair for pair in families if pair[0].cls in READERS])),
        verified_requests=header.checked(verified(traffic), checks),
        contradicted_requests=header.checked(contradicted(traffic), checks & {header.LISTED_RANGE}),
    )


def _classes(traffic: Rows) -> list[contract.ConsumptionClass]:
    whole = total(traffic)
    return [_class(name, sums, whole, traffic) for name, sums in by_class(traffic).items()]


def _class(name: str, sums: Traffic, whole: int, rows: Rows) -> contract.ConsumptionClass:
    return contract.ConsumptionClass(
        traffic_class=name,
        requests=sums.n,
        successful_requests=sums.ok,
        bytes_served=sums.bytes,
        share=header.share(sums.n, whole),
        parts=header.crawler_parts(rows) if name == TrafficClass.CRAWLER else None,
    )


def _purposes(families: NamedFamilies) -> list[contract.PurposeCount]:
    requests: dict[str, int] = {}
    for family, sums in families:
        add_counts(requests, {family.purpose: sums.n})
    whole = sum(requests.values())
    return [
        contract.PurposeCount(purpose=purpose, requests=n, share=header.share(n, whole))
        for purpose, n in header.rank_counts(requests)
    ]


def _forms(traffic: Rows) -> list[contract.FormShare]:
    requests: dict[str, int] = dict.fromkeys(REPRESENTATIONS, 0)
    for key, row in traffic.items():
        requests[REPRESENTATIONS[key.rep]] += row.n
    whole = total(traffic)
    forms = header.rank_counts(requests, least=0)
    return [contract.FormShare(representation=form, requests=n, share=header.share(n, whole)) for form, n in forms]


def _by_status(traffic: Rows) -> list[int]:
    requests = [0] * len(STATUS_CLASSES)
    for key, row in traffic.items():
        requests[key.status_class] += row.n
    return requests


def _union(families: NamedFamilies) -> BitMap:
    return BitMap.union(*(sums.materials for _, sums in families)) if families else BitMap()


def _pages(context: ReportContext, data: ReportData, sums: Hour) -> dict[str, object]:
    """The members that need the pages of the edition."""
    ids = data.ids
    current = BitMap(ids[page.canonical_path] for page in context.catalogue if page.canonical_path in ids)
    totals = by_material(data.totals)
    unread = sorted(page.canonical_path for page in context.catalogue if ids.get(page.canonical_path, 0) not in totals)
    return {
        "operators": list(_operators(context, data, sums, current))[:OPERATORS],
        "top_materials": _top(data, totals, current),
        "never_read": contract.NeverRead(count=len(unread), of=len(context.catalogue), sample=unread[:SAMPLE]),
        "freshness": _freshness(context, data, totals),
    }


def _operators(
    context: ReportContext, data: ReportData, sums: Hour, current: BitMap
) -> Iterator[contract.OperatorReading]:
    """Operators of named families, and operators whose hosts sent readers, those with the most requests first."""
    referrals = {data.operators[id_]: n for id_, n in sums.referrals.items() if n}
    groups: dict[str, list[tuple[FamilyRow, FamilySums]]] = {operator: [] for operator in referrals}
    for row, family in named_families(data, sums):
        if row.operator:
            groups.setdefault(row.operator, []).append((row, family))
    requests = {operator: sum(family.n for _, family in families) for operator, families in groups.items()}
    for operator, _ in header.rank_counts(requests, least=0):
        # Without a list of its hosts nobody can tell whether an operator sent readers: null, not zero.
        unreferred = 0 if operator in referrers.shipped().operators else None
        yield _operator(
            context, data.window("30d"), operator, groups[operator], referrals.get(operator, unreferred), current
        )


def _operator(
    context: ReportContext,
    span: DateSpan,
    operator: str,
    families: NamedFamilies,
    referrals: int | None,
    current: BitMap,
) -> contract.OperatorReading:
    materials = _union(families)
    names = sorted({row.name for row, _ in families})
    basis = {
        (source.method, source.source_url, source.fetched_at): source
        for name in names
        for source in context.basis.get(name, ())
    }
    verify = header.add_counters((family.verify for _, family in families), len(VERIFY))
    crawls = sum(family.rep[form.stored] for _, family in families for form in PAGE_FORMS)
    enough = referrals is not None and referrals >= header.MIN_DENOMINATOR
    return contract.OperatorReading(
        operator=operator,
        families=names,
        requests=sum(family.n for _, family in families),
        successful_requests=sum(family.ok for _, family in families),
        bytes_served=sum(family.bytes for _, family in families),
        unique_materials=len(materials),
        catalog_coverage=header.coverage(len(materials & current), len(context.catalogue)),
        verification=header.verification(verify, header.methods(context, span, names)),
        verification_basis=list(basis.values()),
        crawl_to_refer=contract.CrawlToRefer(
            crawls=crawls, referrals=referrals, ratio=round(crawls / referrals, 4) if enough and referrals else None
        ),
    )


def _top(data: ReportData, totals: Mapping[int, ReadRows], current: BitMap) -> list[contract.TopMaterial]:
    """Pages by the number of families."""
    families: dict[int, int] = {}
    for row, sums in named_families(data, data.windows["30d"]):
        if row.cls in READERS:
            add_counts(families, dict.fromkeys(sums.materials & current, 1))
    names = {material: data.materials[material].canonical_path for material in families}
    best = sorted(families, key=lambda material: (-families[material], names[material]))[:MAX_TOP_ROWS]
    day, day_observed = by_material(data.reads), data.window("24h").observed
    return [
        contract.TopMaterial(
            canonical_path=names[material],
            families_30d=families[material],
            requests_24h=_requests(day.get(material, ())) if day_observed else None,
            requests_observed=_requests(totals.get(material, ())),
        )
        for material in best
    ]


def _requests(rows: ReadRows) -> int:
    return sum(reads.n for _, reads in rows)


def _freshness(context: ReportContext, data: ReportData, totals: Mapping[int, ReadRows]) -> contract.Freshness:
    """Pages published in the part of the window that was observed, and how long they waited."""
    ids, hours = data.ids, data.watched()
    published = _published(context.catalogue, hours, data.as_of - WINDOWS["30d"][1])
    waits: list[int] = []
    for page in published:
        rows = totals.get(ids.get(page.canonical_path, 0), ())
        wait = first_read(page, hours, min((reads.first for _, reads in rows), default=0))
        if wait is not None:
            waits.append(wait)
    waits.sort()
    return contract.Freshness(
        published=len(published),
        read=len(waits),
        time_to_first_read_hours=contract.FirstReadHours(p50=_percentile(waits, 50), p90=_percentile(waits, 90)),
    )


def _published(catalogue: Sequence[ListedPage], watched_hours: frozenset[int], since: int) -> list[ListedPage]:
    """Pages published in a watched hour, from ``since`` on."""
    return [
        page
        for page in catalogue
        if page.published_at is not None
        and _hour(page.published_at) >= since
        and _hour(page.published_at) in watched_hours
    ]


def _hour(when: datetime) -> int:
    return int(when.timestamp()) // HOUR_S


def _percentile(waits: Sequence[int], percent: int) -> int | None:
    """The smallest wait that so many per cent do not exceed."""
    return waits[-(-len(waits) * percent // 100) - 1] if waits else None
