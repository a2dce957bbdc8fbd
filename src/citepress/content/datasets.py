"""Datasets: ``datasets/<name>/`` with its README, the schema of a row and one CSV file a version."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import orjson
from pydantic import AliasChoices, Field

from citepress.base.ids import is_slug, slugify
from citepress.content.files import ContentFile, shown
from citepress.content.front import validated
from citepress.content.source_map import SourceFile, split
from citepress.content.source_record import front_mapping, open_text
from citepress.content.table_file import CsvTable, RowSchema, read_table, row_schema
from citepress.contract.fault import BAD_DATASET, BAD_DATES, BAD_NAME, Fault, Span
from citepress.contract.model import Line, Model, Moment
from citepress.contract.record import SourceInput, Word
from citepress.contract.refs import TopicRef

CSV_BYTES = 67_108_864
SCHEMA_BYTES = 1_048_576
_VERSION = re.compile(r"v([1-9][0-9]{0,3})\.csv")


class DatasetFront(Model):
    """The front matter of a dataset's ``README.md``."""

    title: Annotated[str, Field(min_length=1, max_length=160)]
    """The headline."""
    summary: Annotated[str, Field(min_length=1, max_length=300, validation_alias=AliasChoices("summary", "description"))]
    """One or two sentences that stand alone."""
    license: Line | None = None
    """SPDX id or URL; the site's when left out."""
    creator: Line | None = None
    """Who made it; the owner when left out."""
    date: Moment
    """First publication."""
    lastmod: Moment | None = None
    """Last change."""
    version: Annotated[str, Field(pattern=r"^v[1-9][0-9]{0,3}$", examples=["v1"])] | None = None
    """The version that the text speaks of."""
    topics: list[TopicRef] = Field(default_factory=list, max_length=20)
    """Slugs of topic hubs."""
    keywords: list[Word] = Field(default_factory=list, max_length=50)
    """Free words."""
    sources: list[SourceInput | str] = Field(default_factory=list, max_length=200)
    """What the data stand on."""


@dataclass(frozen=True, slots=True, eq=False)
class DatasetFile:
    """A dataset as it was read."""

    name: str
    front: DatasetFront
    readme: str
    manuscript: SourceFile
    schema: Mapping[str, Any]
    key: tuple[str, ...]
    tables: tuple[tuple[str, CsvTable], ...]
    """(``v1``, rows), oldest first."""


def read_dataset(root: Path, name: str, found: Sequence[ContentFile]) -> tuple[DatasetFile | None, tuple[Fault, ...]]:
    """A dataset from the files of its folder, or its faults; files of other sorts are passed over."""
    folder = f"datasets/{name}"
    if not is_slug(name):
        hint = f"rename it to {slugify(name) or 'words-joined-by-hyphens'}"
        return None, (Fault.at(BAD_NAME, Span(shown(folder)), f"the name {shown(name)!r} is no slug", hint),)
    by_name = {file.path.removeprefix(f"{folder}/"): file for file in found}
    faults = [_absent(folder, wanted) for wanted in ("README.md", "schema.json") if wanted not in by_name]
    faults += [_misnamed(file) for path, file in by_name.items() if path.endswith(".csv") and not _VERSION.fullmatch(path)]
    versions = sorted((int(match[1]), file) for path, file in by_name.items() if (match := _VERSION.fullmatch(path)))
    if not versions:
        faults.append(_absent(folder, "v1.csv"))
    if faults:
        return None, tuple(faults)
    front, readme, front_faults = _front(root, by_name["README.md"], {f"v{number}" for number, _ in versions})
    schema = _schema(root, by_name["schema.json"])
    if isinstance(schema, Fault):
        return None, (*front_faults, schema)
    tables, table_faults = _tables(root, versions, schema)
    if front is None or front_faults or table_faults:
        return None, (*front_faults, *table_faults)
    manuscript = SourceFile(root, f"{folder}/README.md")
    return DatasetFile(name, front, readme, manuscript, schema.schema, schema.key, tuple(tables)), ()


def _front(root: Path, file: ContentFile, versions: set[str]) -> tuple[DatasetFront | None, str, tuple[Fault, ...]]:
    manuscript = SourceFile(root, file.path)
    text = open_text(root, file)
    if isinstance(text, Fault):
        return None, "", (text,)
    matter = split(text)
    raw = front_mapping(manuscript, matter)
    if isinstance(raw, Fault):
        return None, "", (raw,)
    front = validated(DatasetFront, raw)
    if isinstance(front, tuple):
        return None, "", tuple(slip.fault(manuscript) for slip in front)
    faults = []
    if front.lastmod and front.lastmod < front.date:
        faults.append(Fault.at(BAD_DATES, manuscript.locate(("lastmod",)), "lastmod: is before date"))
    if front.version and front.version not in versions:
        faults.append(Fault.at(BAD_DATASET, manuscript.locate(("version",)), f"version: there is no {front.version}.csv"))
    return front, matter.body, tuple(faults)


def _schema(root: Path, file: ContentFile) -> RowSchema | Fault:
    text = open_text(root, file, SCHEMA_BYTES)
    if isinstance(text, Fault):
        return text
    try:
        schema = orjson.loads(text)
    except orjson.JSONDecodeError as error:
        return Fault.at(BAD_DATASET, Span(file.path, error.lineno, error.colno), f"the JSON cannot be read: {error.msg.lower()}")
    if not isinstance(schema, dict) or not isinstance(schema.get("properties"), dict):
        return Fault.at(BAD_DATASET, Span(file.path, 1, 1), "is no schema of a row", 'write {"type": "object", "properties": {…}}')
    try:
        return row_schema(schema)
    except ValueError as error:
        return Fault.at(BAD_DATASET, Span(file.path, 1, 1), f"is no JSON Schema: {error}"[:300])


def _tables(root: Path, versions: list[tuple[int, ContentFile]], schema: RowSchema) -> tuple[list[tuple[str, CsvTable]], list[Fault]]:
    tables: list[tuple[str, CsvTable]] = []
    faults: list[Fault] = []
    for number, file in versions:
        text = open_text(root, file, CSV_BYTES)
        if isinstance(text, Fault):
            faults.append(text)
            continue
        table, found = read_table(file.path, text, schema)
        tables.append((f"v{number}", table))
        faults += found
    return tables, faults


def _absent(folder: str, name: str) -> Fault:
    return Fault.at(BAD_DATASET, Span(folder), f"{name} is missing")


def _misnamed(file: ContentFile) -> Fault:
    return Fault.at(BAD_NAME, Span(shown(file.path)), "is no version of the dataset", "name it v1.csv, v2.csv …")
