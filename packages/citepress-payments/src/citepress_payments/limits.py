"""How much one client may ask of the paid lanes, and when a rail pauses itself."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from citepress.base.timestamps import DAY_S, MINUTE_S
from citepress.contract.limits import Counters, Limit, LimitState
from citepress_payments.outcomes import OverQuota
from citepress_payments.ports.rows import Failure, Pause

TEN_MINUTES_S = 10 * MINUTE_S
PREFLIGHTS, PREFLIGHTS_DAILY = Limit("preflight", 30, MINUTE_S), Limit("preflight-day", 500, DAY_S)
PREFLIGHTS_ALL = Limit("preflight-all", 1_200, MINUTE_S)
"""Of all clients together: addresses are cheap, and each preflight is computed for nothing."""
REVERTED = Limit("reverted-payments", 2, 3600)
"""Payments that were mined and did not pay, for each payer and for each client: every one burns gas of ours."""
SIGNED = Limit("signed", 120, MINUTE_S)
FAILED = Limit("failed-payments", 20, TEN_MINUTES_S)
"""Verifications that failed and cost a read of the chain, for each payer and for each client."""
PREPARED_AT_ONCE = 4
PREPARE_WAIT = 5
"""Seconds that a further request waits for its turn."""
OPEN_QUOTES = 30
SETTLEMENTS_AT_ONCE, SETTLEMENTS_QUEUED = 16, 32
REVERTS = 3
"""Payers, and as many clients, whose transactions did not pay, none of another having paid since; then the rail pauses
for a while."""
FIRST_PAUSE, MAX_PAUSE_S = 60, 3600
"""Seconds that a rail pauses by itself; each pause soon after the last is twice as long."""


EVERYBODY = "everybody"
CROWDED = "Too many preflights from all clients together; nothing was charged. Try again later."


class Quotas:
    """What clients have left."""

    def __init__(self, counters: Counters) -> None:
        self._counters = counters

    def preflight(self, client: str) -> tuple[LimitState, OverQuota | None]:
        """Count an unsigned request: what is left of the minute, and the refusal where nothing is."""
        spent = self._counters.spend(PREFLIGHTS, client)
        if not spent.allowed:
            return spent, _over(PREFLIGHTS, spent, "preflights a minute")
        daily = self._counters.spend(PREFLIGHTS_DAILY, client)
        if not daily.allowed:
            return spent, _over(PREFLIGHTS_DAILY, daily, "preflights a day")
        # Last: a request that is refused for its own client must not use up what all share.
        together = self._counters.spend(PREFLIGHTS_ALL, EVERYBODY)
        return spent, None if together.allowed else OverQuota(PREFLIGHTS_ALL, CROWDED, together.reset)

    def signed(self, client: str) -> tuple[LimitState, OverQuota | None]:
        """Count a signed request."""
        spent = self._counters.spend(SIGNED, client)
        return spent, None if spent.allowed else _over(SIGNED, spent, "signed requests a minute")

    def spoiled(self, client: str, payer: str) -> OverQuota | None:
        """The refusal for whoever sent too many payments that failed."""
        for who in _who(client, payer):
            # Asked without counting: only a failure costs a try.
            spent = self._counters.spend(FAILED, who, 0)
            if spent.remaining <= 0:
                return _over(FAILED, spent, "failed payments in ten minutes")
        return None

    def reverting(self, client_key: bytes, payer: str) -> OverQuota | None:
        """The refusal for whoever let too many payments revert.

        A person who pays elsewhere is not asked to pay for it.
        """
        for who in _who(client_key.hex(), payer):
            spent = self._counters.spend(REVERTED, who, 0)
            if spent.remaining <= 0:
                detail = (
                    f"{REVERTED.quota} payments of this payer or client were mined and did not pay; the next is"
                    f" possible in {spent.reset} seconds."
                )
                return OverQuota(REVERTED, detail, spent.reset)
        return None

    def revert(self, client_key: bytes, payer: str) -> None:
        """Count a payment that was mined and did not pay."""
        for who in _who(client_key.hex(), payer):
            self._counters.spend(REVERTED, who)

    def spoil(self, client: str, payer: str) -> None:
        """Count a verification that failed."""
        for who in _who(client, payer):
            self._counters.spend(FAILED, who)


class ConcurrencyLimit:
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
        # Forgotten with its last request, or every address that ever asked would stay in memory.
        else:
            del self._gates[client]


def should_pause(failures: Sequence[Failure]) -> bool:
    """Whether failures speak against a rail, and not against one wallet: several payers, from several clients."""
    # See "One wallet does not pause a rail" in docs/decisions/payments.md.
    return (
        len({failure.payer for failure in failures}) >= REVERTS
        and len({failure.client_key for failure in failures}) >= REVERTS
    )


def next_pause(last: Pause | None, now: int) -> int:
    """Seconds that a rail pauses by itself, given its last pause."""
    # A pause without an end was ordered by a person or a jump of the price, and says nothing about these failures.
    if last is None or not last.until or now - last.until > MAX_PAUSE_S:
        return FIRST_PAUSE
    return min(2 * (last.until - last.since), MAX_PAUSE_S)


def _who(client: str, payer: str) -> tuple[str, ...]:
    return (client, f"payer:{payer}") if payer else (client,)


def _over(limit: Limit, spent: LimitState, what: str) -> OverQuota:
    return OverQuota(
        limit,
        f"{limit.quota} {what} came from this client; the next is possible in {spent.reset} seconds.",
        spent.reset,
    )
