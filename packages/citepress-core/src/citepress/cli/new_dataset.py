"""A dataset from a CSV file: its rows, the schema that they show, and a readme."""

import csv
import io
import json
import re
from pathlib import Path
from typing import Any

from citepress.base.errors import CitepressError
from citepress.base.text import counted, sentence_list
from citepress.content.files import ContentFile
from citepress.content.open_text import open_text
from citepress.content.placeholders import TEXT_PLACEHOLDER
from citepress.content.table_file import Row, column_schema, other_separator, typed_cells, write_csv
from citepress.contract.fault import Faults

CSV_BYTES = 67_108_864
MAX_NAMED_COLUMNS = 6
_EUROPEAN = re.compile(r"(?:-?[0-9]+(?:,[0-9]+)?)?")
"""A cell of a column whose numbers have a decimal comma."""


class NoTableError(CitepressError):
    """A file holds no table that a dataset can be made of; the sentence says why."""


def dataset_files(source: Path, title: str, today: str) -> dict[str, bytes]:
    """The files of a dataset by their names. Raises ``NoTableError``."""
    header, cells = _read(source)
    for place in range(len(header)):
        if any("," in row[place] for row in cells) and all(_EUROPEAN.fullmatch(row[place]) for row in cells):
            for row in cells:
                row[place] = row[place].replace(",", ".")
    columns = {name: column_schema([row[place] for row in cells]) for place, name in enumerate(header)}
    types = [(name, _type(schema)) for name, schema in columns.items()]
    rows: list[Row] = [typed_cells(types, row) for row in cells]
    schema: dict[str, Any] = {"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object"}
    schema |= {"properties": {name: {**column, "description": ""} for name, column in columns.items()}}
    schema |= {"required": header, "additionalProperties": False}
    if len({row[0] for row in cells}) == len(cells) and all(row[0] for row in cells):
        schema["x-citepress-primary-key"] = [header[0]]
    named = sentence_list([*header[:MAX_NAMED_COLUMNS], *(["more"] if header[MAX_NAMED_COLUMNS:] else [])])
    front = {"title": title, "summary": f"{counted(len(rows), 'row')} with {named}."[:300], "version": "v1"}
    lines = [f"{key}: {json.dumps(value, ensure_ascii=False)}" for key, value in front.items()]
    readme = "\n".join(["---", *lines, f"date: {today}", "---", "", _body(header), ""])
    return {
        "README.md": readme.encode(),
        "schema.json": (json.dumps(schema, indent=2, ensure_ascii=False) + "\n").encode(),
        "v1.csv": write_csv(header, rows),
    }


def _body(header: list[str]) -> str:
    columns = "\n".join(f"- `{name}`: {TEXT_PLACEHOLDER}" for name in header)
    return f"How the rows were gathered, and what each column holds:\n\n{columns}"


def _read(source: Path) -> tuple[list[str], list[list[str]]]:
    """The header and the rows of a file with commas, semicolons, tabs or bars between the cells."""
    try:
        text = open_text(source.parent, ContentFile(source.name, 0, 0), CSV_BYTES)
    except Faults as faults:
        raise NoTableError(f"{source}: {faults.faults[0].message}") from None
    first = text.partition("\n")[0]
    mark = {"a tab": "\t"}.get(other := other_separator([first]), other) if "," not in first else ","
    try:
        header, *rows = (row for row in csv.reader(io.StringIO(text), delimiter=mark or ",", strict=True) if row)
    except (csv.Error, ValueError) as error:
        reason = str(error) if isinstance(error, csv.Error) else "it is empty; begin it with a row of column names"
        raise NoTableError(f"{source} is no CSV file: {reason}") from None
    if wrong := next((name for name in header if not name.strip() or header.count(name) > 1), None):
        raise NoTableError(f"{source}: the column {wrong!r} occurs twice; give each column a unique name")
    if not all(header):
        raise NoTableError(f"{source}: a column has no name; write one into the first row")
    if uneven := next((row for row in rows if len(row) != len(header)), None):
        place = rows.index(uneven) + 2
        raise NoTableError(f"{source}: row {place} has {len(uneven)} cells; the header has {len(header)}")
    return header, rows


def _type(schema: dict[str, Any]) -> str:
    sort = schema["type"]
    return str(sort[0] if isinstance(sort, list) else sort)
