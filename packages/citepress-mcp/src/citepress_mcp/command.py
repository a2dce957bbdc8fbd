"""``citepress mcp``: the MCP endpoint of a content folder over standard input and output."""

from pathlib import Path

from citepress.admin.build import separate_builder
from citepress.base import clock
from citepress.cli.console import Folder, is_content, note, unlogged, waiting_for
from citepress.cli.faults import written
from citepress.contract.fault import Faults
from citepress.search.state import INDEX_FOLDER
from citepress.settings import from_environment
from citepress.stores.sql.migrate import open_store
from citepress_mcp.stdio import serve
from citepress_mcp.worker import stdio_endpoint

STDIO = "mcp"
"""Folder in the state folder for an edition that nobody is shown."""


def mcp(folder: Folder = Path(), *, state: Path | None = None, drafts: bool = False) -> int:
    """Serve MCP over standard input and output, one message per line, until the input ends.

    Parameters
    ----------
    folder
        The content folder.
    state
        Folder of the state; by default state/ in the content folder.
    drafts
        Show drafts.
    """
    settings = from_environment(folder, state=state, drafts=drafts)
    if not is_content(folder):
        return 2
    try:
        with separate_builder(settings, STDIO, waiting_for) as builder:
            built = builder.ensure(clock.now())
            builder.index(built, clock.now())
    except Faults as faults:
        note(written(faults.faults, "text", records=None, terminal=False).rstrip())
        return 1
    with unlogged():
        database = open_store(settings.state, settings.database_url)
    return serve(stdio_endpoint(settings, built.pointer, builder.output / INDEX_FOLDER, database))
