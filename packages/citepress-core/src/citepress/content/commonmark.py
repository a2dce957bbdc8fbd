"""The one Markdown parser of texts: what a page renders is read everywhere with the same marks."""

from collections.abc import Mapping
from typing import Any

import pyromark
from pyromark import Options

PARSER = pyromark.Markdown(
    options=Options.ENABLE_TABLES
    | Options.ENABLE_FOOTNOTES
    | Options.ENABLE_STRIKETHROUGH
    | Options.ENABLE_TASKLISTS
    | Options.ENABLE_GFM
    | Options.ENABLE_DEFINITION_LIST
    | Options.ENABLE_MATH
)
"""CommonMark with tables, footnotes, strikethrough, task lists, callouts, definition lists and formulas."""


def formula(event: Mapping[str, Any]) -> str:
    """A formula as its author wrote it, where the event of the parser is one; else nothing."""
    if "InlineMath" in event:
        return f"${event['InlineMath']}$"
    return f"$${event['DisplayMath']}$$" if "DisplayMath" in event else ""
