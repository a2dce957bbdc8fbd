"""The member of ``[limits]`` that the inbox adds."""

from typing import Annotated

from pydantic import Field

from citepress.contract.model import Model
from citepress.contract.settings_table import SettingsTable, Variable


class InboxLimits(Model):
    """How much one client may submit."""

    inbox: Annotated[int, Field(ge=1, le=100_000)] = 30
    """Inbox submissions in 24 hours."""


TABLES = (SettingsTable("limits", published=InboxLimits),)
VARIABLES = (Variable("INBOX_LIMIT", "`inbox` of `[limits]`", limit="inbox"),)
