"""Build the search index of an archive: analyse the records, group near-duplicates, write and measure them.

Where an index stands already, only records that changed are analysed, and a few of them are written beside the others
(``update.py``). The finished version replaces the former one in one step.
"""

import logging
from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import datetime
from functools import partial
from hashlib import blake2b
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO

from citepress.archive.model import Archive, Entry
from citepress.base.gc_pause import paused_gc
from citepress.base.memo import memoized
from citepress.base.steps import step
from citepress.search.clusters import DuplicateFinder
from citepress.search.datasets import DATASETS, dataset_entries
from citepress.search.fields import IndexEntry, index_entry
from citepress.search.groups import Aged, TooMuchChanged, group_of
from citepress.search.index_writer import IndexWriter, SegmentLevel
from citepress.search.meaning import VectorSource
from citepress.search.measuring import measure, measure_words
from citepress.search.models import Stats
from citepress.search.ranking import HUB
from citepress.search.sheet import Sheet, sheet_of, unpack_sheet
from citepress.search.storage import (
    ENGINE,
    FACTS_LOCK,
    IndexFacts,
    IndexState,
    RecordState,
    next_version,
    read_facts,
    search_code,
    sweep,
    write_facts,
    write_state,
)
from citepress.search.update import BASE_LEVEL, FormerIndex, IndexUpdate, former_index

WHOLE = 0.25
"""Share of changed records from which all are written anew."""
log = logging.getLogger(__name__)
Keyed = tuple[str, Sheet]
"""A sheet with the digest of what it is made from."""


def build(
    archive: Archive, folder: Path, edition: str = "", vectors: VectorSource | None = None, *, measured: bool = True
) -> None:
    """Bring the index in ``folder`` up to date with an archive; ``edition`` names what it belongs to.

    Reads nothing but the archive, the index that stands there and what ``vectors`` need. Unless it is to be
    ``measured``, vectors and what extensions measured before stay until ``measure`` is called.
    """
    keys, former = _keys(archive), former_index(folder, keyed=vectors is not None)
    with paused_gc():
        version, state = _version(archive, folder, keys, former, keyed=vectors is not None)
    _publish(folder, version, state, archive.as_of, edition, former)
    if measured:
        measure(archive, folder, vectors)
    elif former is None:
        measure_words(archive, folder)


def write(entries: Iterable[IndexEntry], folder: Path, as_of: datetime, *, keyed: bool = False) -> None:
    """Write the index of these entries to ``folder``, ``keyed`` where vectors follow; nothing is measured.

    The content does not depend on the order of the entries.
    """
    version = next_version(folder)
    with paused_gc():
        state = _write_whole((("", sheet_of(entry)) for entry in entries), version, keyed=keyed)
    _publish(folder, version, state, as_of, "", None)


def _keys(archive: Archive) -> dict[str, str]:
    """For each record the digest of everything that its sheet is made from."""
    hubs = {entry.head.id.partition("/")[2]: entry.head.title for entry in archive.collections.get(HUB, ())}
    titles = repr(sorted(hubs.items()))
    keys = {
        id_: memoized(entry.memo, "search key", (entry.digest, titles), partial(_key, entry, hubs))
        for id_, entry in archive.entries.items()
    }
    datasets = dataset_entries(archive)
    return keys | {id_: blake2b(repr(entry).encode(), digest_size=16).hexdigest() for id_, entry in datasets.items()}


def _key(entry: Entry, hubs: Mapping[str, str]) -> str:
    key = entry.digest.hex()
    if not entry.head.topics:
        return key
    titles = "\0".join(hubs.get(slug, "") for slug in entry.head.topics)
    return blake2b(f"{key}\0{titles}".encode(), digest_size=16).hexdigest()


def _version(
    archive: Archive, folder: Path, keys: dict[str, str], former: FormerIndex | None, *, keyed: bool
) -> tuple[Path, IndexState]:
    """The folder and the state of a version with these records; the former ones if nothing changed."""
    if former is None:
        version = next_version(folder)
        return version, _write_whole(((keys[id_], _sheet(archive, id_)) for id_ in keys), version, keyed=keyed)
    records = former.state.records
    changed = [id_ for id_, key in keys.items() if id_ not in records or records[id_].key != key]
    removed = len(changed) + len(records) - len(keys)
    many = len(changed) + removed > WHOLE * len(keys)
    try:
        if not many:
            return _updated(archive, folder, keys, changed, former)
    except TooMuchChanged:
        pass
    except (ValueError, LookupError):  # of damaged files, or an ``EngineError``
        log.exception("the search index is written anew")
        return _version(archive, folder, keys, None, keyed=keyed)
    fresh, version = frozenset(changed), next_version(folder)
    sheets = ((keys[id_], _sheet(archive, id_) if id_ in fresh else former.sheet(id_)) for id_ in keys)
    return version, _write_whole(sheets, version, keyed=keyed)


