"""Fetching a source politely: robots.txt, one request a second a host, redirects hop by hop, public hosts alone."""

import re
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from http import HTTPStatus
from ipaddress import ip_address
from urllib.parse import urljoin, urlsplit

from protego import Protego

from citepress.base import clock
from citepress.base.outgoing import (
    REDIRECT_STATUSES,
    Network,
    OutgoingAnswer,
    OutgoingClient,
    OutgoingError,
    Rules,
    agent,
    escaped_location,
)
from citepress.base.public_urls import refuse_private
from citepress.base.urls import UrlError, normalise, opened
from citepress_sources.warc import Exchange

PURPOSE = "sources"
MAX_FETCHED_BYTES = 8_388_608
"""Bytes of an answer."""
TOTAL_S = 30.0
"""Seconds of one request."""
HOPS = 5
"""Redirects that are followed."""
PAUSE_S = 1.0
"""Seconds between the beginnings of two requests to one host."""
MAX_PAUSE_S = 30.0
"""The longest delay that a ``robots.txt`` can ask for."""
ROBOTS_BYTES = 512_000
"""Bytes of ``robots.txt``; RFC 9309 section 2.5 asks for 500 KiB at least."""
BLOCKED = frozenset({401, 402, 403, 429, 451})
"""Statuses of a host that refuses machines, or this one: they say nothing about whether the source exists."""
GONE_STATUSES = frozenset({404, 410})
_NUMBER = re.compile(r"[0-9]+|0[xX][0-9a-fA-F]*")
Sign = Callable[[str], Mapping[str, str]]
"""Takes the authority of a request, and returns the fields that sign it."""


@dataclass(frozen=True, slots=True)
class FetchOutcome:
    """The outcome of asking for a source."""

    outcome: str
    """``answered``, ``gone``, ``blocked`` or ``unreachable``."""
    reason: str = ""
    exchange: Exchange | None = None
    """The last exchange, where the source answered."""


class Pace:
    """When each host may be asked next; shared between threads."""

    def __init__(self, sleep: Callable[[float], object] = time.sleep) -> None:
        self._sleep = sleep
        self._next: dict[str, float] = {}
        self._turn = threading.Lock()

    def wait(self, host: str, pause_s: float) -> None:
        """Wait until a host may be asked, and take the turn."""
        with self._turn:
            now = clock.seconds()
            turn = max(now, self._next.get(host, now))
            self._next[host] = turn + pause_s
        if turn > now:
            self._sleep(turn - now)


