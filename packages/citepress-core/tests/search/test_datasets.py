"""Datasets in the search: found by what describes them, and in step with changes."""

from dataclasses import replace
from pathlib import Path

from citepress.search.models import Query
from support.gauges import GAUGES, index_with


def test_a_dataset_is_found_by_its_description_its_columns_and_how_it_was_made(tmp_path: Path) -> None:
    index = index_with(tmp_path, GAUGES)
    for question in ("upper rivers", "water levels", "cubic metres", "river_name", "lockkeeper", "hydrology", "office"):
        assert [hit.id for hit in index.search(Query(question)).hits] == ["datasets/river-gauges"], question
    (hit,) = index.search(Query("discharge", kinds=("datasets",))).hits
    assert (hit.kind, hit.path, hit.title) == ("datasets", "/datasets/river-gauges/", GAUGES.title)
    assert hit.snippet == "discharge: Cubic metres that pass in a second."
    assert hit.summary == "Water levels of forty gauges, read daily."
    assert (index.stats.records, index.stats.datasets) == (6, 1)


def test_a_changed_dataset_is_the_same_as_in_a_fresh_index(tmp_path: Path) -> None:
    index_with(tmp_path / "updated", GAUGES)
    for datasets in ((replace(GAUGES, summary="Temperatures of forty gauges."),), ()):
        updated, fresh = (index_with(tmp_path / name, *datasets) for name in ("updated", f"fresh-{len(datasets)}"))
        assert updated.stats == fresh.stats
        for question in ("gauges", "levels", "temperatures", "sandbox"):
            assert updated.search(Query(question)) == fresh.search(Query(question))
