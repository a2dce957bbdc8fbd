"""Checks of cited sources: what the commands compose from the archive, its captures and the outgoing client."""

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from ipaddress import ip_network

from citepress.admin.build import Builder
from citepress.archive.model import Archive, SourceEntry
from citepress.archive.quotes import merit, source_quote
from citepress.base import clock
from citepress.base.errors import CitepressError
from citepress.base.folder_lock import exclusive
from citepress.base.outgoing import Network
from citepress.base.urls import UrlError, normalise
from citepress.contract.observation import Observation, QuoteCheck
from citepress.contract.settings_table import settings_of
from citepress.settings import Settings, SettingsError
from citepress.transparency.signing import signing_key
from citepress_objects import open_objects
from citepress_sources.extension import SOURCES_FOLDER
from citepress_sources.observations_writing import write_observations
from citepress_sources.request_signing import agent_origin, signed_fields
from citepress_sources.settings import SourceSettings

try:
    from citepress_sources.checking import Captures, SourceChecker, Wish, observations
    from citepress_sources.fetching import Fetcher
    from citepress_sources.journal import Journal, SourceCheck
except ImportError:  # the libraries are not installed, as in the environment of the demo
    AVAILABLE = False
else:
    AVAILABLE = True

WAIT_S = 5.0
"""How long a command waits for another one that checks the same sources."""


class CapturesError(CitepressError):
    """Sources cannot be checked; the sentence says why."""


@dataclass(frozen=True, slots=True)
class Selection:
    """Which sources a command is about."""

    urls: tuple[str, ...] = ()
    """Addresses; every cited source where there are none."""
    kinds: tuple[str, ...] = ()
    """Kinds of records that cite them; any where there are none."""
    due: timedelta | None = None
    """Only those that were last checked as long ago, or never."""
    limit: int = 0
    """At most so many, those that waited longest first; 0 for all."""


@dataclass(frozen=True, slots=True)
class SourceState:
    """A cited source, and what is known of it."""

    entry: SourceEntry
    observation: Observation | None


def cited_sources(archive: Archive, selection: Selection, moment: datetime) -> list[SourceState]:
    """The cited sources of a selection, those that waited longest first. Raises ``CapturesError``."""
    unknown = set(selection.kinds) - set(archive.collections)
    if unknown:
        raise CapturesError(f"{min(unknown)!r} is not a kind of record; kinds are {', '.join(archive.collections)}")
    entries = [_named(archive, url) for url in selection.urls] or list(archive.ledger.values())
    states = [SourceState(entry, archive.observations.get(entry.url)) for entry in entries if _cited(entry, selection)]
    states = [state for state in states if _is_due(state, selection, moment)]
    states.sort(key=lambda state: (_checked(state, moment), state.entry.url))
    return states[: selection.limit or None]


def counts(states: Collection[SourceState]) -> Mapping[str, int]:
    """How many sources are in each state."""
    return Counter(state.observation.status if state.observation else "never_checked" for state in states)


@dataclass(frozen=True, slots=True)
class CheckedQuote:
    """A quote of a record, and what its sources hold of it."""

    record: str
    text: str
    url: str
    """The source that the best answer comes from."""
    check: QuoteCheck


def quote_states(archive: Archive, states: Collection[SourceState]) -> list[CheckedQuote]:
    """The quotes that are said to be from these sources, each by its best state in any of its sources."""
    asked = {
        (citation.record, quote) for state in states for citation in state.entry.citations for quote in citation.quotes
    }
    best: dict[tuple[str, str], CheckedQuote] = {}
    for entry in archive.ledger.values() if asked else ():
        for citation in entry.citations:
            for quote in asked.intersection((citation.record, quote) for quote in citation.quotes):
                check = source_quote(quote[1], citation.source_id, archive.observations.get(entry.url))
                if quote not in best or merit(check) > merit(best[quote].check):
                    best[quote] = CheckedQuote(*quote, entry.url, check)
    return [best[quote] for quote in sorted(best)]


