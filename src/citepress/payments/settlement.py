"""The way of money: one signed request, from the header's content to the stored result.

Read it from the top: ``look`` understands and compares (nothing is written), ``take`` claims, verifies, journals, sends, reconciles and settles.
Whatever moves a payment asks ``handshake.step`` first. What a row means for the buyer is said by ``answers``, where results leave from settled rows alone.
"""

import json
import logging
from collections.abc import Callable
from dataclasses import replace
from functools import partial

from citepress.base import clock as house_clock
from citepress.payments import terms, wire
from citepress.payments.answers import IN_PROGRESS, Answers
from citepress.payments.attempt import PaymentAttempt, attempt_of, call_driver, is_for, renewed_lease
from citepress.payments.fees import SLACK
from citepress.payments.handshake import HandshakeEvent, Stage, step
from citepress.payments.limits import Quotas
from citepress.payments.open_rails import RailRegistry
from citepress.payments.outcomes import Order, Outcome, OverQuota, RefusedAnswer, Unavailable
from citepress.payments.ports import (
    AWAITED,
    FINAL,
    MISSING,
    Acquired,
    AlreadyClaimed,
    CannotSucceed,
    Clock,
    DuplicatePayment,
    DuplicatePurchase,
    Expired,
    Journal,
    LeaseLost,
    Ledger,
    Paid,
    PaymentClaim,
    PaymentRefused,
    Pending,
    Plan,
    Probe,
    Proven,
    QuoteTaken,
    Sent,
    State,
    Unreachable,
    Verified,
)
from citepress.payments.quotes import RAIL_RETRY

LOOK_EVERY = 0.1
"""Seconds between two looks at a row that another process works on, and the first pause between two looks at the chain."""
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


