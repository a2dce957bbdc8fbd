"""What extensions measure of a search index and keep with it: by words alone, and for each way to compare meanings."""

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from citepress.archive.model import Archive
from citepress.base.package_digest import joint_digest
from citepress.extension import installed_with, joined
from citepress.search.index import SearchIndex
from citepress.search.meaning import VectorError, VectorSource
from citepress.search.storage import FACTS_LOCK, WORDS, read_facts, remove_vectors, write_facts

POINT = "measurements"
log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Measurement:
    """Something that an extension measures of an index whenever its content or the extension has changed."""

    name: str
    """The key under which ``SearchIndex.measured`` has the result."""
    measure: Callable[[SearchIndex, Archive], Any]
    """``(index, archive) -> JSON``, or ``None`` where there is nothing to keep. It is called for the index by words
    alone, and once more for each mode in which the index compares meanings."""


Measure = Callable[[SearchIndex], Mapping[str, Any]]
"""The results for one index, by the names of the measurements."""


@cache
def measurements() -> tuple[Measurement, ...]:
    """What installed extensions measure. Raises ``ExtensionError``."""
    return joined(POINT, Measurement, claims=lambda measurement: (measurement.name,))


@cache
def measuring_code() -> str:
    """A digest of the packages that measure; empty where none does."""
    sources = installed_with([POINT])
    return joint_digest(source.package for source in sources).hex() if sources else ""


def measure(archive: Archive, folder: Path, vectors: VectorSource | None = None) -> bool:
    """Bring vectors, and what extensions measure, up to the content of an index; whether anything had changed."""
    changed = measure_words(archive, folder)
    return _measure_meaning(folder, vectors, _measure_of(archive), anew=changed) or changed


def measure_words(archive: Archive, folder: Path) -> bool:
    """Measure the index by words alone if its content or an extension has changed; whether that was so."""
    facts = read_facts(folder)
    if not measurements() or (facts.measured_on, facts.measured_by) == (facts.stats.digest, measuring_code()):
        return False
    keep_measured(folder, {WORDS: _measure_of(archive)(SearchIndex(folder))}, facts.stats.digest)
    return True


def keep_measured(folder: Path, measured: Mapping[str, Mapping[str, Any]], content: str) -> None:
    """Give the current version these results, measured on the content of this digest."""
    with FACTS_LOCK:  # another thread may have made a further version current since
        facts = read_facts(folder)
        merged = {**facts.measured, **measured}
        write_facts(folder, replace(facts, measured=merged, measured_on=content, measured_by=measuring_code()))


def _measure_of(archive: Archive) -> Measure:
    def measured(index: SearchIndex) -> Mapping[str, Any]:
        results = {part.name: part.measure(index, archive) for part in measurements()}
        return {name: result for name, result in results.items() if result is not None}

    return measured


def _measure_meaning(folder: Path, vectors: VectorSource | None, measure: Measure, *, anew: bool) -> bool:
    """Bring the vectors up to the index, and measure it with them; whether anything had changed.

    Without a source those of before are removed. Where they cannot be had, the log says why, and words suffice.
    """
    if vectors is None:
        remove_vectors(folder)
        return False
    facts = read_facts(folder)
    try:
        changed = vectors.embed(folder) or anew
    except VectorError as error:
        log.warning("records have no new vectors: %s", error)
        return False
    if not measurements() or not (changed or facts.measured.keys() == {WORDS}):
        return changed
    opened = {mode.name: SearchIndex(folder, vectors, mode.name) for mode in vectors.modes}
    measured = {name: measure(index) for name, index in opened.items() if index.meaning}
    keep_measured(folder, measured, facts.stats.digest)
    return True
