"""The table ``[sources]`` of ``site.toml``."""

from typing import Annotated

from pydantic import Field

from citepress.contract.model import Model
from citepress.contract.settings_table import SettingsTable


class SourceSettings(Model):
    """``[sources]`` of ``site.toml``: the private copies of cited sources."""

    store: Annotated[str, Field(pattern=r"^(s3|gs|az|file)://[^\s]+$", max_length=500)] | None = None
    """Private object store for the copies, which are other people's works: ``s3://bucket/prefix``, ``gs://…``, ``az://…``
    or ``file:///path``. By default the state folder."""


TABLES = (SettingsTable("sources", private=SourceSettings),)
