"""Forward-confirmed reverse DNS: an address has a name under the operator's domain that resolves back to it."""

import threading
from collections import OrderedDict, deque
from collections.abc import Callable, Sequence
from ipaddress import ip_address
from typing import Protocol

from citepress_telemetry.identify.user_agents.table import Family

PER_SECOND = 5
ANSWER_LIFETIME_S = 86_400.0
"""Seconds for which an answer is cached, in memory only."""
MAX_CACHED_ANSWERS = 65_536
MAX_WAITING_ADDRESSES = 1_000
"""Addresses that wait for a lookup at most; further ones are skipped until they come again."""
MAX_HOST_NAMES = 3


class Resolver(Protocol):
    """A DNS resolver; both methods raise ``OSError`` without an answer."""

    def names(self, address: str) -> Sequence[str]:
        """The names of an address."""
        ...

    def addresses(self, name: str) -> Sequence[str]:
        """The addresses of a name."""
        ...


class ReverseDns:
    """Answers from its cache at once; one background thread slowly looks up the rest for later requests."""

    def __init__(self, resolver: Resolver, seconds: Callable[[], float], *, per_second: int = PER_SECOND) -> None:
        """``seconds`` is a monotonic clock."""
        self._resolver, self._seconds, self._pause = resolver, seconds, 1.0 / per_second
        self._answers: OrderedDict[str, tuple[float, tuple[str, ...]]] = OrderedDict()
        self._waiting: deque[tuple[str, tuple[str, ...]]] = deque()
        self._queued: set[str] = set()
        self._lock = threading.Lock()
        self._wake = threading.Event()
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None

    def confirmed(self, family: Family, address: str) -> bool:
        """Whether the address has been confirmed to belong to the family's operator; queues a lookup if unknown."""
        if not family.rdns:
            return False
        with self._lock:
            answer = self._answers.get(address)
            if answer is not None and self._seconds() - answer[0] < ANSWER_LIFETIME_S:
                return any(_under(name, family.rdns) for name in answer[1])
            if address not in self._queued and len(self._waiting) < MAX_WAITING_ADDRESSES:
                self._queued.add(address)
                self._waiting.append((address, family.rdns))
                self._wake.set()
        return False

    def look_up(self) -> bool:
        """Look up the next waiting address; return whether there was one."""
        with self._lock:
            if not self._waiting:
                self._wake.clear()
                return False
            address, domains = self._waiting.popleft()
        names = self._confirmed_names(address, domains)
        with self._lock:
            self._queued.discard(address)
            self._answers[address] = (self._seconds(), names)
            self._answers.move_to_end(address)
            while len(self._answers) > MAX_CACHED_ANSWERS:
                self._answers.popitem(last=False)
        return True

    def start(self) -> None:
        """Start the background thread."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="reverse-dns", daemon=True)
            self._thread.start()

    def stop(self, seconds: float = 5.0) -> None:
        """End the background thread, wait at most so long for a running lookup, and forget every address."""
        self._stopping.set()
        self._wake.set()
        if self._thread is not None:
            self._thread.join(seconds)
        with self._lock:
            self._answers.clear()
            self._waiting.clear()
            self._queued.clear()

    def _run(self) -> None:
        while not self._stopping.is_set():
            self._wake.wait()
            while not self._stopping.is_set() and self.look_up():
                self._stopping.wait(self._pause)

    def _confirmed_names(self, address: str, domains: tuple[str, ...]) -> tuple[str, ...]:
        """Names of an address under one of the domains that resolve back to it."""
        try:
            names = [name for name in self._resolver.names(address) if _under(name, domains)][:MAX_HOST_NAMES]
            return tuple(name for name in names if self._leads_back(name, address))
        except (OSError, ValueError):
            return ()

    def _leads_back(self, name: str, address: str) -> bool:
        wanted = ip_address(address)
        resolved = self._resolver.addresses(name)
        return any(ip_address(candidate.partition("%")[0]) == wanted for candidate in resolved)


def _under(name: str, domains: Sequence[str]) -> bool:
    """Whether a name is one of the domains or below one."""
    low = name.rstrip(".").lower()
    return any(low == domain or low.endswith(f".{domain}") for domain in domains)
