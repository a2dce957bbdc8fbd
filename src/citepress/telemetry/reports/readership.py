"""The readership of each page: who fetched it in the last 24 hours, and since observation began."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, NamedTuple

from citepress.base.timestamps import rfc3339
from citepress.contract.reports.readership import SCHEMA_PATH
from citepress.telemetry.ports import REPRESENTATIONS, VERIFY, FamilyRow, ReadKey, Reads
from citepress.telemetry.reports.data import HOUR, ListedPage, ReportContext, ReportData, moment
from citepress.telemetry.reports.header import gaps, methods, report_header, status, stretch, unchecked, verification, window

FORMS = ("html", "markdown", "json")
HELD = "clients that fetch because a person asked are told from {least} fetches of a page on; of this page none are told, and there may be none"
"""Why counts of a page are null that nobody else fetched."""
NOTHING: Mapping[str, Any] = {"requests": None, "by_representation": dict.fromkeys(FORMS), "revalidations_304": None, "by_family": []}
"""A window that nobody observed."""
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
    found: dict[int, list[tuple[ReadKey, Reads]]] = {}
    for key, row in reads.items():
        found.setdefault(key.material, []).append((key, row))
    return found


def by_family(rows: ReadRows, families: Mapping[int, FamilyRow]) -> list[FamilyReads]:
    """The families of a page."""
    found: dict[int, FamilyReads] = {}
    for key, reads in rows:
        if key.family not in found:
            found[key.family] = FamilyReads(families[key.family])
        found[key.family].add(key, reads)
    return list(found.values())


class _Shared(NamedTuple):
    """What is the same in every report."""

    head: Mapping[str, Any]
    day: Mapping[str, Any]
    observed: Mapping[str, Any]
    day_seen: bool
    watched: Collection[int]
    least: int
    asking: Mapping[str, Sequence[FamilyRow]]
    """Families that fetched for persons, by window: what is held back may be theirs."""
    checks: Callable[[str, str], Collection[str]]
    """Ways in which the identity of a family is checked, by window and family."""


def reports(setting: ReportContext, seen: ReportData) -> Iterator[tuple[str, dict[str, Any]]]:
    """(canonical path, report) of every page of the edition."""
    day, total = by_material(seen.reads), by_material(seen.totals)
    ids = seen.ids
    since = seen.as_of - seen.begun
    spans = {"24h": seen.window("24h"), "observed": seen.span(seen.begun, seen.as_of)}
    unknown = unchecked(setting, spans["observed"], "/windows/observed/by_family/*/verification")
    first = report_header(setting, seen, SCHEMA_PATH, since, 0, [*gaps(seen, "24h", "/windows/24h"), *unknown])
    first["status"] = status(spans["24h"])
    observed = {**stretch(seen.begun, seen.as_of), "complete": spans["observed"].complete}
    shared = _Shared(
        first, window(seen, "24h"), observed, spans["24h"].seen, seen.watched(), setting.user_action_min, seen.asking,
        cache(lambda name, family: methods(setting, spans[name], [family])),
    )  # fmt: skip
    for page in setting.catalogue:
        place = ids.get(page.canonical_path, 0)
        day_rows, rows = (by_family(found.get(place, ()), seen.families) for found in (day, total))
        yield page.canonical_path, _report(page, shared, day_rows, rows)


def _report(page: ListedPage, shared: _Shared, day: Sequence[FamilyReads], ever: Sequence[FamilyReads]) -> dict[str, Any]:
    first, last = min((one.first for one in ever), default=0), max((one.last for one in ever), default=0)
    observed = {"first_read_at": rfc3339(moment(first)) if first else None, "last_read_at": rfc3339(moment(last)) if last else None}
    readings = {"24h": _reading(day, shared, "24h") if shared.day_seen else NOTHING, "observed": _reading(ever, shared, "observed")}
    held = [
        {"pointer": f"/windows/{name}/requests", "reason": HELD.format(least=shared.least)}
        for name, found in readings.items()
        if found["requests"] is None and found["by_family"]
    ]
    return {
        **shared.head,
        "missing": [*shared.head["missing"], *held],
        "canonical_path": page.canonical_path,
        "canonical_url": page.canonical_url,
        "kind": page.kind,
        "representations": page.representations,
        "published_at": rfc3339(page.published_at) if page.published_at else None,
        "time_to_first_read_hours": first_read(page, shared.watched, first),
        "windows": {
            "24h": {"window": shared.day, **readings["24h"]},
            "observed": {"window": shared.observed, **observed, **readings["observed"]},
        },
    }


def first_read(page: ListedPage, watched: Collection[int], first: int) -> int | None:
    """Hours from publication to the first fetch; ``None`` where nobody watched when it was published, or it was not fetched."""
    if not first or page.published_at is None or (published := int(page.published_at.timestamp()) // HOUR) not in watched:
        return None
    return max(0, first - published)


def _reading(families: Sequence[FamilyReads], shared: _Shared, name: str) -> dict[str, Any]:
    """A window of a page; every family that asked for persons anywhere stands in it, so that no row tells that it asked for this page."""
    told = {one.family.id for one in families}
    held = [row for row in shared.asking.get(name, ()) if row.id not in told]
    known = bool(families or not held)
    return {
        "requests": sum(one.n for one in families) if known else None,
        "by_representation": {form: sum(one.forms.get(form, 0) for one in families) if known else None for form in FORMS},
        "revalidations_304": sum(one.n304 for one in families) if known else None,
        "by_family": [
            *(_family(one, shared.checks(name, one.family.name)) for one in sorted(families, key=lambda one: (-one.n, one.family.name))),
            *map(_held, held),
        ],
    }


def _family(one: FamilyReads, checks: Collection[str]) -> dict[str, Any]:
    return {
        **_who(one.family),
        "requests": one.n,
        **{form: one.forms.get(form, 0) for form in FORMS},
        "verification": verification(one.verify, checks),
        "suppressed": False,
    }


def _held(family: FamilyRow) -> dict[str, Any]:
    return {**_who(family), **dict.fromkeys(("requests", *FORMS)), "verification": dict.fromkeys(VERIFY), "suppressed": True}


def _who(family: FamilyRow) -> dict[str, Any]:
    return {"family": family.name, "operator": family.operator, "purpose": family.purpose}
