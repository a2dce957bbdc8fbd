"""How much one client may ask of the paid lanes, and when a rail pauses itself."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from threading import Lock

from citepress.contract.limits import Counters, Limit, Spent
from citepress.payments.outcomes import OverQuota

MINUTE, TEN_MINUTES, DAY = 60, 600, 86_400
PREFLIGHTS, PREFLIGHTS_DAILY = Limit("preflight", 30, MINUTE), Limit("preflight-day", 500, DAY)
SIGNED = Limit("signed", 120, MINUTE)
FAILED = Limit("failed-payments", 20, TEN_MINUTES)
"""Verifications that failed and cost a read of the chain, for each payer and for each client."""
PREPARED_AT_ONCE = 4
PREPARE_WAIT = 5
"""Seconds that a further request waits for its turn."""
OPEN_QUOTES = 30
SETTLEMENTS_AT_ONCE, SETTLEMENTS_QUEUED = 16, 32
REVERTS = 3
"""Transactions in a row that were mined and did not pay; then the rail pauses."""


class Quotas:
    """What clients have left."""

    def __init__(self, counters: Counters) -> None:
        self._counters = counters

    def preflight(self, client: str) -> tuple[Spent, OverQuota | None]:
        """Count an unsigned request: what is left of the minute, and the refusal where nothing is."""
        spent = self._counters.spend(PREFLIGHTS, client)
        if not spent.allowed:
            return spent, _over(PREFLIGHTS, spent, "preflights a minute")
        daily = self._counters.spend(PREFLIGHTS_DAILY, client)
        return spent, None if daily.allowed else _over(PREFLIGHTS_DAILY, daily, "preflights a day")

    def signed(self, client: str) -> tuple[Spent, OverQuota | None]:
        """Count a signed request."""
        spent = self._counters.spend(SIGNED, client)
        return spent, None if spent.allowed else _over(SIGNED, spent, "signed requests a minute")

    def spoiled(self, client: str, payer: str) -> OverQuota | None:
        """The refusal for whoever sent too many payments that failed."""
        for who in _who(client, payer):
            spent = self._counters.spend(FAILED, who, 0)
            if spent.remaining <= 0:
                return _over(FAILED, spent, "failed payments in ten minutes")
        return None

    def spoil(self, client: str, payer: str) -> None:
        """Count a verification that failed."""
        for who in _who(client, payer):
            self._counters.spend(FAILED, who)


class Turns:
    """How many requests of one client are prepared at once, in this process."""

    def __init__(self, most: int = PREPARED_AT_ONCE, wait: float = PREPARE_WAIT) -> None:
        self._most, self._wait = most, wait
        self._gates: dict[str, tuple[asyncio.Semaphore, int]] = {}

    @asynccontextmanager
    async def of(self, client: str) -> AsyncIterator[bool]:
        """Wait for a turn; ``False`` where there was none in time."""
        gate, here = self._gates.get(client) or (asyncio.Semaphore(self._most), 0)
        self._gates[client] = gate, here + 1
        got = False
        try:
            try:
                await asyncio.wait_for(gate.acquire(), self._wait)
                got = True
            except TimeoutError:
                pass
            yield got
        finally:
            if got:
                gate.release()
            self._leave(client)

    def _leave(self, client: str) -> None:
        gate, here = self._gates[client]
        if here > 1:
            self._gates[client] = gate, here - 1
        else:
            del self._gates[client]


class Breaker:
    """Counts transactions of one rail that were mined and did not pay, one after the other."""

    def __init__(self, most: int = REVERTS) -> None:
        self._most, self._lock, self._count = most, Lock(), 0

    def paid(self) -> None:
        """A transfer stands."""
        with self._lock:
            self._count = 0

    def reverted(self) -> bool:
        """A transaction was mined and did not pay; whether the rail should pause now."""
        with self._lock:
            self._count += 1
            tripped = self._count >= self._most
            self._count = 0 if tripped else self._count
        return tripped


def _who(client: str, payer: str) -> tuple[str, ...]:
    return (client, f"payer:{payer}") if payer else (client,)


def _over(limit: Limit, spent: Spent, what: str) -> OverQuota:
    return OverQuota(limit, f"{limit.quota} {what} came from this client; the next is possible in {spent.reset} seconds.", spent.reset)
