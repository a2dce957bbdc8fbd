"""Search: an index built with the edition, the coverage verdict and research bundles, the same answers in every worker."""

from pathlib import Path

from citepress.search.build import build
from citepress.search.bundle import Bundle, bundle
from citepress.search.calibration import warnings
from citepress.search.coverage import CoverageVerdict, coverage
from citepress.search.engine import EngineError
from citepress.search.index import SearchIndex
from citepress.search.models import Calibration, Hit, Query, Results, SearchExplanation, Stats

__all__ = [
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
    "open_index",
    "stands",
    "warnings",
]  # fmt: skip


def open_index(folder: Path) -> SearchIndex:
    """The index under a folder, mapped for reading. Raises ``EngineError`` when it holds none of this version."""
    return SearchIndex(folder)


def stands(folder: Path) -> bool:
    """Whether a folder holds an index of this version."""
    try:
        SearchIndex(folder)
    except EngineError:
        return False
    return True