def _updated(
    archive: Archive, folder: Path, keys: dict[str, str], changed: Iterable[str], former: FormerIndex
) -> tuple[Path, IndexState]:
    """The former version with these changes. Raises ``TooMuchChanged`` and ``EngineError``."""
    state, fresh, same = former.state, {}, False
    for id_ in changed:
        sheet = _sheet(archive, id_)
        if id_ in state.records and state.records[id_].digest == sheet.digest.hex():
            state.records[id_].key, same = keys[id_], True
        else:
            fresh[id_] = sheet
    if fresh or len(state.records) != len(keys):
        version = next_version(folder)
        IndexUpdate(former, fresh, keys).write(version)
        return version, state
    if same:
        write_state(former.version, state)
    return former.version, state


def _sheet(archive: Archive, id_: str) -> Sheet:
    step("indexing", id_)
    entry = archive.entries.get(id_)
    return sheet_of(index_entry(entry, archive) if entry else dataset_entries(archive)[id_])


def _publish(
    folder: Path, version: Path, state: IndexState, as_of: datetime, edition: str, former: FormerIndex | None
) -> None:
    """Make a version current. What extensions measured before stays."""
    datasets = sum(id_.startswith(f"{DATASETS}/") for id_ in state.records)
    languages = sorted(+state.languages, key=lambda name: (-state.languages[name], name))
    counts = {"records": len(state.records) - datasets, "datasets": datasets, "clusters": state.clusters}
    stats = Stats(**counts, languages=tuple(languages), as_of=as_of, digest=state.digest)
    with FACTS_LOCK:
        facts = IndexFacts(version.name, edition, stats, search_code())
        if former:
            now = read_facts(folder)
            facts = replace(facts, measured=now.measured, measured_on=now.measured_on, measured_by=now.measured_by)
        write_facts(folder, facts)
    sweep(folder, {version.name})


class _Spool:
    """Sheets on disk: an archive of them does not fit into memory."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file, self._starts = file, [0]

    def add(self, sheet: Sheet) -> None:
        """Keep a sheet."""
        packed = sheet.packed()
        self._file.write(packed)
        self._starts.append(self._starts[-1] + len(packed))

    def __getitem__(self, place: int) -> Sheet:
        """The sheet that was added at this place."""
        self._file.seek(self._starts[place])
        return unpack_sheet(self._file.read(self._starts[place + 1] - self._starts[place]))


def _write_whole(sheets: Iterable[Keyed], version: Path, *, keyed: bool) -> IndexState:
    """Write a version of these records as one segment, newest first."""
    with TemporaryFile(dir=version) as file:
        return _write_spooled(sheets, version, _Spool(file), keyed=keyed)


def _write_spooled(sheets: Iterable[Keyed], version: Path, spool: _Spool, *, keyed: bool) -> IndexState:
    state, finder = IndexState(levels=[SegmentLevel() for _ in range(BASE_LEVEL + 1)]), DuplicateFinder()
    ages: list[tuple[int, str, str]] = []
    for key, sheet in sheets:
        spool.add(sheet)
        finder.add(sheet.content_terms())
        ages.append((-sheet.updated, sheet.id, sheet.published))
        state.records[sheet.id] = RecordState(key, sheet.digest.hex(), BASE_LEVEL)
        state.languages[sheet.language] += 1
        state.tokens.update(sheet.lengths)
    order = sorted(range(len(ages)), key=ages.__getitem__)
    leaders = finder.leaders(order)
    groups: dict[int, list[Aged]] = {}
    for place, leader in zip(order, leaders, strict=True):
        _, id_, published = ages[place]
        groups.setdefault(leader, []).append((published, id_))
    named = {leader: group_of(members) for leader, members in groups.items()}
    writer = IndexWriter(version / ENGINE, keyed=keyed)
    for place, leader in zip(order, leaders, strict=True):
        writer.add(spool[place], named[leader].number, named[leader].ids)
    writer.fill(len(ages), state.tokens, ())
    state.levels[BASE_LEVEL] = writer.finish()
    state.clusters = sum(bool(group.number) for group in named.values())
    write_state(version, state)
    return state
