"""What the publisher says of the front page: ``[home]`` of ``site.toml``."""

from typing import Annotated, Literal

from pydantic import Field

from citepress.contract.model import Model, OneLine

FrontPart = Literal[
    "search", "figures", "lead", "notes", "changes", "forecasts", "contested", "collections", "topics", "agents"
]
PARTS: tuple[FrontPart, ...] = (
    "search",
    "figures",
    "lead",
    "notes",
    "changes",
    "forecasts",
    "contested",
    "collections",
    "topics",
    "agents",
)


class FrontPage(Model):
    """The front page."""

    purpose: Annotated[str, Field(max_length=600)] = ""
    """Two sentences on what the archive is; its description when left out."""
    lead: OneLine | None = None
    """Id of the record at the top; the newest field note, or the newest record, when left out."""
    parts: list[FrontPart] = Field(default=list(PARTS), max_length=len(PARTS))
    """What it shows, in this order; topics, forecasts, contested patterns and the box for agents stand beside the rest.
    Parts without content are left out."""
