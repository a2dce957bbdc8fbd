"""Search: an index built with the edition, the coverage verdict and research bundles.

Every worker reads the same index and gives the same answers.
"""

from pathlib import Path

from citepress.search.build import build, recalibrate
from citepress.search.bundle import Bundle, bundle
from citepress.search.calibration import warnings
from citepress.search.coverage import CoverageVerdict, coverage
from citepress.search.engine import EngineError
from citepress.search.index import SearchIndex
from citepress.search.models import Calibration, Hit, Query, Results, SearchExplanation, Stats
from citepress.search.storage import RECORDS, read_facts

__all__ = [
    "BUILD_STATE",
    "INDEX_FOLDER",
    "Bundle",
    "Calibration",
    "CoverageVerdict",
    "EngineError",
    "Hit",
    "Query",
    "Results",
    "SearchExplanation",
    "SearchIndex",
    "Stats",
    "build",
    "bundle",
    "coverage",
    "indexed_edition",
    "open_index",
    "recalibrate",
    "warnings",
]


INDEX_FOLDER = "search"
"""Folder of the index inside the state folder."""
BUILD_STATE = RECORDS
"""File in it that the next build reads, and no search."""


def open_index(folder: Path) -> SearchIndex:
    """Open the index in a folder, memory-mapped. Raises ``EngineError`` when there is none of this version."""
    return SearchIndex(folder)


def indexed_edition(folder: Path) -> str | None:
    """The edition that the index in a folder belongs to; ``None`` when there is no index of this version."""
    try:
        SearchIndex(folder)
        return read_facts(folder).edition
    except EngineError:
        return None
