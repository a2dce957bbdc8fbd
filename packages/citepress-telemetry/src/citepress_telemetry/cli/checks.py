"""``citepress telemetry ranges`` and ``agents``: the address lists of operators, and the table of clients."""

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

from cyclopts import App, Parameter

from citepress.base import clock, fast_json
from citepress.base.timestamps import rfc3339
from citepress.cli.console import complain, note, say
from citepress.cli.examples import ending
from citepress.cli.json_output import write_json
from citepress.settings import Settings
from citepress_telemetry import administration as admin
from citepress_telemetry.cli.options import Content, Json, State, opened, opened_if_there
from citepress_telemetry.cli.tables import aligned
from citepress_telemetry.extension import EXAMPLES
from citepress_telemetry.identify import explain
from citepress_telemetry.identify.verify.download import download

ranges = App(
    name="ranges",
    help="Manage operators' own address lists, which are fetched only by command.",
    help_format="plaintext",
)
agents = App(
    name="agents",
    help="Inspect the classifier: lint its table, compare it with newer lists, explain a verdict.",
    help_format="plaintext",
)
Keys = Annotated[str, Parameter(help="Keys of lists, as shown by ranges status; all lists without any.")]
Accept = Annotated[tuple[str, ...], Parameter(help="Keys of lists to accept although they shrank by more than half.")]
Files = Annotated[
    Path, Parameter(help="Newer public lists as JSON: ai.robots.txt, crawler-user-agents, or rows with a name.")
]
Agent = Annotated[str, Parameter(help="The User-Agent.")]
MAX_EXPLAINED_BYTES = 33_554_432
NOT_KEPT = "Names of unlisted clients are not kept; keep_unlisted = true under [telemetry] keeps their product names."
MAX_LISTED_AGENTS = 50


@ranges.command(help_epilogue=ending(*EXAMPLES["telemetry ranges refresh"]))
def refresh(
    *keys: Keys, accept: Accept = (), json: Json = False, state: State = None, content: Content = Path()
) -> int:
    """Fetch address lists of operators, and their keys if signatures are checked."""
    with opened(content, state) as settings:
        renewed, pinned = admin.refresh(settings, download, clock.now(), accept=accept, only=keys)
    if json:
        write_json({"lists": [*map(asdict, renewed)], "directories": [*map(asdict, pinned)]})
    else:
        rows: list[tuple[object, ...]] = [
            (renewal.key, renewal.outcome, renewal.prefixes, renewal.reason) for renewal in renewed
        ]
        rows += [(directory.url, directory.outcome, directory.keys, directory.reason) for directory in pinned]
        for line in aligned(("list", "outcome", "networks", "reason"), rows):
            say(line)
    outcomes = {renewal.outcome for renewal in renewed} | {directory.outcome for directory in pinned}
    return 1 if "refused" in outcomes else 0


@ranges.command(help_epilogue=ending(*EXAMPLES["telemetry ranges status"]))
def status(content: Content = Path(), *, json: Json = False, state: State = None) -> int:
    """Show when each list was fetched, and whether it is recent enough to be used."""
    with opened(content, state) as settings:
        listings = admin.listings(settings, clock.now())
    rows = [
        (
            listing.key,
            "fresh" if listing.fresh else "stale" if listing.fetched else "never fetched",
            len(listing.fetched.prefixes) if listing.fetched else None,
            rfc3339(listing.fetched.fetched_at) if listing.fetched else None,
            listing.url,
        )
        for listing in listings
    ]
    head = ("list", "status", "networks", "fetched_at", "url")
    if json:
        write_json([dict(zip(head, row, strict=True)) for row in rows])
        return 0
    for line in aligned(head, rows):
        say(line)
    return 0


@agents.command(help_epilogue=ending(*EXAMPLES["telemetry agents check"]))
def check(content: Content = Path(), *, json: Json = False, state: State = None) -> int:
    """Lint the table, and show unlisted automation of the last thirty days."""
    with opened_if_there(content, state) as settings:
        unlisted = _unlisted(settings)
        keeps_unlisted = settings is None or admin.keeps_unlisted(settings)
    checked = explain.check(clock.now().date())
    if json:
        write_json({**asdict(checked), "unlisted": _counted(unlisted)})
        return 1 if checked.faults else 0
    for fault in checked.faults:
        complain(fault)
    for warning in checked.warnings:
        note(warning)
    say(
        f"{checked.version or 'unusable'}: {checked.families} families, {len(checked.faults)} faults,"
        f" {len(checked.warnings)} warnings"
    )
    if not keeps_unlisted:
        note(NOT_KEPT)
    for text, number in list(unlisted.items())[:MAX_LISTED_AGENTS]:
        say(f"{number:>9,}  {text}")
    return 1 if checked.faults else 0


@agents.command(help_epilogue=ending(*EXAMPLES["telemetry agents diff"]))
def diff(*files: Files, json: Json = False, state: State = None, content: Content = Path()) -> int:
    """Show clients, of newer lists and seen here, that the table lacks."""
    documents = []
    for file in files:
        try:
            documents.append(fast_json.loads(_read(file)))
        except ValueError as error:
            complain(f"{file} is not JSON: {error}")
            return 1
        except OSError as error:
            complain(f"{file} cannot be read: {error.strerror or error}")
            return 1
    with opened_if_there(content, state) as settings:
        unlisted = _unlisted(settings)
    try:
        difference = explain.diff(documents)
    except ValueError as error:
        complain(str(error))
        return 1
    if json:
        write_json({**asdict(difference), "unlisted": _counted(unlisted)})
        return 0
    for title, names in (
        ("Not named at all", difference.unnamed),
        ("Named only by the public list", difference.only_listed),
        ("Seen here", tuple(unlisted)),
    ):
        say(f"{title}: {len(names)}")
        for name in names:
            say(f"  {name}")
    return 0


@agents.command(name="test", help_epilogue=ending(*EXAMPLES["telemetry agents test"]))
def explained(agent: Agent, /, content: Content = Path(), *, json: Json = False, state: State = None) -> int:
    """Explain the verdict on a User-Agent, and whether it counts as the archive's own."""
    with opened_if_there(content, state) as settings:
        own = None if settings is None else admin.own_agent(settings)(agent)
    explanation = asdict(explain.explain(agent))
    members = {"class" if name == "cls" else name: value for name, value in explanation.items()} | {"own_traffic": own}
    if json:
        write_json(members)
        return 0
    for name, value in members.items():
        say(f"{name.replace('_', ' '):<12} {'yes' if value is True else 'no' if value is False else value or '-'}")
    return 0


def _unlisted(settings: Settings | None) -> Mapping[str, int]:
    """Product names of unlisted automation; empty where there is no archive yet."""
    return {} if settings is None else admin.unlisted(settings, clock.now())


def _read(file: Path) -> bytes:
    """Read a file of bounded size. Raises ``OSError``, and ``ValueError`` if it is larger."""
    with file.open("rb") as opened_file:
        data = opened_file.read(MAX_EXPLAINED_BYTES + 1)
    if len(data) > MAX_EXPLAINED_BYTES:
        raise ValueError(f"it is larger than {MAX_EXPLAINED_BYTES} bytes")
    return data


def _counted(unlisted: Mapping[str, int]) -> list[dict[str, object]]:
    return [{"user_agent": text, "requests": number} for text, number in unlisted.items()]
