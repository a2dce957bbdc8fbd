"""Changes of a few records, written beside the segments of the former index.

Records live on levels: the last one holds what a whole build wrote, the others what changed since, the most recent on
the first. A change rewrites the levels up to the first that has room for everything on them and for itself, so that
there are few segments and a record is rewritten seldom. Each level is one segment of the engine; a level that is
rewritten disappears, because all of its documents are deleted.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from citepress.search.engine import IN_TITLE, TEXT_FIELD, TITLE_FIELD, Address, Engine
from citepress.search.groups import DuplicateGroup, Regrouping, TooMuchChanged
from citepress.search.index_writer import IndexWriter, SegmentLevel
from citepress.search.sheet import Sheet, restore_sheet
from citepress.search.storage import (
    ENGINE,
    IndexFacts,
    IndexState,
    RecordState,
    link_engine,
    read_facts,
    read_leftovers,
    read_state,
    search_code,
    write_state,
)
from citepress.search.wholeness import EngineError, check_whole, is_marked

LEVEL_RECORDS = (64, 1_024, 16_384)
"""Records on each level but the last."""
BASE_LEVEL = len(LEVEL_RECORDS)
"""The last level."""
LEFT_BEHIND, SPARE = 0.5, 1_000
"""Documents that are no records any more, as a share of the records and beyond it, from which all are written anew."""


@dataclass(frozen=True)
class FormerIndex:
    """The index that stands, as the next build reads it."""

    facts: IndexFacts
    version: Path
    state: IndexState

    @cached_property
    def engine(self) -> Engine:
        """Its engine."""
        return Engine(self.version / ENGINE, read_leftovers(self.version))

    def sheet(self, id_: str) -> Sheet:
        """The sheet of one of its records."""
        return restore_sheet(*self.engine.packed(self._address(id_)))

    def group(self, id_: str) -> DuplicateGroup:
        """The group that one of its records was written with."""
        address = self._address(id_)
        (number,) = self.engine.clusters([address])
        return DuplicateGroup(number, tuple(self.engine.stored(address).group))

    def _address(self, id_: str) -> Address:
        if (address := self.engine.find(id_)) is None:
            raise EngineError(f"the search index has lost {id_}")
        return address


def former_index(folder: Path, *, keyed: bool = False) -> FormerIndex | None:
    """The index in a folder, or ``None`` when there is no whole one of this version, ``keyed`` or not."""
    try:
        facts = read_facts(folder)
        version = folder / facts.current
        check_whole(version / ENGINE)
        former = FormerIndex(facts, version, read_state(version))
        whole = former.engine.size == len(former.state.records) and former.state.digest == facts.stats.digest
    except ValueError:  # of a digest, or an ``EngineError``
        return None
    usable = whole and not is_marked(version) and facts.code == search_code()
    return former if usable and former.engine.is_keyed == keyed else None


class IndexUpdate:
    """The next version of an index in which some records changed."""

    def __init__(self, former: FormerIndex, fresh: Mapping[str, Sheet], keys: Mapping[str, str]) -> None:
        """``fresh`` are the sheets of new and changed records; records without a key are removed."""
        self._former, self._fresh, self._keys = former, fresh, keys
        self.state = former.state
        self.gone = {id_ for id_ in self.state.records if id_ in fresh or id_ not in keys}

    def write(self, version: Path) -> None:
        """Write the version into an empty folder. Raises ``TooMuchChanged``."""
        regrouped = Regrouping(self._former.engine, self._fresh, self.gone).run()
        groups = regrouped.groups
        rewritten = {id_: self._former.sheet(id_) for id_ in groups if id_ not in self._fresh}
        level, carried = self._room({*groups} | self.gone)
        sheets = [*self._fresh.values(), *rewritten.values(), *map(self._former.sheet, carried)]
        groups |= {id_: self._former.group(id_) for id_ in carried}
        deleted = {*self.gone, *rewritten, *carried}
        self._count(deleted, level, sheets)
        self.state.clusters += regrouped.difference
        link_engine(self._former.version, version)
        writer = IndexWriter(version / ENGINE, keyed=self._former.engine.is_keyed)
        writer.delete(sorted(deleted))
        for sheet in sorted(sheets, key=lambda sheet: (-sheet.updated, sheet.id)):
            writer.add(sheet, groups[sheet.id].number, groups[sheet.id].ids)
        writer.fill(len(self.state.records), self.state.tokens, self.state.levels)
        self.state.levels[level] = writer.finish()
        # Statistics that differ would let the order of hits depend on history. See "The search index takes single
        # records" in docs/decisions/search.md.
        self._check(version, sheets[0])
        write_state(version, self.state)

    def _room(self, written: set[str]) -> tuple[int, list[str]]:
        """The level to write to, and the other records on it and before it, which move there."""
        levels: list[list[str]] = [[] for _ in range(BASE_LEVEL + 1)]
        for id_, record in self.state.records.items():
            if id_ not in written:
                levels[record.level].append(id_)
        carried: list[str] = []
        for level, room in enumerate(LEVEL_RECORDS):
            carried += levels[level]
            if len(written) + len(carried) <= room:
                # The engine forgets a segment without records, and with it the documents that fill it up.
                return level, carried or ([] if self._fresh else next(([ids[0]] for ids in levels if ids), []))
        raise TooMuchChanged

    def _count(self, deleted: set[str], level: int, sheets: list[Sheet]) -> None:
        """Bring the books up to date: levels, lengths, languages, digests."""
        state = self.state
        for id_ in deleted:
            record, sheet = state.records[id_], self._former.sheet(id_)
            left = state.levels[record.level]
            left.records -= 1
            left.replaced.update({*sheet.terms.split(), *(IN_TITLE + term for term in sheet.title.split())})
            if id_ in self.gone:
                state.tokens.subtract(sheet.lengths)
                state.languages[sheet.language] -= 1
                del state.records[id_]
        for place, left in enumerate(state.levels):
            if place <= level or not left.records:
                state.levels[place] = SegmentLevel()
        for sheet in sheets:
            if sheet.id in self._fresh:
                state.tokens.update(sheet.lengths)
                state.languages[sheet.language] += 1
                state.records[sheet.id] = RecordState(self._keys[sheet.id], sheet.digest.hex(), level)
            state.records[sheet.id].level = level
        documents = sum(left.documents - left.records for left in state.levels)
        if not state.records or documents > LEFT_BEHIND * len(state.records) + SPARE:
            raise TooMuchChanged

    def _check(self, version: Path, sheet: Sheet) -> None:
        """Whether the engine counts what the books say. Raises ``EngineError``."""
        engine = Engine(version / ENGINE, self.state.leftovers())
        documents, records = sum(level.documents for level in self.state.levels), len(self.state.records)
        for field, terms in ((TEXT_FIELD, sheet.terms.split()), (TITLE_FIELD, sheet.title.split())):
            average = -(-self.state.tokens[field] // records)
            counted, length = engine.statistics(field, terms[0]) if terms else (documents, average)
            if (counted, length, engine.size) != (documents, average, records):
                raise EngineError(
                    f"the search index counts {counted} documents of {length} terms, not {documents} of {average}"
                )
