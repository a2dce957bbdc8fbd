"""Search: an index built with the edition, the coverage verdict and research bundles, the same answers in every worker."""

from pathlib import Path

from citepress.search.build import build
from citepress.search.bundle import Bundle, bundle
from citepress.search.calibration import warnings
from citepress.search.coverage import Coverage, coverage
from citepress.search.engine import EngineError
from citepress.search.index import Index
from citepress.search.shapes import Calibration, Explanation, Hit, Query, Results, Stats

__all__ = [
    "Bundle", "Calibration", "Coverage", "EngineError", "Explanation", "Hit", "Index", "Query", "Results", "Stats",
    "build", "bundle", "coverage", "open_index", "stands", "warnings",
]  # fmt: skip


def open_index(folder: Path) -> Index:
    """The index under a folder, mapped for reading. Raises ``EngineError`` when it holds none of this version."""
    return Index(folder)


def stands(folder: Path) -> bool:
    """Whether a folder holds an index of this version."""
    try:
        Index(folder)
    except EngineError:
        return False
    return True
