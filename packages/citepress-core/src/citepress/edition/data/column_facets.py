"""Facets of a dataset: the values of its columns of few values, the rows that have each, and where these rows lie.

The newest version has an index in a private leaf, so that a query reads no row but those that it shows. A row is a bit
of a number for each value; conditions and counts are operations on these numbers.
"""

from array import array
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial, reduce
from hashlib import blake2b
from operator import and_

import orjson

from citepress.archive.model import Dataset, DatasetVersion
from citepress.base import fast_json
from citepress.edition.compiler import RenderUnit
from citepress.edition.leaf import PRIVATE
from citepress.edition.lookup_shards import private_unit
from citepress.edition.render_context import RenderContext

MAX_FACET_COLUMNS, MAX_COLUMN_VALUES, VALUE_LENGTH = 8, 12, 60
"""Columns with facets, values of one, and characters of a value."""
INDEX_BYTES = 16_777_216
"""Bytes of the rows of all values; columns beyond have no facets."""
RESERVED = frozenset({"page"})
"""Members of a query that are no columns."""
_WHOLE = ("string", "integer", "boolean")
_BLOCK = 512
"""Bytes of a set of rows that are looked at at once."""
_LENGTH = 4


@dataclass(frozen=True, slots=True)
class ColumnFacet:
    """A column of few values, and how many rows have each, the commonest first."""

    column: str
    values: tuple[tuple[str, int], ...]


def index_path(name: str) -> str:
    """The path of the index of a dataset."""
    return f"{PRIVATE}rows/{name}"


def write_cell(value: object) -> str:
    """A cell as a query writes it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def facets_of_columns(context: RenderContext, dataset: Dataset) -> tuple[ColumnFacet, ...]:
    """The facets of the newest version; a host of files answers no query, and has none."""
    if not context.served:
        return ()
    newest = dataset.versions[-1]
    return context.derivations.held(f"facets of {dataset.name}", (newest,), partial(column_facets, newest))


def column_facets(version: DatasetVersion) -> tuple[ColumnFacet, ...]:
    """The columns of two to twelve short values, in their order; empty cells count for none."""
    facets: list[ColumnFacet] = []
    room = INDEX_BYTES
    for column in version.columns:
        if column.type not in _WHOLE or column.name in RESERVED or (column.name,) == version.primary_key:
            continue
        counts = _counted(version, column.name)
        room -= len(counts) * -(-len(version.rows) // 8)
        if room < 0 or len(facets) == MAX_FACET_COLUMNS:
            break
        if 1 < len(counts) < len(version.rows):
            facets.append(ColumnFacet(column.name, tuple(sorted(counts.items(), key=lambda row: (-row[1], row[0])))))
        else:
            room += len(counts) * -(-len(version.rows) // 8)
    return tuple(facets)


def _counted(version: DatasetVersion, name: str) -> Counter[str]:
    """How many rows have each value of a column; nothing where it has too many or too long ones."""
    counts: Counter[str] = Counter()
    for row in version.rows:
        value = row.get(name)
        if value is None or value == "":
            continue
        counts[write_cell(value)] += 1
        if len(counts) > MAX_COLUMN_VALUES:
            return Counter()
    return Counter() if any(len(value) > VALUE_LENGTH for value in counts) else counts


def row_indexes(context: RenderContext) -> Iterator[RenderUnit]:
    """One unit for each dataset with facets."""
    for dataset in context.archive.datasets:
        if facets := facets_of_columns(context, dataset):
            newest = dataset.versions[-1]
            inputs = context.derivations.held(f"rows of {dataset.name}", (newest,), partial(_digest, newest))
            yield private_unit(index_path(dataset.name), inputs, partial(packed_index, newest, facets))


def _digest(version: DatasetVersion) -> bytes:
    columns = orjson.dumps([(column.name, column.type) for column in version.columns])
    return blake2b(columns + b"\0" + version.version.encode() + b"\0" + version.csv, digest_size=16).digest()


def packed_index(version: DatasetVersion, facets: Sequence[ColumnFacet]) -> bytes:
    """The index as it is stored: a head, where each row of the CSV begins, then the rows of each value."""
    head = {
        "version": version.version,
        "columns": [(column.name, column.type) for column in version.columns],
        "facets": [(facet.column, [value for value, _ in facet.values]) for facet in facets],
        "rows": len(version.rows),
    }
    starts = array("I", _starts(version.csv))
    parts = [starts.tobytes()]
    for facet in facets:
        sets = {value: bytearray(-(-len(version.rows) // 8)) for value, _ in facet.values}
        for place, row in enumerate(version.rows):
            if (value := row.get(facet.column)) is not None and (having := sets.get(write_cell(value))) is not None:
                having[place >> 3] |= 1 << (place & 7)
        parts += map(bytes, sets.values())
    packed = orjson.dumps(head)
    return b"".join((len(packed).to_bytes(_LENGTH), packed, *parts))


def _starts(csv: bytes) -> Iterator[int]:
    """Where each row begins, and where the last one ends; a line end between quotation marks ends no row."""
    at, quotes = 0, 0
    for line in csv.split(b"\r\n")[:-1]:
        quotes += line.count(b'"')
        at += len(line) + 2
        if quotes % 2 == 0:
            yield at


@dataclass(frozen=True, slots=True)
class RowIndex:
    """The index of a dataset, as it is read for a query."""

    version: str
    columns: Mapping[str, str]
    """Types of the columns by name."""
    facets: Mapping[str, Mapping[str, int]]
    """For each column and value the rows that have it: a bit for each row."""
    starts: "array[int]"
    """Where each row begins in the CSV, and where the last one ends."""

    @classmethod
    def read(cls, packed: bytes) -> "RowIndex":
        """The index that was stored so."""
        at = _LENGTH + int.from_bytes(packed[:_LENGTH])
        head = fast_json.loads(packed[_LENGTH:at])
        starts = array("I")
        end = at + (head["rows"] + 1) * starts.itemsize
        starts.frombytes(packed[at:end])
        facets: dict[str, dict[str, int]] = {}
        size = -(-head["rows"] // 8)
        for column, values in head["facets"]:
            for value in values:
                facets.setdefault(column, {})[value] = int.from_bytes(packed[end : end + size], "little")
                end += size
        return cls(head["version"], dict(head["columns"]), facets, starts)

    def matching(self, conditions: Mapping[str, str]) -> int:
        """The rows that meet every condition. Raises ``KeyError`` for a value that no row has."""
        return reduce(and_, (self.facets[column][value] for column, value in conditions.items()))

    def counted(self, rows: int) -> Iterator[ColumnFacet]:
        """How many of these rows have each value of each column, the commonest first."""
        for column, sets in self.facets.items():
            counts = [(value, (having & rows).bit_count()) for value, having in sets.items()]
            shown = [row for row in counts if row[1]]
            yield ColumnFacet(column, tuple(sorted(shown, key=lambda row: (-row[1], row[0]))))

    def places(self, rows: int, skip: int, most: int) -> Iterator[tuple[int, int]]:
        """Where some of these rows begin and end in the CSV, in order, without the first ``skip``."""
        size = -(-rows.bit_length() // 8)
        packed = rows.to_bytes(size, "little")
        for first in range(0, size, _BLOCK):
            block = int.from_bytes(packed[first : first + _BLOCK], "little")
            count = block.bit_count()
            if skip >= count:
                skip -= count
                continue
            while block and most:
                low = block & -block
                block ^= low
                if skip:
                    skip -= 1
                    continue
                most -= 1
                place = first * 8 + low.bit_length() - 1
                yield self.starts[place], self.starts[place + 1]
            if not most:
                return
