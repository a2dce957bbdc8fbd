"""The port to the ledger: quotes, results and payments that last."""

from collections.abc import Mapping, Sequence
from typing import Protocol

from citepress_payments.ports.chain import NetworkFee, Plan, Sent
from citepress_payments.ports.rows import (
    FINAL,
    ClaimOutcome,
    Failure,
    Pause,
    Payment,
    PaymentClaim,
    PaymentEvent,
    PaymentFacts,
    Quote,
    State,
    Swept,
    Unpaid,
)


class Ledger(Protocol):
    """Quotes, results and payments; every call is one transaction. All raise ``StoreUnavailable``."""

    def open(self, quote: Quote, result: bytes, most_open: int, room: int = 0) -> bool:
        """Store a result and its quote.

        ``False``, and nothing stored, where the client has ``most_open`` unexpired unpaid quotes already.

        ``room``: bytes that unpaid quotes of native rails, and those of all others, may take; 0 for no bound.
        Expired ones of the others make room first, oldest first; a native one never does while its transfer can be
        claimed. Raises ``Full``.
        """
        ...

    def unpaid(self) -> Mapping[str, Unpaid]:
        """What unpaid quotes take: ``native`` and ``other``."""
        ...

    def quote(self, quote_id: str) -> Quote | None:
        """The quote of this id."""
        ...

    def result(self, sha256: str) -> bytes:
        """The result of this digest. Raises ``LookupError``."""
        ...

    def payment(self, key: str) -> Payment | None:
        """The row of a payment."""
        ...

    def claim(self, key: str, quote_id: str, facts: PaymentFacts, owner: str, now: int) -> ClaimOutcome:
        """Take a payment for ``owner`` for the time of a lease, or say why not; one winner per key and per quote.

        ``Payment.is_left`` defines a lapsed lease. Checked in this order, in one transaction:

        - A row of this key that is sent, with a lapsed lease and the same quote and evidence: ``Acquired`` with the
          next epoch, whatever the time.
        - A claimed row with a lapsed lease counts as if it had never existed; any other row of this key:
          ``AlreadyClaimed``.
        - The payer is proven and the guard finds a payment: ``DuplicatePurchase``.
        - No such quote: ``Expired``. The quote is paid, or held by another payment: ``QuoteTaken``.
        - ``now`` is after ``facts.claim_until``: ``Expired``; else ``Acquired``.
        """
        ...

    def renew(self, claim: PaymentClaim, now: int) -> bool:
        """Lengthen the lease; ``False`` when another owner took over."""
        ...

    def release(self, claim: PaymentClaim) -> None:
        """Remove a row that is still ``claimed`` by this claim."""
        ...

    def lapse(self, claim: PaymentClaim) -> None:
        """Give up the lease of a row that stays ``sent``, so that whoever comes next can take it.

        Does nothing when another owner took over.
        """
        ...

    def journal(self, claim: PaymentClaim, plan: Plan, payer: str, now: int) -> Sent:
        """Move claimed → sent with a first broadcast, or a further broadcast of a payment that is sent.

        Allocates the signer nonce and signs inside.

        ``payer`` is the one the chain proved. Raises ``DuplicatePayment`` and ``LeaseLost``.
        """
        ...

    def sent(self, key: str) -> Sequence[Sent]:
        """The broadcasts of a payment, in order."""
        ...

    def settle(
        self,
        key: str,
        quote_id: str,
        tx: str,
        payer: str,
        response: str,
        now: int,
        finality: str = FINAL,
        fee: NetworkFee = 0,
    ) -> Payment:
        """Make a payment final, its quote paid and its result kept; idempotent, never from ``failed``.

        The row as it is then.

        ``finality``: ``AWAITED`` where the transfer may still be undone. ``fee``: network fees that we paid.
        Raises ``LeaseLost`` where there is no row for this quote: a lapsed claim was given to another payment or
        quote.
        """
        ...

    def unconfirmed(self, now: int, limit: int) -> Sequence[Payment]:
        """Settled payments whose finality is awaited and that nobody looks at, longest waiting first."""
        ...

    def reclaim(self, key: str, owner: str, now: int) -> PaymentClaim | None:
        """Take a settled payment, to see whether it is final.

        ``None`` where another process looks at it, or nothing is awaited.
        """
        ...

    def confirmed(
        self,
        claim: PaymentClaim,
        finality: str,
        now: int,
        *,
        tx: str = "",
        reason: str = "",
        fee: NetworkFee = 0,
    ) -> None:
        """End the wait for finality (``FINAL`` or ``MISSING``), or with ``AWAITED`` look again after ``now``.

        Nothing where the claim was lost.
        """
        ...

    def failures(self, rail: str, since: int) -> Sequence[Failure]:
        """Payments of a rail that were mined and did not pay, after ``since`` and after the last one that did."""
        ...

    def note(self, key: str, quote_id: str, rail: str, change: str, reason: str, tx: str, now: int) -> None:
        """Add a line on a receipt to the history, once for each transaction and change."""
        ...

    def fail(self, key: str, reason: str, response: str, now: int, *, tx: str = "", fee: NetworkFee = 0) -> Payment:
        """Make a sent payment that cannot succeed final; idempotent; from other states nothing changes.

        Raises ``LeaseLost`` as ``settle``.
        """
        ...

    def prior(self, payer: str, product: str, body_sha256: str, result_sha256: str) -> Payment | None:
        """The payment that the guard would name."""
        ...

    def due(self, now: int, limit: int) -> Sequence[Payment]:
        """Sent payments whose lease lapsed, and claimed ones (native) left behind, longest untouched first."""
        ...

    def postpone(self, payment: Payment, now: int) -> None:
        """Move a payment that cannot be looked up behind all others that are due or unconfirmed.

        Nothing where somebody has taken it meanwhile.
        """
        ...

    def pause(self, pause: Pause) -> None:
        """Pause a rail."""
        ...

    def resume(self, rail: str, by: str, now: int) -> bool:
        """End a pause; whether there was one."""
        ...

    def pauses(self) -> Sequence[Pause]:
        """What is paused."""
        ...

    def events(self, *, key: str = "", quote_id: str = "", change: str = "", most: int = 500) -> Sequence[PaymentEvent]:
        """The last lines of the history, oldest first."""
        ...

    def payments(
        self, *, states: Sequence[State] = (), finality: str = "", since: int = 0, most: int = 500
    ) -> Sequence[Payment]:
        """Rows that were made at or after ``since``, newest first."""
        ...

    def sweep(self, now: int, limit: int = 1000) -> Swept:
        """Remove quotes and results past ``keep_until``.

        Paid ones stay unless the operator keeps them for some days only.
        """
        ...
