"""The vectors of a site, as search asks for them: what needs numpy is loaded when they are used."""

from importlib import import_module
from pathlib import Path
from typing import Literal, Protocol

from citepress.contract.settings_table import settings_of
from citepress.contract.site import Deployment
from citepress.search.meaning import Meaning
from citepress_semantic.files import EXTRA, SemanticError, missing
from citepress_semantic.modes import MODES
from citepress_semantic.settings import SearchSettings


class _Parts(Protocol):
    """The modules that need the extra."""

    def opened(self, folder: Path, settings: SearchSettings, mode: str | None) -> Meaning: ...

    def embed(self, folder: Path, settings: SearchSettings) -> bool: ...


class SemanticVectors:
    """The vectors that these settings ask for."""

    modes = MODES
    help = "read docs/guides/semantic-search.md"

    def __init__(self, settings: SearchSettings) -> None:
        self._settings = settings

    def opened(self, folder: Path, mode: str | None) -> Meaning:
        """The vectors in the folder of an index. Raises ``SemanticError``."""
        return _module("questions").opened(folder, self._settings, mode)

    def embed(self, folder: Path) -> bool:
        """Bring the vectors up to the index; whether anything had changed. Raises ``SemanticError``."""
        return _module("embedding").embed(folder, self._settings)

    def missing(self) -> str:
        """What this machine lacks to make them, as a sentence; empty if nothing."""
        return missing(self._settings)


def vectors_of(deployment: Deployment) -> SemanticVectors | None:
    """The vectors of an installation, where it has switched them on."""
    settings = settings_of(deployment, SearchSettings)
    return SemanticVectors(settings) if settings.semantic else None


def _module(name: Literal["questions", "embedding"]) -> _Parts:
    """A module that needs the extra. Raises ``SemanticError`` where a library is missing."""
    try:
        return import_module(f"{__package__}.{name}")
    except ModuleNotFoundError as absent:
        raise SemanticError(f"{absent.name} is not installed: {EXTRA}") from absent
