"""Comparison by meaning, as the index uses it: loaded where it is switched on, left out where it is not to be had."""

import logging
from collections.abc import Collection, Sequence
from importlib import import_module
from pathlib import Path
from typing import Literal, Protocol

from citepress.search.models import Mode
from citepress_semantic.files import EXTRA, SemanticError
from citepress_semantic.settings import SearchSettings

MODES: tuple[Mode, ...] = ("encoder", "table")
WORDS_ALONE = SearchSettings()
log = logging.getLogger(__name__)


class Nearest(Protocol):
    """The records nearest to a question, best first."""

    keys: list[int]
    cosines: list[float]
    middle: float
    """The median of the cosines with all records."""


class AskedMeaning(Protocol):
    """A question as a vector."""

    def nearest(self, count: int, without: Collection[int] = ()) -> Nearest:
        """The nearest records; ``without`` are keys of records that are left out."""
        ...

    def cosines(self, keys: Sequence[int]) -> list[float | None]:
        """The cosine with each of these records; ``None`` where a record has no vector yet."""
        ...


class Meaning(Protocol):
    """The vectors of an archive, and what makes those of questions."""

    mode: Mode
    count: int
    """Records that have a vector."""

    def asked(self, text: str) -> AskedMeaning:
        """A question as a vector."""
        ...


class SemanticParts(Protocol):
    """The modules of the extra, as this package calls them."""

    def opened(self, folder: Path, settings: SearchSettings, mode: Mode | None) -> Meaning:
        """The vectors in the folder of an index. Raises ``SemanticError``."""
        ...

    def embed(self, folder: Path, settings: SearchSettings) -> bool:
        """Bring the vectors up to the index; whether anything had changed. Raises ``SemanticError``."""
        ...


def semantic_module(name: Literal["questions", "embedding"]) -> SemanticParts:
    """A module that needs the extra. Raises ``SemanticError`` where a library is missing."""
    try:
        return import_module(f"citepress_semantic.{name}")
    except ModuleNotFoundError as missing:
        raise SemanticError(f"{missing.name} is not installed: {EXTRA}") from missing


def meaning_of(folder: Path, settings: SearchSettings, mode: Mode | None = None) -> Meaning | None:
    """The vectors beside an index; ``None`` where semantic search is off, or not to be had, which the log says."""
    if not settings.semantic:
        return None
    try:
        return semantic_module("questions").opened(folder, settings, mode)
    except SemanticError as error:
        log.warning("search compares words alone: %s", error)
        return None
