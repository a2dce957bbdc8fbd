"""Vectors beside an index, which an extension gives: questions are compared by meaning too where it is switched on."""

import logging
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Protocol

from citepress.base.errors import CitepressError
from citepress.contract.site import Deployment
from citepress.hooks import provided
from citepress.search.models import VectorMode

log = logging.getLogger(__name__)


class VectorError(CitepressError, ValueError):
    """Vectors are not to be had; the sentence says why. Search by words goes on."""


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

    mode: VectorMode
    count: int
    """Records that have a vector."""

    def asked(self, text: str) -> AskedMeaning:
        """A question as a vector."""
        ...


class VectorSource(Protocol):
    """Makes and compares vectors, as the settings of a site ask for them."""

    modes: Sequence[VectorMode]
    """The ways to make the vector of a question, the best first."""
    help: str
    """What to read where there are none."""

    def opened(self, folder: Path, mode: str | None) -> Meaning:
        """The vectors in the folder of an index; ``mode`` insists on a way. Raises ``VectorError``."""
        ...

    def embed(self, folder: Path) -> bool:
        """Bring the vectors up to the index; whether anything had changed. Raises ``VectorError``."""
        ...

    def missing(self) -> str:
        """What this machine lacks to make vectors, as a sentence; empty if nothing."""
        ...


def vectors_of(deployment: Deployment) -> VectorSource | None:
    """The vectors of an installation; ``None`` where words alone are compared. Raises ``ExtensionError``."""
    given: VectorSource | None = provided("vectors", deployment)
    return given


def meaning_of(folder: Path, vectors: VectorSource | None, mode: str | None = None) -> Meaning | None:
    """The vectors beside an index; ``None`` where there is no source, or they are not to be had, which the log says."""
    try:
        return vectors.opened(folder, mode) if vectors else None
    except VectorError as error:
        log.warning("search compares words alone: %s", error)
        return None
