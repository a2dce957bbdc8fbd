"""``citepress telemetry ranges`` and ``agents``: the lists that identities are checked by, and the table that names are told by."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import orjson
from cyclopts import App, Parameter

from citepress.app import telling
from citepress.base import clock
from citepress.base.timestamps import rfc3339
from citepress.cli.console import complain, note, say
from citepress.cli.telemetry_state import Content, Json, State, document, opened
from citepress.cli.telemetry_tables import lined
from citepress.telemetry.identify.user_agents import explain
from citepress.telemetry.identify.verify.download import download

ranges = App(name="ranges", help="Operators' own lists of addresses; fetched by command alone.", help_format="plaintext")
agents = App(name="agents", help="The classifier: lint its table, compare it with newer lists, explain a verdict.", help_format="plaintext")
Keys = Annotated[str, Parameter(help="Keys of lists, as ranges status shows them.")]
Accept = Annotated[tuple[str, ...], Parameter(help="Keys of lists that may shrink by more than half.")]
Files = Annotated[Path, Parameter(help="Newer public lists as JSON: ai.robots.txt, crawler-user-agents, or rows with a name.")]
Agent = Annotated[str, Parameter(help="The User-Agent.")]
MOST_BYTES = 33_554_432
NOT_KEPT = "Clients that nobody lists are not kept; keep_unlisted = true under [telemetry] keeps the names of their products."
SHOWN = 50


@ranges.command
def refresh(*keys: Keys, accept: Accept = (), json: Json = False, state: State = None, content: Content = Path()) -> int:
    """Fetch the lists into the state folder, all or those named, and the keys of signing operators where signatures are checked."""
    with opened(content, state) as settings:
        renewed, pinned = telling.refresh(settings, download, clock.now(), accept=accept, only=keys)
    if json:
        names = ("key", "url", "outcome", "prefixes", "before", "reason")
        lists = [{name: getattr(one, name) for name in names} for one in renewed]
        document(
            {
                "lists": lists,
                "directories": [{"url": one.url, "outcome": one.outcome, "keys": one.keys, "reason": one.reason} for one in pinned],
            }
        )
    else:
        rows: list[tuple[object, ...]] = [(one.key, one.outcome, one.prefixes, one.reason) for one in renewed]
        rows += [(one.url, one.outcome, one.keys, one.reason) for one in pinned]
        for line in lined(("list", "outcome", "networks", "reason"), rows):
            say(line)
    return 1 if "refused" in {one.outcome for one in renewed} | {one.outcome for one in pinned} else 0


@ranges.command
def status(*, json: Json = False, state: State = None, content: Content = Path()) -> int:
    """Tell of each list when it was fetched, and whether it is young enough to prove something."""
    with opened(content, state) as settings:
        found = telling.listings(settings, clock.now())
    rows = [
        (
            one.key, "fresh" if one.fresh else "stale" if one.fetched else "never fetched", len(one.fetched.prefixes) if one.fetched else None,
            rfc3339(one.fetched.fetched_at) if one.fetched else None, one.url,
        )
        for one in found
    ]  # fmt: skip
    head = ("list", "status", "networks", "fetched_at", "url")
    if json:
        document([dict(zip(head, row, strict=True)) for row in rows])
        return 0
    for line in lined(head, rows):
        say(line)
    return 0


@agents.command
def check(*, json: Json = False, state: State = None, content: Content = Path()) -> int:
    """Lint the table, and show automation seen here in thirty days that nobody lists."""
    with opened(content, state) as settings:
        seen, kept = telling.unlisted(settings, clock.now()), telling.keeps_unlisted(settings)
    found = explain.check(clock.now().date())
    if json:
        document(
            {
                "version": found.version,
                "families": found.families,
                "faults": found.faults,
                "warnings": found.warnings,
                "unlisted": _counted(seen),
            }
        )
        return 1 if found.faults else 0
    for fault in found.faults:
        complain(fault)
    for warning in found.warnings:
        note(warning)
    say(f"{found.version or 'unusable'}: {found.families} families, {len(found.faults)} faults, {len(found.warnings)} warnings")
    if not kept:
        note(NOT_KEPT)
    for text, number in list(seen.items())[:SHOWN]:
        say(f"{number:>9,}  {text}")
    return 1 if found.faults else 0


@agents.command
def diff(*files: Files, json: Json = False, state: State = None, content: Content = Path()) -> int:
    """Show the clients that newer lists have, or that were seen here, and that the table does not name."""
    documents = []
    for file in files:
        try:
            documents.append(orjson.loads(_read(file)))
        except ValueError as error:
            complain(f"{file} is no JSON: {error}")
            return 1
        except OSError as error:
            complain(f"{file} cannot be read: {error.strerror or error}")
            return 1
    with opened(content, state) as settings:
        seen = telling.unlisted(settings, clock.now())
    try:
        found = explain.diff(documents)
    except ValueError as error:
        complain(str(error))
        return 1
    if json:
        document({"unnamed": found.unnamed, "only_listed": found.only_listed, "unlisted": _counted(seen)})
        return 0
    for title, names in (
        ("Named by nothing", found.unnamed),
        ("Named by the public list alone", found.only_listed),
        ("Seen here", tuple(seen)),
    ):
        say(f"{title}: {len(names)}")
        for name in names:
            say(f"  {name}")
    return 0


@agents.command(name="test")
def explained(agent: Agent, /, *, json: Json = False, state: State = None, content: Content = Path()) -> int:
    """Explain the verdict on a User-Agent."""
    with opened(content, state) as settings:
        own = telling.own_agent(settings)(agent)
    found = explain.explain(agent)
    names = ("agent", "family", "operator", "purpose", "cls", "operation", "step", "mark", "source", "version")
    told = {"class" if name == "cls" else name: getattr(found, name) for name in names} | {"own_traffic": own}
    if json:
        document(told)
        return 0
    for name, value in told.items():
        say(f"{name.replace('_', ' '):<12} {'yes' if value is True else 'no' if value is False else value or '-'}")
    return 0


def _read(file: Path) -> bytes:
    """A file of bounded size. Raises ``OSError``, and ``ValueError`` where it is larger."""
    with file.open("rb") as opened_file:
        data = opened_file.read(MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        raise ValueError(f"it is larger than {MOST_BYTES} bytes")
    return data


def _counted(seen: Mapping[str, int]) -> list[dict[str, object]]:
    return [{"user_agent": text, "requests": number} for text, number in seen.items()]