class Settlement:
    """Takes signed requests; synchronous and safe to share between threads. Every method raises ``StoreUnavailable``."""

    def __init__(
        self, ledger: Ledger, stands: RailRegistry, quotas: Quotas, clock: Clock, owner: str, probe: Probe, pause: Callable[[float], object]
    ) -> None:
        """``owner`` names this process among those that share the ledger; ``pause`` sleeps for some seconds."""
        self._ledger, self._stands, self._quotas = ledger, stands, quotas
        self._clock, self._owner, self._probe, self._pause = clock, owner, probe, pause
        self._say = Answers(ledger, clock)

    # Understanding: steps 2 to 7 of the design, nothing is written

    def look(self, order: Order, signature: wire.Signature) -> Outcome | PaymentAttempt:
        """The answer, where the ledger has it or the payment is no good; else the job to do."""
        quote = self._ledger.quote(signature.quote_id) if signature.quote_id else None
        if quote is None:
            return RefusedAnswer("unknown_quote", "No such quote is kept; here are new terms.")
        if not is_for(quote, order):
            return RefusedAnswer(
                "body_mismatch", "The quote is for another product, lane or body; repeat the very bytes that it was made for."
            )
        entry = terms.chosen(signature.accepted, quote.entries)
        if entry is None:
            return self._say.refused(quote, "terms_mismatch", "`accepted` is none of the entries of its quote.")
        stand = self._stands.of(entry["extra"]["rail"])
        if stand is None:
            return self._say.closed(quote, signature.payload)
        payload = signature.payload
        identity = call_driver(lambda: stand.driver.identify(entry, payload), BAD)
        if isinstance(identity, PaymentRefused):
            return self._say.refused(quote, identity.reason, identity.detail)
        return self._known_or_checked(attempt_of(order, quote, entry, payload, stand, identity))

    def _known_or_checked(self, job: PaymentAttempt) -> Outcome | PaymentAttempt:
        """What the ledger knows of the payment; else whether its times, amounts and signature are good."""
        row = self._ledger.payment(job.key)
        if row and (known := self._say.known(job, row)):
            return known
        if row and row.state is State.SENT:  # money may have moved: no clock stops it now
            return job
        checked = call_driver(lambda: job.stand.driver.check(job.entry, job.payload, self._clock()), BAD)
        if isinstance(checked, PaymentRefused):
            return self._say.refused(job.quote, checked.reason, checked.detail)
        return replace(job, proven=isinstance(checked, Proven))

    # Doing: steps 8 and 9

    def take(self, job: PaymentAttempt) -> Outcome:
        """Claim the payment and bring it to its end, or as far as it gets while it holds."""
        if (barred := self._barred(job)) and not self._is_sent(job):
            return barred
        return self._claimed(job, house_clock.seconds() + job.hold)

    def resume(self, job: PaymentAttempt) -> Outcome:
        """One look at a payment that was left behind."""
        return self._claimed(job, house_clock.seconds())

    def _barred(self, job: PaymentAttempt) -> Unavailable | OverQuota | None:
        """Why nothing may be begun now; whoever has sent money is served all the same."""
        pause = self._stands.paused(job.stand)
        if pause and pause.now and not job.stand.native:
            return Unavailable("rail_unavailable", "This rail is paused; nothing was charged.", RAIL_RETRY)
        if job.stand.fees and job.stand.fees.too_dear(job.quote.usd_micros, SLACK):
            return Unavailable("rail_unavailable", "The network fee rose above what this sale can bear; nothing was charged.", RAIL_RETRY)
        if not job.stand.native and (over := self._quotas.reverting(job.quote.client_key, job.proven_payer)):
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
                step(Stage.OPEN if state is State.CLAIMED else Stage.SENT, HandshakeEvent.CLAIM_WON)
                work = self._verified if state is State.CLAIMED else self._watched
                with renewed_lease(self._ledger, claim, self._clock):
                    return work(job, claim, until)
            case AlreadyClaimed(row):
                return self._say.known(job, row) or self._awaited(job, until)
            case QuoteTaken(other):
                self._note_if_arrived(job, "quote_already_paid")
                return self._say.taken(job, other)
            case DuplicatePurchase(other):
                return self._say.prior(job, other)
            case Expired():
                self._note_if_arrived(job, "claimed_too_late")
                return RefusedAnswer("quote_expired", "The quote is too old to be claimed; here are new terms.")

    def _verified(self, job: PaymentAttempt, claim: PaymentClaim, until: float) -> Outcome:
        """A claim that nothing was sent for yet: ask the chain, then send, or settle what the buyer sent by himself."""
        verdict = call_driver(lambda: job.stand.driver.verify(job.entry, job.payload), SILENT)
        self._probe("verify")
        match verdict:
            case PaymentRefused(reason, detail, payer):
                self._leave(claim, HandshakeEvent.REFUSED)
                self._quotas.spoil(job.client, job.proven_payer)
                if reason in ARRIVED:
                    self._note(job, reason, payer)
                return self._say.refused(job.quote, reason, detail)
            case Unreachable():
                self._leave(claim, HandshakeEvent.UNREACHABLE)
                return Unavailable("rail_unavailable", "The chain does not answer; nothing was charged.", RAIL_RETRY)
            case Pending(tx, payer):
                self._leave(claim, HandshakeEvent.NOT_FINAL)
                return self._say.pending(job, tx, payer)
            case Verified(payer, tx) if job.stand.native:
                return self._settled(job, Stage.CLAIMED, HandshakeEvent.PROVEN, Paid(tx, payer))
            case Verified(payer):
                return self._sent(job, claim, payer, until)

    def _sent(self, job: PaymentAttempt, claim: PaymentClaim, payer: str, until: float) -> Outcome:
        """Journal and send; from the journal on, only the chain says what became of it."""
        journal = AttemptJournal(partial(self._journal, claim, payer))
        step(Stage.CLAIMED, HandshakeEvent.JOURNALED)
        try:
            call_driver(lambda: job.stand.driver.send(job.entry, job.payload, journal), None)
        except DuplicatePayment as guarded:
            self._leave(claim, HandshakeEvent.GUARDED)
            return self._say.prior(job, guarded.other)
        except LeaseLost:
            return self._awaited(job, until)
        if not journal.written:
            self._leave(claim, HandshakeEvent.UNREACHABLE)
            return Unavailable("rail_unavailable", "The payment could not be sent; nothing was charged.", RAIL_RETRY)
        return self._watched(job, claim, until)

    def _watched(self, job: PaymentAttempt, claim: PaymentClaim, until: float) -> Outcome:
        """A payment that is sent: look at the chain until it is decided or the hold is over."""
        journal, wait = partial(self._journal, claim, job.payer), LOOK_EVERY
        while True:
            truth = self._truth(job, journal)
            match truth:
                case Paid():
                    return self._settled(job, Stage.SENT, HandshakeEvent.PAID, truth)
                case CannotSucceed():
                    return self._failed(job, truth)
            step(Stage.SENT, HandshakeEvent.UNDECIDED)
            if house_clock.seconds() + wait > until:
                self._ledger.lapse(claim)
                return self._say.undecided(job)
            self._pause(wait)
            wait = min(2 * wait, SLOWEST_LOOK)

    def _truth(self, job: PaymentAttempt, journal: Journal) -> Paid | Pending | CannotSucceed | Unreachable:
        sent = self._ledger.sent(job.key)
        try:
            return call_driver(lambda: job.stand.driver.reconcile(job.entry, job.payload, sent, journal), SILENT)
        except LeaseLost:  # another process took over and does the same
            return SILENT

    def confirm(self, job: PaymentAttempt) -> None:
        """Whether the transfer of a settled payment is final; what a reorganisation undid is sent again, or the operator is told."""
        claim = self._ledger.reclaim(job.key, self._owner, self._clock())
        if claim is None:
            return
        journal, sent = partial(self._journal, claim, job.payer), self._ledger.sent(job.key)
        with renewed_lease(self._ledger, claim, self._clock):
            try:
                told = call_driver(lambda: job.stand.driver.confirm(job.entry, job.payload, sent, journal), SILENT)
            except LeaseLost:
                return
        now = self._clock()
        match told:
            case Paid(tx, _, fee):
                self._ledger.confirmed(claim, FINAL, now, tx=tx, fee=fee)
            case CannotSucceed(reason, tx, fee):
                log.error("a reorganisation undid a payment over %s for good (%s): %s", job.stand.slug, reason, job.key)
                self._ledger.confirmed(claim, MISSING, now, tx=tx, reason=reason, fee=fee)
            case _:
                self._ledger.confirmed(claim, AWAITED, now + CONFIRM_AGAIN)

    def waiting(self, job: PaymentAttempt) -> Outcome:
        """The answer while the work on a payment goes on elsewhere."""
        return self._say.waiting(job)

    def _note_if_arrived(self, job: PaymentAttempt, reason: str) -> None:
        """A native transfer that was made for terms which sell nothing any more: the operator may want to return it."""
        if not job.stand.native or self._quotas.spoiled(job.client, ""):
            return
        self._quotas.spoil(job.client, "")
        told = call_driver(lambda: job.stand.driver.verify(job.entry, job.payload), SILENT)
        if isinstance(told, Verified):
            self._note(job, reason, told.payer)
        elif isinstance(told, PaymentRefused) and told.reason in ARRIVED:
            self._note(job, told.reason, told.payer)

    def _note(self, job: PaymentAttempt, reason: str, payer: str) -> None:
        """Write down a transfer that came to us and bought nothing."""
        tx = job.key.rpartition("|")[2]
        self._ledger.note(
            job.key, job.quote.id, job.stand.slug, UNMATCHED, f"{reason}; from {payer}" if payer else reason, tx, self._clock()
        )

    # Writing: what ends a claim or a payment

    def _journal(self, claim: PaymentClaim, payer: str, plan: Plan) -> Sent:
        return self._ledger.journal(claim, plan, payer, self._clock())

    def _leave(self, claim: PaymentClaim, event: HandshakeEvent) -> None:
        """Nothing was sent: the quote is open again."""
        step(Stage.CLAIMED, event)
        self._ledger.release(claim)

    def _settled(self, job: PaymentAttempt, stage: Stage, event: HandshakeEvent, paid: Paid) -> Outcome:
        step(stage, event)
        response = wire.settled(job.entry, paid.tx, paid.payer, job.quote.salt)
        try:
            finality = FINAL if job.stand.is_final else AWAITED
            told = json.dumps(response)
            row = self._ledger.settle(job.key, job.quote.id, paid.tx, paid.payer, told, self._clock(), finality, paid.fee)
        except LeaseLost:  # a proof whose claim lapsed meanwhile: whoever has it now finds the same on the chain
            return IN_PROGRESS
        self._probe("settle")
        return self._say.final(job.quote, row, replay=False)

    def _failed(self, job: PaymentAttempt, truth: CannotSucceed) -> Outcome:
        step(Stage.SENT, HandshakeEvent.IMPOSSIBLE)
        response = wire.unsettled(job.entry, truth.reason, truth.tx, job.payer)
        row = self._ledger.fail(job.key, truth.reason, json.dumps(response), self._clock(), tx=truth.tx, fee=truth.fee)
        if truth.tx:
            self._quotas.revert(job.quote.client_key, job.payer)
            self._stands.reverted(job.stand)
        return self._say.final(job.quote, row)

    def _awaited(self, job: PaymentAttempt, until: float) -> Outcome:
        """Another process works on it: look at its row until it is final, or claim the payment when it was left."""
        while house_clock.seconds() + LOOK_EVERY < until:
            self._pause(LOOK_EVERY)
            row = self._ledger.payment(job.key)
            if row is None or row.is_left(self._clock()):
                return self._claimed(job, until)
            if known := self._say.known(job, row):
                return known
        return self._say.waiting(job)


class AttemptJournal:
    """The journal of one attempt, which remembers whether it was written."""

    def __init__(self, write: Journal) -> None:
        self._write = write
        self.written = False

    def __call__(self, plan: Plan) -> Sent:
        """Write a broadcast; see ``ports.Journal``."""
        sent = self._write(plan)
        self.written = True
        return sent
