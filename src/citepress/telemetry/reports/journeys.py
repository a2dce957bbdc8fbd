"""The crawler-journeys report: sessions of named families, their depth, their ends, and the steps inside them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pyroaring import BitMap

from citepress.contract.reports.empty import SESSION
from citepress.contract.reports.journeys import FAMILIES, ROWS, SCHEMA_PATH, CrawlerJourneysReport
from citepress.telemetry.ports import DEPTHS, REPRESENTATIONS, FamilyRow, FamilySums, Pair, PathSums
from citepress.telemetry.reports.consumption import named
from citepress.telemetry.reports.data import WINDOWS, DateSpan, ReportContext, ReportData
from citepress.telemetry.reports.header import (
    coverage,
    gaps,
    methods,
    report_header,
    share,
    statuses,
    unchecked,
    verification,
    whole_days,
    window,
)
from citepress.telemetry.reports.suppression import PERSONAL

UNMATCHED = "(unmatched)"
"""Stands for every path that fits no route."""
LOW = 0xFFFF


@dataclass(slots=True)
class _Maker:
    """Writes families, and counts the rows that it leaves out."""

    setting: ReportContext
    seen: ReportData
    current: BitMap
    span: DateSpan
    """The window that is written."""
    suppressed: int = 0
    least: int = 0
    """The smallest count of a row of the family that is written."""
    pairs: Mapping[int, Sequence[Pair]] = field(default_factory=dict)

    def window(self, name: str) -> dict[str, Any]:
        """One window."""
        sums, pairs = self.seen.windows[name], dict[int, list[Pair]]()
        self.span = self.seen.window(name)
        for pair in self.seen.pairs[name]:
            pairs.setdefault(pair.family, []).append(pair)
        self.pairs = pairs
        families = named(self.seen, sums)[:FAMILIES] if self.span.seen else ()
        return {
            "window": window(self.seen, name),
            "families": [self._family(row, found, sums.paths.get(row.id) or PathSums()) for row, found in families],
        }

    def _family(self, row: FamilyRow, sums: FamilySums, paths: PathSums) -> dict[str, Any]:
        steps, joined = sum(paths.steps.values()), bool(sums.sessions or not sums.adrift)
        self.least = max(self.setting.min_count, self.setting.user_action_min if row.purpose == PERSONAL else 0)
        return {
            "family": row.name,
            "operator": row.operator,
            "purpose": row.purpose,
            "operation": row.operation,
            "class": row.cls,
            "requests": sums.n,
            "successful_requests": sums.ok,
            "status_classes": statuses(sums.status),
            "verification": verification(sums.verify, methods(self.setting, self.span, [row.name])),
            "representations": dict(zip(REPRESENTATIONS, sums.rep, strict=True)),
            "unique_canonical_materials": len(sums.materials),
            "catalog_coverage": coverage(len(sums.materials & self.current), len(self.setting.catalogue)),
            "sessions": sums.sessions if joined else None,
            "robots_only_sessions": sums.robots_only if joined else None,
            "cut_sessions": sums.cut if joined else None,
            "family_bursts": sums.bursts if joined else None,
            "session_depth": depth(sums, known=joined),
            "entrypoints": self._ends(paths, 0, sums.sessions),
            "terminal_routes": self._ends(paths, 1, sums.sessions),
            "transitions": [
                {"from": self._route(key >> 16), "to": self._route(key & LOW), "count": n, "share": share(n, steps)}
                for key, n in self._kept(paths.steps)
            ],
            "material_transitions": self._pairs(row.id),
        }

    def _ends(self, paths: PathSums, side: int, sessions: int) -> list[dict[str, Any]]:
        ends = {key & LOW: n for key, n in paths.edges.items() if key >> 16 == side}
        return [{"route": self._route(route), "sessions": n, "share": share(n, sessions)} for route, n in self._kept(ends)]

    def _kept(self, counts: Mapping[int, int]) -> list[tuple[int, int]]:
        """The commonest rows that are not held back, by count and then by name."""
        least = self.least
        self.suppressed += sum(0 < n < least for n in counts.values())
        rows = [(key, n) for key, n in counts.items() if n >= least]
        return sorted(rows, key=lambda row: (-row[1], self._route(row[0] >> 16), self._route(row[0] & LOW)))[:ROWS]

    def _route(self, id_: int) -> str:
        return self.seen.routes.get(id_, UNMATCHED)

    def _pairs(self, family: int) -> dict[str, Any]:
        found, names = self.pairs.get(family, ()), self.seen.materials
        rows = {(names[one.first].canonical_path, names[one.second].canonical_path): one.n for one in found}
        least = self.least
        self.suppressed += sum(n < least for n in rows.values())
        best = sorted(((pair, n) for pair, n in rows.items() if n >= least), key=lambda row: (-row[1], row[0]))[:ROWS]
        return {
            "approximate": True,
            "max_undercount": max((one.undercount for one in found), default=0),
            "items": [{"from": first, "to": second, "count": n} for (first, second), n in best],
        }


def report(setting: ReportContext, seen: ReportData) -> CrawlerJourneysReport:
    """The report of 24 hours, 7 days and 30 days."""
    ids = seen.ids
    current = BitMap(ids[page.canonical_path] for page in setting.catalogue if page.canonical_path in ids)
    maker = _Maker(setting, seen, current, seen.window("24h"))
    windows = {name: maker.window(name) for name in WINDOWS}
    missing = [
        row
        for name in WINDOWS
        for row in (
            *gaps(seen, name, f"/windows/{name}"),
            *whole_days(seen, name, f"/windows/{name}/families/*/material_transitions"),
            *_addresses(seen, name),
            *unchecked(setting, seen.window(name), f"/windows/{name}/families/*/verification"),
        )
    ]
    told = report_header(setting, seen, SCHEMA_PATH, WINDOWS["30d"][1], maker.suppressed, missing)
    return CrawlerJourneysReport.model_validate(told | {"session_definition": SESSION, "windows": windows})


def _addresses(seen: ReportData, name: str) -> Iterator[tuple[str, str]]:
    """That sessions are not whole, or not known, where requests came without a client address."""
    adrift = sum(sums.adrift for sums in seen.windows[name].families.values())
    if adrift:
        told = f"{adrift} requests of named clients came without a client address and are in no session; null where all of a family's did"
        yield f"/windows/{name}/families/*/sessions", told


def depth(sums: FamilySums, *, known: bool = True) -> dict[str, Any]:
    """Requests of a session; percentiles are upper bounds of their buckets."""
    bounds = [2 ** (place + 1) - 1 for place in range(DEPTHS - 1)]
    return {
        "mean": round(sums.depth_sum / sums.sessions, 2) if sums.sessions else None,
        "p50": _percentile(sums, bounds, 50),
        "p90": _percentile(sums, bounds, 90),
        "max": sums.depth_max if sums.sessions else None,
        "bounds": "bucket upper bound",
        "histogram": [{"le": le, "sessions": n} for le, n in zip((*bounds, None), sums.depth_hist, strict=True) if known],
    }


def _percentile(sums: FamilySums, bounds: Sequence[int], percent: int) -> int | None:
    """The bound of the bucket in which so many per cent are reached; the deepest session where that bucket has none."""
    needed, passed = -(-sum(sums.depth_hist) * percent // 100), 0
    for le, n in zip(bounds, sums.depth_hist, strict=False):
        passed += n
        if passed >= needed > 0:
            return le
    return sums.depth_max if needed else None
