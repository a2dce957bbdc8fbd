"""The crawler-journeys report: sessions of named families, their depth, their ends, and the steps inside them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from pyroaring import BitMap

from citepress.contract.content_head import Missing
from citepress_telemetry.contract import journeys as contract
from citepress_telemetry.contract.unobserved import SESSION
from citepress_telemetry.model import DEPTHS, FamilySums, Pair, PathSums
from citepress_telemetry.ports import FamilyRow
from citepress_telemetry.reports.consumption import named_families
from citepress_telemetry.reports.data import PERSONAL, WINDOWS, DateSpan, ReportContext, ReportData
from citepress_telemetry.reports.header import (
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

UNMATCHED = "(unmatched)"
"""Stands for every path that fits no route."""
LOW = 0xFFFF
BOUNDS: Sequence[int] = [2 ** (place + 1) - 1 for place in range(DEPTHS - 1)]
"""Upper bounds of the depth histogram; the last bucket has none."""


@dataclass(slots=True)
class _Journeys:
    """Builds the journeys of families, and counts the rows that are held back."""

    context: ReportContext
    data: ReportData
    current: BitMap
    span: DateSpan
    """The window that is built."""
    suppressed: int = 0
    least: int = 0
    """The smallest count of a row of the current family."""
    pairs: Mapping[int, Sequence[Pair]] = field(default_factory=dict)

    def window(self, name: str) -> contract.JourneyWindow:
        """One window."""
        sums, pairs = self.data.windows[name], dict[int, list[Pair]]()
        self.span = self.data.window(name)
        for pair in self.data.pairs[name]:
            pairs.setdefault(pair.family, []).append(pair)
        self.pairs = pairs
        families = named_families(self.data, sums)[: contract.MAX_FAMILIES] if self.span.observed else ()
        return contract.JourneyWindow(
            window=window(self.data, name),
            families=[self._family(row, family, sums.paths.get(row.id) or PathSums()) for row, family in families],
        )

    def _family(self, row: FamilyRow, sums: FamilySums, paths: PathSums) -> contract.FamilyJourney:
        # Requests without a client address are in no session: where all were so, sessions are unknown, not zero.
        sessions_known = bool(sums.sessions or not sums.adrift)
        self.least = max(self.context.min_count, self.context.user_action_min if row.purpose == PERSONAL else 0)
        html, markdown, json_form, text, xml, mcp, other = sums.rep
        return contract.FamilyJourney(
            family=row.name,
            operator=row.operator,
            purpose=row.purpose,
            operation=row.operation,
            traffic_class=row.cls,
            requests=sums.n,
            successful_requests=sums.ok,
            status_classes=statuses(sums.status),
            verification=verification(sums.verify, methods(self.context, self.span, [row.name])),
            representations=contract.FormCounts(
                html=html, markdown=markdown, json_form=json_form, text=text, xml=xml, mcp=mcp, other=other
            ),
            unique_canonical_materials=len(sums.materials),
            catalog_coverage=coverage(len(sums.materials & self.current), len(self.context.catalogue)),
            sessions=sums.sessions if sessions_known else None,
            robots_only_sessions=sums.robots_only if sessions_known else None,
            cut_sessions=sums.cut if sessions_known else None,
            family_bursts=sums.bursts if sessions_known else None,
            session_depth=depth(sums, sessions_known=sessions_known),
            entrypoints=self._ends(paths, 0, sums.sessions),
            terminal_routes=self._ends(paths, 1, sums.sessions),
            transitions=self._transitions(paths.steps),
            material_transitions=self._material_transitions(row.id),
        )

    def _ends(self, paths: PathSums, side: int, sessions: int) -> list[contract.RouteSessions]:
        ends = {key & LOW: n for key, n in paths.edges.items() if key >> 16 == side}
        return [
            contract.RouteSessions(route=self._route(route), sessions=n, share=share(n, sessions))
            for route, n in self._published(ends)
        ]

    def _transitions(self, steps: Mapping[int, int]) -> list[contract.RouteStep]:
        whole = sum(steps.values())
        return [
            contract.RouteStep(
                from_route=self._route(key >> 16), to=self._route(key & LOW), count=n, share=share(n, whole)
            )
            for key, n in self._published(steps)
        ]

    def _published(self, counts: Mapping[int, int]) -> list[tuple[int, int]]:
        """The commonest rows that are not held back, by count and then by name."""
        least = self.least
        self.suppressed += sum(0 < n < least for n in counts.values())
        rows = [(key, n) for key, n in counts.items() if n >= least]
        return sorted(rows, key=lambda row: (-row[1], self._route(row[0] >> 16), self._route(row[0] & LOW)))[
            : contract.MAX_WINDOW_ROWS
        ]

    def _route(self, id_: int) -> str:
        return self.data.routes.get(id_, UNMATCHED)

    def _material_transitions(self, family: int) -> contract.MaterialSteps:
        pairs, names = self.pairs.get(family, ()), self.data.materials
        counts = {(names[pair.first].canonical_path, names[pair.second].canonical_path): pair.n for pair in pairs}
        self.suppressed += sum(n < self.least for n in counts.values())
        rows = [(paths, n) for paths, n in counts.items() if n >= self.least]
        rows.sort(key=lambda row: (-row[1], row[0]))
        return contract.MaterialSteps(
            approximate=True,
            max_undercount=max((pair.undercount for pair in pairs), default=0),
            items=[
                contract.MaterialStep(from_path=first, to=second, count=n)
                for (first, second), n in rows[: contract.MAX_WINDOW_ROWS]
            ],
        )


def report(context: ReportContext, data: ReportData) -> contract.CrawlerJourneysReport:
    """The report of 24 hours, 7 days and 30 days."""
    ids = data.ids
    current = BitMap(ids[page.canonical_path] for page in context.catalogue if page.canonical_path in ids)
    journeys = _Journeys(context, data, current, data.window("24h"))
    windows = contract.JourneyWindows(
        day=journeys.window("24h"), week=journeys.window("7d"), month=journeys.window("30d")
    )
    missing = [reason for name in WINDOWS for reason in _missing(context, data, name)]
    head = report_header(context, data, contract.JOURNEYS_SCHEMA_PATH, WINDOWS["30d"][1], journeys.suppressed, missing)
    return contract.CrawlerJourneysReport(**dict(head), session_definition=SESSION, windows=windows)


def _missing(context: ReportContext, data: ReportData, name: str) -> Iterator[Missing]:
    """What a window cannot tell, and why."""
    pointer = f"/windows/{name}"
    yield from gaps(data, name, pointer)
    yield from whole_days(data, name, f"{pointer}/families/*/material_transitions")
    yield from _without_address(data, name)
    yield from unchecked(context, data.window(name), f"{pointer}/families/*/verification")


def _without_address(data: ReportData, name: str) -> Iterator[Missing]:
    """That sessions are not whole, or not known, where requests came without a client address."""
    adrift = sum(sums.adrift for sums in data.windows[name].families.values())
    if adrift:
        reason = (
            f"{adrift} requests of named clients came without a client address and are in no session; null where all of"
            " a family's did"
        )
        yield Missing(pointer=f"/windows/{name}/families/*/sessions", reason=reason)


def depth(sums: FamilySums, *, sessions_known: bool = True) -> contract.SessionDepth:
    """Requests of a session; percentiles are upper bounds of their buckets."""
    buckets = zip((*BOUNDS, None), sums.depth_hist, strict=True) if sessions_known else ()
    return contract.SessionDepth(
        mean=round(sums.depth_sum / sums.sessions, 2) if sums.sessions else None,
        p50=_percentile(sums, 50),
        p90=_percentile(sums, 90),
        max=sums.depth_max if sums.sessions else None,
        bounds="bucket upper bound",
        histogram=[contract.DepthBucket(le=le, sessions=n) for le, n in buckets],
    )


def _percentile(sums: FamilySums, percent: int) -> int | None:
    """The bound of the bucket in which so many per cent are reached; the deepest session where that bucket has none."""
    needed, passed = -(-sum(sums.depth_hist) * percent // 100), 0
    for le, n in zip(BOUNDS, sums.depth_hist, strict=False):
        passed += n
        if passed >= needed > 0:
            return le
    return sums.depth_max if needed else None
