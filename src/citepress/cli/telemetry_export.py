"""``citepress telemetry export``: single requests as Parquet, for databases that hold more than three days of them."""

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from citepress.admin.telemetry_export import export_requests
from citepress.base.text import counted
from citepress.cli.console import say
from citepress.cli.telemetry_state import Content, State, opened

Folder = Annotated[Path, Parameter(help="Folder for one file of each hour; files that are there stay.")]


def export(*, parquet: Folder, state: State = None, content: Content = Path()) -> int:
    """Write the single requests of every closed hour that the spool still holds as Parquet files."""
    with opened(content, state) as settings:
        done = export_requests(settings, parquet)
    say(f"Wrote {counted(done.hours, 'hour')} with {counted(done.requests, 'request')} to {parquet}.")
    if done.present:
        say(f"{counted(done.present, 'hour')} had been written before.")
    if done.missing:
        say(f"Of {counted(done.missing, 'hour')} the single requests are gone, or were in imported logs.")
    return 0
