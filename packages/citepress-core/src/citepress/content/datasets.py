"""Datasets: ``datasets/<name>/`` with its README, the schema of a row and one CSV file a version."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import orjson
from pydantic import AliasChoices, Field

from citepress.base import fast_json
from citepress.base.slugs import is_slug, slugify
from citepress.base.text import sentence_list
from citepress.content.dataset_charts import DatasetChart, chart_faults
from citepress.content.files import ContentFile, printable_path
from citepress.content.front import front_of
from citepress.content.front_mapping import front_mapping
from citepress.content.open_text import open_text
from citepress.content.parsed import Parsed, parsed
from citepress.content.placeholders import placeholder_faults
from citepress.content.source_map import SourceFile, split
from citepress.content.table_file import CsvTable, RowSchema, read_table, row_schema
from citepress.contract.fault import BAD_DATASET, BAD_DATES, BAD_NAME, Fault, Faults, Span
from citepress.contract.identifiers import Doi
from citepress.contract.model import Model, Moment, OneLine
from citepress.contract.record import Author, SourceInput, Title, Word
from citepress.contract.refs import TopicRef

CSV_BYTES = 67_108_864
SCHEMA_BYTES = 1_048_576
_VERSION = re.compile(r"v([1-9][0-9]{0,3})\.csv")


class DatasetFront(Model):
    """The front matter of a dataset's ``README.md``."""

    title: Title
    """The headline."""
    summary: Annotated[
        str, Field(min_length=1, max_length=300, validation_alias=AliasChoices("summary", "description"))
    ]
    """One or two sentences that make sense on their own."""
    license: OneLine | None = None
    """SPDX id or URL; by default the site's."""
    creator: OneLine | None = None
    """Who made it; by default the owner."""
    authors: list[Author] = Field(default_factory=list, max_length=20)
    """Those who made it; by default, without a ``creator``, the site's."""
    doi: Doi | None = None
    """Its DOI."""
    date: Moment
    """First publication."""
    lastmod: Moment | None = None
    """Last change."""
    version: Annotated[str, Field(pattern=r"^v[1-9][0-9]{0,3}$", examples=["v1"])] | None = None
    """The version that the text describes."""
    topics: list[TopicRef] = Field(default_factory=list, max_length=20)
    """Slugs of topic hubs."""
    keywords: list[Word] = Field(default_factory=list, max_length=50)
    """Free words."""
    sources: list[SourceInput | str] = Field(default_factory=list, max_length=200)
    """The sources of the data."""
    charts: list[DatasetChart] = Field(default_factory=list, max_length=12)
    """Charts of the newest version."""


@dataclass(frozen=True, slots=True, eq=False)
class DatasetFile:
    """A dataset as it was read."""

    name: str
    front: DatasetFront
    readme: str
    source_file: SourceFile
    schema: Mapping[str, Any]
    key: tuple[str, ...]
    tables: tuple[tuple[str, CsvTable], ...]
    """(``v1``, rows), oldest first."""


def read_dataset(root: Path, name: str, files: Sequence[ContentFile]) -> Parsed[DatasetFile]:
    """A dataset from the files of its folder; files of other types are passed over. Raises ``Faults``."""
    folder = f"datasets/{name}"
    if not is_slug(name):
        hint = f"rename it to {slugify(name) or 'words-joined-by-hyphens'}"
        raise Faults(
            [Fault.at(BAD_NAME, Span(printable_path(folder)), f"the name {printable_path(name)!r} is not a slug", hint)]
        )
    by_name = {file.path.removeprefix(f"{folder}/"): file for file in files}
    versions = _versions(folder, by_name)
    # Every file is read although one may be at fault: the author gets all faults at once.
    front = parsed(partial(_front, root, by_name["README.md"], {f"v{number}" for number, _ in versions}))
    schema = parsed(partial(_schema, root, by_name["schema.json"]))
    if schema.content is None:
        raise Faults([*front.faults, *schema.faults])
    tables, table_faults = _tables(root, versions, schema.content)
    if front.content is None or table_faults:
        raise Faults([*front.faults, *table_faults])
    source_file = SourceFile(root, f"{folder}/README.md")
    row = schema.content
    if charts := front.content[0].charts:
        sorts = {name: row.column(name).type for name in row.properties}
        if wrong := list(chart_faults(charts, sorts, tables[-1][1].rows, source_file)):
            raise Faults(wrong)
    return Parsed(DatasetFile(name, *front.content, source_file, row.schema, row.key, tuple(tables)))


