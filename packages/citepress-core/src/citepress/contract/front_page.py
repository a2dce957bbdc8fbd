"""What the publisher says of the front page: ``[home]`` of ``site.toml``."""

from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias

from pydantic import Field

from citepress.contract.model import Model, OneLine
from citepress.extension import FrontPart, joined

CORE = ("search", "figures", "lead", "notes", "chart", "changes", "collections", "topics", "agents")
PARTS = joined("front_parts", FrontPart, map(FrontPart, CORE), lambda part: (part.name,))
NAMES = tuple(part.name for part in PARTS)
if TYPE_CHECKING:
    PartName: TypeAlias = str
else:
    PartName = Literal[NAMES]


class FrontPage(Model):
    """The front page."""

    purpose: Annotated[str, Field(max_length=600)] = ""
    """Two sentences on what the archive is; by default ``description``."""
    lead: OneLine | None = None
    """Id of the record at the top; by default the newest field note or, without any, the newest record."""
    parts: list[PartName] = Field(default=list(NAMES), max_length=len(NAMES))
    """What it shows, in this order, with topics and agents in a side column; empty parts are left out."""
