"""An archive with a dataset."""

from pathlib import Path

from citepress.archive.model import Archive, Column, Dataset, DatasetVersion
from citepress.search.build import build
from citepress.search.index import SearchIndex
from citepress.search.state import open_index
from support.archive import archive_of
from support.search import AS_OF, notes

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


def gauge_archive(*datasets: Dataset) -> Archive:
    return archive_of(*notes(), as_of=AS_OF, datasets=datasets)


def index_with(folder: Path, *datasets: Dataset) -> SearchIndex:
    build(gauge_archive(*datasets), folder)
    return open_index(folder)
