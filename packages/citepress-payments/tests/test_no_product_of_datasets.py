"""No verdict and no bundle rests on a dataset."""

from dataclasses import replace
from pathlib import Path

from citepress.search.build import build
from citepress.search.state import open_index
from citepress_payments.products.bundle.bundle import bundle
from citepress_payments.products.coverage.verdict import coverage
from support.archive import archive_of
from support.gauges import GAUGES, index_with
from support.search import AS_OF, note, notes


def test_no_verdict_and_no_bundle_rests_on_a_dataset(tmp_path: Path) -> None:
    index = index_with(tmp_path, GAUGES)
    assert coverage(index, "water levels of river gauges", AS_OF).evidence == ()
    sources = [source.id for source in bundle(index, "sandbox and river gauges", AS_OF).sources]
    assert "datasets/river-gauges" not in sources


def test_a_bundle_that_widens_its_question_takes_no_dataset(tmp_path: Path) -> None:
    """Terms that the best matches share are searched too; a dataset has them as well."""
    shared = "Berths, tides, dredging, quays and moorings"
    subjects = {"ferry-one": "Winter ice grounded it.", "ferry-two": "Strikes delayed its crew for nine days."}
    records = [note(slug, f"{text} {shared} decide.") for slug, text in subjects.items()]
    table = replace(GAUGES, summary=f"Ferry berths: {shared} by day.")
    build(archive_of(*notes(), *records, as_of=AS_OF, datasets=(table,)), tmp_path)
    sold = bundle(open_index(tmp_path), "ferry", AS_OF)
    assert sold.sources
    assert [id_ for id_ in (*(source.id for source in sold.sources), *sold.further) if "datasets/" in id_] == []
