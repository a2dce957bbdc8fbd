"""``citepress sources``: keep private copies of cited sources, and see which of them changed or are gone."""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Annotated

from cyclopts import App, Parameter
from rich.progress import track

from citepress.admin.build import Builder
from citepress.archive.model import Archive
from citepress.archive.quotes import UNHELD
from citepress.base import clock
from citepress.base.canonical import json_bytes
from citepress.base.text import bounded, counted, sentence_list
from citepress.base.timestamps import day
from citepress.cli.console import err, note, say, unlogged, waiting_for, write
from citepress.cli.examples import ending
from citepress.cli.faults import written
from citepress.contract.fault import Faults
from citepress.contract.observation import Observation, health_of
from citepress.kinds.parts import words
from citepress.settings import Settings, SettingsError, from_environment
from citepress_sources.extension import EXAMPLES
from citepress_sources.source_checks import (
    Selection,
    SourceChecks,
    SourceState,
    cited_sources,
    counts,
    quote_states,
    source_checks,
)

SHOWN, WORDS = 20, 80
"""Such quotes that are written out, and characters of each."""
sources = App(
    name="sources",
    help="Keep private copies of cited sources, and see which of them changed or are gone.",
    help_format="plaintext",
)
Urls = Annotated[str, Parameter(help="Addresses of sources; by default every cited source.")]
Content = Annotated[Path, Parameter(help="The content folder.")]
State = Annotated[Path | None, Parameter(help="Folder of the state; by default state/ in the content folder.")]
Kind = Annotated[tuple[str, ...], Parameter(help="Only sources that records of this kind cite.")]
Due = Annotated[int | None, Parameter(help="Only sources not checked for this many days.")]
Limit = Annotated[int, Parameter(help="At most this many, longest waiting first; 0 for all.")]
Json = Annotated[bool, Parameter(help="Print JSON.")]
AllowNetwork = Annotated[
    tuple[str, ...],
    Parameter(help="A private network to ask too, such as 10.0.0.0/8."),
]


@sources.command(help_epilogue=ending(*EXAMPLES["sources capture"]))
def capture(
    *urls: Urls,
    content: Content = Path(),
    state: State = None,
    kind: Kind = (),
    limit: Limit = 0,
    allow_network: AllowNetwork = (),
    json: Json = False,
) -> int:
    """Store a private copy of each cited source without one, or of those named."""

    def wanted(checks: SourceChecks, states: list[SourceState]) -> list[SourceState]:
        held = checks.captures.journal.checks
        return [
            source
            for source in states
            if urls or (last := held.get(source.entry.url)) is None or last.reference is None
        ]

    selection = Selection(urls, kind, limit=limit)
    return _asked(_Run(from_environment(content, state=state), selection, allow_network, json, anew=bool(urls)), wanted)


@sources.command(help_epilogue=ending(*EXAMPLES["sources check"]))
def check(
    *urls: Urls,
    content: Content = Path(),
    state: State = None,
    kind: Kind = (),
    due: Due = None,
    limit: Limit = 0,
    allow_network: AllowNetwork = (),
    json: Json = False,
) -> int:
    """Request cited sources, compare them with their copies, and search quotes in them."""
    selection = Selection(urls, kind, _days(due), limit)
    return _asked(
        _Run(from_environment(content, state=state), selection, allow_network, json), lambda _, states: states
    )


@sources.command(help_epilogue=ending(*EXAMPLES["sources status"]))
def status(
    *urls: Urls,
    content: Content = Path(),
    state: State = None,
    kind: Kind = (),
    due: Due = None,
    limit: Limit = 0,
    json: Json = False,
) -> int:
    """Show what the last check of each cited source found, longest ago first."""
    selection = Selection(urls, kind, _days(due), limit)
    try:
        archive = Builder(from_environment(content, state=state)).archive(clock.now())[0]
    except Faults as faults:
        return _faulty(faults)
    states = cited_sources(archive, selection, clock.now())
    if json:
        write(json_bytes(_rows(archive, states)))
        return 0
    for source in states:
        _show(source.entry.url, source.observation)
    _summary(archive, states)
    return 0