class SourceChecks:
    """The checks of one archive; nobody else checks its sources meanwhile."""

    def __init__(self, settings: Settings, archive: Archive, networks: Collection[str]) -> None:
        self._settings, self._archive = settings, archive
        store = settings_of(archive.site, SourceSettings).store or (settings.state / SOURCES_FOLDER).resolve().as_uri()
        self.captures = Captures(open_objects(store), Journal(settings.state / SOURCES_FOLDER))
        sign = _signature(settings, archive.site.base_url)
        self._fetcher = Fetcher(about=archive.site.base_url, networks=_networks(networks), sign=sign)

    def run(self, states: Collection[SourceState], *, anew: bool) -> "Iterator[SourceCheck]":
        """Check sources one after the other, going on with a run that was broken off.

        ``anew``: whether the answer takes the place of the capture that later ones are compared with.
        """
        journal = self.captures.journal
        run = journal.unfinished or f"{clock.now():%Y%m%dT%H%M%SZ}"
        done = {url for url, check in journal.checks.items() if check.run == run} if journal.unfinished else set()
        wishes = [Wish(state.entry.url, state.entry.cited_url, anew) for state in states if state.entry.url not in done]
        journal.begin(run)
        yield from SourceChecker(self.captures, self._fetcher, clock.now, run).check_all(wishes)
        journal.end(run)

    def publish(self) -> bool:
        """Write what is known of every cited source into the content folder; whether that is news.

        Raises ``CapturesError``.
        """
        quotes = {url: _quotes(entry) for url, entry in self._archive.ledger.items()}
        try:
            return write_observations(
                self._settings.root, observations(self.captures, quotes, self._archive.observations)
            )
        except OSError as error:
            raise CapturesError(f"the observations cannot be written into the content folder: {error}") from None


@contextmanager
def source_checks(
    settings: Settings, networks: Collection[str], waiting: Callable[[str], object]
) -> Iterator[tuple[SourceChecks, Archive]]:
    """The checks of a content folder, and its archive. Raises ``CapturesError``, ``Faults`` and ``FolderLockError``."""
    if not AVAILABLE:
        raise CapturesError("checking sources needs the extra: pip install 'citepress[sources]'")
    with exclusive(settings.state / SOURCES_FOLDER, WAIT_S, waiting):
        (settings.state / SOURCES_FOLDER).chmod(0o700)  # the copies are other people's works
        archive = Builder(settings).archive(clock.now())[0]
        checks = SourceChecks(settings, archive, networks)
        try:
            yield checks, archive
        finally:
            checks.captures.close()


def _signature(settings: Settings, base_url: str) -> Callable[[str], Mapping[str, str]] | None:
    """What signs requests; ``None`` where nobody could find the key. Raises ``SigningError``."""
    origin = agent_origin(base_url)
    if not origin:
        return None
    key = signing_key(settings.state)[0]
    return lambda authority: signed_fields(key, origin, authority, clock.now())


def _named(archive: Archive, url: str) -> SourceEntry:
    try:
        normal = normalise(url)
    except UrlError as error:
        raise CapturesError(f"{url!r} is not an address of a source: {error}") from None
    entry = archive.ledger.get(archive.aliases.get(normal, normal))
    if entry is None or not entry.cited_by:
        raise CapturesError(f"no record cites {url}")
    return entry


def _cited(entry: SourceEntry, selection: Selection) -> bool:
    kinds = {id_.partition("/")[0] for id_ in entry.cited_by}
    return bool(kinds) and (not selection.kinds or not kinds.isdisjoint(selection.kinds))


def _is_due(state: SourceState, selection: Selection, moment: datetime) -> bool:
    if selection.due is None or state.observation is None:
        return True
    since = moment - state.observation.checked_at
    return since >= selection.due or since < timedelta()


def _quotes(entry: SourceEntry) -> list[str]:
    return [quote for citation in entry.citations for quote in citation.quotes]


def _checked(state: SourceState, moment: datetime) -> float:
    """When a source was checked; 0 where it never was, or by a clock that was ahead."""
    checked = state.observation.checked_at if state.observation else None
    return checked.timestamp() if checked and checked <= moment else 0.0


def _networks(written: Collection[str]) -> tuple[Network, ...]:
    try:
        return tuple(ip_network(network) for network in written)
    except ValueError as error:
        raise SettingsError(f"--allow-network: {error}: write 10.0.0.0/24 or fd00::/8") from None
