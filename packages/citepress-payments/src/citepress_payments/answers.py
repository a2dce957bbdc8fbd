"""The answer to a buyer, from the row of the payment; results leave only here, and only for settled rows."""

import json

from citepress.base.canonical import digest
from citepress_payments import wire
from citepress_payments.attempt import PaymentAttempt, entry_of, is_same
from citepress_payments.outcomes import Outcome, PendingAnswer, PurchaseResult, RefusedAnswer, Unavailable
from citepress_payments.ports.prices import Clock
from citepress_payments.ports.rows import Json, Payment, Quote, State
from citepress_payments.quote_lifetime import CLAIM_MARGIN_S
from citepress_payments.quotes import RAIL_RETRY
from citepress_payments.stores.ledger import SqlLedger
from citepress_payments.terms import evidence

FINAL = (State.SETTLED, State.FAILED)
IN_PROGRESS = Unavailable("payment_in_progress", "This payment is being verified; send the same request again.", 1)
CLOSED = Unavailable("rail_unavailable", "This rail is not open any more.", RAIL_RETRY)


class Answers:
    """Reads the ledger and writes nothing. Every method raises ``StoreUnavailable``."""

    def __init__(self, ledger: SqlLedger, clock: Clock) -> None:
        self._ledger, self._clock = ledger, clock

    def decided(self, job: PaymentAttempt, row: Payment) -> Outcome | None:
        """What a row of the same payment means; ``None`` while it is not decided.

        A claim decides nothing: a stranger may have shown the buyer's transfer for a quote of his own, and will be
        refused.
        """
        if row.state is State.CLAIMED:
            return None
        if row.quote_id != job.quote.id:
            return self.refused(job.quote, "payment_already_used", "This payment belongs to another quote.")
        if not is_same(job, row):
            return self.refused(job.quote, "evidence_mismatch", "This payment was first shown with another proof.")
        return self.final(job.quote, row) if row.state in FINAL else None

    def final(self, quote: Quote, row: Payment, *, replay: bool = True) -> Outcome:
        """The answer of a payment that is final: the stored result, or what failed."""
        response = json.loads(row.response)
        if row.state is State.SETTLED:
            return self._served(row, response, replay=replay)
        refused = self.refused(
            quote, "payment_failed", f"The payment cannot succeed any more: {row.reason}. Nothing was charged."
        )
        return RefusedAnswer(refused.code, refused.detail, refused.quote, response)

    def claimed_elsewhere(self, job: PaymentAttempt, other: Payment) -> Outcome:
        """Another payment holds the quote, so this one is never sent. The same payer's is handled by ``prior``."""
        if other.state is not State.SETTLED:
            return IN_PROGRESS
        return self.refused(
            job.quote, "quote_already_paid", "Another payment settled this quote; here are new terms.", fresh=True
        )

    def prior(self, job: PaymentAttempt, other: Payment) -> Outcome:
        """The guard: this payer pays for the same body already, or has paid; nothing is sent a second time."""
        if other.state is not State.SETTLED:
            return self._pending_other(job, other)
        paid = json.loads(other.response)
        return self._served(other, paid | {"extensions": wire.salt_extension(job.quote.salt)})

    def closed(self, quote: Quote, payload: Json) -> Outcome:
        """The rail is gone, and its driver with it: the proof that settled the quote still gets its result."""
        row = self._ledger.payment(quote.paid_by) if quote.paid_by else None
        if row and row.evidence_sha256 == digest(evidence(payload).encode()):
            return self.final(quote, row)
        return CLOSED

    def waiting(self, job: PaymentAttempt) -> Outcome:
        """The answer while the work on a payment goes on elsewhere."""
        row = self._ledger.payment(job.key)
        if row is None or row.state is State.CLAIMED:
            return IN_PROGRESS
        return self.decided(job, row) or self.undecided(job)

    def pending(self, job: PaymentAttempt, tx: str, payer: str) -> PendingAnswer:
        """Pending, with the same quote; ``tx`` is empty where no transaction is known."""
        return PendingAnswer(
            job.quote, wire.pending(job.entry, tx, payer or job.payer), job.rail.opened.rail.retry_after
        )

    def undecided(self, job: PaymentAttempt) -> PendingAnswer:
        """Pending, and it names the newest broadcast."""
        # A filler pays nobody: a buyer who looked it up would find nothing.
        sent = [broadcast.tx for broadcast in self._ledger.sent(job.key) if broadcast.tx and broadcast.kind != "filler"]
        return self.pending(job, sent[-1] if sent else "", job.payer)

    def refused(self, quote: Quote, code: str, detail: str, *, fresh: bool = False) -> RefusedAnswer:
        """A refusal that repeats its quote while that can be claimed, unless the terms have to be ``fresh``."""
        # Repeated where it can be, because new terms cost another computation and one more of the client's open quotes.
        usable = not fresh and not quote.paid_by and self._clock() < quote.expires_at - CLAIM_MARGIN_S
        return RefusedAnswer(code, detail or code.replace("_", " "), quote if usable else None)

    def _served(self, row: Payment, response: Json, *, replay: bool = True) -> Outcome:
        """The stored result of a settled payment."""
        try:
            return PurchaseResult(self._ledger.result(row.result_sha256), response, replay)
        except LookupError:  # swept since the quote was read: this operator keeps paid results for some days only
            return RefusedAnswer("unknown_quote", "The result is no longer stored; here are new terms.")

    def _pending_other(self, job: PaymentAttempt, other: Payment) -> PendingAnswer:
        """Pending, and it names the first transaction of the earlier payment."""
        quote = self._ledger.quote(other.quote_id)
        entry = entry_of(quote, other.rail) if quote else None
        sent = self._ledger.sent(other.key)
        response = wire.pending(entry or job.entry, sent[0].tx if sent else "", other.payer)
        return PendingAnswer(job.quote, response, job.rail.opened.rail.retry_after)
