"""The vectors of an archive in one file, mapped into memory: one row for each record, in the order of their keys.

A row is kept in full as small integers, and in short as its first principal components. A question is compared with all
records in short, and with the best of these in full.

Questions are compared in the thread that asks. The threads of a matrix product wait for each other without pause, which
costs a busy machine ten times what they compute.
"""

import json
import os
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from citepress_semantic.files import SemanticError

VECTORS_VERSION = 1
HEADER_BYTES = 4096
"""Bytes of the description at the beginning."""
COMPONENTS = 32
"""Numbers of a vector in short."""
SHORTLIST = 1_200
"""Records that are compared in full: with 32 numbers as sure to have the nearest as 400 with 64, and sooner."""
COMPARED_ROWS = 128
"""Rows that are compared at once: too few for the threads of a matrix product."""
MIDDLE = 4_000
"""Records, evenly taken, whose median is that of the archive."""
SAMPLE = 20_000
"""Rows that the principal components are made of."""
MAX_VECTOR_ROWS, MAX_DIMENSIONS = 50_000_000, 1024
COSINE_DECIMALS = 3
"""Decimals of a cosine: processors differ beyond them."""
MAX_QUANTIZED = 127
Floats = NDArray[np.float32]


def short_digest(digest: str) -> int:
    """The first 63 bits of a digest in hexadecimal figures."""
    return int(digest[:16], 16) >> 1


