"""``citepress telemetry``: import logs, read and publish the reports, look after salts, lists and the classifier."""

import signal
import threading
from pathlib import Path
from typing import Annotated

import orjson
from cyclopts import App, Parameter

from citepress.app import aggregator, telling
from citepress.base import clock
from citepress.base.timestamps import rfc3339
from citepress.cli.console import complain, note, say, write
from citepress.cli.telemetry_checks import agents, ranges
from citepress.cli.telemetry_import import import_
from citepress.cli.telemetry_state import Content, Json, State, document, opened
from citepress.cli.telemetry_tables import NAMES, Window, path_of, table
from citepress.settings import Settings

telemetry = App(
    name="telemetry",
    help="Import access logs, read and publish what machines read here; works while the server runs.",
    help_format="plaintext",
)
salt = App(name="salt", help="The key of the day that stands between a network and its hash.", help_format="plaintext")
for command in (import_, ranges, agents, salt):
    telemetry.command(command)
Name = Annotated[str, Parameter(help=f"One of {', '.join(NAMES)}, or the canonical path of a page.")]
Follow = Annotated[bool, Parameter(negative=(), help="Go on until Ctrl-C: close each hour as it ends, as serve does.")]


@telemetry.command
def report(
    name: Name = "crawler-journeys", /, *, window: Window | None = None, json: Json = False, state: State = None, content: Content = Path()
) -> int:
    """Show a report as it stands now, as a table or as the document that is published."""
    with opened(content, state) as settings:
        try:
            found = telling.report(settings, path_of(name), clock.now())
        except LookupError:
            complain(f"{name} is no report and no page of the edition; write {', '.join(NAMES)} or a canonical path such as home")
            return 1
    if found is None:
        complain("nothing is counted yet: an hour is counted five minutes after its end, and citepress telemetry import reads logs")
        return 1
    if json:
        write(found if window is None else _only(found, window))
    else:
        for line in table(orjson.loads(found), window or "24h"):
            say(line)
    return 0


@telemetry.command
def publish(*, follow: Follow = False, state: State = None, content: Content = Path()) -> int:
    """Close the hours that are over and render the reports now."""
    if follow:
        with opened(content, state) as settings:
            pass
        _followed(settings)
        return 0
    with opened(content, state) as settings:
        closed = aggregator.close_now(settings)
        rendered = telling.render_now(settings, clock.now()) if closed is None else None
        hour = telling.as_of(settings)
    if closed is None and rendered is not None:
        note("Another process closes the hours; the reports were rendered anew.")
    if hour is None:
        say("Nothing is counted yet: the first hour is counted five minutes after its end.")
    else:
        say(f"Closed {closed or 0} hours; the reports tell of the time until {rfc3339(hour)}.")
    return 0


@salt.command(name="status")
def salt_status(*, json: Json = False, state: State = None, content: Content = Path()) -> int:
    """Tell which days have a salt and which had theirs overwritten."""
    with opened(content, state) as settings:
        found = {telling.day(number): stands for number, stands in telling.salts(settings).items()}
    if json:
        document([{"day": name, "stands": stands} for name, stands in found.items()])
        return 0
    for name, stands in found.items():
        say(f"{name}  {'stands' if stands else 'overwritten'}")
    if not found:
        say("There is no salt: nothing was counted in the last days.")
    return 0


@salt.command(name="rotate")
def salt_rotate(*, state: State = None, content: Content = Path()) -> int:
    """Overwrite the salt of today and start a fresh one; open sessions end."""
    with opened(content, state) as settings:
        telling.renew_salt(settings, clock.now())
    say("Today's salt is overwritten and a fresh one stands; workers take it up within ten seconds, and open sessions end.")
    return 0


def _only(found: bytes, window: Window) -> bytes:
    """A document with one of its windows; one that has a single window as it is."""
    told = orjson.loads(found)
    if isinstance(told.get("windows"), dict) and window in told["windows"]:
        told["windows"] = {window: told["windows"][window]}
    return orjson.dumps(told, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)


def _followed(settings: Settings) -> None:
    stop = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: stop.set())
    note("Closing hours as they end. Ctrl-C ends it.")
    try:
        aggregator.aggregate(settings, stop)
    except KeyboardInterrupt:
        stop.set()
