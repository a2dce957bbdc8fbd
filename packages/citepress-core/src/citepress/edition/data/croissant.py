"""A dataset as linked data: schema.org for search engines, Croissant 1.1 for loaders of machine-learning data."""

from collections.abc import Mapping, Sequence
from urllib.parse import quote

from citepress.archive.model import Column, Dataset
from citepress.base.canonical import digest
from citepress.base.timestamps import day
from citepress.base.word_lists import word_list
from citepress.contract.citation import DOI_RESOLVER, Reference, license_url, person
from citepress.edition.citations.bibtex import entry
from citepress.edition.render_context import RenderContext

CONFORMS_TO = "http://mlcommons.org/croissant/1.1"
_TERMS = word_list("citepress", "croissant terms")
CONTEXT: Mapping[str, object] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "cr": "http://mlcommons.org/croissant/",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "dct": "http://purl.org/dc/terms/",
    "sc": "https://schema.org/",
    "conformsTo": "dct:conformsTo",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "description": {"@container": "@language"},
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "name": {"@container": "@language"},
    **{term: f"cr:{term}" for term in _TERMS},
}
"""The JSON-LD context that Croissant recommends."""
_TYPES = {"string": "sc:Text", "integer": "sc:Integer", "number": "sc:Float", "boolean": "sc:Boolean"}
_FORMATS = {"date": "sc:Date", "date-time": "sc:DateTime", "uri": "sc:URL"}
RECORDS = "rows"
"""Id of the record set."""


def linked_data(context: RenderContext, dataset: Dataset, citation: Reference) -> tuple[Mapping[str, object], ...]:
    """Both descriptions of the newest version; each names the landing page."""
    return _schema_org(context, dataset), {**_croissant(context, dataset), "citeAs": entry(citation)}


def _shared(context: RenderContext, dataset: Dataset) -> dict[str, object]:
    owner = context.archive.owner
    publisher = {"@type": owner.type, "name": owner.name, "url": context.url("/owner-profile/")}
    made_by = publisher if dataset.creator == owner.name else {"@type": "Organization", "name": dataset.creator}
    members: dict[str, object] = {
        "name": dataset.title,
        "description": dataset.summary,
        "url": context.url(dataset.path),
        "license": license_url(dataset.license) or dataset.license,
        "creator": [person(author) for author in dataset.authors] or made_by,
        "publisher": publisher,
        "datePublished": day(dataset.published),
        "dateModified": day(dataset.updated),
        "version": f"{dataset.versions[-1].version.removeprefix('v')}.0.0",
        "inLanguage": context.site.language,
    }
    if dataset.doi:
        members["identifier"] = DOI_RESOLVER + dataset.doi
    if dataset.keywords:
        members["keywords"] = list(dataset.keywords)
    return members


def _schema_org(context: RenderContext, dataset: Dataset) -> dict[str, object]:
    newest = dataset.versions[-1]
    files = (("text/csv", "csv"), ("application/json", "json"))
    return {
        "@context": "https://schema.org",
        "@type": "Dataset",
        "@id": context.url(dataset.path),
        **_shared(context, dataset),
        "isAccessibleForFree": True,
        "isBasedOn": [url for _, _, url in dataset.sources],
        "variableMeasured": [
            {"@type": "PropertyValue", "name": c.name, "description": c.description} for c in newest.columns
        ],
        "distribution": [
            {
                "@type": "DataDownload",
                "encodingFormat": media,
                "contentUrl": context.url(f"{dataset.path}{newest.version}.{ending}"),
            }
            for media, ending in files
        ],
    }


def _croissant(context: RenderContext, dataset: Dataset) -> dict[str, object]:
    newest = dataset.versions[-1]
    file = f"{newest.version}.csv"
    return {
        "@context": {**CONTEXT, "@language": context.site.language.partition("-")[0]},
        "@type": "sc:Dataset",
        "conformsTo": CONFORMS_TO,
        **_shared(context, dataset),
        "distribution": [
            {
                "@type": "cr:FileObject",
                "@id": file,
                "name": file,
                "description": "Every row, as RFC 4180 with a header.",
                "contentUrl": context.url(f"{dataset.path}{file}"),
                "contentSize": f"{len(newest.csv)} B",
                "encodingFormat": "text/csv",
                "sha256": digest(newest.csv),
            }
        ],
        "recordSet": [
            {
                "@type": "cr:RecordSet",
                "@id": RECORDS,
                "name": RECORDS,
                "description": dataset.summary,
                **_key(newest.primary_key),
                "field": [_field(column, file) for column in newest.columns],
            }
        ],
    }


def _key(columns: Sequence[str]) -> dict[str, object]:
    keys = [{"@id": _field_id(name)} for name in columns]
    return {"key": keys[0] if len(keys) == 1 else keys} if keys else {}


def _field(column: Column, file: str) -> dict[str, object]:
    return {
        "@type": "cr:Field",
        "@id": _field_id(column.name),
        "name": column.name,
        "description": column.description or column.name,
        "dataType": _FORMATS.get(column.format) or _TYPES.get(column.type, "sc:Text"),
        "source": {"fileObject": {"@id": file}, "extract": {"column": column.name}},
    }


def _field_id(name: str) -> str:
    return f"{RECORDS}/{quote(name, safe='')}"
