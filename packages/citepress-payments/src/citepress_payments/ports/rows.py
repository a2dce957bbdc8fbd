"""Rows of the ledger, and the outcomes of a claim."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, TypeAlias

from citepress.base.errors import ControlFlow

Json: TypeAlias = Mapping[str, Any]
PaymentEntry: TypeAlias = Json
LEASE = 30
"""Seconds that a claim lasts unless it is renewed; after them another process may take the payment over."""

POSTPONED = 5 * LEASE
"""Seconds for which a payment that cannot be looked up makes room for others."""
FURTHEST = 10 * LEASE
"""Seconds ahead to which a lease may reach: one that ends later was written by a clock that has been put right
since."""


AWAITED, FINAL, MISSING = "awaited", "final", "missing"


class State(StrEnum):
    """States of a payment; ``settled`` and ``failed`` are final."""

    CLAIMED = "claimed"
    SENT = "sent"
    SETTLED = "settled"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Quote:
    """Terms for one body, with the result they sell."""

    id: str
    product: str
    lane: str
    """``fixed``, ``volatile/<slug>`` or ``native/<slug>``."""
    client_key: bytes
    """Keyed hash of the client; never an address."""
    body_sha256: str
    """Lower-case hex, without 0x."""
    result_sha256: str
    salt: bytes
    """32 random bytes."""
    entries: tuple[PaymentEntry, ...]
    """Exactly as sent."""
    usd_micros: int
    price: str
    """What the price was made from; empty for fixed rails."""
    created_at: int
    expires_at: int
    keep_until: int
    """When it is swept; 0 once it was paid: kept as long as the ledger."""
    paid_by: str = ""
    """Key of the payment that settled it."""


@dataclass(frozen=True, slots=True)
class PaymentFacts:
    """What a claim writes down of a payment."""

    rail: str
    payer: str
    proven: bool
    """Whether the payer was proven without a chain, so that the guard may speak before ``verify``."""
    product: str
    body_sha256: str
    result_sha256: str
    evidence: str
    """The payload as canonical JSON (RFC 8785, hex lowered)."""
    evidence_sha256: str
    claim_until: int
    """After this moment the quote may not be claimed any more."""


@dataclass(frozen=True, slots=True)
class Payment:
    """A row of the ledger."""

    key: str
    quote_id: str
    rail: str
    payer: str
    product: str
    body_sha256: str
    result_sha256: str
    evidence: str
    evidence_sha256: str
    state: State
    reason: str
    response: str
    """The PAYMENT-RESPONSE object as JSON; empty before it is final."""
    owner: str
    epoch: int
    lease_until: int
    created_at: int
    updated_at: int
    tx: str = ""
    """The transaction that made the transfer, or that failed to."""
    usd_micros: int = 0
    """What it was sold for, in millionths of a US dollar."""
    fee: str = "0"
    """Network fees that we paid, in the smallest unit of the chain's coin, as decimal text: wei exceed 64 bits. Empty
    where they are unknown."""
    fee_reason: str = ""
    """Why the fees are unknown."""
    finality: str = ""
    """``awaited`` while a settled transfer may still be undone, ``final``, or ``missing`` once it was undone for good;
    empty before."""

    def is_left(self, now: int) -> bool:
        """Whether nobody holds its lease."""
        return not now < self.lease_until <= now + FURTHEST


@dataclass(frozen=True, slots=True)
class PaymentClaim:
    """A payment that this process works on; its fencing token."""

    key: str
    quote_id: str
    owner: str
    epoch: int


@dataclass(frozen=True, slots=True)
class Acquired:
    """The payment is this process's to work on now."""

    claim: PaymentClaim
    state: State
    """``claimed``, or ``sent`` where a lapsed lease was taken over."""


@dataclass(frozen=True, slots=True)
class AlreadyClaimed:
    """There is a row of this key already: replay, wait or refuse by its state."""

    payment: Payment


@dataclass(frozen=True, slots=True)
class QuoteTaken:
    """Another payment holds the quote, or settled it."""

    payment: Payment


@dataclass(frozen=True, slots=True)
class Expired:
    """The quote may not be claimed any more, or is gone."""


@dataclass(frozen=True, slots=True)
class DuplicatePurchase:
    """The guard against paying twice: the payer has paid for the same product and body already, or is about to.

    That payment is sent, or settled with the same result.
    """

    payment: Payment


ClaimOutcome: TypeAlias = Acquired | AlreadyClaimed | QuoteTaken | Expired | DuplicatePurchase


@dataclass(frozen=True, slots=True)
class PaymentEvent:
    """A line of the append-only history."""

    seq: int
    at: int
    key: str
    quote_hash: str
    rail: str
    change: str
    reason: str
    tx: str


@dataclass(frozen=True, slots=True)
class Pause:
    """A rail that makes no new quotes."""

    rail: str
    """A slug or ``all``."""
    reason: str
    by: str
    since: int
    now: bool
    """Whether open quotes are refused too."""
    until: int = 0
    """When it ends by itself; 0 for when a person resumes the rail."""

    def holds(self, now: int) -> bool:
        """Whether it is in force."""
        return not self.until or now < self.until


@dataclass(frozen=True, slots=True)
class Failure:
    """Whose transaction was mined and did not pay."""

    payer: str
    client_key: bytes
    """Of the quote; empty where it was swept."""


@dataclass(frozen=True, slots=True)
class Unpaid:
    """What quotes take that nobody has paid."""

    quotes: int
    bytes: int


class Full(ControlFlow):
    """The unpaid quotes of all clients together fill their room."""

    def __init__(self, wait: int) -> None:
        """``wait``: seconds after which there may be room."""
        super().__init__(wait)
        self.wait = wait


@dataclass(frozen=True, slots=True)
class Swept:
    """How much a sweep removed."""

    quotes: int
    results: int