@dataclass(frozen=True)
class VectorRows:
    """The rows of the file. All arrays have one entry for each record."""

    keys: NDArray[np.int64]
    """Ascending."""
    sheets: NDArray[np.int64]
    """Digest of the record as it is indexed: as long as it stays the same, its text is not read."""
    texts: NDArray[np.int64]
    """Digest of the text that the vector stands for."""
    rows: NDArray[np.int8]
    scales: Floats
    shorts: Floats
    basis: Floats
    """The principal components, one a line."""

    def __len__(self) -> int:
        return len(self.keys)

    @property
    def dimensions(self) -> int:
        """Numbers in a vector."""
        return int(self.rows.shape[1])

    def places(self, keys: Sequence[int] | NDArray[np.int64]) -> NDArray[np.int64]:
        """The row of each key; -1 where there is none."""
        wanted = np.asarray(keys, np.int64)
        if not len(self.keys):
            return np.full(len(wanted), -1, np.int64)
        places = np.minimum(np.searchsorted(self.keys, wanted), len(self.keys) - 1)
        return np.where(self.keys[places] == wanted, places, -1)

    def full(self, places: NDArray[np.int64]) -> Floats:
        """The vectors of these rows."""
        return np.asarray(self.rows[places], np.float32) * self.scales[places, None]

    def cosines(self, vector: Floats, places: NDArray[np.int64]) -> Floats:
        """The cosines of a vector with these rows."""
        products: Floats = np.vecdot(np.asarray(self.rows[places], np.float32), vector)
        return np.round(products * self.scales[places], COSINE_DECIMALS)

    def nearest(self, vector: Floats, count: int, without: Collection[int] = ()) -> "Neighbours":
        """The nearest records, best first; of equal ones by key. ``without`` are keys that are left out."""
        near = _products(self.shorts, np.vecdot(self.basis, vector))
        middle = _median(near[:: -(-len(near) // MIDDLE) or 1])
        if without:
            left_out = self.places(sorted(without))
            near[left_out[left_out >= 0]] = -np.inf
        most = len(near) - max(SHORTLIST, count)
        places = np.sort(np.argpartition(near, most)[most:]) if most > 0 else np.arange(len(near))
        places = places[near[places] > -np.inf]
        cosines = self.cosines(vector, places)
        order = np.lexsort((self.keys[places], -cosines))[:count]
        return Neighbours(self.keys[places[order]].tolist(), cosines[order].tolist(), round(middle, COSINE_DECIMALS))


def _products(rows: Floats, vector: Floats) -> Floats:
    """The products of rows with a vector."""
    whole = len(rows) - len(rows) % COMPARED_ROWS
    products = np.empty(len(rows), np.float32)
    np.matmul(
        rows[:whole].reshape(-1, COMPARED_ROWS, len(vector)), vector, out=products[:whole].reshape(-1, COMPARED_ROWS)
    )
    np.vecdot(rows[whole:], vector, out=products[whole:])
    return products


def _median(numbers: Floats) -> float:
    """The median; 0 of nothing. The library's own looks for numbers that are none, which takes five times as long."""
    if not len(numbers):
        return 0.0
    halves = [(len(numbers) - 1) // 2, len(numbers) // 2]
    return float(np.partition(numbers, halves)[halves].mean())


@dataclass(frozen=True, slots=True)
class Neighbours:
    """The records nearest to a question."""

    keys: list[int]
    cosines: list[float]
    middle: float
    """The median over the archive."""


def rows_of(
    keys: NDArray[np.int64],
    sheets: NDArray[np.int64],
    texts: NDArray[np.int64],
    vectors: tuple[NDArray[np.int8], Floats],
    basis: Floats | None = None,
) -> VectorRows:
    """The rows of records in any order; without a ``basis`` the principal components are computed."""
    order = np.argsort(keys, kind="stable")
    rows, scales = vectors[0][order], vectors[1][order]
    basis = principal(rows, scales) if basis is None else basis
    shorts = np.empty((len(rows), len(basis)), np.float32)
    for start in range(0, len(rows), SAMPLE):
        part = slice(start, start + SAMPLE)
        shorts[part] = (np.asarray(rows[part], np.float32) * scales[part, None]) @ basis.T
    return VectorRows(keys[order], sheets[order], texts[order], rows, scales, shorts, basis)


def principal(rows: NDArray[np.int8], scales: Floats) -> Floats:
    """The principal components of some of these rows; the first axes where the library finds none.

    The shortlist is worse then, and the answers the same: it gave up once, beside other load, on rows that it could do
    before and afterwards.
    """
    sample = slice(None, None, -(-len(rows) // SAMPLE) or 1)
    vectors = (np.asarray(rows[sample], np.float64) * scales[sample, None]).astype(np.float64)
    try:
        _, directions = np.linalg.eigh(vectors.T @ vectors)
    except np.linalg.LinAlgError:
        directions = np.eye(vectors.shape[1])[:, ::-1]
    return np.ascontiguousarray(directions[:, ::-1][:, :COMPONENTS].T, np.float32)


def quantize(vectors: Floats) -> tuple[NDArray[np.int8], Floats]:
    """Vectors as small integers and a scale for each."""
    scales = (np.abs(vectors).max(axis=1, initial=0) / MAX_QUANTIZED).astype(np.float32)
    scales[scales == 0] = 1
    return np.rint(vectors / scales[:, None]).astype(np.int8), scales


def write_arrays(file: Path, facts: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> None:
    """Write arrays after a description of them, in one step."""
    described = {name: [array.dtype.str, list(array.shape)] for name, array in arrays.items()}
    head = json.dumps({"version": VECTORS_VERSION, **facts, "arrays": described}).encode()
    part = file.with_suffix(".part")
    with part.open("wb") as opened:
        opened.write(head.ljust(HEADER_BYTES))
        for array in arrays.values():
            opened.write(np.ascontiguousarray(array).tobytes())
        opened.flush()
        os.fsync(opened.fileno())
    part.replace(file)


def read_arrays(file: Path, shapes: Mapping[str, tuple[str, int]]) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """The description and the arrays of a file, mapped; ``shapes`` are the type and the dimensions of each.

    Raises ``SemanticError`` where there is no such file, or it is damaged.
    """
    try:
        with file.open("rb") as opened:
            facts: dict[str, Any] = json.loads(opened.read(HEADER_BYTES))
        arrays, start = dict[str, NDArray[Any]](), HEADER_BYTES
        for name, (kind, dimensions) in shapes.items():
            dtype, shape = facts["arrays"][name]
            fits = dtype == kind and len(shape) == dimensions and 0 <= min(shape) <= max(shape) <= MAX_VECTOR_ROWS
            empty = not fits or not min(shape)
            mapped = np.empty([0] * dimensions, kind) if empty else np.memmap(file, kind, "r", start, tuple(shape))
            arrays[name] = np.asarray(mapped)  # of the usual class, whose parts are had sooner
            if not fits:
                break
            start += arrays[name].nbytes
        whole = facts["version"] == VECTORS_VERSION and fits and file.stat().st_size == start
    except (OSError, KeyError, TypeError, ValueError) as error:
        raise SemanticError(f"{file.name} cannot be used: {error}") from error
    if not whole:
        raise SemanticError(f"{file.name} cannot be used: it is damaged, or of another version than {VECTORS_VERSION}")
    return facts, arrays


ROWS = {
    "keys": ("<i8", 1),
    "sheets": ("<i8", 1),
    "texts": ("<i8", 1),
    "rows": ("|i1", 2),
    "scales": ("<f4", 1),
    "shorts": ("<f4", 2),
    "basis": ("<f4", 2),
}


def write_rows(file: Path, rows: VectorRows, facts: Mapping[str, Any]) -> None:
    """Write the vectors of an archive."""
    write_arrays(file, facts, {name: getattr(rows, name) for name in ROWS})


def read_rows(file: Path) -> tuple[dict[str, Any], VectorRows]:
    """The vectors of an archive. Raises ``SemanticError``."""
    facts, arrays = read_arrays(file, ROWS)
    rows = VectorRows(**arrays)
    count, dimensions = rows.rows.shape
    lengths = {len(arrays[name]) for name in ROWS if name != "basis"}
    if lengths != {count} or dimensions > MAX_DIMENSIONS or rows.basis.shape != (rows.shorts.shape[1], dimensions):
        raise SemanticError(f"{file.name} cannot be used: its parts do not fit together")
    return facts, rows
