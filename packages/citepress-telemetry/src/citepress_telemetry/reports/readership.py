"""The readership of each page: who fetched it in the last 24 hours, and since observation began."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from citepress.base.timestamps import HOUR_S
from citepress.contract.content_head import Missing
from citepress_telemetry.contract import readership as contract
from citepress_telemetry.contract.head import ObservedWindow
from citepress_telemetry.contract.unobserved import unobserved
from citepress_telemetry.model import REPRESENTATIONS, VERIFY, ReadKey, Reads
from citepress_telemetry.ports import FamilyRow
from citepress_telemetry.reports import header
from citepress_telemetry.reports.data import DateSpan, ListedPage, ReportContext, ReportData, moment

COUNTED_FORMS = ("html", "markdown", "json")
PERSONAL_REASON = (
    "clients that fetch because a person asked are counted from {least} fetches of a page on; this page has fewer,"
    " or none"
)
"""Why counts of a page are null that nobody else fetched."""
NO_COUNTS: Mapping[str, Any] = {
    "requests": None,
    "by_representation": unobserved(contract.PageFormCounts),
    "revalidations_304": None,
    "by_family": [],
}
"""A window of which no count can be published."""
ReadRows = Sequence[tuple[ReadKey, Reads]]


@dataclass(slots=True)
class FamilyReads:
    """What one family fetched of a page."""

    family: FamilyRow
    n: int = 0
    n304: int = 0
    forms: dict[str, int] = field(default_factory=dict)
    verify: list[int] = field(default_factory=lambda: [0] * len(VERIFY))
    first: int = 0
    """Hour of the first fetch; 0 where it is not kept."""
    last: int = 0

    def add(self, key: ReadKey, reads: Reads) -> None:
        """Add a row of the same family and page."""
        form = REPRESENTATIONS[key.rep]
        self.n += reads.n
        self.n304 += reads.n304
        self.forms[form] = self.forms.get(form, 0) + reads.n
        self.verify[key.verify] += reads.n
        self.first = min(self.first or reads.first, reads.first)
        self.last = max(self.last, reads.last)


def by_material(reads: Mapping[ReadKey, Reads]) -> dict[int, list[tuple[ReadKey, Reads]]]:
    """Rows of readership by page."""
    rows: dict[int, list[tuple[ReadKey, Reads]]] = {}
    for key, row in reads.items():
        rows.setdefault(key.material, []).append((key, row))
    return rows


def by_family(rows: ReadRows, families: Mapping[int, FamilyRow]) -> list[FamilyReads]:
    """The families of a page."""
    reads_of: dict[int, FamilyReads] = {}
    for key, reads in rows:
        if key.family not in reads_of:
            reads_of[key.family] = FamilyReads(families[key.family])
        reads_of[key.family].add(key, reads)
    return list(reads_of.values())


class _Readings:
    """What is the same in the reports of all pages, made once."""

    def __init__(self, context: ReportContext, data: ReportData) -> None:
        self._context = context
        self._asking = data.asking
        self._spans: Mapping[str, DateSpan] = {"24h": data.window("24h"), "observed": data.span(data.begun, data.as_of)}
        self.day_seen = self._spans["24h"].observed
        self.watched = data.watched()
        self.day = header.window(data, "24h")
        self.observed = ObservedWindow(
            start=moment(data.begun), end=moment(data.as_of), complete=self._spans["observed"].complete
        )
        unknown = header.unchecked(context, self._spans["observed"], "/windows/observed/by_family/*/verification")
        missing = [*header.gaps(data, "24h", "/windows/24h"), *unknown]
        head = header.report_header(context, data, contract.READERSHIP_SCHEMA_PATH, data.as_of - data.begun, 0, missing)
        self.head: dict[str, Any] = {**dict(head), "status": header.status(self._spans["24h"])}
        # Thousands of pages ask for the same few families.
        self._checks = cache(self._methods)
        self._held = cache(_held)

    def _methods(self, name: str, family: str) -> Collection[str]:
        return header.methods(self._context, self._spans[name], [family])

    def counts(self, families: Sequence[FamilyReads], name: str) -> dict[str, Any]:
        """The counts of a page in a window.

        Every family that fetched for persons anywhere has a row, so that no row tells that it fetched this page.
        """
        shown = {reads.family.id for reads in families}
        held = [row for row in self._asking.get(name, ()) if row.id not in shown]
        largest_first = sorted(families, key=lambda reads: (-reads.n, reads.family.name))
        rows = [_family(reads, self._checks(name, reads.family.name)) for reads in largest_first]
        by_family = [*rows, *map(self._held, held)]
        if held and not families:
            # Zero would say that nobody fetched the page, which is exactly what is held back.
            return {**NO_COUNTS, "by_family": by_family}
        html, markdown, json_form = (sum(reads.forms.get(form, 0) for reads in families) for form in COUNTED_FORMS)
        return {
            "requests": sum(reads.n for reads in families),
            "by_representation": contract.PageFormCounts(html=html, markdown=markdown, json_form=json_form),
            "revalidations_304": sum(reads.n304 for reads in families),
            "by_family": by_family,
        }

    def held_back(self, windows: Mapping[str, contract.Reading]) -> list[Missing]:
        """Windows whose counts are null because all of their rows are held back."""
        reason = PERSONAL_REASON.format(least=self._context.user_action_min)
        return [
            Missing(pointer=f"/windows/{name}/requests", reason=reason)
            for name, reading in windows.items()
            if reading.requests is None and reading.by_family
        ]


def reports(context: ReportContext, data: ReportData) -> Iterator[tuple[str, contract.PageReadershipReport]]:
    """(canonical path, report) of every page of the edition."""
    readings = _Readings(context, data)
    day, total = by_material(data.reads), by_material(data.totals)
    ids = data.ids
    for page in context.catalogue:
        material = ids.get(page.canonical_path, 0)
        day_reads, all_reads = (by_family(rows.get(material, ()), data.families) for rows in (day, total))
        yield page.canonical_path, _report(page, readings, day_reads, all_reads)


def _report(
    page: ListedPage, readings: _Readings, day_reads: Sequence[FamilyReads], all_reads: Sequence[FamilyReads]
) -> contract.PageReadershipReport:
    first = min((reads.first for reads in all_reads), default=0)
    last = max((reads.last for reads in all_reads), default=0)
    day = contract.ReadingWindow(
        window=readings.day, **(readings.counts(day_reads, "24h") if readings.day_seen else NO_COUNTS)
    )
    observed = contract.ReadingObserved(
        window=readings.observed,
        first_read_at=moment(first) if first else None,
        last_read_at=moment(last) if last else None,
        **readings.counts(all_reads, "observed"),
    )
    head, forms = readings.head, page.representations
    return contract.PageReadershipReport(
        **{**head, "missing": [*head["missing"], *readings.held_back({"24h": day, "observed": observed})]},
        canonical_path=page.canonical_path,
        canonical_url=page.canonical_url,
        kind=page.kind,
        representations=contract.PageForms(html=forms["html"], markdown=forms["markdown"], json_form=forms["json"]),
        published_at=page.published_at,
        time_to_first_read_hours=first_read(page, readings.watched, first),
        windows=contract.ReadingWindows(day=day, observed=observed),
    )


def first_read(page: ListedPage, watched: Collection[int], first: int) -> int | None:
    """Hours from publication to the first fetch.

    ``None`` where the page was not fetched, or its hour of publication was not observed.
    """
    if not first or page.published_at is None:
        return None
    published = int(page.published_at.timestamp()) // HOUR_S
    return max(0, first - published) if published in watched else None


def _family(reads: FamilyReads, checks: Collection[str]) -> contract.FamilyReading:
    html, markdown, json_form = (reads.forms.get(form, 0) for form in COUNTED_FORMS)
    return contract.FamilyReading(
        family=reads.family.name,
        operator=reads.family.operator,
        purpose=reads.family.purpose,
        requests=reads.n,
        html=html,
        markdown=markdown,
        json_form=json_form,
        verification=header.verification(reads.verify, checks),
        suppressed=False,
    )


def _held(family: FamilyRow) -> contract.FamilyReading:
    """The row of a family whose fetches of a page, if any, are held back."""
    return unobserved(
        contract.FamilyReading, family=family.name, operator=family.operator, purpose=family.purpose, suppressed=True
    )
