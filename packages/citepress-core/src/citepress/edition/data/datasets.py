"""The datasets: a landing page each, every version as JSON and CSV, and the schema that rows are held against."""

from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any

from citepress.archive.model import Column, Dataset, DatasetVersion
from citepress.base.canonical import digest, json_bytes, named_digest
from citepress.base.ids import twin
from citepress.base.media import CSV, JSON, SCHEMA
from citepress.base.text import counted
from citepress.contract.citation import Reference, citation_of
from citepress.contract.document import DATASET, VERSION_PARAMETER, Document, Draft, Output, Pages, Section
from citepress.contract.page import Block, Card, Cards, Cite, Facts, Item, Items, Link, Notice, Page, Prose, Table
from citepress.contract.version import SCHEMA_VERSION
from citepress.edition.data.column_facets import facets_of_columns, write_cell
from citepress.edition.data.croissant import linked_data
from citepress.edition.data.dataset_models import (
    AuthorityDataset,
    Cell,
    DatasetColumn,
    DatasetDescription,
    DatasetIndex,
    DatasetSource,
    DatasetSummary,
    DatasetVersionLink,
)
from citepress.edition.data.dataset_rows import cell_link, facet_models, facets_of_dataset
from citepress.edition.render_context import RenderContext, single
from citepress.edition.schemas import DIALECT, schema_of
from citepress.kinds.dataset_charts import charts_of
from citepress.kinds.parts import fact, facts
from citepress.kinds.topics import topic_id

PREVIEW = 50
"""Rows of a landing page."""
CARDS = 500
"""Datasets on the overview."""
FILES = {"csv": "text/plain", "json": "application/json"}
"""The files of a version by their endings, and the types that they are sent as."""


def _columns(columns: Iterable[Column]) -> list[DatasetColumn]:
    return [
        DatasetColumn(name=c.name, type=c.type, format=c.format or None, description=c.description) for c in columns
    ]


def _summary(context: RenderContext, dataset: Dataset) -> dict[str, Any]:
    newest = dataset.versions[-1]
    return {
        "id": f"datasets/{dataset.name}",
        "name": dataset.name,
        "title": dataset.title,
        "summary": dataset.summary,
        "license": dataset.license,
        "creator": dataset.creator,
        "published_at": dataset.published,
        "updated_at": dataset.updated,
        "version": newest.version,
        "row_count": len(newest.rows),
        "html_url": context.url(dataset.path),
        "markdown_url": context.url(twin(dataset.path, ".md")),
        "json_url": context.url(twin(dataset.path, ".json")),
        "data_url": _file(context, dataset, newest, "json"),
        "csv_url": _file(context, dataset, newest, "csv"),
    }


def _file(context: RenderContext, dataset: Dataset, version: DatasetVersion, ending: str) -> str:
    return context.url(f"{dataset.path}{version.version}.{ending}")


def _schema_url(context: RenderContext, dataset: Dataset) -> str:
    return context.url(f"{dataset.path}schema.json")


def _csv_digest(version: DatasetVersion) -> str:
    return named_digest(version.csv)


def _description(context: RenderContext, dataset: Dataset) -> DatasetDescription:
    newest = dataset.versions[-1]
    links = [
        DatasetVersionLink(
            version=v.version,
            row_count=len(v.rows),
            data_url=_file(context, dataset, v, "json"),
            csv_url=_file(context, dataset, v, "csv"),
            csv_digest=_csv_digest(v),
        )
        for v in dataset.versions
    ]
    return DatasetDescription(
        **_summary(context, dataset),
        schema_version=SCHEMA_VERSION,
        keywords=list(dataset.keywords),
        topics=list(dataset.topics),
        columns=_columns(newest.columns),
        primary_key=list(newest.primary_key),
        versions=links,
        schema_url=_schema_url(context, dataset),
        sources=[DatasetSource(title=title, url=url, normalized_url=normal) for title, url, normal in dataset.sources],
        authors=list(dataset.authors),
        doi=dataset.doi or None,
        citation=dataset_citation(context, dataset).line,
        facets=facet_models(context.url(twin(dataset.path, ".json")), facets_of_columns(context, dataset), {}),
        readme_markdown=dataset.readme,
    )


def _document(context: RenderContext, dataset: Dataset, version: DatasetVersion) -> AuthorityDataset:
    return AuthorityDataset.model_construct(
        schema_version=SCHEMA_VERSION,
        id=f"datasets/{dataset.name}",
        name=dataset.name,
        version=version.version,
        title=dataset.title,
        summary=dataset.summary,
        license=dataset.license,
        creator=dataset.creator,
        published_at=dataset.published,
        updated_at=dataset.updated,
        columns=_columns(version.columns),
        primary_key=list(version.primary_key),
        row_count=len(version.rows),
        rows=list(version.rows),
        html_url=context.url(dataset.path),
        csv_url=_file(context, dataset, version, "csv"),
        csv_digest=_csv_digest(version),
        schema_url=_schema_url(context, dataset),
    )


