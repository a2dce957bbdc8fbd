"""Settlement: one signed request, from the content of its header to the stored result.

Read it from the top: ``look`` understands and compares (nothing is written), ``take`` claims, verifies, journals,
sends, reconciles and settles. ``answers`` decides what a row means for the buyer; results leave from settled rows only.
``packages/citepress-payments/tests/test_settlement_states.py`` is the table of all states.
"""

import json
import logging
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

from citepress.base import clock as house_clock
from citepress_payments import terms, wire
from citepress_payments.answers import IN_PROGRESS, Answers
from citepress_payments.attempt import PaymentAttempt, attempt_of, call_driver, is_for, renewed_lease
from citepress_payments.fees import SHARE_SLACK
from citepress_payments.limits import Quotas
from citepress_payments.open_rails import RailRegistry
from citepress_payments.outcomes import Order, Outcome, OverQuota, RefusedAnswer, Unavailable
from citepress_payments.ports.chain import (
    CannotSucceed,
    ChainTruth,
    DuplicatePayment,
    JournalWrite,
    LeaseLost,
    Paid,
    PaymentRefused,
    Pending,
    Plan,
    Proven,
    Sent,
    Unreachable,
    Verified,
)
from citepress_payments.ports.prices import Clock, ProbePoint
from citepress_payments.ports.rows import (
    AWAITED,
    FINAL,
    MISSING,
    Acquired,
    AlreadyClaimed,
    DuplicatePurchase,
    Expired,
    PaymentClaim,
    QuoteTaken,
    State,
)
from citepress_payments.quotes import RAIL_RETRY
from citepress_payments.stores.ledger import SqlLedger

LOOK_EVERY = 0.1
"""Seconds between two looks at a row that another process works on, and the first pause between two looks at the
chain."""
SLOWEST_LOOK = 1.0
CONFIRM_AGAIN = 60
"""Seconds between two looks at a settled payment that is not final."""
log = logging.getLogger(__name__)
UNMATCHED = "unmatched"
"""In the history: a transfer that came to us and bought nothing."""
ARRIVED = ("paid_too_late", "amount_mismatch")
"""Refusals of native transfers that came to us all the same."""
BAD = PaymentRefused("invalid_payload", "the proof could not be read")
SILENT = Unreachable("the driver failed")


@dataclass(frozen=True, slots=True)
class Timer:
    """Measures how long a request has waited, and waits."""

    seconds: Callable[[], float] = house_clock.seconds
    """Seconds that never step backwards."""
    pause: Callable[[float], object] = time.sleep
    """Sleeps for some seconds."""


