"""What a buyer asks, and what becomes of it: plain objects without a word of HTTP."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from citepress.contract.limits import Limit
from citepress.contract.problem import ProblemError
from citepress_payments.ports.rows import Json, Quote
from citepress_payments.rails import Lane


@dataclass(frozen=True, slots=True)
class NotSellable:
    """There is nothing to sell; no terms are made and nothing is charged."""

    code: str
    """``malformed_json``, ``validation`` or ``insufficient_evidence``."""
    detail: str
    errors: tuple[ProblemError, ...] = ()
    evidence_found: int | None = None
    minimum: int | None = None


Prepare: TypeAlias = Callable[[], bytes | NotSellable]
"""Reads the body and computes the result, for nothing; runs in a worker thread."""


@dataclass(frozen=True, slots=True)
class Order:
    """One request for a product, paid for or not."""

    product: str
    lane: Lane
    slug: str
    """The rail that the path names; empty in the fixed lane."""
    body: bytes
    """As it was sent: a payment is for these bytes."""
    body_sha256: str
    client: str
    """The observed client, as the limits count it."""
    prepare: Prepare

    @property
    def lane_name(self) -> str:
        """``fixed``, ``volatile/<slug>`` or ``native/<slug>``: where a quote may be used."""
        return f"{self.lane}/{self.slug}" if self.slug else str(self.lane)


@dataclass(frozen=True, slots=True)
class Terms:
    """Something worth selling, and what it costs."""

    quote: Quote


@dataclass(frozen=True, slots=True)
class PurchaseResult:
    """The stored result, paid for."""

    body: bytes
    response: Json
    """The PAYMENT-RESPONSE object."""
    replay: bool
    """Whether it was paid before this request."""


@dataclass(frozen=True, slots=True)
class PendingAnswer:
    """The payment is on its way: the same request is to be sent again, and nothing signed anew."""

    quote: Quote
    response: Json
    retry_after: int


@dataclass(frozen=True, slots=True)
class RefusedAnswer:
    """The payment cannot be taken; with terms for the same body."""

    code: str
    """A code of the design's list, or the facilitator's own."""
    detail: str
    quote: Quote | None = None
    """The terms; ``None`` until new ones are made."""
    response: Json | None = None
    """PAYMENT-RESPONSE of a payment that failed."""


@dataclass(frozen=True, slots=True)
class Unavailable:
    """Nothing was attempted; waiting helps."""

    code: str
    """``rail_unavailable``, ``payment_in_progress`` or ``unavailable``."""
    detail: str
    retry_after: int


@dataclass(frozen=True, slots=True)
class OverQuota:
    """The client has used up what it may ask."""

    limit: Limit
    detail: str
    retry_after: int


Outcome: TypeAlias = Terms | PurchaseResult | PendingAnswer | RefusedAnswer | Unavailable | OverQuota | NotSellable
