"""The shapes of a dataset's documents: the overview, a description without rows, a version with all of them."""

from collections.abc import Mapping

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
