"""One signed request on its way to settlement, and the leases that keep other processes from it."""

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Event, Thread
from typing import TypeVar

from citepress.base.canonical import digest
from citepress.contract.store import StoreUnavailable
from citepress_payments.open_rails import OpenRail
from citepress_payments.outcomes import Order
from citepress_payments.ports.chain import DuplicatePayment, Identity, LeaseLost
from citepress_payments.ports.prices import Clock
from citepress_payments.ports.rows import Json, Payment, PaymentClaim, PaymentEntry, PaymentFacts, Quote
from citepress_payments.quotes import claim_until
from citepress_payments.stores.ledger import SqlLedger
from citepress_payments.terms import evidence

RENEW_EVERY = 10.0
"""Seconds between two renewals of a lease."""
T = TypeVar("T")
Otherwise = TypeVar("Otherwise")
log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class PaymentAttempt:
    """A payment that is understood: whose it is, what for, and over which rail."""

    quote: Quote
    entry: PaymentEntry
    """Our own entry, not the buyer's copy."""
    payload: Json
    rail: OpenRail
    key: str
    payer: str
    """Empty where only the chain knows it."""
    evidence: str
    client: str
    """Empty in recovery."""
    hold: float
    """Seconds to wait for the chain; 0 for one look."""
    proven: bool = False
    """Whether the payer was proven without the chain."""

    @property
    def evidence_sha256(self) -> str:
        """Digest of the proof."""
        return digest(self.evidence.encode())

    @property
    def proven_payer(self) -> str:
        """The payer, where the signature proved it; anyone can write another's name, which must not be counted."""
        return self.payer if self.proven else ""

    @property
    def same(self) -> tuple[str, str, str]:
        """What two requests have in common that may share one answer."""
        return (self.key, self.quote.id, self.evidence_sha256)

    def facts(self) -> PaymentFacts:
        """What a claim writes down."""
        quote = self.quote
        return PaymentFacts(
            rail=self.rail.slug,
            payer=self.payer,
            proven=self.proven,
            product=quote.product,
            body_sha256=quote.body_sha256,
            result_sha256=quote.result_sha256,
            evidence=self.evidence,
            evidence_sha256=self.evidence_sha256,
            claim_until=claim_until(quote, native=self.rail.native),
        )


def attempt_of(
    order: Order, quote: Quote, entry: PaymentEntry, payload: Json, rail: OpenRail, identity: Identity
) -> PaymentAttempt:
    """The job of a signed request."""
    proof = evidence(payload)
    return PaymentAttempt(
        quote, entry, payload, rail, identity.key, identity.payer, proof, order.client, rail.opened.settings.hold_s
    )


def entry_of(quote: Quote, rail: str) -> PaymentEntry | None:
    """The entry of a rail in a quote."""
    return next((entry for entry in quote.entries if entry["extra"]["rail"] == rail), None)


def is_for(quote: Quote, order: Order) -> bool:
    """Whether a quote sells what an order asks for: the product, over the lane, for these very bytes."""
    return (quote.product, quote.lane, quote.body_sha256) == (order.product, order.lane_name, order.body_sha256)


def is_same(job: PaymentAttempt, payment: Payment) -> bool:
    """Whether a row was written for this quote and this proof."""
    return (payment.quote_id, payment.evidence_sha256) == (job.quote.id, job.evidence_sha256)


@contextmanager
def renewed_lease(ledger: SqlLedger, claim: PaymentClaim, clock: Clock, every: float = RENEW_EVERY) -> Iterator[None]:
    """Renew a lease while the block runs.

    A claim that was lost is found out by the journal, which then sends nothing.
    """
    over = Event()

    def renew() -> None:
        while not over.wait(every):
            try:
                if not ledger.renew(claim, clock()):
                    return
            # A lease outlasts two renewals that fail, and the journal finds out about a lost one.
            except StoreUnavailable:
                log.warning("a lease could not be renewed; it is tried again")

    thread = Thread(target=renew, name="lease", daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def call_driver(ask: Callable[[], T], otherwise: Otherwise) -> T | Otherwise:
    """The driver's answer, or ``otherwise`` if it fails. Exceptions of the journal and the store are raised."""
    try:
        return ask()
    # They are no faults of the driver: they say who has the payment, which a default answer would hide.
    except (StoreUnavailable, DuplicatePayment, LeaseLost):
        raise
    except Exception:
        log.exception("a payment driver failed")
        return otherwise
