"""What every report begins with, and the small parts that stand in several of them."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

from citepress.base.timestamps import rfc3339
from citepress.contract.reports.empty import NETWORK_KEY
from citepress.contract.reports.head import METHOD_PATH
from citepress.contract.reports.words import CAVEATS
from citepress.contract.version import SCHEMA_VERSION
from citepress.telemetry.ports import CRASHED, STATUS_CLASSES, VERIFY
from citepress.telemetry.reports.data import DAY_HOURS, HOUR, WINDOWS, DateSpan, ReportContext, ReportData, moment

LEAST = 20
"""A ratio whose denominator is smaller says nothing and is null."""
MOSTLY = 0.9
SLACK = 720
"""A window of so many hours may begin an hour late: imported logs are silent in quiet hours."""
VERIFIED = VERIFY[:3]
CLAIMED, CONTRADICTED, LISTED = "claimed", "contradicted", "ip_range"
UNCHECKED = "states that no check of the family could find are null: what its checks stand on is listed as verification_basis"
OURS = "mostly_self_traffic"
IMPORTED, FORMS = "imported_page_views", "imported_forms"
FURTHER: Mapping[str, str] = {
    OURS: (
        "Over nine tenths of the requests were the publisher's own and left out. Behind a proxy that is not trusted every client looks alike: "
        "see the setting trusted_proxies."
    ),
    IMPORTED: (
        "Imported logs hold neither Accept nor Sec-Fetch-Mode: there a browser-like GET that was answered with HTML counts as a page view."
    ),
    FORMS: (
        "Where an imported log does not tell the Content-Type, the form is the one that the path names: a negotiated twin counts as the form of its address."
    ),
}
"""Caveats that only some reports need, by their codes."""


def report_header(
    setting: ReportContext, seen: ReportData, schema: str, longest: int, suppressed: int, missing: Iterable[tuple[str, str]]
) -> dict[str, Any]:
    """The members of ``ReportHead``; ``longest`` are the hours of the longest window, ``missing`` pairs of pointer and reason."""
    span = seen.span(seen.as_of - longest, seen.as_of)
    counts = span.counts
    return {
        "schema_version": SCHEMA_VERSION,
        "schema": setting.base_url + schema,
        "status": status(span),
        "generated_at": rfc3339(setting.generated_at),
        "as_of": rfc3339(moment(seen.as_of)),
        "vantage": "origin",
        "classifier": setting.classifier.model_dump(mode="json"),
        "coverage": {
            "observed_from": rfc3339(seen.observed_from),
            "expected_hours": longest,
            "observed_hours": round(span.observed_seconds / HOUR, 2),
            "imported_hours": span.imported_hours,
            "late_events": counts.get("late", 0),
            "dropped_events": counts.get("dropped", 0),
            "crashed_workers": counts.get(CRASHED, 0),
            "unresolved_events": counts.get("unresolved", 0),
            "self_traffic_excluded": counts.get("self", 0),
            "asset_requests_excluded": counts.get("assets", 0),
            "sampling": {"method": "none", "rate": 1},
        },
        "privacy": {"ip_stored": False, "network_key": NETWORK_KEY, "min_count": setting.min_count, "suppressed_rows": suppressed},
        "missing": [{"pointer": pointer, "reason": reason} for pointer, reason in (*missing, *_crashes(counts))],
        "caveats": [{"code": code, "text": text} for code, text in _caveats(span)],
        "methodology_url": setting.base_url + METHOD_PATH,
    }


def _crashes(counts: Mapping[str, int]) -> Iterable[tuple[str, str]]:
    """That requests are missing which nobody could count, and how many at most."""
    if crashed := counts.get(CRASHED, 0):
        told = "requests that each had answered and not yet written, those of its last ten seconds while the database answers and 50,000 at most, are in no count"
        yield "/coverage/dropped_events", f"{crashed} worker processes ended without a word: {told}"


def _caveats(span: DateSpan) -> Iterable[tuple[str, str]]:
    yield from CAVEATS.items()
    ours = span.counts.get("self", 0)
    if ours > MOSTLY * (ours + span.counts["rows"]):
        yield OURS, FURTHER[OURS]
    if span.imported_hours:
        yield IMPORTED, FURTHER[IMPORTED]
        yield FORMS, FURTHER[FORMS]


def window(seen: ReportData, name: str) -> dict[str, Any]:
    """A window as reports tell it."""
    span = seen.window(name)
    return {"duration": WINDOWS[name][0], **stretch(span.first, span.end), "complete": span.complete}


def stretch(first: int, end: int) -> dict[str, str]:
    """Start and end of a span of hours."""
    return {"start": rfc3339(moment(first)), "end": rfc3339(moment(end))}


def gaps(seen: ReportData, name: str, pointer: str) -> Iterable[tuple[str, str]]:
    """Why a window is not whole; nothing where it is."""
    span = seen.window(name)
    if not span.seen:
        yield pointer, "nothing was observed in this window"
    elif span.begun > span.first:
        began = rfc3339(moment(span.begun))
        yield pointer, f"observation began {began}" if span.begun == seen.begun else f"nothing in this window was observed before {began}"
    elif span.observed_seconds < HOUR * (span.end - span.first) and not span.complete:
        yield pointer, f"{round(span.observed_seconds / HOUR, 2):g} of {span.end - span.first} hours were observed"


def status(span: DateSpan) -> str:
    """``collecting`` until observation reaches back to the start of the longest window; one of thirty days may begin an hour late."""
    late = (span.end - span.first) // SLACK
    return "ok" if span.begun <= span.first + late else "collecting"


def whole_days(seen: ReportData, name: str, pointer: str) -> Iterable[tuple[str, str]]:
    """That pairs of pages are known by the day, where a window does not begin and end at midnight."""
    span = seen.window(name)
    if span.first % DAY_HOURS or span.end % DAY_HOURS:
        yield pointer, "pairs of pages are counted by whole UTC days: these are the days inside the window"


def share(part: int, whole: int) -> float | None:
    """A share with four decimals; ``None`` under twenty in the denominator."""
    return round(part / whole, 4) if whole >= LEAST else None


def coverage(read: int, of: int) -> dict[str, Any]:
    """How much of the archive was fetched."""
    return {"read": read, "of": of, "share": share(read, of)}


def methods(setting: ReportContext, span: DateSpan, families: Iterable[str]) -> frozenset[str]:
    """Ways in which the identity of any of these families is checked; imported logs are checked in none."""
    return frozenset(one.method for name in families for one in setting.basis.get(name, ())) if span.live_hours else frozenset()


def verification(counts: Sequence[int], checks: Collection[str]) -> dict[str, int | None]:
    """Requests by how identity was checked: a state that no check could have found is not known, unless it was found when there was one."""
    known = {CLAIMED, *checks, *([CONTRADICTED] if LISTED in checks else [])}
    return {state: n if n or state in known else None for state, n in zip(VERIFY, counts, strict=True)}


def checked(counts: int, checks: Collection[str]) -> int | None:
    """A number of requests whose identity was confirmed (or disproved); not known where nothing could be checked."""
    return counts if counts or checks else None


def unchecked(setting: ReportContext, span: DateSpan, *pointers: str) -> Iterator[tuple[str, str]]:
    """Why states of verification are null; each pointer with its reason."""
    why = (
        UNCHECKED
        if setting.basis
        else "no identity was checked: no operator's list of addresses was fetched, and no other check is switched on"
    )
    if not span.live_hours:
        why = "identities in imported logs are not checked: today's lists say nothing of old addresses"
    yield from ((pointer, why) for pointer in pointers)


def statuses(counts: Sequence[int]) -> dict[str, int]:
    """Requests by class of the status; those of no known class stand in no member."""
    return dict(zip(STATUS_CLASSES[:4], counts, strict=False))


def ranked(counts: Mapping[str, int], least: int = 1) -> list[tuple[str, int]]:
    """Names and counts, the highest first, then by name."""
    return sorted(((name, n) for name, n in counts.items() if n >= least), key=lambda row: (-row[1], row[0]))


def added(rows: Iterable[Sequence[int]], places: int) -> list[int]:
    """Counters added place by place."""
    sums = [0] * places
    for row in rows:
        for place, number in enumerate(row):
            sums[place] += number
    return sums