@dataclass(frozen=True, slots=True)
class _Run:
    """The options of a command that asks sources."""

    settings: Settings
    selection: Selection
    networks: tuple[str, ...]
    json: bool
    anew: bool = False


def _asked(run: _Run, wanted: Callable[[SourceChecks, list[SourceState]], list[SourceState]]) -> int:
    """Ask the sources of a run, publish what was found, and show it."""
    try:
        with unlogged(), source_checks(run.settings, run.networks, waiting_for) as (checks, archive):
            states = wanted(checks, cited_sources(archive, run.selection, clock.now()))
            try:
                asked = checks.run(states, anew=run.anew)
                shown = track(asked, "Asking", len(states), console=err, disable=not err.is_terminal, transient=True)
                for source in shown:
                    if not run.json and source.status != "unchanged":
                        say(f"{source.status:<12} {source.url}{_share(source.changed_share)}{_reason(source.reason)}")
            finally:
                news = checks.publish()
    except Faults as faults:
        return _faulty(faults)
    archive = Builder(run.settings).archive(clock.now())[0]
    states = [SourceState(source.entry, archive.observations.get(source.entry.url)) for source in states]
    if run.json:
        write(json_bytes(_rows(archive, states)))
    else:
        _summary(archive, states)
        if news:
            say("observations.jsonl holds what was found; the next build publishes it.")
    return 0


def _days(due: int | None) -> timedelta | None:
    if due is not None and not 0 <= due <= 36_500:  # noqa: PLR2004  (a century)
        raise SettingsError(f"--due {due}: write a number of days")
    return None if due is None else timedelta(days=due)


def _faulty(faults: Faults) -> int:
    note(written(faults.faults, "text", records=None, terminal=False).rstrip())
    return 1


def _rows(archive: Archive, states: list[SourceState]) -> list[dict[str, object]]:
    """The sources, each with the quotes whose best answer comes from it."""
    quotes: dict[str, list[dict[str, object]]] = {}
    for quote in quote_states(archive, states):
        row = {"record": quote.record, "quote": quote.text, **quote.check.model_dump(mode="json")}
        quotes.setdefault(quote.url, []).append(row)
    return [
        {
            "url": source.entry.url,
            "cited_by": source.entry.cited_by,
            "archive_url": source.entry.archive_url,
            **health_of(source.observation).model_dump(mode="json"),
            "quotes": quotes.get(source.entry.url, []),
        }
        for source in states
    ]


def _show(url: str, observation: Observation | None) -> None:
    health = health_of(observation)
    when = day(health.checked_at) if health.checked_at else "-"
    say(f"{health.status:<13} {when:<10}  {url}{_share(health.changed_share)}{_reason(health.reason)}")


def _share(changed: float | None) -> str:
    return f"  {changed:.1%} of its text" if changed else ""


def _reason(reason: str | None) -> str:
    return f"  {reason}" if reason else ""


def _summary(archive: Archive, states: list[SourceState]) -> None:
    """The quotes that do not hold, and how many quotes and sources are in each state."""
    quotes = quote_states(archive, states)
    unheld = [quote for quote in quotes if quote.check.state in UNHELD]
    for quote in unheld[:SHOWN]:
        say(f'{words(quote.check.state):<12} {quote.record}  "{bounded(quote.text, WORDS)}"  {quote.url}')
    if len(unheld) > SHOWN:
        say(f"{len(unheld) - SHOWN:,} more quotes do not hold: `citepress check --all` tells each.")
    _count("source", counts(states))
    if quotes:
        _count("quote", Counter(quote.check.state for quote in quotes))


def _count(what: str, numbers: Mapping[str, int]) -> None:
    parts = [f"{number:,} {words(state)}" for state, number in sorted(numbers.items())]
    say(f"{counted(sum(numbers.values()), what)}{f': {sentence_list(parts)}' if parts else ''}.")
