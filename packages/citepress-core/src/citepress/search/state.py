"""The search index in the state folder: where it is, how it is opened, and which edition it belongs to."""

from pathlib import Path

from citepress.search.index import SearchIndex
from citepress.search.meaning import VectorSource
from citepress.search.measuring import measuring_code
from citepress.search.storage import ENGINE, RECORDS_FILE, IndexFacts, read_facts, search_code
from citepress.search.wholeness import EngineError, check_whole, is_marked

INDEX_FOLDER = "search"
"""Folder of the index inside the state folder."""
BUILD_STATE = RECORDS_FILE
"""File in it that the next build reads, and no search."""


def open_index(folder: Path, vectors: VectorSource | None = None) -> SearchIndex:
    """Open the index in a folder, memory-mapped. Raises ``EngineError`` when there is none of this version."""
    return SearchIndex(folder, vectors)


def vectors_state(folder: Path, vectors: VectorSource | None) -> tuple[bool, str]:
    """Whether a server compares questions as it is set, and a sentence about it."""
    if vectors is None:
        return True, "search compares words alone"
    try:
        index = SearchIndex(folder, vectors)
    except EngineError:
        return False, "there is no index yet"
    if index.meaning is None:
        return False, vectors.missing() or "there are no vectors yet; search compares words alone"
    searched = index.stats.records + index.stats.datasets
    mode = index.meaning.mode
    reason = "" if mode == vectors.modes[0] else vectors.missing()
    means = f"{mode.title} ({reason})" if reason else mode.title
    counts = f"{index.meaning.count:,} of {searched:,} records have vectors"
    return True, f"search compares meanings too, by {means}; {counts}"


def indexed_edition(folder: Path) -> str | None:
    """The edition that the index in a folder belongs to; ``None`` when there is no whole index of this version."""
    whole = _whole(folder)
    return whole[0].edition if whole else None


def is_current(folder: Path, edition: str, vectors: VectorSource | None) -> bool:
    """Whether the index in a folder is the whole one of an edition, as this code makes it with these vectors."""
    if not (whole := _whole(folder)):
        return False
    facts, index = whole
    is_whole = (facts.edition, facts.code, index.engine.is_keyed) == (edition, search_code(), vectors is not None)
    return is_whole and (not measuring_code() or facts.measured_by == measuring_code())


def _whole(folder: Path) -> tuple[IndexFacts, SearchIndex] | None:
    """The index in a folder and what it says of itself; ``None`` when there is no whole index of this version."""
    try:
        facts = read_facts(folder)
        version = folder / facts.current
        check_whole(version / ENGINE)
        index = SearchIndex(folder)
    except EngineError:
        return None
    return None if is_marked(version) else (facts, index)
