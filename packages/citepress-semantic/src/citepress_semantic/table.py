"""A table that stands in for the model where a question is asked: a vector for each word piece.

It is fitted to the vectors that the model gave the archive's records, so that the mean of the pieces of a record comes
close to its vector: ridge regression towards zero, by conjugate gradients. Nothing but the archive enters it, and a
piece that no record has says nothing. It needs numpy alone, and a question costs microseconds.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from citepress_semantic.files import SemanticError
from citepress_semantic.vectors import Floats, quantize, read_arrays, write_arrays
from citepress_semantic.wordpiece import WordPieces

QUESTION_TOKENS = 64
RIDGE = 0.01
"""How much a large vector costs."""
TABLE_ROUNDS = 12
FITTED = 8_000
"""Records that it is fitted to at most, evenly taken."""
BLOCK_ROWS = 500
"""Rows computed at once."""
TINY = np.float32(1e-12)
ARRAYS = {"rows": ("|i1", 2), "scales": ("<f4", 1), "pieces": ("|u1", 1)}


class QuestionTable:
    """The table in memory; safe to share among threads."""

    def __init__(self, file: Path) -> None:
        """Map a table into memory. Raises ``SemanticError``."""
        self.facts, arrays = read_arrays(file, ARRAYS)
        self._rows, self._scales = arrays["rows"], arrays["scales"]
        try:
            pieces = WordPieces(arrays["pieces"].tobytes().decode().split("\n"))
        except ValueError as error:
            raise SemanticError(f"{file.name} cannot be used: {error}") from error
        if not len(self._rows) == len(self._scales) == pieces.size:
            raise SemanticError(f"{file.name} cannot be used: its parts do not fit together")
        self._pieces = pieces

    @property
    def dimensions(self) -> int:
        """Numbers in a vector."""
        return int(self._rows.shape[1])

    def question(self, text: str) -> Floats:
        """The vector of a question, of length 1, or of zeros."""
        numbers = self._pieces.numbers(text, QUESTION_TOKENS)[1:-1]
        summed: Floats = (self._rows[numbers] * self._scales[numbers, None]).sum(axis=0)
        vector: Floats = summed / np.float32(np.linalg.norm(summed) or 1.0)
        return vector


def write_table(file: Path, fitted: Floats, vocabulary: str, facts: Mapping[str, Any]) -> None:
    """Write a table with the vocabulary that it is of."""
    rows, scales = quantize(fitted)
    pieces = np.frombuffer(vocabulary.encode(), np.uint8)
    write_arrays(file, facts, {"rows": rows, "scales": scales, "pieces": pieces})


class _Counts:
    """How often each piece stands in each record, as a share: a sparse matrix of records by pieces."""

    def __init__(self, numbered: Sequence[Sequence[int]]) -> None:
        counted = [np.unique(np.asarray(numbers, np.int64), return_counts=True) for numbers in numbered]
        sizes = np.array([len(numbers) for numbers, _ in counted])
        records = np.repeat(np.arange(len(counted)), sizes)
        pieces = np.concatenate([numbers for numbers, _ in counted])
        totals = np.array([counts.sum() for _, counts in counted])
        shares = (np.concatenate([counts for _, counts in counted]) / np.repeat(totals, sizes)).astype(np.float32)
        self.pieces, columns = np.unique(pieces, return_inverse=True)
        """The pieces that occur; the columns of the matrix."""
        self._by_record = (columns, shares, np.concatenate([[0], np.cumsum(sizes)]))
        order = np.argsort(columns, kind="stable")
        starts = np.searchsorted(columns[order], np.arange(len(self.pieces) + 1))
        self._by_piece = (records[order], shares[order], starts)

    def times(self, matrix: Floats) -> Floats:
        """The product with a matrix of pieces."""
        return _gathered(*self._by_record, matrix)

    def transposed_times(self, matrix: Floats) -> Floats:
        """The product of the transposed matrix with a matrix of records."""
        return _gathered(*self._by_piece, matrix)


def _gathered(columns: NDArray[Any], shares: Floats, starts: NDArray[Any], matrix: Floats) -> Floats:
    """A sparse matrix, given by rows, times a matrix."""
    product: Floats = np.empty((len(starts) - 1, matrix.shape[1]), np.float32)
    for first in range(0, len(product), BLOCK_ROWS):
        last = min(first + BLOCK_ROWS, len(product))
        begin, end = starts[first], starts[last]
        parts = matrix[columns[begin:end]] * shares[begin:end, None]
        product[first:last] = np.add.reduceat(parts, starts[first:last] - begin)
    return product


def fit_table(size: int, numbered: Sequence[Sequence[int]], vectors: Floats) -> Floats:
    """The table of ``size`` pieces that is fitted to records and their ``vectors``.

    ``numbered`` are the numbers of the pieces of each record, at least one of each.
    """
    table = np.zeros((size, vectors.shape[1]), np.float32)
    if len(numbered):
        counts = _Counts(numbered)
        table[counts.pieces] = _solved(counts, vectors)
    return table


def _solved(counts: _Counts, vectors: Floats) -> Floats:
    """Vectors of the pieces whose means come close to those of the records."""
    residual = counts.transposed_times(vectors)
    solution, direction = np.zeros_like(residual), residual.copy()
    size = (residual**2).sum(axis=0)
    for _ in range(TABLE_ROUNDS):
        image = counts.transposed_times(counts.times(direction)) + RIDGE * direction
        step = size / np.maximum((direction * image).sum(axis=0), TINY)
        solution += step * direction
        residual -= step * image
        former, size = size, (residual**2).sum(axis=0)
        direction = residual + (size / np.maximum(former, TINY)) * direction
    return solution
