"""The readership of each page: who fetched it in the last 24 hours, and since observation began."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from citepress.base.moments import rfc3339
from citepress.contract.reports.readership import SCHEMA_PATH
from citepress.telemetry.gathered import HOUR, Gathered, Listed, Setting, moment
from citepress.telemetry.heads import gaps, head, status, stretch, verification, window
from citepress.telemetry.ports import REPRESENTATIONS, VERIFY, FamilyRow, ReadKey, Reads

FORMS = ("html", "markdown", "json")
PERSONAL = "user_action"
"""Fetches of this purpose are one person's question each."""
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

    def held_back(self, least: int) -> bool:
        """Whether the counts would tell of single questions of people."""
        return self.family.purpose == PERSONAL and self.n < least


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


def told(families: Sequence[FamilyReads], least: int) -> list[FamilyReads]:
    """Those whose counts may be told; totals are theirs alone, so that nothing can be had by subtraction."""
    return [one for one in families if not one.held_back(least)]


class _Shared(NamedTuple):
    """What is the same in every report."""

    head: Mapping[str, Any]
    day: Mapping[str, Any]
    observed: Mapping[str, Any]
    day_seen: bool
    watched: Collection[int]
    least: int


def reports(setting: Setting, seen: Gathered) -> Iterator[tuple[str, dict[str, Any]]]:
    """(canonical path, report) of every page of the edition."""
    day, total = by_material(seen.reads), by_material(seen.totals)
    ids = seen.ids
    since = seen.as_of - seen.begun
    first = head(setting, seen, SCHEMA_PATH, since, 0, gaps(seen, "24h", "/windows/24h"))
    first["status"] = status(seen.window("24h"))
    observed = {**stretch(seen.begun, seen.as_of), "complete": seen.span(seen.begun, seen.as_of).complete}
    shared = _Shared(first, window(seen, "24h"), observed, seen.window("24h").seen, seen.watched(), setting.user_action_min)
    for page in setting.catalogue:
        place = ids.get(page.canonical_path, 0)
        day_rows, rows = (by_family(found.get(place, ()), seen.families) for found in (day, total))
        yield page.canonical_path, _report(page, shared, day_rows, rows)


def _report(page: Listed, shared: _Shared, day: Sequence[FamilyReads], ever: Sequence[FamilyReads]) -> dict[str, Any]:
    known = told(ever, shared.least)
    first, last = min((one.first for one in known), default=0), max((one.last for one in known), default=0)
    observed = {"first_read_at": rfc3339(moment(first)) if first else None, "last_read_at": rfc3339(moment(last)) if last else None}
    return {
        **shared.head,
        "canonical_path": page.canonical_path,
        "canonical_url": page.canonical_url,
        "kind": page.kind,
        "representations": page.representations,
        "published_at": rfc3339(page.published_at) if page.published_at else None,
        "time_to_first_read_hours": first_read(page, shared.watched, first),
        "windows": {
            "24h": {"window": shared.day, **(_reading(day, shared.least) if shared.day_seen else NOTHING)},
            "observed": {"window": shared.observed, **observed, **_reading(ever, shared.least)},
        },
    }


def first_read(page: Listed, watched: Collection[int], first: int) -> int | None:
    """Hours from publication to the first fetch; ``None`` where nobody watched when it was published, or it was not fetched."""
    if not first or page.published_at is None or (published := int(page.published_at.timestamp()) // HOUR) not in watched:
        return None
    return max(0, first - published)


def _reading(families: Sequence[FamilyReads], least: int) -> dict[str, Any]:
    known = told(families, least)
    return {
        "requests": sum(one.n for one in known),
        "by_representation": {form: sum(one.forms.get(form, 0) for one in known) for form in FORMS},
        "revalidations_304": sum(one.n304 for one in known),
        "by_family": [_family(one, least) for one in sorted(families, key=lambda one: _place(one, least))],
    }


def _place(one: FamilyReads, least: int) -> tuple[bool, int, str]:
    """The most fetches first; rows that are held back last and by name, for their place must not tell their counts."""
    hidden = one.held_back(least)
    return hidden, 0 if hidden else -one.n, one.family.name


def _family(one: FamilyReads, least: int) -> dict[str, Any]:
    hidden = one.held_back(least)
    return {
        "family": one.family.name,
        "operator": one.family.operator,
        "purpose": one.family.purpose,
        "requests": None if hidden else one.n,
        **{form: None if hidden else one.forms.get(form, 0) for form in FORMS},
        "verification": dict.fromkeys(VERIFY) if hidden else verification(one.verify),
        "suppressed": hidden,
    }
