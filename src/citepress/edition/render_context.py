"""What a document may read while it is written."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pydantic import BaseModel

from citepress.archive.model import Archive
from citepress.contract.form import Form
from citepress.contract.mcp_offer import McpOffer
from citepress.contract.route import Route
from citepress.contract.site import Site
from citepress.contract.table import RouteTable

NO_OFFER = McpOffer()


@dataclass(frozen=True, slots=True, weakref_slot=True, eq=False)
class RenderContext:
    """The archive, and the tables that were derived from the declarations."""

    archive: Archive
    table: RouteTable
    forms: tuple[Form, ...]
    models: Mapping[str, type[BaseModel]]
    """The type behind each schema name."""
    assets: Mapping[str, str]
    """Public paths of the theme's files by their names: ``{"site.css": "/theme/site-0a1b….css"}``."""
    offer: McpOffer = NO_OFFER
    """What the MCP endpoint offers; documents tell of it and call nothing."""

    memo: dict[str, Any] = field(default_factory=dict, compare=False, repr=False)
    """What several documents of one edition need, worked out once."""

    @property
    def site(self) -> Site:
        """The publication's own settings."""
        return self.archive.site

    @property
    def routes(self) -> tuple[Route, ...]:
        """The rows of the table that this site has switched on: what guides and contracts speak of."""
        if "routes" not in self.memo:
            self.memo["routes"] = tuple(route for route in self.table if route.enabled(self.site))
        found: tuple[Route, ...] = self.memo["routes"]
        return found

    def url(self, path: str) -> str:
        """The public URL of a path."""
        return self.archive.site.url(path)