def _landings(context: RenderContext) -> Iterator[Draft]:
    for dataset in context.archive.datasets:
        yield Draft(partial(_landing, context, dataset))


def dataset_citation(context: RenderContext, dataset: Dataset) -> Reference:
    """How the newest version is cited."""
    members = {"authors": dataset.authors, "doi": dataset.doi or None, "keywords": dataset.keywords}
    return citation_of({**_summary(context, dataset), **members}, context.publisher)


def _landing(context: RenderContext, dataset: Dataset) -> Page:
    cited, newest = dataset_citation(context, dataset), dataset.versions[-1].version
    hubs = (context.archive.entry(topic_id(slug)) for slug in dataset.topics)
    return Page(
        dataset.path,
        dataset.title,
        dataset.summary,
        tuple(_blocks(context, dataset)),
        label="Dataset",
        published=dataset.published,
        updated=dataset.updated,
        language=context.site.language,
        license=dataset.license,
        crumbs=(Link("Home", "/"), Link("Datasets", "/datasets/")),
        topics=tuple(Link(hub.head.title, hub.path, hub.head.language) for hub in hubs if hub),
        data=_description(context, dataset),
        linked_data=linked_data(context, dataset, cited),
        citation=cited,
        card=True,
        parts=tuple((f"{dataset.path}{newest}.{ending}", media) for ending, media in FILES.items()),
    )


def _blocks(context: RenderContext, dataset: Dataset) -> Iterator[Block]:
    newest = dataset.versions[-1]
    yield Facts(
        "about",
        "",
        facts(
            fact("Version", newest.version),
            fact("Rows", f"{len(newest.rows):,}"),
            fact("Licence", dataset.license),
            fact("Creator", dataset.creator),
            fact("Key", *newest.primary_key),
            fact("Keywords", *dataset.keywords),
        ),
    )
    yield Items("download", "Download", tuple(_downloads(dataset)))
    yield from charts_of(dataset)
    yield from facets_of_dataset(dataset.path, facets_of_columns(context, dataset), {}, len(newest.rows))
    yield _preview(dataset, newest)
    types = tuple(
        (Link(c.name), Link(f"{c.type} ({c.format})" if c.format else c.type), Link(c.description))
        for c in newest.columns
    )
    yield Table("columns", "Columns", ("Column", "Type", "Description"), types)
    if dataset.readme.strip():
        yield Prose("readme", "How it was made", dataset.readme)
    if dataset.sources:
        cited = tuple(Item("", None, url, title) for title, url, _ in dataset.sources)
        yield Items("sources", "Sources", cited, ordered=True)
    yield Cite("cite", "Cite this", dataset_citation(context, dataset), dataset.path)


def _downloads(dataset: Dataset) -> Iterator[Item]:
    for version in reversed(dataset.versions):
        for ending, words in (("csv", "as CSV (RFC 4180)"), ("json", "as JSON")):
            name = f"{version.version}.{ending}"
            note = (
                f"{counted(len(version.rows), 'row')} {words}; SHA-256 of the CSV: `{digest(version.csv)}`"
                if ending == "csv"
                else f"The same rows {words}."
            )
            yield Item(note, None, f"{dataset.path}{name}", name)
    yield Item("The JSON Schema of a version and of a row.", None, f"{dataset.path}schema.json", "schema.json")


def _preview(dataset: Dataset, version: DatasetVersion) -> Table:
    names = tuple(column.name for column in version.columns)
    rows = tuple(tuple(_cell(row.get(name)) for name in names) for row in version.rows[:PREVIEW])
    part = f"The first {PREVIEW} of {len(version.rows):,} rows" if len(rows) < len(version.rows) else "All rows"
    shown = f"{part} of {dataset.title}, {version.version}."
    return Table("preview", "Preview", names, rows, shown)


def _cell(value: Cell) -> Link:
    if value is None:
        return Link("")
    return cell_link(write_cell(value))


def _overview_page(context: RenderContext) -> Page:
    datasets = context.archive.datasets
    cards = tuple(
        Card(d.title, d.path, d.summary, "", d.updated, (d.versions[-1].version,), context.site.language)
        for d in datasets[:CARDS]
    )
    index = DatasetIndex(
        schema_version=SCHEMA_VERSION,
        as_of=context.archive.as_of,
        count=len(datasets),
        items=[DatasetSummary(**_summary(context, d)) for d in datasets],
    )
    return Page(
        "/datasets/",
        "Datasets",
        f"Versioned datasets of {context.site.title}; a published version never changes.",
        (Cards("datasets", "", cards) if cards else Notice("empty", "", "The archive holds no datasets yet."),),
        label="Datasets",
        template="list",
        updated=max((d.updated for d in datasets), default=None),
        crumbs=(Link("Home", "/"),),
        data=index,
    )