class Fetcher:
    """Fetches sources; safe to share between threads."""

    def __init__(
        self, *, about: str = "", networks: tuple[Network, ...] = (), pace: Pace | None = None, sign: Sign | None = None
    ) -> None:
        """``about`` is the address of the publication, which the User-Agent names.

        ``networks`` are private networks whose hosts may be asked; those named by their addresses are not paced.
        """
        self.agent = f"{agent(PURPOSE)} (+{about})" if about else agent(PURPOSE)
        self._networks, self._pace, self._sign = networks, pace or Pace(), sign
        self._client = OutgoingClient(_rules(MAX_FETCHED_BYTES, networks))
        self._robots_client = OutgoingClient(_rules(ROBOTS_BYTES, networks, redirects=HOPS))
        self._robots: dict[str, Protego | str] = {}
        self._robots_locks: dict[str, threading.Lock] = {}
        self._turn = threading.Lock()

    def fetch(self, url: str, moment: datetime) -> FetchOutcome:
        """Ask for a source. Nothing is raised, whatever a host answers."""
        try:
            return self._followed(opened(url), moment)
        except OutgoingError as error:
            return FetchOutcome("unreachable", error.reason)
        except ValueError as error:
            return FetchOutcome("unreachable", f"cannot be asked: {error}")

    def _followed(self, url: str, moment: datetime) -> FetchOutcome:
        for _ in range(HOPS + 1):
            self._refuse_private(url)
            if refused := self._refused_by_robots(url):
                return refused
            sent = self._fields(url)
            answer = self._asked(self._client, url, sent)
            location = answer.fields.get("location", "")
            if answer.status not in REDIRECT_STATUSES or not location:
                return _judged(answer, sent, moment)
            target = urljoin(url, escaped_location(location))
            if url.startswith("https:") and not target.startswith("https:"):
                return FetchOutcome("unreachable", "redirects to an address without TLS")
            url = opened(target)
        return FetchOutcome("unreachable", f"redirects more than {HOPS} times")

    def _refuse_private(self, url: str) -> None:
        """Raise ``UrlError`` where the address itself says that its host is not public."""
        host = urlsplit(url).hostname or ""
        # A name of an intranet is judged when it is connected to, by its address.
        if not (self._is_own(host) or (self._networks and not _is_address(host))):
            refuse_private(url)

    def _is_own(self, host: str) -> bool:
        """Whether a host is an address in the networks that may be asked."""
        try:
            return any(ip_address(host) in network for network in self._networks)
        except ValueError:
            return False

    def _fields(self, url: str) -> dict[str, str]:
        fields = {"User-Agent": self.agent, "Accept": "text/html, */*;q=0.5", "Accept-Encoding": "identity"}
        return {**fields, **(self._sign(urlsplit(url).netloc) if self._sign else {})}

    def _asked(self, client: OutgoingClient, url: str, sent: Mapping[str, str]) -> OutgoingAnswer:
        host = urlsplit(url).netloc
        if not self._is_own(urlsplit(url).hostname or ""):
            self._pace.wait(host, self._delay(host))
        return client.get(url, sent)

    def _delay(self, host: str) -> float:
        rules = self._robots.get(host)
        asked = rules.crawl_delay(self.agent) if isinstance(rules, Protego) else None
        return min(max(PAUSE_S, asked or 0.0), MAX_PAUSE_S)

    def _refused_by_robots(self, url: str) -> FetchOutcome | None:
        parts = urlsplit(url)
        with self._turn:
            lock = self._robots_locks.setdefault(parts.netloc, threading.Lock())
        with lock:
            if parts.netloc not in self._robots:
                self._robots[parts.netloc] = self._robots_of(f"{parts.scheme}://{parts.netloc}/robots.txt")
        rules = self._robots[parts.netloc]
        if isinstance(rules, str):
            return FetchOutcome("unreachable", rules)
        return None if rules.can_fetch(url, self.agent) else FetchOutcome("blocked", "robots.txt forbids it")

    def _robots_of(self, url: str) -> Protego | str:
        """The rules of a host (RFC 9309 section 2.3.1), or why it cannot be asked at all."""
        try:
            answer = self._asked(self._robots_client, url, self._fields(url))
        except OutgoingError as error:
            if "bytes" not in error.reason and "redirects" not in error.reason:
                return error.reason
            return Protego.parse("")
        if answer.status >= HTTPStatus.INTERNAL_SERVER_ERROR or answer.status == HTTPStatus.TOO_MANY_REQUESTS:
            return f"answers {answer.status} for robots.txt, which forbids everything for now"
        text = answer.body.decode("utf-8", "replace") if answer.status == HTTPStatus.OK else ""
        return Protego.parse(text)


def _is_address(host: str) -> bool:
    """Whether a host is written as an address, in whatever spelling a resolver takes for one."""
    return ":" in host or _NUMBER.fullmatch(host.rpartition(".")[2]) is not None


def _rules(most_bytes: int, networks: tuple[Network, ...], redirects: int = 0) -> Rules:
    return Rules(
        PURPOSE,
        total_s=TOTAL_S,
        most_bytes=most_bytes,
        redirects=redirects,
        other_hosts=True,
        plain_http=True,
        public_only=True,
        networks=networks,
    )


def _judged(answer: OutgoingAnswer, sent: Mapping[str, str], moment: datetime) -> FetchOutcome:
    """The last answer as an outcome."""
    status = answer.status
    if status in GONE_STATUSES:
        return FetchOutcome("gone", f"answers {status}")
    if status in BLOCKED:
        return FetchOutcome("blocked", f"answers {status}")
    if not HTTPStatus.OK <= status < HTTPStatus.MULTIPLE_CHOICES:
        return FetchOutcome("unreachable", f"answers {status}")
    if not answer.body:
        return FetchOutcome("unreachable", "answers without a body")
    return FetchOutcome("answered", "", Exchange(answer.url, moment, sent, status, answer.fields, answer.body))


def moved_address(asked: str, answered: str) -> str | None:
    """The address that answered, where it is another source than the one asked for."""
    try:
        url = normalise(answered)
    except UrlError:
        return None
    return url if url != asked else None
