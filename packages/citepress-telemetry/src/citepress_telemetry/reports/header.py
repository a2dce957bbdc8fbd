"""What every report begins with, and the small parts that several of them have."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from citepress.base.timestamps import HOUR_S, rfc3339
from citepress.contract.content_head import Caveat, Missing
from citepress.contract.version import SCHEMA_VERSION
from citepress_telemetry.contract import head
from citepress_telemetry.contract.unobserved import NETWORK_KEY
from citepress_telemetry.contract.words import CAVEATS, CRAWLER_PARTS, FURTHER_CAVEATS, TrafficClass
from citepress_telemetry.model import CRASHED, VERIFY, Traffic, TrafficKey
from citepress_telemetry.reports.data import DAY_HOURS, WINDOWS, DateSpan, ReportContext, ReportData, moment
from citepress_telemetry.sums.windows import add_traffic

MIN_DENOMINATOR = 20
"""A ratio with a smaller denominator says nothing and is null."""
MIN_OBSERVED_SHARE = 0.9
LATE_START_HOURS = 720
"""A window of so many hours may begin an hour late: imported logs are silent in quiet hours."""
CLAIMED, CONTRADICTED, LISTED_RANGE = "claimed", "contradicted", "ip_range"
UNCHECKED = (
    "states that no check of the family could find are null: what its checks stand on is listed as verification_basis"
)
NO_CHECKS = "no identity was checked: no operator's list of addresses was fetched, and no other check is switched on"
NO_CHECKS_OF_IMPORTS = "identities in imported logs are not checked: today's lists say nothing of old addresses"
OURS = "mostly_self_traffic"
EXAMPLE = "example_traffic"
IMPORTED, IMPORTED_FORMS = "imported_page_views", "imported_forms"


def report_header(
    context: ReportContext, data: ReportData, schema: str, hours: int, suppressed: int, missing: Iterable[Missing]
) -> head.ReportHead:
    """The head of a report whose longest window has so many hours."""
    span = data.span(data.as_of - hours, data.as_of)
    return head.ReportHead(
        schema_version=SCHEMA_VERSION,
        schema_url=context.base_url + schema,
        status=status(span),
        generated_at=context.generated_at,
        as_of=moment(data.as_of),
        vantage="origin",
        classifier=context.classifier,
        coverage=_coverage(data, span),
        privacy=head.Privacy(
            ip_stored=False, network_key=NETWORK_KEY, min_count=context.min_count, suppressed_rows=suppressed
        ),
        missing=[*missing, *_crashes(span.counts)],
        caveats=list(_caveats(context, span)),
        methodology_url=context.base_url + head.METHOD_PATH,
    )


def _coverage(data: ReportData, span: DateSpan) -> head.Coverage:
    counts = span.counts
    return head.Coverage(
        observed_from=data.observed_from,
        expected_hours=span.end - span.first,
        observed_hours=round(span.observed_seconds / HOUR_S, 2),
        imported_hours=span.imported_hours,
        late_events=counts.get("late", 0),
        dropped_events=counts.get("dropped", 0),
        crashed_workers=counts.get(CRASHED, 0),
        unresolved_events=counts.get("unresolved", 0),
        self_traffic_excluded=counts.get("self", 0),
        asset_requests_excluded=counts.get("assets", 0),
        sampling=head.Sampling(method="none", rate=1),
    )


def _crashes(counts: Mapping[str, int]) -> Iterator[Missing]:
    """That requests are missing which nobody could count, and how many at most."""
    if crashed := counts.get(CRASHED, 0):
        reason = (
            f"{crashed} worker processes ended without a word: requests that each had answered and not yet written,"
            " those of its last ten seconds while the database answers and 50,000 at most, are in no count"
        )
        yield Missing(pointer="/coverage/dropped_events", reason=reason)


def _caveats(context: ReportContext, span: DateSpan) -> Iterator[Caveat]:
    texts = {code: FURTHER_CAVEATS[code] for code in [EXAMPLE] * context.example} | dict(CAVEATS)
    self_traffic = span.counts.get("self", 0)
    if self_traffic > MIN_OBSERVED_SHARE * (self_traffic + span.counts["rows"]):
        texts[OURS] = FURTHER_CAVEATS[OURS]
    if span.imported_hours:
        texts |= {code: FURTHER_CAVEATS[code] for code in (IMPORTED, IMPORTED_FORMS)}
    for code, text in texts.items():
        yield Caveat(code=code, text=text)


def window(data: ReportData, name: str) -> head.TrafficWindow:
    """A window as reports publish it."""
    span = data.window(name)
    return head.TrafficWindow(
        duration=WINDOWS[name][0], start=moment(span.first), end=moment(span.end), complete=span.complete
    )


def gaps(data: ReportData, name: str, pointer: str) -> Iterator[Missing]:
    """Why a window is not whole; nothing where it is."""
    span = data.window(name)
    hours = span.end - span.first
    if not span.observed:
        yield Missing(pointer=pointer, reason="nothing was observed in this window")
    elif span.begun > span.first:
        began = rfc3339(moment(span.begun))
        first_ever = span.begun == data.begun
        reason = f"observation began {began}" if first_ever else f"nothing in this window was observed before {began}"
        yield Missing(pointer=pointer, reason=reason)
    elif span.observed_seconds < HOUR_S * hours and not span.complete:
        observed = round(span.observed_seconds / HOUR_S, 2)
        yield Missing(pointer=pointer, reason=f"{observed:g} of {hours} hours were observed")


def status(span: DateSpan) -> str:
    """``collecting`` until observation reaches back to the start of the longest window.

    A window of thirty days may begin an hour late.
    """
    slack = (span.end - span.first) // LATE_START_HOURS
    return "ok" if span.begun <= span.first + slack else "collecting"


def whole_days(data: ReportData, name: str, pointer: str) -> Iterator[Missing]:
    """That pairs of pages are known by the day, where a window does not begin and end at midnight."""
    span = data.window(name)
    if span.first % DAY_HOURS or span.end % DAY_HOURS:
        reason = "pairs of pages are counted by whole UTC days: these are the days inside the window"
        yield Missing(pointer=pointer, reason=reason)


def share(part: int, whole: int) -> float | None:
    """A share with four decimals; ``None`` under twenty in the denominator."""
    return round(part / whole, 4) if whole >= MIN_DENOMINATOR else None


def coverage(read: int, of: int) -> head.CatalogCoverage:
    """How much of the archive was fetched."""
    return head.CatalogCoverage(read=read, of=of, share=share(read, of))


def methods(context: ReportContext, span: DateSpan, families: Iterable[str]) -> frozenset[str]:
    """Ways in which the identity of any of these families is checked; imported logs are checked in none."""
    if not span.live_hours:
        return frozenset()
    return frozenset(basis.method for family in families for basis in context.basis.get(family, ()))


def verification(counts: Sequence[int], checks: Collection[str]) -> head.VerificationCounts:
    """Requests by how identity was checked.

    A state that no check could have found is null, unless it was found while there was such a check.
    """
    checked_states = {CLAIMED, *checks, *([CONTRADICTED] if LISTED_RANGE in checks else [])}
    by_state = zip(VERIFY, counts, strict=True)
    return head.VerificationCounts(**{state: n if n or state in checked_states else None for state, n in by_state})


def checked(count: int, checks: Collection[str]) -> int | None:
    """Requests whose identity was confirmed (or disproved); ``None`` where nothing could be checked."""
    return count if count or checks else None


def unchecked(context: ReportContext, span: DateSpan, *pointers: str) -> Iterator[Missing]:
    """Why states of verification are null."""
    reason = UNCHECKED if context.basis else NO_CHECKS
    if not span.live_hours:
        reason = NO_CHECKS_OF_IMPORTS
    for pointer in pointers:
        yield Missing(pointer=pointer, reason=reason)


def crawler_parts(rows: Mapping[TrafficKey, Traffic]) -> list[head.ClassPart]:
    """The parts of the class crawler that are shown apart."""
    sums: dict[str, Traffic] = {purpose: Traffic() for purpose in CRAWLER_PARTS}
    for key, row in rows.items():
        if key.cls == TrafficClass.CRAWLER and key.purpose in CRAWLER_PARTS:
            add_traffic(sums[key.purpose], row)
    return [
        head.ClassPart(purpose=purpose, requests=part.n, successful_requests=part.ok) for purpose, part in sums.items()
    ]


def statuses(counts: Sequence[int]) -> head.StatusCounts:
    """Requests by class of the status; those outside the four published classes are in no member."""
    success, redirect, client_fault, server_fault, *_ = counts
    return head.StatusCounts(success=success, redirect=redirect, client_fault=client_fault, server_fault=server_fault)


def rank_counts(counts: Mapping[str, int], least: int = 1) -> list[tuple[str, int]]:
    """Names and counts, the highest first, then by name."""
    return sorted(((name, n) for name, n in counts.items() if n >= least), key=lambda row: (-row[1], row[0]))


def add_counters(rows: Iterable[Sequence[int]], places: int) -> list[int]:
    """Counters added place by place."""
    sums = [0] * places
    for row in rows:
        for place, number in enumerate(row):
            sums[place] += number
    return sums
