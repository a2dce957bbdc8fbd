"""``citepress telemetry export``: single requests as Parquet, for databases that hold more than three days of them."""

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter, Token

from citepress.base.text import counted
from citepress.cli.console import answer
from citepress.cli.progress import working
from citepress_telemetry.cli.options import Content, Json, State, opened
from citepress_telemetry.export import export_requests


def _folder(_type: object, tokens: Sequence[Token]) -> Path:
    """The folder that was named: an empty name, as of a variable that is not set, would mean the current one."""
    if not tokens[0].value:
        raise ValueError("name a folder; `.` is the current one")
    return Path(tokens[0].value)


Folder = Annotated[Path, Parameter(help="Folder for a file of each hour; existing files stay.", converter=_folder)]


def export(content: Content = Path(), *, parquet: Folder, state: State = None, json: Json = False) -> int:
    """Write the single requests of closed hours as Parquet files."""
    with opened(content, state) as settings, working("Writing"):
        done = export_requests(settings, parquet)
    lines = [f"Wrote {counted(done.hours, 'hour')} with {counted(done.requests, 'request')} to {parquet}."]
    if done.present:
        lines.append(f"{counted(done.present, 'hour')} had been written before.")
    if done.missing:
        lines.append(f"Of {counted(done.missing, 'hour')} the single requests are gone, or were in imported logs.")
    answer("\n".join(lines), asdict(done), as_json=json)
    return 0
