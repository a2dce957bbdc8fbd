"""The table ``[mcp]``, the member of ``[limits]`` that the endpoint adds, and its environment variable."""

from typing import Annotated

from pydantic import Field

from citepress.contract.model import Model, OneLine
from citepress.contract.settings_table import SettingsTable, Variable

PATTERN = r"^[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+$"
ServerName = Annotated[str, Field(pattern=PATTERN, max_length=200, examples=["org.example/archive"])]


class MessageLimit(Model):
    """How many messages one client may send."""

    mcp: Annotated[int, Field(ge=1, le=1_000_000)] = 60
    """MCP messages a minute."""


class McpIdentity(Model):
    """How the MCP server calls itself."""

    name: ServerName | None = None
    """Server name; by default reversed host and slug of the title."""


class McpAccess(Model):
    """Who may address the MCP endpoint of an installation."""

    allowed_hosts: list[OneLine] = Field(default_factory=list, max_length=50)
    """Further values of ``Host`` to accept."""
    allowed_origins: list[OneLine] = Field(default_factory=list, max_length=50)
    """Further values of ``Origin`` to accept."""
    take_body_version: bool = True
    """Read a message whose header and body name different versions by its body; ``false`` refuses it, as MCP asks."""


TABLES = (SettingsTable("limits", published=MessageLimit), SettingsTable("mcp", McpIdentity, McpAccess))
VARIABLES = (Variable("MCP_LIMIT", "`mcp` of `[limits]`", limit="mcp"),)
