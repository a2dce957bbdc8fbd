"""One CSV file as typed rows, every cell held against the JSON Schema of a row."""

import csv
import io
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import jsonschema_rs

from citepress.base.text import counted, did_you_mean, sentence_list
from citepress.content.text import line_of
from citepress.contract.fault import BAD_DATASET, Fault, Span

MAX_COLUMNS = 200
MAX_TABLE_FAULTS = 50
_INTEGER = re.compile(r"-?(?:0|[1-9][0-9]{0,17})")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]{1,3})?")
_DAY = re.compile(r"\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])")
_LOGICAL = {"true": True, "false": False, "TRUE": True, "FALSE": False, "True": True, "False": False}
Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class ColumnInput:
    """A column as the schema describes it."""

    name: str
    type: str
    description: str
    format: str


@dataclass(frozen=True, slots=True)
class CsvTable:
    """The typed rows of a file."""

    columns: tuple[ColumnInput, ...]
    rows: tuple[Row, ...]
    csv: bytes
    """The same rows, written canonically: RFC 4180 with the least quoting."""


@dataclass(frozen=True, slots=True)
class RowSchema:
    """The schema of a row, ready to judge."""

    schema: Mapping[str, Any]
    validator: Any
    key: tuple[str, ...]
    """Columns that together name a row."""

    @property
    def properties(self) -> Mapping[str, Any]:
        """The schema of each cell by its column."""
        properties = self.schema.get("properties")
        return properties if isinstance(properties, dict) else {}

    def column(self, name: str) -> ColumnInput:
        """A column of the table."""
        cell = self.properties.get(name)
        cell = cell if isinstance(cell, dict) else {}
        kinds = cell.get("type", "string")
        sort = next((name for name in (kinds if isinstance(kinds, list) else [kinds]) if name != "null"), "string")
        return ColumnInput(name, str(sort), str(cell.get("description", "")), str(cell.get("format", "")))


@dataclass(frozen=True, slots=True)
class Misfit:
    """Something in the table is wrong, before its place in the file is known."""

    line: int
    cell: int
    """Column of the table, from 0; 0 where it is not known."""
    message: str
    hint: str = ""


def read_table(file: str, text: str, schema: RowSchema) -> tuple[CsvTable, tuple[Fault, ...]]:
    """The rows of a CSV text, and up to 50 faults, the last of which counts the rest."""
    misfits: list[Misfit] = []
    rows: list[Row] = []
    columns: tuple[ColumnInput, ...] = ()
    more = 0
    lines = _records(text)
    try:
        header, start = next(lines, ([], 1))
        columns = tuple(schema.column(name) for name in header)
        misfits += _header_misfits(header, start, schema)
        for misfit in () if misfits else _rows(lines, columns, schema, rows):
            if len(misfits) < MAX_TABLE_FAULTS:
                misfits.append(misfit)
            else:
                more += 1
    except csv.Error as error:
        line = int(error.args[1]) if len(error.args) > 1 else 1
        hint = 'close each quote that opens, and write "" for a quote in a cell'
        misfits.append(Misfit(line, 0, f"the row that begins here cannot be read: {error.args[0]}", hint))
    faults = [_fault(file, text, misfit) for misfit in misfits]
    if more:
        faults.append(Fault.at(BAD_DATASET, faults[-1].place, f"and {more:,} more faults in this file"))
    return CsvTable(columns, tuple(rows), b"" if faults else write_csv([c.name for c in columns], rows)), tuple(faults)


def write_csv(names: list[str], rows: list[Row]) -> bytes:
    """Rows as canonical CSV: a header, CRLF, quotes only where they are needed, an empty cell for ``None``."""
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(names)
    writer.writerows([_cell_text(value) for value in row.values()] for row in rows)
    return out.getvalue().encode()


def typed_cells(columns: list[tuple[str, str]], cells: list[str]) -> Row:
    """The cells of a row of canonical CSV as values; ``columns`` are names and types."""
    return {
        name: _TYPES.get(sort, _as_text)(cell) if cell else None
        for (name, sort), cell in zip(columns, cells, strict=True)
    }


def column_schema(cells: Sequence[str]) -> dict[str, Any]:
    """The narrowest schema that all cells of a column fit; an empty cell is ``null``."""
    filled = [cell for cell in cells if cell]
    sort = next(
        (name for name, read in _TYPES.items() if filled and not any(read(cell) is cell for cell in filled)), "string"
    )
    schema: dict[str, Any] = {"type": [sort, "null"] if len(filled) < len(cells) else sort}
    if sort == "string" and filled and all(map(_DAY.fullmatch, filled)):
        schema["format"] = "date"
    return schema


def _cell_text(value: object) -> str:
    if value is None:
        return ""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _records(text: str) -> Iterator[tuple[list[str], int]]:
    """Cells of each record and the line it begins on; blank lines are passed over."""
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    start = 1
    try:
        for cells in reader:
            if cells:
                yield cells, start
            start = reader.line_num + 1
    except csv.Error as error:
        raise csv.Error(str(error), start) from None


