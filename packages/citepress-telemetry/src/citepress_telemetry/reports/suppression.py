"""Suppression of small counts, applied once to the data of all reports.

A few fetches by a client that acts for a person could be that person's question. Three things are held back below the
smallest published number: what such a family did in a window; by how much one of its windows exceeds the next shorter
one; and what it fetched of a page, in the day and since the beginning. Every report is built from what is left, so that
no sum, no set of pages and no difference between two windows reveals what another report withheld.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace

from pyroaring import BitMap

from citepress_telemetry.contract.words import VerificationState
from citepress_telemetry.model import FamilySums, Hour, PathSums, ReadKey, Reads
from citepress_telemetry.ports import FamilyRow
from citepress_telemetry.reports.data import PERSONAL, WINDOWS, ReportData

CONTRADICTED = VerificationState.CONTRADICTED.stored
Readership = Mapping[ReadKey, Reads]
Cells = Mapping[tuple[int, int], int]
"""Fetches by page and personal family."""


def withheld(data: ReportData, least: int) -> ReportData:
    """The data without what is held back; ``least`` is the smallest number published of a personal family."""
    personal = frozenset(id_ for id_, row in data.families.items() if row.purpose == PERSONAL)
    day, ever = _cells(data.reads, personal), _cells(data.totals, personal)
    day_published = {cell for cell, n in day.items() if n >= least}
    grown = {cell for cell, n in ever.items() if _exceeds(n, day[cell] if cell in day_published else 0, least)}
    reads = {key: row for key, row in data.reads.items() if key.family not in personal or _cell(key) in day_published}
    totals = {key: row for key, row in data.totals.items() if key.family not in personal or _cell(key) in grown}
    totals |= {key: row for key, row in reads.items() if key.family in personal and _cell(key) not in grown}
    return replace(
        data,
        windows=_windows(data, personal, least, _pages(totals, personal)),
        reads=reads,
        totals=totals,
        pairs={
            name: [pair for pair in pairs if pair.family not in personal or pair.n >= least]
            for name, pairs in data.pairs.items()
        },
        daily=[
            (number, counts and {family: n for family, n in counts.items() if family not in personal or n >= least})
            for number, counts in data.daily
        ],
        # The rest of that day would tell a small count apart from the day's published one.
        opening=replace(
            data.opening, families={id_: sums for id_, sums in data.opening.families.items() if id_ not in personal}
        ),
        personal=_personal_days(data, personal, least),
        asking={"24h": _families(data, day), "observed": _families(data, ever)},
    )


def _personal_days(data: ReportData, personal: Iterable[int], least: int) -> Mapping[int, int]:
    """Requests for a person by day as far as they are published: the history gives them by purpose alone.

    Of the last thirty days the families are known, of earlier ones only their sum.
    """
    published = {
        day.day: sum(row.n for key, row in day.traffic.items() if key.purpose == PERSONAL) for day in data.days
    }
    published = {day: n for day, n in published.items() if n >= least}
    for number, counts in data.daily:
        if counts is not None:
            by_family = (counts.get(family, 0) for family in personal)
            published[number] = sum(n for n in by_family if n >= least)
    return published


def _exceeds(n: int, published: int, least: int) -> bool:
    """Whether a number may be published next to a smaller one that it includes."""
    return n == published or n - published >= least


def _cell(key: ReadKey) -> tuple[int, int]:
    return key.material, key.family


def _cells(reads: Readership, personal: frozenset[int]) -> Cells:
    cells: dict[tuple[int, int], int] = {}
    for key, row in reads.items():
        if key.family in personal:
            cells[_cell(key)] = cells.get(_cell(key), 0) + row.n
    return cells


def _families(data: ReportData, cells: Cells) -> tuple[FamilyRow, ...]:
    """Personal families that fetched any page."""
    return tuple(
        sorted(
            (data.families[family] for family in {family for _, family in cells}), key=lambda row: (row.name, row.id)
        )
    )


def _pages(totals: Readership, personal: frozenset[int]) -> Mapping[int, BitMap]:
    """Pages that each personal family is published to have fetched."""
    pages = {family: BitMap() for family in personal}
    for key in totals:
        if key.family in personal:
            pages[key.family].add(key.material)
    return pages


def _windows(data: ReportData, personal: Iterable[int], least: int, pages: Mapping[int, BitMap]) -> Mapping[str, Hour]:
    """The windows, the shortest first: one that exceeds the last published one by too little repeats it."""
    windows = {
        name: replace(data.windows[name], families=dict(hour.families), paths=dict(hour.paths))
        for name, hour in data.windows.items()
    }
    for family in personal:
        published: tuple[FamilySums, PathSums | None] | None = None
        for name in WINDOWS:
            into, sums = windows[name], data.windows[name].families.get(family)
            if sums is not None and sums.n and _exceeds(sums.n, published[0].n if published else 0, least):
                published = (
                    replace(sums, materials=sums.materials & pages[family]),
                    data.windows[name].paths.get(family),
                )
            _put(into, family, published, sums)
    return windows


def _put(
    into: Hour, family: int, published: tuple[FamilySums, PathSums | None] | None, sums: FamilySums | None
) -> None:
    """Set what a window has of a family; of one that is held back, only how many impostors used its name."""
    into.families.pop(family, None)
    into.paths.pop(family, None)
    if published is not None:
        into.families[family] = published[0]
        if published[1] is not None:
            into.paths[family] = published[1]
    elif sums is not None and sums.verify[CONTRADICTED]:
        into.families[family] = FamilySums(verify=[*[0] * CONTRADICTED, sums.verify[CONTRADICTED]])
