"""``citepress telemetry import``: access logs of other servers into the counts."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn

from citepress.app.imports import ImportRequest, import_logs, size_of
from citepress.app.telling import render_now
from citepress.base import clock
from citepress.cli.console import complain, err, note, say
from citepress.cli.telemetry_state import Content, Json, State, document, opened
from citepress.telemetry.access_logs.tally import FileTally, Tally, ranked

Logs = Annotated[Path, Parameter(help="Log files, gzipped or not.")]
Format = Annotated[
    Literal["auto", "combined", "vhost", "json", "caddy", "cloudflare"],
    Parameter(help="How the logs are written; auto looks at their first lines."),
]
DryRun = Annotated[bool, Parameter(negative=(), help="Count, but write nothing.")]
TOP = 10
WHY = {
    "shorter": "begins like a log that was counted further than this one goes: nothing is taken from it",
    "different": "begins like a log that was counted but goes on differently: nothing is taken from it",
    "unreadable": "fits no format that is known; name it with --format",
}


def import_(
    *logs: Logs, format: Format = "auto", dry_run: DryRun = False, json: Json = False, state: State = None, content: Content = Path()  # noqa: A002
) -> int:  # fmt: skip
    """Count access logs; lines that were counted before are passed over, so it may be run again and again."""
    if not logs:
        complain("name at least one log file")
        return 2
    with opened(content, state) as settings:
        with _watched(size_of(logs)) as progress:
            tally = import_logs(settings, ImportRequest(logs, format, dry_run), progress)
        rendered = None if dry_run or not tally.hours else render_now(settings, clock.now())
    if json:
        document(tally.told() | {"dry_run": dry_run, "rendered": rendered is not None})
    else:
        for line in _told(tally, dry_run=dry_run):
            say(line)
    return 1 if _complained(tally.files) else 0


@contextmanager
def _watched(size: int) -> Iterator[Callable[[int, int], None]]:
    """A bar on a terminal: bytes of the files, lines a second, time left."""
    columns = (TextColumn("Importing"), BarColumn(), DownloadColumn(), TextColumn("{task.fields[rate]}"), TimeRemainingColumn())
    with Progress(*columns, console=err, disable=not err.is_terminal, transient=True) as bar:
        task, began = bar.add_task("", total=size, rate=""), clock.seconds()

        def progress(done: int, lines: int) -> None:
            seconds = clock.seconds() - began
            bar.update(task, completed=done, rate=f"{lines / seconds:,.0f} lines/s" if seconds else "")

        yield progress


def _told(tally: Tally, *, dry_run: bool) -> Iterator[str]:
    """The summary: lines and what became of them, hours, who asked."""
    rate = f", {tally.lines / tally.seconds:,.0f} lines a second" if tally.seconds else ""
    yield f"{'Would count' if dry_run else 'Counted'} {tally.requests:,} requests of {tally.lines:,} new lines in {len(tally.hours):,} hours{rate}."
    parts = {
        "malformed": tally.malformed, "in hours counted live": tally.skipped_live, "to other hosts": tally.skipped_host,
        "own traffic": tally.excluded_self, "theme files": tally.excluded_assets, "in hours not over yet": tally.waiting,
        "of the counted late": tally.late,
    }  # fmt: skip
    if some := [f"{number:,} {name}" for name, number in parts.items() if number]:
        yield f"Lines apart: {', '.join(some)}."
    for name, number in ranked(tally.families)[:TOP]:
        yield f"{number:>12,}  {name}"


def _complained(files: list[FileTally]) -> bool:
    """Tell of files that nothing, or not all, could be taken from."""
    for file in files:
        if file.passed:
            complain(f"{file.path} {WHY[file.state]}")
        elif file.damaged:
            complain(f"{file.path} ends before its end: it is no whole gzip file; what could be read was counted")
        elif file.state == "empty":
            note(f"{file.path} is empty.")
    return any(file.passed or file.damaged for file in files)
