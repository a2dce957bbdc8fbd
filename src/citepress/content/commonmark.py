"""The one Markdown parser of texts: what a page renders is read everywhere with the same marks."""

import pyromark
from pyromark import Options

PARSER = pyromark.Markdown(
    options=Options.ENABLE_TABLES
    | Options.ENABLE_FOOTNOTES
    | Options.ENABLE_STRIKETHROUGH
    | Options.ENABLE_TASKLISTS
    | Options.ENABLE_GFM
    | Options.ENABLE_DEFINITION_LIST
)
"""CommonMark with tables, footnotes, strikethrough, task lists, callouts and definition lists."""
