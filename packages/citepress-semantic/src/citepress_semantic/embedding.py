"""Vectors for the records of an index, made when it is published: only for texts that have none yet."""

import logging
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from hashlib import blake2b
from pathlib import Path

import numpy as np

from citepress.search.engine import Engine
from citepress.search.sheet import Sheet, restore_sheet, vector_key
from citepress.search.storage import ENGINE, read_facts, read_leftovers, read_state
from citepress.search.wholeness import EngineError
from citepress_semantic.encoder import TEXT_TOKENS, Encoder
from citepress_semantic.files import TABLE, VECTORS, SemanticError, model_files
from citepress_semantic.settings import SearchSettings
from citepress_semantic.table import FITTED, QuestionTable, fit_table, write_table
from citepress_semantic.vectors import Floats, VectorRows, quantize, read_rows, rows_of, short_digest, write_rows

SAVED = 1_000
"""New vectors after which those that are there are saved: a process that is stopped loses no more."""
MAX_READ_CHARS = 12_000
"""Characters of a record that hold more tokens than are read."""
RENEWED = 0.25
"""Share of new vectors from which principal components and table are made anew."""
log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Vector:
    """The vector of one record, as it is kept."""

    sheet: int
    text: int
    row: Floats
    """Whole numbers."""
    scale: float


def embed(folder: Path, settings: SearchSettings) -> bool:
    """Bring the vectors beside an index up to it; whether anything had changed.

    Raises ``SemanticError`` where the model cannot be had; what was there before stays.
    """
    files = model_files(settings)
    facts, former = _former(folder, files.digest)
    version = folder / read_facts(folder).current
    try:
        state, engine = read_state(version), Engine(version / ENGINE, read_leftovers(version))
    except EngineError as error:
        raise SemanticError(f"the index was replaced meanwhile: {error}") from error
    records = {vector_key(id_): (id_, short_digest(record.digest)) for id_, record in state.records.items()}
    vectors = _unchanged(former, records) if former else {}
    has_table = _has_table(folder, files.digest)
    if former and len(vectors) == len(former) == len(records) and has_table:
        return False
    encoder = Encoder(files)
    changed = {key: records[key] for key in sorted(records) if key not in vectors}
    count = int(facts.get("since", 0))
    for key, vector, is_new in _Texts(engine, changed).vectors(encoder, former):
        vectors[key] = vector
        count += is_new
        if is_new and not count % SAVED:
            _write(folder, vectors, None, {"model": files.digest, "since": count})
    anew = former is None or count > RENEWED * len(records) or not has_table
    rows = _write(folder, vectors, None if anew else former, {"model": files.digest, "since": 0 if anew else count})
    if anew:
        _fit(folder, encoder, rows, _Texts(engine, records))
    return True


def _former(folder: Path, model: str) -> tuple[Mapping[str, int], VectorRows | None]:
    """The vectors that this model made before."""
    try:
        facts, rows = read_rows(folder / VECTORS)
    except SemanticError as error:
        if (folder / VECTORS).exists():
            log.warning("the vectors are made anew: %s", error)
        return {}, None
    return (facts, rows) if facts["model"] == model and len(rows) else ({}, None)


def _has_table(folder: Path, model: str) -> bool:
    with suppress(SemanticError):
        return bool(QuestionTable(folder / TABLE).facts["model"] == model)
    return False


def _unchanged(former: VectorRows, records: Mapping[int, tuple[str, int]]) -> dict[int, _Vector]:
    """The vectors of records that have not changed."""
    return {
        key: _vector(former, place)
        for place, (key, sheet) in enumerate(zip(former.keys.tolist(), former.sheets.tolist(), strict=True))
        if key in records and records[key][1] == sheet
    }


def _vector(rows: VectorRows, place: int) -> _Vector:
    return _Vector(int(rows.sheets[place]), int(rows.texts[place]), rows.rows[place], float(rows.scales[place]))


class _Texts:
    """The texts of records, read from the index."""

    def __init__(self, engine: Engine, records: Mapping[int, tuple[str, int]]) -> None:
        """``records`` are id and digest by key."""
        self._engine, self._records = engine, records

    def of(self, key: int) -> str:
        """The text of a record that its vector stands for."""
        address = self._engine.find(self._records[key][0])
        if address is None:
            raise SemanticError(f"the index has lost {self._records[key][0]}")
        return text_of(restore_sheet(*self._engine.packed(address)))

    def vectors(self, encoder: Encoder, former: VectorRows | None) -> Iterator[tuple[int, _Vector, bool]]:
        """The vector of each record by its key, and whether it is new: a text that is in ``former`` has one already."""
        places = dict(zip(former.texts.tolist(), range(len(former)), strict=True)) if former else {}
        new: list[tuple[int, int]] = []
        for key, (_, sheet) in self._records.items():
            text = _digest(self.of(key))
            if former and text in places:
                yield key, replace(_vector(former, places[text]), sheet=sheet), False
            else:
                new.append((key, text))
        for start in range(0, len(new), SAVED):
            part = new[start : start + SAVED]
            encoded = encoder.texts([self.of(key) for key, _ in part])
            for (key, text), vector in zip(part, encoded, strict=True):
                rows, scales = quantize(vector[None])
                yield key, _Vector(self._records[key][1], text, rows[0], float(scales[0])), True


def text_of(sheet: Sheet) -> str:
    """What the vector of a record stands for: its title, its summary and its text, each sentence once."""
    texts, terms = sheet.text.split("\n"), sheet.terms.split("\n")
    sentences = (texts[place] for place in range(1 + sheet.marks, len(texts)) if terms[place])
    title = texts[0] if texts[0].endswith((".", "!", "?")) else f"{texts[0]}."
    return " ".join((title, *sentences))[:MAX_READ_CHARS]


def _digest(text: str) -> int:
    return int.from_bytes(blake2b(text.encode("utf-8", "replace"), digest_size=8).digest()) >> 1


def _write(
    folder: Path, vectors: Mapping[int, _Vector], former: VectorRows | None, facts: Mapping[str, object]
) -> VectorRows:
    """Write the vectors, with the principal components of the former ones if they still do."""
    every = list(vectors.values())
    stacked = np.stack([vector.row for vector in every]).astype(np.int8) if every else np.empty((0, 16), np.int8)
    rows = rows_of(
        np.array(list(vectors), np.int64),
        np.array([vector.sheet for vector in every], np.int64),
        np.array([vector.text for vector in every], np.int64),
        (stacked, np.array([vector.scale for vector in every], np.float32)),
        former.basis if former else None,
    )
    write_rows(folder / VECTORS, rows, facts)
    return rows


def _fit(folder: Path, encoder: Encoder, rows: VectorRows, texts: _Texts) -> None:
    """Fit the table to the vectors of the records."""
    sample = slice(None, None, -(-len(rows) // FITTED) or 1)
    numbered = [encoder.pieces.numbers(texts.of(key), TEXT_TOKENS)[1:-1] for key in rows.keys[sample].tolist()]
    vectors = rows.full(np.arange(len(rows))[sample])
    places = [place for place, numbers in enumerate(numbered) if numbers]
    table = fit_table(encoder.pieces.size, [numbered[place] for place in places], vectors[places])
    write_table(folder / TABLE, table, encoder.pieces.lines, {"model": encoder.digest})