class Settlement:
    """Takes signed requests; synchronous and safe to share between threads.

    Every method raises ``StoreUnavailable``.
    """

    def __init__(
        self,
        ledger: SqlLedger,
        rails: RailRegistry,
        quotas: Quotas,
        clock: Clock,
        owner: str,
        probe: ProbePoint,
        timer: Timer,
    ) -> None:
        """``owner`` names this process among those that share the ledger."""
        self._ledger, self._rails, self._quotas = ledger, rails, quotas
        self._clock, self._owner, self._probe, self._timer = clock, owner, probe, timer
        self._answers = Answers(ledger, clock)

    # Understanding: steps 2 to 7 of the design, nothing is written

    def look(self, order: Order, signature: wire.Signature) -> Outcome | PaymentAttempt:
        """The answer, where the ledger has it or the payment is refused; else the attempt to make."""
        quote = self._ledger.quote(signature.quote_id) if signature.quote_id else None
        # A quote that expired long ago is deleted, and a payment for it could no longer be matched to a body.
        if quote is None:
            return RefusedAnswer("unknown_quote", "There is no such quote; here are new terms.")
        if not is_for(quote, order):
            return RefusedAnswer(
                "body_mismatch",
                "The quote is for another product, lane or body; repeat the very bytes that it was made for.",
            )
        # Compared as a whole: a buyer who changed one member of the terms has signed something that we never offered.
        entry = terms.chosen_entry(signature.accepted, quote.entries)
        if entry is None:
            return self._answers.refused(quote, "terms_mismatch", "`accepted` is none of the entries of its quote.")
        rail = self._rails.of(entry["extra"]["rail"])
        if rail is None:
            return self._answers.closed(quote, signature.payload)
        payload = signature.payload
        # From our entry and the proof alone, in one spelling, so that two spellings of a proof cannot claim two rows.
        identity = call_driver(lambda: rail.driver.identify(entry, payload), BAD)
        if isinstance(identity, PaymentRefused):
            return self._answers.refused(quote, identity.reason, identity.detail)
        return self._decided_or_checked(attempt_of(order, quote, entry, payload, rail, identity))

    def _decided_or_checked(self, job: PaymentAttempt) -> Outcome | PaymentAttempt:
        """What the ledger knows of the payment; else whether its times, amounts and signature are good."""
        # The ledger is asked before any clock: a paid request that is repeated is answered although its times are over.
        row = self._ledger.payment(job.key)
        if row and (decided := self._answers.decided(job, row)):
            return decided
        if row and row.state is State.SENT:  # money may have moved: no clock stops it now
            return job
        checked = call_driver(lambda: job.rail.driver.check(job.entry, job.payload, self._clock()), BAD)
        if isinstance(checked, PaymentRefused):
            return self._answers.refused(job.quote, checked.reason, checked.detail)
        return replace(job, proven=isinstance(checked, Proven))

    # Doing: steps 8 and 9

    def take(self, job: PaymentAttempt) -> Outcome:
        """Claim the payment and bring it to its end, or as far as it gets while it holds."""
        if (barred := self._barred(job)) and not self._is_sent(job):
            return barred
        return self._claimed(job, self._timer.seconds() + job.hold)

    def resume(self, job: PaymentAttempt) -> Outcome:
        """One look at a payment that was left behind."""
        return self._claimed(job, self._timer.seconds())

    def _barred(self, job: PaymentAttempt) -> Unavailable | OverQuota | None:
        """Why nothing may be begun now; whoever has sent money is served all the same."""
        pause = self._rails.paused(job.rail)
        # A native buyer has sent the coin before asking, so no pause may refuse the claim.
        if pause and pause.now and not job.rail.native:
            return Unavailable("rail_unavailable", "This rail is paused; nothing was charged.", RAIL_RETRY)
        # With some slack, for the terms were given at another fee. See "A rail closes when gas costs more than its
        # share" in docs/decisions/payments.md.
        if job.rail.fees and job.rail.fees.too_dear(job.quote.usd_micros, SHARE_SLACK):
            return Unavailable(
                "rail_unavailable", "The network fee is too high for this sale; nothing was charged.", RAIL_RETRY
            )
        # Only what we send ourselves burns our gas. See "One wallet does not pause a rail" in
        # docs/decisions/payments.md.
        if not job.rail.native and (over := self._quotas.reverting(job.quote.client_key, job.proven_payer)):
            return over
        return self._quotas.spoiled(job.client, job.proven_payer)

    def _is_sent(self, job: PaymentAttempt) -> bool:
        row = self._ledger.payment(job.key)
        return row is not None and row.state is not State.CLAIMED

    def _claimed(self, job: PaymentAttempt, until: float) -> Outcome:
        outcome = self._ledger.claim(job.key, job.quote.id, job.facts(), self._owner, self._clock())
        match outcome:
            case Acquired(claim, state):
                self._probe("claim")
                work = self._verified if state is State.CLAIMED else self._watched
                with renewed_lease(self._ledger, claim, self._clock):
                    return work(job, claim, until)
            case AlreadyClaimed(row):
                return self._answers.decided(job, row) or self._awaited(job, until)
            case QuoteTaken(other):
                # Coin that was sent for a quote which another payment took: the operator has to see it.
                self._note_if_arrived(job, "quote_already_paid")
                return self._answers.claimed_elsewhere(job, other)
            # A client that timed out usually asks for new terms and signs anew: it gets the first purchase and pays
            # once.
            case DuplicatePurchase(other):
                return self._answers.prior(job, other)
            case Expired():
                self._note_if_arrived(job, "claimed_too_late")
                return RefusedAnswer("quote_expired", "The quote is too old to be claimed; here are new terms.")

    def _verified(self, job: PaymentAttempt, claim: PaymentClaim, until: float) -> Outcome:
        """A claim that nothing was sent for yet: ask the chain, then send, or settle what the buyer sent by himself."""
        verdict = call_driver(lambda: job.rail.driver.verify(job.entry, job.payload), SILENT)
        self._probe("verify")
        match verdict:
            case PaymentRefused(reason, detail, payer):
                self._ledger.release(claim)
                # By what a signature proved: whoever writes another's address must not use up the tries of that one.
                self._quotas.spoil(job.client, job.proven_payer)
                # The transfer is on the chain although it buys nothing: the operator finds it among the refunds.
                if reason in ARRIVED:
                    self._note(job, reason, payer)
                return self._answers.refused(job.quote, reason, detail)
            case Unreachable():
                self._ledger.release(claim)
                return Unavailable("rail_unavailable", "The chain does not answer; nothing was charged.", RAIL_RETRY)
            # Nothing of ours is on the chain yet, so another process may look at the same proof.
            case Pending(tx, payer):
                self._ledger.release(claim)
                return self._answers.pending(job, tx, payer)
            # The transfer is on the chain already: there is nothing to journal and nothing to send.
            case Verified(payer, tx) if job.rail.native:
                return self._settled(job, Paid(tx, payer))
            case Verified(payer):
                return self._sent(job, claim, payer, until)

    def _sent(self, job: PaymentAttempt, claim: PaymentClaim, payer: str, until: float) -> Outcome:
        """Journal and send; from the journal on, only the chain decides."""
        journal = AttemptJournal(partial(self._journal, claim, payer))
        try:
            call_driver(lambda: job.rail.driver.send(job.entry, job.payload, journal), None)
        except DuplicatePayment as guarded:
            self._ledger.release(claim)
            return self._answers.prior(job, guarded.other)
        # The journal refused, so nothing left this process; the one that took over does the sending.
        except LeaseLost:
            return self._awaited(job, until)
        # Nothing was journaled, so no byte left: the same authorization may be tried again.
        if not journal.written:
            self._ledger.release(claim)
            return Unavailable("rail_unavailable", "The payment could not be sent; nothing was charged.", RAIL_RETRY)
        return self._watched(job, claim, until)

    def _watched(self, job: PaymentAttempt, claim: PaymentClaim, until: float) -> Outcome:
        """A payment that is sent: look at the chain until it is decided or the hold is over."""
        journal, wait = partial(self._journal, claim, job.payer), LOOK_EVERY
        while True:
            truth = self._truth(job, journal)
            match truth:
                case Paid():
                    return self._settled(job, truth)
                case CannotSucceed():
                    return self._failed(job, truth)
            # The buyer's client would give up soon; the recovery of any process goes on from the journal.
            # See "Release the lease once a payment is broadcast" in docs/decisions/payments.md.
            if self._timer.seconds() + wait > until:
                self._ledger.lapse(claim)
                return self._answers.undecided(job)
            self._timer.pause(wait)
            # Fast chains answer within a second, slow ones are not asked five times as often for it.
            wait = min(2 * wait, SLOWEST_LOOK)

    def _truth(self, job: PaymentAttempt, journal: JournalWrite) -> ChainTruth:
        sent = self._ledger.sent(job.key)
        try:
            return call_driver(lambda: job.rail.driver.reconcile(job.entry, job.payload, sent, journal), SILENT)
        except LeaseLost:  # another process took over and does the same
            return SILENT

    def confirm(self, job: PaymentAttempt) -> None:
        """Check whether the transfer of a settled payment is final.

        What a reorganisation undid is sent again, or reported to the operator.
        """
        # What a reorganisation undid is sent again: without a claim two processes would each journal it.
        claim = self._ledger.reclaim(job.key, self._owner, self._clock())
        if claim is None:
            return
        journal, sent = partial(self._journal, claim, job.payer), self._ledger.sent(job.key)
        with renewed_lease(self._ledger, claim, self._clock):
            try:
                outcome = call_driver(lambda: job.rail.driver.confirm(job.entry, job.payload, sent, journal), SILENT)
            except LeaseLost:
                return
        now = self._clock()
        match outcome:
            case Paid(tx, _, fee):
                self._ledger.confirmed(claim, FINAL, now, tx=tx, fee=fee)
            case CannotSucceed(reason, tx, fee):
                # Goods were delivered for it, so a person has to know.
                # See "A settled sale stays settled" in docs/decisions/payments.md.
                log.error("a reorganisation undid a payment over %s for good (%s): %s", job.rail.slug, reason, job.key)
                self._ledger.confirmed(claim, MISSING, now, tx=tx, reason=reason, fee=fee)
            case _:
                self._ledger.confirmed(claim, AWAITED, now + CONFIRM_AGAIN)

    def waiting(self, job: PaymentAttempt) -> Outcome:
        """The answer while the work on a payment goes on elsewhere."""
        return self._answers.waiting(job)

    def _note_if_arrived(self, job: PaymentAttempt, reason: str) -> None:
        """A native transfer that was made for terms which sell nothing any more: the operator may want to return it."""
        # Each look asks the chain, so a client may cause only so many of them with proofs that buy nothing.
        if not job.rail.native or self._quotas.spoiled(job.client, ""):
            return
        self._quotas.spoil(job.client, "")
        verdict = call_driver(lambda: job.rail.driver.verify(job.entry, job.payload), SILENT)
        if isinstance(verdict, Verified):
            self._note(job, reason, verdict.payer)
        elif isinstance(verdict, PaymentRefused) and verdict.reason in ARRIVED:
            self._note(job, verdict.reason, verdict.payer)

    def _note(self, job: PaymentAttempt, reason: str, payer: str) -> None:
        """Write down a transfer that came to us and bought nothing."""
        # The key of a native payment ends with its transaction.
        tx = job.key.rpartition("|")[2]
        self._ledger.note(
            job.key,
            job.quote.id,
            job.rail.slug,
            UNMATCHED,
            f"{reason}; from {payer}" if payer else reason,
            tx,
            self._clock(),
        )

    # Writing: what ends a claim or a payment

    def _journal(self, claim: PaymentClaim, payer: str, plan: Plan) -> Sent:
        return self._ledger.journal(claim, plan, payer, self._clock())

    def _settled(self, job: PaymentAttempt, paid: Paid) -> Outcome:
        response = wire.settled_response(job.entry, paid.tx, paid.payer, job.quote.salt)
        try:
            finality = FINAL if job.rail.is_final else AWAITED
            text = json.dumps(response)
            # Without the claim, because the chain has the transfer: whoever writes this first writes the same as the
            # others.
            row = self._ledger.settle(
                job.key, job.quote.id, paid.tx, paid.payer, text, self._clock(), finality, paid.fee
            )
        except LeaseLost:  # a proof whose claim lapsed meanwhile: whoever has it now finds the same on the chain
            return IN_PROGRESS
        self._probe("settle")
        return self._answers.final(job.quote, row, replay=False)

    def _failed(self, job: PaymentAttempt, truth: CannotSucceed) -> Outcome:
        response = wire.failed_response(job.entry, truth.reason, truth.tx, job.payer)
        row = self._ledger.fail(job.key, truth.reason, json.dumps(response), self._clock(), tx=truth.tx, fee=truth.fee)
        if truth.tx:
            # A transfer that reverts costs us gas, so whoever causes it repeatedly has to wait.
            self._quotas.revert(job.quote.client_key, job.payer)
            self._rails.reverted(job.rail)
        return self._answers.final(job.quote, row)

    def _awaited(self, job: PaymentAttempt, until: float) -> Outcome:
        """Another process works on it: look at its row until it is final, or claim the payment when it was left."""
        while self._timer.seconds() + LOOK_EVERY < until:
            self._timer.pause(LOOK_EVERY)
            row = self._ledger.payment(job.key)
            # Its owner gave it up or died: taken over at once, instead of telling the buyer to come again.
            if row is None or row.is_left(self._clock()):
                return self._claimed(job, until)
            if decided := self._answers.decided(job, row):
                return decided
        return self._answers.waiting(job)


class AttemptJournal:
    """The journal of one attempt, which remembers whether it was written."""

    def __init__(self, write: JournalWrite) -> None:
        self._write = write
        self.written = False

    def __call__(self, plan: Plan) -> Sent:
        """Write a broadcast; see ``ports.Journal``."""
        sent = self._write(plan)
        self.written = True
        return sent