def _json(context: RenderContext) -> Iterator[Output]:
    for dataset, version in _versions(context):
        links = [
            _link(_file(context, dataset, version, "csv"), 'rel="alternate"; type="text/plain"'),
            *_described_by(context, dataset, version),
        ]
        yield Output(_document(context, dataset, version), _values(dataset, version), tuple(links), digested=True)


def _csv(context: RenderContext) -> Iterator[Output]:
    for dataset, version in _versions(context):
        links = [
            _link(_file(context, dataset, version, "json"), 'rel="alternate"; type="application/json"'),
            *_described_by(context, dataset, version),
        ]
        yield Output(version.csv, _values(dataset, version), tuple(links), digested=True)


def _versions(context: RenderContext) -> Iterator[tuple[Dataset, DatasetVersion]]:
    return ((dataset, version) for dataset in context.archive.datasets for version in dataset.versions)


def _values(dataset: Dataset, version: DatasetVersion) -> dict[str, str]:
    return {"dataset": dataset.name, "version": version.version}


def _link(url: str, parameters: str) -> str:
    return f"<{url}>; {parameters}"


def _described_by(context: RenderContext, dataset: Dataset, version: DatasetVersion) -> list[str]:
    """The schema of a dataset describes its newest version."""
    return [_link(_schema_url(context, dataset), 'rel="describedby"')] if version is dataset.versions[-1] else []


def _schemas(context: RenderContext) -> Iterator[Output]:
    for dataset in context.archive.datasets:
        yield Output(json_bytes(dataset_schema(context, dataset)), {"dataset": dataset.name})


def dataset_schema(context: RenderContext, dataset: Dataset) -> dict[str, Any]:
    """The schema of the newest version, valid for the whole document and for each of its rows."""
    url, newest = _schema_url(context, dataset), dataset.versions[-1]
    row = {
        name: value for name, value in newest.schema.items() if name not in ("$schema", "$id", "$defs", "definitions")
    }
    document = {
        name: value for name, value in schema_of(AuthorityDataset, url).items() if name not in ("$schema", "$id")
    }
    definitions = document.pop("$defs")
    document["properties"]["rows"]["items"] = {"$ref": "#/$defs/Row"}
    return {
        "$schema": DIALECT,
        "$id": url,
        "title": f"{dataset.title}, {newest.version}",
        "description": "A version as a document with all its rows ($defs/AuthorityDataset), or one row ($defs/Row).",
        "anyOf": [{"$ref": "#/$defs/AuthorityDataset"}, {"$ref": "#/$defs/Row"}],
        "$defs": {**newest.schema.get("$defs", {}), **definitions, "AuthorityDataset": document, "Row": row},
        **({"definitions": newest.schema["definitions"]} if "definitions" in newest.schema else {}),
    }


ALL = (
    Pages[RenderContext](
        "datasets",
        "/datasets/",
        Section.DATASETS,
        "The versioned datasets of the archive.",
        single(_overview_page),
        "DatasetIndex",
        DatasetIndex,
    ),
    Pages[RenderContext](
        "dataset",
        "/datasets/{dataset}/",
        Section.DATASETS,
        "The landing page of a dataset: columns, preview, versions, how to cite.",
        _landings,
        "DatasetDescription",
        DatasetDescription,
        (DATASET,),
        promised=("html",),
        cited=True,
    ),
    Document[RenderContext](
        "dataset_version_json",
        "/datasets/{dataset}/{version}.json",
        JSON,
        Section.DATASETS,
        "A frozen version of a dataset with all its rows.",
        _json,
        "AuthorityDataset",
        AuthorityDataset,
        (DATASET, VERSION_PARAMETER),
        resource=0.6,
    ),
    Document[RenderContext](
        "dataset_version_csv",
        "/datasets/{dataset}/{version}.csv",
        CSV,
        Section.DATASETS,
        "The same rows as CSV (RFC 4180).",
        _csv,
        parameters=(DATASET, VERSION_PARAMETER),
    ),
    Document[RenderContext](
        "dataset_schema",
        "/datasets/{dataset}/schema.json",
        SCHEMA,
        Section.DATASETS,
        "The JSON Schema of the newest version and of a row.",
        _schemas,
        "JsonSchemaDocument",
        parameters=(DATASET,),
    ),
)
