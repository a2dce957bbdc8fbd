"""``citepress doctor``: what would keep an installation from serving well."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from citepress.admin.doctor import examine
from citepress.base.text import counted
from citepress.cli.console import Folder, Json, StateOption, is_content, say, unlogged
from citepress.cli.json_output import write_json
from citepress.settings import from_environment

MARKS = {"ok": "ok     ", "warning": "WARNING", "failure": "FAILURE"}


def doctor(
    folder: Folder = Path(),
    *,
    host: Annotated[str, Parameter(help="Address that citepress listens on.")] = "127.0.0.1",
    port: Annotated[int, Parameter(help="Port that it listens on.")] = 8000,
    state: StateOption = None,
    json: Json = False,
) -> int:
    """Check settings, clock, disk, stores, edition, proxies and ports, and say what to do about each."""
    if not is_content(folder):
        return 2
    settings = from_environment(folder, state=state, host=host, port=port)
    with unlogged():
        findings = list(examine(settings))
    failures = sum(finding.status == "failure" for finding in findings)
    if json:
        document = {"healthy": not failures, "findings": [asdict(finding) for finding in findings]}
        write_json(document)
        return int(bool(failures))
    for finding in findings:
        say(f"{MARKS[finding.status]}  {finding.check:<9} {finding.detail}")
        if finding.todo:
            say(f"{'':<19} {finding.todo[0].upper()}{finding.todo[1:]}.")
    warnings = sum(finding.status == "warning" for finding in findings)
    say(f"{counted(failures, 'failure')}, {counted(warnings, 'warning')}.")
    return int(bool(failures))
