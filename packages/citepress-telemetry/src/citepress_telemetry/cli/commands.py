"""``citepress telemetry``: import logs, show and publish reports, manage salts, address lists and the classifier."""

import signal
import threading
from pathlib import Path
from typing import Annotated

import orjson
from cyclopts import App, Parameter

from citepress.base import clock, fast_json
from citepress.base.text import counted
from citepress.base.timestamps import rfc3339
from citepress.cli.console import answer, complain, note, say, write
from citepress.cli.examples import ending
from citepress.cli.json_output import write_json
from citepress.settings import Settings
from citepress_telemetry import administration as admin
from citepress_telemetry import aggregation
from citepress_telemetry.cli.checks import agents, ranges
from citepress_telemetry.cli.export import export
from citepress_telemetry.cli.log_import import import_
from citepress_telemetry.cli.options import Content, Json, State, opened
from citepress_telemetry.cli.tables import (
    FAMILY_DAYS,
    NAMES,
    Window,
    csv_bytes,
    family_days_table,
    path_of,
    report_lines,
    report_tables,
    table_lines,
)
from citepress_telemetry.extension import EXAMPLES
from citepress_telemetry.reports.family_days import FamilyDays

telemetry = App(
    name="telemetry",
    help="Import access logs, show and publish reports on machine readers; works while the server runs.",
    help_format="plaintext",
)
salt = App(name="salt", help="Manage the daily salt used to hash client networks.", help_format="plaintext")
for group in (ranges, agents, salt):
    telemetry.command(group)
telemetry.command(import_, name="import", help_epilogue=ending(*EXAMPLES["telemetry import"]))
telemetry.command(export, help_epilogue=ending(*EXAMPLES["telemetry export"]))
Name = Annotated[str, Parameter(help=f"One of {', '.join((*NAMES, FAMILY_DAYS))}, or the canonical path of a page.")]
Shown = Annotated[Window | None, Parameter(help="Only this window: 24h, 7d or 30d; tables show 24h by default.")]
Csv = Annotated[bool, Parameter(help="The main table as CSV.")]
Follow = Annotated[bool, Parameter(help="Keep running, and close each hour as it ends.")]

NOTHING_COUNTED = (
    "nothing has been counted yet: an hour is counted five minutes after its end, and citepress telemetry import reads"
    " logs"
)


@telemetry.command(help_epilogue=ending(*EXAMPLES["telemetry report"]))
def report(
    name: Name = "crawler-journeys",
    /,
    content: Content = Path(),
    *,
    window: Shown = None,
    json: Json = False,
    csv: Csv = False,
    state: State = None,
) -> int:
    """Show a report as tables, as JSON, or its main table as CSV."""
    if json and csv:
        complain("choose one of --json and --csv")
        return 2
    with opened(content, state) as settings:
        if name == FAMILY_DAYS:
            return _family_days(admin.requests_by_family_and_day(settings), json=json, csv=csv)
        try:
            published = admin.report(settings, path_of(name), clock.now())
        except LookupError:
            complain(
                f"{name} is neither a report nor a page of the edition; write {', '.join((*NAMES, FAMILY_DAYS))} or a"
                " canonical path such as home"
            )
            return 1
    if published is None:
        complain(NOTHING_COUNTED)
        return 1
    if json:
        write(published if window is None else _only(published, window))
    elif csv:
        write(csv_bytes(report_tables(fast_json.loads(published), window or "24h")))
    else:
        for line in report_lines(fast_json.loads(published), window or "24h"):
            say(line)
    return 0


def _family_days(days: FamilyDays | None, *, json: bool, csv: bool) -> int:
    """The days of each family, which no published document has."""
    if days is None:
        complain(NOTHING_COUNTED)
        return 1
    if json:
        rows = [row._asdict() for row in days.rows]
        write_json({"start": days.first, "end": days.last, "observed_days": days.observed, "days": rows})
        return 0
    table = family_days_table(days)
    if csv:
        write(csv_bytes([table]))
        return 0
    for line in table_lines(table):
        say(line)
    return 0


@telemetry.command(help_epilogue=ending(*EXAMPLES["telemetry publish"]))
def publish(content: Content = Path(), *, follow: Follow = False, json: Json = False, state: State = None) -> int:
    """Close the hours that are over and render the reports now."""
    if follow:
        with opened(content, state) as settings:
            pass
        _followed(settings)
        return 0
    with opened(content, state) as settings:
        closed = aggregation.close_now(settings)
        rendered = admin.render_now(settings, clock.now()) if closed is None else None
        hour = admin.as_of(settings)
    if closed is None and rendered is not None:
        note("Another process closes the hours; the reports were rendered again.")
    text = "Nothing is counted yet: the first hour is counted five minutes after its end."
    if hour is not None:
        text = f"Closed {counted(closed or 0, 'hour')}; the reports cover the time up to {rfc3339(hour)}."
    answer(text, {"closed": closed or 0, "as_of": hour and rfc3339(hour)}, as_json=json)
    return 0


@salt.command(name="status", help_epilogue=ending(*EXAMPLES["telemetry salt status"]))
def salt_status(content: Content = Path(), *, json: Json = False, state: State = None) -> int:
    """Show which days have a salt and which salts were overwritten."""
    with opened(content, state) as settings:
        salts = {admin.day(number): exists for number, exists in admin.salts(settings).items()}
    if json:
        write_json([{"day": day, "in_use": exists} for day, exists in salts.items()])
        return 0
    for day, exists in salts.items():
        say(f"{day}  {'in use' if exists else 'overwritten'}")
    if not salts:
        say("There is no salt: nothing was counted in the last days.")
    return 0


@salt.command(name="rotate", help_epilogue=ending(*EXAMPLES["telemetry salt rotate"]))
def salt_rotate(content: Content = Path(), *, json: Json = False, state: State = None) -> int:
    """Overwrite today's salt and create a new one; open sessions end."""
    with opened(content, state) as settings:
        moment = clock.now()
        admin.renew_salt(settings, moment)
    text = "Today's salt was overwritten and a new one created; workers use it within ten seconds. Open sessions end."
    answer(text, {"rotated_at": rfc3339(moment)}, as_json=json)
    return 0


def _only(published: bytes, window: Window) -> bytes:
    """A document with one of its windows; a document with a single window is left as it is."""
    report = fast_json.loads(published)
    if isinstance(report.get("windows"), dict) and window in report["windows"]:
        report["windows"] = {window: report["windows"][window]}
    return orjson.dumps(report, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)


def _followed(settings: Settings) -> None:
    stop = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: stop.set())
    note("Closing hours as they end. Ctrl-C ends it.")
    try:
        aggregation.aggregate(settings, stop)
    except KeyboardInterrupt:
        stop.set()
