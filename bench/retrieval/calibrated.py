"""An index of records that no archive holds, with vectors and with calibrated verdicts."""

from collections.abc import Sequence
from pathlib import Path

from peers import DAY

from citepress.search.build import write
from citepress.search.fields import IndexEntry
from citepress.search.index import SearchIndex
from citepress.search.meaning import VectorSource
from citepress.search.measuring import keep_measured
from citepress.search.storage import read_facts
from citepress_payments.products.coverage.calibration import calibrate
from citepress_payments.products.coverage.thresholds import COVERAGE_MEASUREMENT


def write_calibrated(entries: Sequence[IndexEntry], folder: Path, vectors: VectorSource | None = None) -> None:
    """Index these records, which ask no questions themselves."""
    write(entries, folder, DAY, keyed=vectors is not None)
    indexes = [SearchIndex(folder)]
    if vectors:
        vectors.embed(folder)
        indexes += [SearchIndex(folder, vectors, mode.name) for mode in vectors.modes]
    measured = {}
    for index in indexes:
        if calibration := calibrate(index, ids=[entry.id for entry in entries]):
            measured[index.mode] = {COVERAGE_MEASUREMENT: calibration.model_dump(mode="json")}
    keep_measured(folder, measured, read_facts(folder).stats.digest)
