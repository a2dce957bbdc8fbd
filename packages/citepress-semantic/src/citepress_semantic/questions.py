"""Questions as vectors, compared with those of the archive: what a server needs of semantic search."""

import logging
from collections.abc import Callable, Collection, Sequence
from functools import lru_cache
from importlib import import_module
from pathlib import Path

import numpy as np

from citepress.search.models import VectorMode
from citepress_semantic import modes
from citepress_semantic.files import TABLE, VECTORS, ModelFiles, SemanticError, model_files
from citepress_semantic.settings import SearchSettings
from citepress_semantic.table import QuestionTable
from citepress_semantic.vectors import Floats, Neighbours, VectorRows, read_rows

MAX_REMEMBERED_QUESTIONS = 128
"""Questions whose vectors are remembered: a page, its next page and a verdict ask the same."""
log = logging.getLogger(__name__)


class AskedVector:
    """A question as a vector beside those of the archive."""

    def __init__(self, rows: VectorRows, vector: Floats) -> None:
        self._rows, self._vector = rows, vector

    def nearest(self, count: int, without: Collection[int] = ()) -> Neighbours:
        """The nearest records; ``without`` are keys of records that are left out."""
        return self._rows.nearest(self._vector, count, without)

    def cosines(self, keys: Sequence[int]) -> list[float | None]:
        """The cosine with each of these records; ``None`` where a record has no vector yet."""
        places = self._rows.places(keys)
        cosines = self._rows.cosines(self._vector, np.maximum(places, 0)).tolist() if len(self._rows) else []
        return [cosine if place >= 0 else None for cosine, place in zip(cosines, places, strict=False)] or [None] * len(
            keys
        )


class ArchiveVectors:
    """The vectors of an archive, and what makes those of questions; safe to share among threads."""

    def __init__(self, rows: VectorRows, mode: VectorMode, vector: Callable[[str], Floats]) -> None:
        self.mode = mode
        self.count = len(rows)
        self._rows, self._vector = rows, lru_cache(maxsize=MAX_REMEMBERED_QUESTIONS)(vector)

    def asked(self, text: str) -> AskedVector:
        """A question as a vector."""
        return AskedVector(self._rows, self._vector(text))


def opened(folder: Path, settings: SearchSettings, mode: str | None = None) -> ArchiveVectors:
    """The vectors in the folder of an index, with the model where it is installed and the table elsewhere.

    Raises ``SemanticError``.
    """
    facts, rows = read_rows(folder / VECTORS)
    if mode != modes.TABLE.name:
        try:
            return ArchiveVectors(rows, modes.ENCODER, _encoder(settings, str(facts["model"])))
        except (SemanticError, ModuleNotFoundError) as error:
            if mode:
                raise SemanticError(str(error)) from error
            log.info("questions are read by the table: %s", error)
    table = QuestionTable(folder / TABLE)
    if (table.facts["model"], table.dimensions) != (facts["model"], rows.dimensions):
        raise SemanticError(f"{TABLE} and {VECTORS} were made with different models")
    return ArchiveVectors(rows, modes.TABLE, table.question)


def _encoder(settings: SearchSettings, model: str) -> Callable[[str], Floats]:
    """The model itself, if it is the one that the vectors were made with."""
    files = model_files(settings)
    if files.digest != model:
        raise SemanticError(f"{VECTORS} was made with another model than the one that is set; publish anew")
    return _loaded(files)


@lru_cache(maxsize=1)
def _loaded(files: ModelFiles) -> Callable[[str], Floats]:
    question: Callable[[str], Floats] = import_module("citepress_semantic.encoder").Encoder(files).question
    return question