def _versions(folder: str, by_name: Mapping[str, ContentFile]) -> list[tuple[int, ContentFile]]:
    """The CSV files, oldest version first. Raises ``Faults`` where files are missing or misnamed."""
    missing = [name for name in ("README.md", "schema.json") if name not in by_name]
    faults = [_absent(folder, sentence_list(missing))] if missing else []
    versions: list[tuple[int, ContentFile]] = []
    for path, file in by_name.items():
        version = _VERSION.fullmatch(path)
        if version:
            versions.append((int(version[1]), file))
        elif path.endswith(".csv"):
            faults.append(_misnamed(file))
    if not (versions or faults):
        faults.append(_absent(folder, "v1.csv"))
    if faults:
        raise Faults(faults)
    return sorted(versions)


def _front(root: Path, file: ContentFile, versions: set[str]) -> Parsed[tuple[DatasetFront, str]]:
    """The front matter and the text of the readme."""
    source_file = SourceFile(root, file.path)
    matter = split(open_text(root, file))
    raw = front_mapping(source_file, matter)
    front = front_of(DatasetFront, raw, source_file)
    faults = [*placeholder_faults(raw, source_file, matter)]
    if front.lastmod and front.lastmod < front.date:
        faults.append(Fault.at(BAD_DATES, source_file.locate(("lastmod",)), "lastmod: is before date"))
    if front.version and front.version not in versions:
        message = f"version: there is no {front.version}.csv"
        faults.append(Fault.at(BAD_DATASET, source_file.locate(("version",)), message))
    if faults:
        raise Faults(faults)
    return Parsed((front, matter.body))


def _schema(root: Path, file: ContentFile) -> Parsed[RowSchema]:
    start = Span(file.path, 1, 1)
    try:
        schema = fast_json.loads(open_text(root, file, SCHEMA_BYTES))
    except orjson.JSONDecodeError as error:
        place = Span(file.path, error.lineno, error.colno)
        message, hint = f"the JSON cannot be read: {error.msg.lower()}", "correct it, or leave it to a JSON formatter"
        raise Faults([Fault.at(BAD_DATASET, place, message, hint)]) from None
    if not isinstance(schema, dict) or not isinstance(schema.get("properties"), dict):
        hint = 'write {"type": "object", "properties": {…}}'
        raise Faults([Fault.at(BAD_DATASET, start, "is not the schema of a row", hint)])
    try:
        return Parsed(row_schema(schema))
    except ValueError as error:
        raise Faults([Fault.at(BAD_DATASET, start, f"is not a JSON Schema: {error}"[:300])]) from None


def _tables(
    root: Path, versions: list[tuple[int, ContentFile]], schema: RowSchema
) -> tuple[list[tuple[str, CsvTable]], list[Fault]]:
    tables: list[tuple[str, CsvTable]] = []
    faults: list[Fault] = []
    for number, file in versions:
        outcome = parsed(partial(_table, root, file, schema))
        faults += outcome.faults
        if outcome.content:
            tables.append((f"v{number}", outcome.content))
    return tables, faults


def _table(root: Path, file: ContentFile, schema: RowSchema) -> Parsed[CsvTable]:
    return Parsed(*read_table(file.path, open_text(root, file, CSV_BYTES), schema))


def _absent(folder: str, name: str) -> Fault:
    hint = (
        f"`citepress new dataset {folder.rpartition('/')[2]} --from rows.csv` writes README.md, schema.json and v1.csv"
    )
    return Fault.at(BAD_DATASET, Span(folder), f"{name} {'are' if ' ' in name else 'is'} missing", hint)


def _misnamed(file: ContentFile) -> Fault:
    return Fault.at(
        BAD_NAME, Span(printable_path(file.path)), "is not a version of the dataset", "name it v1.csv, v2.csv …"
    )
