"""``citepress mcp``: the MCP endpoint of a content folder over standard input and output."""

from pathlib import Path

from citepress import app
from citepress.app.build import INDEX, STDIO, separate_output
from citepress.app.mcp import spoken
from citepress.base import clock
from citepress.cli.console import complain, note, unlogged
from citepress.cli.faults import written
from citepress.contract.fault import Faults
from citepress.mcp.stdio import serve
from citepress.settings import from_environment


def mcp(folder: Path = Path(), /, *, state: Path | None = None, drafts: bool = False) -> int:
    """Speak MCP over standard input and output until the input ends: one message a line.

    Parameters
    ----------
    folder
        The content folder, with or without a site.toml.
    state
        Folder of the state store and the packed edition; state/ in the content folder when left out.
    drafts
        Show drafts.
    """
    settings = from_environment(folder, state=state, drafts=drafts)
    if not folder.is_dir():
        complain(f"{folder} is no folder; name the folder that holds the content")
        return 2
    output = separate_output(settings, STDIO)
    builder = app.Builder(settings, output)
    try:
        built = builder.ensure(clock.now())
        builder.index(built, clock.now())
    except Faults as faults:
        note(written(faults.faults, "text", records=None, terminal=False).rstrip())
        return 1
    with unlogged():
        stores = app.opened_stores(settings)
    return serve(spoken(built.pointer, output / INDEX, stores.inbox))
