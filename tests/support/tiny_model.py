"""A model of sentences in a few hundred bytes: an ONNX file that looks up a vector for each word, and its vocabulary.

Words of one line of ``MEANINGS`` have the same vector, so texts without a common word can mean the same. The format is
that of ``onnx.proto``; a field is its number and its wire type, then its value.
"""

import struct
from hashlib import sha256
from pathlib import Path

from citepress_semantic.settings import SearchSettings

MEANINGS = (
    "sandbox confines isolation jail container containment",
    "memory remembers recollection notes markdown",
    "payment payments pays price prices money billing",
    "poisoning poison attack malicious hides",
    "crawlers crawler bot bots spider signatures",
    "benchmarks benchmark leaderboard evaluation score",
)
OTHER = "agent the of a and tool process model server on client files file text how do we keep an inside what who is"
LETTERS = "abcdefghijklmnopqrstuvwxyz"
DIMENSIONS = 16
FLOAT, INT64 = 1, 7
VARINT, BYTES = 0, 2


def tiny_model(folder: Path, dimensions: int = DIMENSIONS) -> SearchSettings:
    """Write model and vocabulary to a folder; the settings that name them."""
    folder.mkdir(parents=True, exist_ok=True)
    pieces = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", *" ".join((*MEANINGS, OTHER)).split()]
    pieces += [f"{mark}{letter}" for mark in ("", "##") for letter in LETTERS if mark + letter not in pieces]
    model, vocabulary = folder / "tiny.onnx", folder / "pieces.txt"
    model.write_bytes(_model([_vector(piece, place, dimensions) for place, piece in enumerate(pieces)]))
    vocabulary.write_text("\n".join(pieces) + "\n")
    return SearchSettings(
        semantic=True,
        model=str(model),
        model_sha256=sha256(model.read_bytes()).hexdigest(),
        vocabulary=str(vocabulary),
        vocabulary_sha256=sha256(vocabulary.read_bytes()).hexdigest(),
    )


def toml_of(settings: SearchSettings) -> str:
    """The ``[search]`` table of ``site.toml``."""
    lines = [f'{name} = "{value}"' for name, value in settings.model_dump(exclude={"semantic"}).items() if value]
    return "\n".join(["[search]", "semantic = true", *lines, ""])


def _vector(piece: str, place: int, dimensions: int) -> list[float]:
    vector = [0.0] * dimensions
    meaning = next((number for number, line in enumerate(MEANINGS) if piece in line.split()), None)
    if meaning is None:
        vector[len(MEANINGS) + place % (dimensions - len(MEANINGS))] = 0.1
    else:
        vector[meaning] = 1.0
    return vector


def _model(table: list[list[float]]) -> bytes:
    """IR version 8, operator set 13, one node: ``Gather(table, input_ids)``."""
    rows, columns = len(table), len(table[0])
    flat = [number for row in table for number in row]
    raw = struct.pack(f"<{len(flat)}f", *flat)
    tensor = _whole(1, rows) + _whole(1, columns) + _whole(2, FLOAT) + _part(8, b"table") + _part(9, raw)
    node = _part(1, b"table") + _part(1, b"input_ids") + _part(2, b"states") + _part(4, b"Gather")
    inputs = _value(b"input_ids", INT64, [b"batch", b"sequence"])
    outputs = _value(b"states", FLOAT, [b"batch", b"sequence", columns])
    graph = _part(1, node) + _part(2, b"tiny") + _part(5, tensor) + _part(11, inputs) + _part(12, outputs)
    return _whole(1, 8) + _part(7, graph) + _part(8, _part(1, b"") + _whole(2, 13))


def _value(name: bytes, kind: int, shape: list[bytes | int]) -> bytes:
    sizes = b"".join(_part(1, _whole(1, size) if isinstance(size, int) else _part(2, size)) for size in shape)
    return _part(1, name) + _part(2, _part(1, _whole(1, kind) + _part(2, sizes)))


def _part(field: int, value: bytes) -> bytes:
    return _number(field << 3 | BYTES) + _number(len(value)) + value


def _whole(field: int, value: int) -> bytes:
    return _number(field << 3 | VARINT) + _number(value)


def _number(value: int) -> bytes:
    digits = bytearray()
    while value > 0x7F:
        digits.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*digits, value])
