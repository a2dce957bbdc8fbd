"""What is not told, decided once at the source of every report: few fetches by a client that asks for a person could be that person's question.

Three things are held back, each below the smallest number that is told: what such a family did in a window; by how much a window of it
exceeds the next shorter one; and what it fetched of a page, in the day and since the beginning. Whatever a report says is made from what
is left, so that no sum, no set of pages and no difference of two windows gives back what another report withheld.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace

from pyroaring import BitMap

from citepress.telemetry.ports import VERIFY, FamilyRow, FamilySums, Hour, PathSums, ReadKey, Reads
from citepress.telemetry.reports.data import WINDOWS, ReportData

PERSONAL = "user_action"
"""Fetches of this purpose are one person's question each."""
CONTRADICTED = VERIFY.index("contradicted")
Readership = Mapping[ReadKey, Reads]
Cells = Mapping[tuple[int, int], int]
"""Fetches by page and personal family."""


def withheld(seen: ReportData, least: int) -> ReportData:
    """The sums of a moment without what is held back; ``least`` is the smallest number that is told of a personal family."""
    personal = frozenset(id_ for id_, row in seen.families.items() if row.purpose == PERSONAL)
    day, ever = _cells(seen.reads, personal), _cells(seen.totals, personal)
    told_day = {cell for cell, n in day.items() if n >= least}
    grown = {cell for cell, n in ever.items() if _exceeds(n, day[cell] if cell in told_day else 0, least)}
    reads = {key: row for key, row in seen.reads.items() if key.family not in personal or _cell(key) in told_day}
    totals = {key: row for key, row in seen.totals.items() if key.family not in personal or _cell(key) in grown}
    totals |= {key: row for key, row in reads.items() if key.family in personal and _cell(key) not in grown}
    return replace(
        seen,
        windows=_windows(seen, personal, least, _pages(totals, personal)),
        reads=reads,
        totals=totals,
        pairs={name: [pair for pair in pairs if pair.family not in personal or pair.n >= least] for name, pairs in seen.pairs.items()},
        daily=[
            (number, counts and {family: n for family, n in counts.items() if family not in personal or n >= least})
            for number, counts in seen.daily
        ],
        asking={"24h": _families(seen, day), "observed": _families(seen, ever)},
    )


def _exceeds(n: int, told: int, least: int) -> bool:
    """Whether a number may be told beside a smaller one that it holds."""
    return n == told or n - told >= least


def _cell(key: ReadKey) -> tuple[int, int]:
    return key.material, key.family


def _cells(reads: Readership, personal: frozenset[int]) -> Cells:
    found: dict[tuple[int, int], int] = {}
    for key, row in reads.items():
        if key.family in personal:
            found[_cell(key)] = found.get(_cell(key), 0) + row.n
    return found


def _families(seen: ReportData, cells: Cells) -> tuple[FamilyRow, ...]:
    """Personal families that fetched any page: a page that they are not told of may have been fetched, or not."""
    return tuple(sorted((seen.families[family] for family in {family for _, family in cells}), key=lambda row: (row.name, row.id)))


def _pages(totals: Readership, personal: frozenset[int]) -> Mapping[int, BitMap]:
    """Pages that a personal family is told to have fetched."""
    found = {family: BitMap() for family in personal}
    for key in totals:
        if key.family in personal:
            found[key.family].add(key.material)
    return found


def _windows(seen: ReportData, personal: Iterable[int], least: int, pages: Mapping[int, BitMap]) -> Mapping[str, Hour]:
    """The windows from the shortest to the longest: one that exceeds the last that is told by too little repeats it."""
    windows = {name: replace(seen.windows[name], families=dict(one.families), paths=dict(one.paths)) for name, one in seen.windows.items()}
    for family in personal:
        told: tuple[FamilySums, PathSums | None] | None = None
        for name in WINDOWS:
            into, sums = windows[name], seen.windows[name].families.get(family)
            if sums is not None and sums.n and _exceeds(sums.n, told[0].n if told else 0, least):
                told = replace(sums, materials=sums.materials & pages[family]), seen.windows[name].paths.get(family)
            _put(into, family, told, sums)
    return windows


def _put(into: Hour, family: int, told: tuple[FamilySums, PathSums | None] | None, sums: FamilySums | None) -> None:
    """Let a window tell this of a family; of one that is held back nothing but how many impostors used its name."""
    into.families.pop(family, None)
    into.paths.pop(family, None)
    if told is not None:
        into.families[family] = told[0]
        if told[1] is not None:
            into.paths[family] = told[1]
    elif sums is not None and sums.verify[CONTRADICTED]:
        into.families[family] = FamilySums(verify=[*[0] * CONTRADICTED, sums.verify[CONTRADICTED]])
