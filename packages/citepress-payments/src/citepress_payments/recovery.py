"""Finishing what a process that died, or a chain that was slow, left undecided; at boot and every half minute."""

import asyncio
import json
import logging
from collections.abc import Callable
from dataclasses import dataclass

from citepress.contract.store import StoreUnavailable
from citepress_payments.attempt import PaymentAttempt, entry_of
from citepress_payments.open_rails import RailRegistry
from citepress_payments.ports.prices import Clock
from citepress_payments.ports.rows import Acquired, Payment, State
from citepress_payments.settlement import Settlement
from citepress_payments.stores.ledger import SqlLedger

EVERY = 30.0
CHECK_EVERY = 300
"""Seconds between two checks of every rail."""
AT_ONCE = 100
"""Payments that one round looks at."""
log = logging.getLogger(__name__)


@dataclass(slots=True)
class Recovery:
    """Walks payments whose owner went away, sweeps what nobody needs, and looks at the rails again."""

    ledger: SqlLedger
    settlement: Settlement
    rails: RailRegistry
    clock: Clock
    owner: str
    checked_at: int = 0

    async def run(self) -> None:
        """Round after round until cancelled."""
        while True:
            try:
                await asyncio.to_thread(self.round)
            except StoreUnavailable as away:
                log.warning("payments are looked at again later: %s", away.reason)
            except Exception:
                log.exception("a round of recovery failed")
            await asyncio.sleep(EVERY)

    def round(self) -> None:
        """Look once at everything that is due. Raises ``StoreUnavailable``."""
        now = self.clock()
        # What buyers wait for comes before what they have.
        for payment in self.ledger.due(now, AT_ONCE):
            self._try(payment, self._finish)
        for payment in self.ledger.unconfirmed(now, AT_ONCE):
            self._try(payment, self._confirm)
        self.ledger.sweep(now)
        self.rails.check_fees()
        if not 0 <= now - self.checked_at < CHECK_EVERY:  # last, for a chain that is away keeps whoever asks it waiting
            self.checked_at = now
            self.rails.check()

    def _try(self, payment: Payment, work: Callable[[Payment], None]) -> None:
        """Finish a payment; one that cannot be finished makes room for the others."""
        try:
            work(payment)
        # The store is away for all of them: the round ends, instead of failing for one after the other.
        except StoreUnavailable:
            raise
        except Exception:
            log.exception("a payment over %s could not be finished", payment.rail)
            self.ledger.postpone(payment, self.clock())

    def _finish(self, payment: Payment) -> None:
        """One payment: nothing was sent for a claimed one, so it is given up; a sent one is looked up on its chain."""
        job = self._job(payment)
        if job is None:
            self._postpone(payment)
        elif payment.state is State.CLAIMED:
            won = self.ledger.claim(job.key, job.quote.id, job.facts(), self.owner, self.clock())
            # Claimed and never journaled: nothing was sent, so the buyer may simply ask again.
            if isinstance(won, Acquired) and won.state is State.CLAIMED:
                self.ledger.release(won.claim)
        else:
            self.settlement.resume(job)

    def _confirm(self, payment: Payment) -> None:
        """A settled payment whose transfer may still be undone."""
        if job := self._job(payment):
            self.settlement.confirm(job)
        else:
            self._postpone(payment)

    def _postpone(self, payment: Payment) -> None:
        # A round looks at a hundred payments: without a new lease, those of a removed rail would fill every round.
        log.error("a payment over %s cannot be looked up: its quote or its rail was removed", payment.rail)
        self.ledger.postpone(payment, self.clock())

    def _job(self, payment: Payment) -> PaymentAttempt | None:
        quote, rail = self.ledger.quote(payment.quote_id), self.rails.of(payment.rail)
        entry = entry_of(quote, payment.rail) if quote else None
        if quote is None or rail is None or entry is None:
            return None
        payload = json.loads(payment.evidence)
        return PaymentAttempt(
            quote, entry, payload, rail, payment.key, payment.payer, payment.evidence, client="", hold=0
        )
