"""The shapes of a dataset's documents: the overview, a description without rows, a version with all of them."""

from collections.abc import Mapping

from pydantic import Field

from citepress.contract.model import Model, Moment
from citepress.contract.record import Author

Cell = str | int | float | bool | None


class DatasetColumn(Model):
    """A column of a dataset."""

    name: str
    """Its name in the header of the CSV and in the rows of the JSON."""
    type: str
    """JSON Schema type of its cells: string, integer, number, boolean; an empty cell is null."""
    format: str | None
    """JSON Schema format, where it has one."""
    description: str
    """What it holds."""


class DatasetSummary(Model):
    """A dataset in the overview."""

    id: str
    """Stable identifier, ``datasets/<name>``."""
    name: str
    """Its folder name, as used in paths."""
    title: str
    """The headline."""
    summary: str
    """One or two sentences that can be quoted on their own."""
    license: str
    """SPDX id or URL of its licence."""
    creator: str
    """Who made it."""
    published_at: Moment
    """First publication."""
    updated_at: Moment
    """Last change."""
    version: str
    """The newest version."""
    row_count: int
    """Rows of the newest version."""
    html_url: str
    """The landing page."""
    markdown_url: str
    """Its Markdown twin."""
    json_url: str
    """The description of the dataset."""
    data_url: str
    """The newest version with all rows, as JSON."""
    csv_url: str
    """The same rows as CSV."""


class DatasetIndex(Model):
    """The datasets of the archive."""

    schema_version: int
    """Version of this document's schema."""
    as_of: Moment
    """The newest record date of the archive."""
    count: int
    """Datasets in all."""
    items: list[DatasetSummary]
    """Datasets by name."""


class DatasetVersionLink(Model):
    """A frozen version."""

    version: str
    """``v1``, ``v2`` …"""
    row_count: int
    """Its rows."""
    data_url: str
    """All rows as JSON."""
    csv_url: str
    """All rows as CSV."""
    csv_digest: str
    """SHA-256 of the CSV before any content coding, ``sha-256:`` and 64 hexadecimal characters."""


class DatasetSource(Model):
    """The sources of the data."""

    title: str
    """Its title."""
    url: str
    """The address as its author wrote it."""
    normalized_url: str
    """The form under which a source is one source."""


class DatasetFacetValue(Model):
    """A value of a column."""

    value: str
    """The value, as a query and the CSV write it."""
    count: int
    """Rows that have it."""
    url: str
    """This document with these rows."""


class DatasetFacet(Model):
    """A column of few values, by which rows can be asked for: ``?<column>=<value>``."""

    column: str
    """Name of the column."""
    values: list[DatasetFacetValue]
    """Its values, the commonest first; empty cells count for none."""


class DatasetSelection(Model):
    """The rows that meet the conditions of a query, a page at a time."""

    conditions: Mapping[str, str]
    """The value that each column has to have."""
    count: int
    """Rows that meet all of them."""
    page: int
    """Number of this page, from 1; a further one is asked for with ``page``."""
    page_count: int
    """Pages of 50 rows."""
    rows: list[Mapping[str, Cell]]
    """The rows of this page in their order, each with every column; an empty cell is null."""
    next: str | None
    """This document with the next page of rows."""


class DatasetDescription(DatasetSummary):
    """A dataset without its rows."""

    schema_version: int
    """Version of this document's schema."""
    keywords: list[str]
    """Free words."""
    topics: list[str]
    """Slugs of topic hubs."""
    columns: list[DatasetColumn]
    """Columns of the newest version, in order."""
    primary_key: list[str]
    """Columns that together name a row; empty when none do."""
    versions: list[DatasetVersionLink]
    """Every version, oldest first."""
    schema_url: str
    """The JSON Schema of a version and of a row."""
    sources: list[DatasetSource]
    """The sources of the data."""
    authors: list[Author]
    """Those who made it, where they are named one by one."""
    doi: str | None
    """The DOI that was registered for it, without the resolver."""
    citation: str
    """How to cite the newest version, in a line."""
    facets: list[DatasetFacet] = Field(default_factory=list)
    """The columns of the newest version by whose values its rows can be asked for, at most 8 with at most 12 values
    each; under a query those without a condition, counted among the rows that fit."""
    selection: DatasetSelection | None = None
    """The rows that a query asks for; null without one."""
    readme_markdown: str
    """How it was made, as CommonMark."""


class AuthorityDataset(Model):
    """One frozen version of a dataset with all its rows."""

    schema_version: int
    """Version of this document's schema."""
    id: str
    """Stable identifier, ``datasets/<name>``."""
    name: str
    """Its folder name, as used in paths."""
    version: str
    """This version; it never changes."""
    title: str
    """The headline."""
    summary: str
    """One or two sentences that can be quoted on their own."""
    license: str
    """SPDX id or URL of its licence."""
    creator: str
    """Who made it."""
    published_at: Moment
    """First publication of the dataset."""
    updated_at: Moment
    """Last change of the dataset."""
    columns: list[DatasetColumn]
    """Columns in order."""
    primary_key: list[str]
    """Columns that together name a row; empty when none do."""
    row_count: int
    """Number of rows."""
    rows: list[Mapping[str, Cell]]
    """The rows, each with every column; an empty cell is null."""
    html_url: str
    """The landing page."""
    csv_url: str
    """The same rows as CSV."""
    csv_digest: str
    """SHA-256 of the CSV before any content coding, ``sha-256:`` and 64 hexadecimal characters."""
    schema_url: str
    """The JSON Schema of this document and of a row."""