def _header_misfits(header: list[str], line: int, schema: RowSchema) -> Iterator[Misfit]:
    if not header:
        yield Misfit(1, 0, "the header row is missing", "write the names of the columns on the first line")
        return
    if len(header) > MAX_COLUMNS:
        yield Misfit(line, 0, f"has {len(header)} columns; at most {MAX_COLUMNS} are allowed")
    if other := other_separator(header):
        hint = "separate cells with commas, and put quotes around a cell that holds one"
        yield Misfit(line, 0, f"the separator is {other}, where a CSV file has commas", hint)
        return
    for place, name in enumerate(header[:MAX_COLUMNS]):
        if name in header[:place]:
            yield Misfit(line, place, f"the column {name!r} is given twice", "rename one of them")
            return
        if name not in schema.properties:
            hint = did_you_mean(name, schema.properties) or "add it to schema.json, or take the column out"
            yield Misfit(line, place, f"the column {name!r} is not in schema.json", hint)
    required = schema.schema.get("required")
    wanted = [*(required if isinstance(required, list) else []), *schema.key]
    if missing := [str(name) for name in dict.fromkeys(wanted) if name not in header]:
        yield Misfit(line, 0, f"required columns are missing: {sentence_list(missing)}", "add them to the header")


def other_separator(header: Sequence[str]) -> str:
    """What separates the cells of a header that was read as one cell; empty where nothing else does."""
    names = {";": ";", "\t": "a tab", "|": "|"}
    return next((name for mark, name in names.items() if len(header) == 1 and mark in header[0]), "")


def _rows(
    lines: Iterator[tuple[list[str], int]], columns: tuple[ColumnInput, ...], schema: RowSchema, rows: list[Row]
) -> Iterator[Misfit]:
    names = [column.name for column in columns]
    typed = [_TYPES.get(column.type, _as_text) for column in columns]
    first_lines: dict[tuple[object, ...], int] = {}
    for cells, line in lines:
        if len(cells) != len(names):
            hint = "put quotes around a cell that holds a comma" if len(cells) > len(names) else "add the missing cells"
            yield Misfit(line, 0, f"has {counted(len(cells), 'cell')}; the header has {len(names)}", hint)
            continue
        row = {name: convert(cell) if cell else None for name, convert, cell in zip(names, typed, cells, strict=True)}
        rows.append(row)
        if not schema.validator.is_valid(row):
            yield from _misfits(row, line, names, schema.validator)
        if schema.key:
            key = tuple(row[name] for name in schema.key)
            if (first := first_lines.setdefault(key, line)) != line:
                message = f"the key {_key_words(key)} is on line {first} too"
                yield Misfit(line, names.index(schema.key[0]), message, "remove one of the rows, or correct its key")


def _misfits(row: Row, line: int, names: list[str], validator: Any) -> Iterator[Misfit]:  # noqa: ANN401
    for error in validator.iter_errors(row):
        name = str(error.instance_path[0]) if error.instance_path else ""
        if name in row and row[name] is None:
            yield Misfit(
                line, names.index(name), f"{name}: is empty", 'let the schema allow it with "type": ["…", "null"]'
            )
        else:
            message = f"{name}: {error.message}"[:300].removeprefix(": ")
            better = str(row.get(name)).replace(",", ".")
            hint = "correct the cell, or let schema.json allow it"
            if "number" in message and _NUMBER.fullmatch(better):
                lost = f'a number keeps fewer digits: let schema.json have "type": "string" for {name}'
                hint = lost if better == row[name] else f"write {better}"
            yield Misfit(line, names.index(name) if name in names else 0, message, hint)


def _key_words(key: tuple[object, ...]) -> str:
    return sentence_list([repr(part)[:80] for part in key])


def _as_text(cell: str) -> object:
    return cell


def _as_integer(cell: str) -> object:
    return int(cell) if _INTEGER.fullmatch(cell) else cell


def _as_number(cell: str) -> object:
    if _INTEGER.fullmatch(cell):
        return int(cell)
    is_number = _NUMBER.fullmatch(cell) and math.isfinite(number := float(cell)) and _keeps_digits(number, cell)
    return number if is_number else cell


def _keeps_digits(number: float, cell: str) -> bool:
    """Whether a number is what a cell says; one of more than 17 digits rarely is.

    A fraction may have every digit of the binary number, as other programs write it.
    """
    if str(number) == cell:
        return True
    exact = Decimal(cell)
    if exact == Decimal(str(number)):
        return True
    return "." in cell and exact == Decimal(f"{number:.{len(exact.as_tuple().digits)}g}")


def _as_logical(cell: str) -> object:
    return _LOGICAL.get(cell, cell)


_TYPES: Mapping[str, Callable[[str], object]] = {"integer": _as_integer, "number": _as_number, "boolean": _as_logical}


def _fault(file: str, text: str, misfit: Misfit) -> Fault:
    line, column = _cell_at(text, misfit.line, misfit.cell)
    return Fault.at(BAD_DATASET, Span(file, line, column, line_of(text, line)), misfit.message, misfit.hint)


def _cell_at(text: str, line: int, cell: int) -> tuple[int, int]:
    """Line and column of a cell of the record that begins on a line."""
    at = 0
    for _ in range(line - 1):
        at = text.find("\n", at) + 1
    column, quoted = 1, False
    while cell and at < len(text):
        character = text[at]
        if character == '"':
            quoted = not quoted
        elif character == "," and not quoted:
            cell -= 1
        at, column = at + 1, column + 1
        if character == "\n":
            line, column = line + 1, 1
    return line, column


def row_schema(schema: Mapping[str, Any]) -> RowSchema:
    """A schema ready to judge rows; remote references are never fetched. Raises ``ValueError`` with the reason."""
    try:
        validator = jsonschema_rs.validator_for(dict(schema), validate_formats=True, offline=True)
    except jsonschema_rs.ValidationError as error:
        raise ValueError(error.message) from None
    key = schema.get("x-citepress-primary-key", [])
    return RowSchema(schema, validator, (key,) if isinstance(key, str) else tuple(str(name) for name in key))
