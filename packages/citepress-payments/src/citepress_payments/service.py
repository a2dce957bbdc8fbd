"""The payment service: quotes results and serves paid ones, without a word of HTTP."""

import asyncio
import logging
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeVar

from citepress.contract.limits import Limit, LimitState
from citepress.contract.store import StoreUnavailable
from citepress_payments import wire
from citepress_payments.attempt import PaymentAttempt
from citepress_payments.limits import PREFLIGHTS, PREPARE_WAIT, PREPARED_AT_ONCE, SIGNED, ConcurrencyLimit, Quotas
from citepress_payments.open_rails import RailRegistry
from citepress_payments.outcomes import NotSellable, Order, Outcome, OverQuota, RefusedAnswer, Terms, Unavailable
from citepress_payments.pool import Pool
from citepress_payments.quotes import Quotes
from citepress_payments.rails import Lane
from citepress_payments.settlement import Settlement

PREPARE_SECONDS, OFFER_SECONDS = 5.0, 20.0
"""For which a result is computed, and its price made."""
LOOK_SECONDS = 15.0
"""For which an answer waits for the ledger."""
FULL = Unavailable(
    "rail_unavailable", "Too many settlements are under way; nothing was charged. Send the same request again.", 5
)
TOO_LONG = Unavailable("unavailable", "The result took too long to compute; nothing was charged.", 30)
UNPRICED = Unavailable("rail_unavailable", "The terms took too long to make; nothing was charged.", 30)
THREADS = 8
"""Of those that read the ledger for signed requests, that compute results, and that ask for prices: none waits for
another sort's work."""
T = TypeVar("T")
log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class QuotaState:
    """What a client has left of one limit, and the refusal where that is nothing."""

    limit: Limit
    spent: LimitState
    over: OverQuota | None


class PaymentService:
    """Sells results: the two steps of the handshake, each as one call."""

    def __init__(self, quotes: Quotes, settlement: Settlement, quotas: Quotas, rails: RailRegistry, pool: Pool) -> None:
        self._quotes, self._settlement, self._quotas, self._rails, self._pool = quotes, settlement, quotas, rails, pool
        self._concurrency = ConcurrencyLimit()
        self._readers, self._makers, self._pricers = (
            ThreadPoolExecutor(THREADS, name) for name in ("signed", "preflight", "priced")
        )

    def sells(self, lane: Lane, slug: str) -> bool:
        """Whether a lane has this rail, or any where none is named."""
        return self._rails.lists(lane, slug)

    def spend(self, client: str, *, signed: bool) -> QuotaState:
        """Count a request, first of all."""
        limit = SIGNED if signed else PREFLIGHTS
        return QuotaState(limit, *(self._quotas.signed if signed else self._quotas.preflight)(client))

    async def preflight(self, order: Order) -> Outcome:
        """An unsigned request: compute, and offer terms if there is something to sell.

        Specification, "States and transitions".
        """
        try:
            return await self._offered(order)
        except StoreUnavailable as away:
            return _away(away)

    async def signed(self, order: Order, fields: Sequence[bytes]) -> Outcome:
        """A request with PAYMENT-SIGNATURE; ``fields`` are the values of that header.

        What is begun goes on when the caller is cancelled.
        """
        try:
            signature = wire.signature(fields)
        except wire.MalformedError as malformed:
            return await self._anew(order, RefusedAnswer("invalid_payload", f"{malformed}."))
        try:
            outcome = await self._read(partial(self._settlement.look, order, signature))
            if isinstance(outcome, PaymentAttempt):
                outcome = await self._settled(outcome)
        except StoreUnavailable as away:
            return _away(away)
        return (
            await self._anew(order, outcome)
            if isinstance(outcome, RefusedAnswer) and outcome.quote is None
            else outcome
        )

    def close(self) -> None:
        """End the threads; what runs is finished."""
        for threads in (self._readers, self._makers, self._pricers):
            threads.shutdown(wait=False, cancel_futures=True)
        self._pool.close()

    async def _settled(self, job: PaymentAttempt) -> Outcome:
        future = self._pool.start(job.same, partial(self._settlement.take, job))
        if future is None:
            return FULL
        done, _ = await asyncio.wait(
            {asyncio.wrap_future(future)}, timeout=job.hold
        )  # neither a time-out nor a cancellation ends the work
        return done.pop().result() if done else await self._read(partial(self._settlement.waiting, job))

    async def _read(self, work: Callable[[], T]) -> T:
        """An answer of the ledger; nothing is written.

        Raises ``StoreUnavailable``, too where it does not say it in time.
        """
        try:
            return await asyncio.wait_for(_in(self._readers, work), LOOK_SECONDS)
        # Looking changes nothing, so whoever is told to come again risks nothing.
        except TimeoutError:
            raise StoreUnavailable(f"no answer in {LOOK_SECONDS:.0f} seconds") from None

    async def _anew(self, order: Order, refused: RefusedAnswer) -> Outcome:
        """A refusal with new terms for the same body; any other outcome of the unsigned path wins."""
        # New terms count as a preflight, or refused signatures would be a way around its limit.
        over = self._quotas.preflight(order.client)[1]
        outcome = over or await self.preflight(order)
        return replace(refused, quote=outcome.quote) if isinstance(outcome, Terms) else outcome

    async def _offered(self, order: Order) -> Outcome:
        async with self._concurrency.of(order.client) as mine:
            if not mine:
                return OverQuota(
                    PREFLIGHTS, f"{PREPARED_AT_ONCE} requests of this client are being prepared.", PREPARE_WAIT
                )
            try:
                result = await asyncio.wait_for(_in(self._makers, order.prepare), PREPARE_SECONDS)
            except TimeoutError:
                log.warning("a result of %s took longer than %.0f seconds", order.product, PREPARE_SECONDS)
                return TOO_LONG
        return result if isinstance(result, NotSellable) else await self._priced(order, result)

    async def _priced(self, order: Order, result: bytes) -> Outcome:
        # Prices come from outside: a slow source must not hold up the rails that need none.
        threads = self._makers if order.lane is Lane.FIXED else self._pricers
        try:
            return await asyncio.wait_for(_in(threads, partial(self._quotes.offer, order, result)), OFFER_SECONDS)
        except TimeoutError:
            log.warning("terms for %s took longer than %.0f seconds", order.product, OFFER_SECONDS)
            return UNPRICED


async def _in(threads: ThreadPoolExecutor, work: Callable[[], T]) -> T:
    return await asyncio.get_running_loop().run_in_executor(threads, work)


def _away(away: StoreUnavailable) -> Unavailable:
    log.error("the ledger does not answer: %s", away.reason)
    return Unavailable(
        "unavailable",
        "The ledger cannot be reached. If you have paid, send the same request again; do not sign again.",
        away.retry_after,
    )
