"""Datasets in the search: found by what describes them, in step with changes, and no ground of a verdict."""

from dataclasses import replace
from pathlib import Path

from citepress.archive.model import Archive, Column, Dataset, DatasetVersion
from citepress.search.build import build
from citepress.search.index import SearchIndex
from citepress.search.models import Query
from citepress.search.state import open_index
from citepress_payments.products.bundle.bundle import bundle
from citepress_payments.products.coverage.verdict import coverage
from support.archive import archive_of
from support.search import AS_OF, note, notes

COLUMNS = (
    Column("river_name", "string", "Name of the river, as gauges spell it."),
    Column("discharge", "number", "Cubic metres that pass in a second."),
)
GAUGES = Dataset(
    name="river-gauges",
    title="Gauges along the upper rivers",
    summary="Water levels of **forty** gauges, read daily.",
    license="CC-BY-4.0",
    creator="Hydrographic Office",
    published=AS_OF,
    updated=AS_OF,
    keywords=("hydrology",),
    topics=(),
    readme="## How it was collected\n\nVolunteers telephoned each lockkeeper.",
    sources=(),
    versions=(DatasetVersion("v1", COLUMNS, (), {}, b""),),
)


def archive(*datasets: Dataset) -> Archive:
    return archive_of(*notes(), as_of=AS_OF, datasets=datasets)


def indexed(folder: Path, *datasets: Dataset) -> SearchIndex:
    build(archive(*datasets), folder)
    return open_index(folder)


def test_a_dataset_is_found_by_its_description_its_columns_and_how_it_was_made(tmp_path: Path) -> None:
    index = indexed(tmp_path, GAUGES)
    for question in ("upper rivers", "water levels", "cubic metres", "river_name", "lockkeeper", "hydrology", "office"):
        assert [hit.id for hit in index.search(Query(question)).hits] == ["datasets/river-gauges"], question
    (hit,) = index.search(Query("discharge", kinds=("datasets",))).hits
    assert (hit.kind, hit.path, hit.title) == ("datasets", "/datasets/river-gauges/", GAUGES.title)
    assert hit.snippet == "discharge: Cubic metres that pass in a second."
    assert hit.summary == "Water levels of forty gauges, read daily."
    assert (index.stats.records, index.stats.datasets) == (6, 1)


def test_a_changed_dataset_is_the_same_as_in_a_fresh_index(tmp_path: Path) -> None:
    indexed(tmp_path / "updated", GAUGES)
    for datasets in ((replace(GAUGES, summary="Temperatures of forty gauges."),), ()):
        updated, fresh = (indexed(tmp_path / name, *datasets) for name in ("updated", f"fresh-{len(datasets)}"))
        assert updated.stats == fresh.stats
        for question in ("gauges", "levels", "temperatures", "sandbox"):
            assert updated.search(Query(question)) == fresh.search(Query(question))


def test_no_verdict_and_no_bundle_rests_on_a_dataset(tmp_path: Path) -> None:
    index = indexed(tmp_path, GAUGES)
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
