"""``citepress telemetry import``: add access logs of other servers to the counts."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import CoercionError, Parameter, Token, convert
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn

from citepress.base import clock
from citepress.cli.console import complain, err, note, say
from citepress.cli.json_output import write_json
from citepress_telemetry.access_logs.tally import FileTally, Tally, rank_families
from citepress_telemetry.administration import render_now
from citepress_telemetry.cli.options import Content, Json, State, opened
from citepress_telemetry.log_import import ImportRequest, import_logs, size_of

Logs = Annotated[Path, Parameter(help="Log files, gzipped or not.")]
SOFTWARE = {"iis": "w3c", "cloudfront": "w3c", "apache": "combined", "nginx": "combined"}
"""Names that people give for a format, and the format that the software writes by default."""


def _format(names: type[str], tokens: Sequence[Token]) -> str:
    """The format by its name; a name of software is refused with the format that it writes."""
    if default := SOFTWARE.get(tokens[0].value.lower()):
        raise CoercionError(
            msg=f"{tokens[0].value} writes the format {default} by default: pass --format {default}", token=tokens[0]
        )
    name: str = convert(names, tokens)
    return name


Format = Annotated[
    Literal["auto", "combined", "vhost", "common", "w3c", "json", "caddy", "cloudflare"],
    Parameter(converter=_format, help="Format; w3c is that of IIS and CloudFront."),
]
DryRun = Annotated[bool, Parameter(help="Count, but write nothing.")]
TOP = 10
WHY = {
    "shorter": "begins like a log that was counted, but is shorter than what was counted: it is skipped",
    "different": "begins like a log that was counted, but continues differently: it is skipped",
    "unreadable": (
        "matches no known format: combined, vhost, common, w3c (IIS, CloudFront), JSON lines, caddy or cloudflare."
        " Map the names of other JSON lines under fields in [telemetry.imports]; rewrite any other log as JSON lines"
        " (docs/guides/access-logs.md, Other logs)"
    ),
    "load balancer": (
        "is a log of an AWS load balancer, which is not read: rewrite it as JSON lines with the script in"
        " docs/guides/access-logs.md, Other logs"
    ),
}


def import_(
    *logs: Logs,
    format: Format = "auto",  # noqa: A002  (the name of the option)
    dry_run: DryRun = False,
    json: Json = False,
    state: State = None,
    content: Content = Path(),
) -> int:
    """Import access logs; lines counted before are skipped."""
    if not logs:
        complain("name at least one log file")
        return 2
    with opened(content, state, first=True) as settings:
        with _watched(size_of(logs)) as progress:
            tally = import_logs(settings, ImportRequest(logs, format, dry_run), progress)
        rendered = None if dry_run or not tally.hours else render_now(settings, clock.now())
    if json:
        write_json(tally.as_json() | {"dry_run": dry_run, "rendered": rendered is not None})
    else:
        for line in _summary(tally, dry_run=dry_run):
            say(line)
    return 1 if _complained(tally.files) else 0


@contextmanager
def _watched(size: int) -> Iterator[Callable[[int, int], None]]:
    """A progress bar on a terminal: bytes, lines per second, time left."""
    columns = (
        TextColumn("Importing"),
        BarColumn(),
        DownloadColumn(),
        TextColumn("{task.fields[rate]}"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=err, disable=not err.is_terminal, transient=True) as bar:
        task, began = bar.add_task("", total=size, rate=""), clock.seconds()

        def progress(done: int, lines: int) -> None:
            seconds = clock.seconds() - began
            bar.update(task, completed=done, rate=f"{lines / seconds:,.0f} lines/s" if seconds else "")

        yield progress


def _summary(tally: Tally, *, dry_run: bool) -> Iterator[str]:
    """The summary: lines by outcome, hours, clients."""
    rate = f", {tally.lines / tally.seconds:,.0f} lines per second" if tally.seconds else ""
    yield (
        f"{'Would count' if dry_run else 'Counted'} {tally.requests:,} requests of {tally.lines:,} new lines in"
        f" {len(tally.hours):,} hours{rate}."
    )
    parts = {
        "malformed": tally.malformed,
        "in hours counted live": tally.skipped_live,
        "to other hosts": tally.skipped_host,
        "own traffic": tally.excluded_self,
        "files of pages": tally.excluded_assets,
        "in hours that are not over": tally.waiting,
        "counted late": tally.late,
    }
    if some := [f"{number:,} {name}" for name, number in parts.items() if number]:
        yield f"Of these lines: {', '.join(some)}."
    for name, number in rank_families(tally.families)[:TOP]:
        yield f"{number:>12,}  {name}"
    if tally.hours and not dry_run:
        yield "citepress telemetry report shows them now, /machine-consumption/ of a running service within seconds."


def _complained(files: list[FileTally]) -> bool:
    """Report files that were skipped or read only in part."""
    for file in files:
        if file.skipped:
            complain(f"{file.path} {WHY[file.state]}")
        elif file.damaged:
            complain(f"{file.path} is truncated gzip; what could be read was counted")
        elif file.format == "common":
            note(f"{file.path} names no User-Agents: its requests count as those of clients without one.")
        elif file.state == "empty":
            note(f"{file.path} is empty.")
    return any(file.skipped or file.damaged for file in files)
