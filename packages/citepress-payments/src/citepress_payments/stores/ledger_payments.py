"""The ledger's payments: claimed once, journaled before they are sent, settled or failed for good."""

import secrets
from dataclasses import asdict

import sqlalchemy as sa

from citepress.stores.sql.database import Database
from citepress_payments.ports.chain import DuplicatePayment, LeaseLost, NetworkFee, Plan, Sent, UnknownFee
from citepress_payments.ports.rows import (
    AWAITED,
    FINAL,
    LEASE,
    POSTPONED,
    Acquired,
    AlreadyClaimed,
    ClaimOutcome,
    DuplicatePurchase,
    Expired,
    Payment,
    PaymentClaim,
    PaymentFacts,
    QuoteTaken,
    State,
)
from citepress_payments.stores.ledger_broadcasts import broadcast
from citepress_payments.stores.payment_rows import (
    ACTIVE_STATES,
    OPEN_STATES,
    add_event,
    find,
    hold,
    left,
    paid_or_sent,
    payment_of,
)
from citepress_payments.stores.payment_tables import PAYMENTS, QUOTES

PROLONGED = 3600
"""Seconds that a quote is kept at least after it was claimed: longer than a payment can be on its way."""
FIRST_EPOCHS = 1 << 31
"""A claim begins with a random epoch, so that a row which was removed and made again never fits an old claim."""


class SqlPayments:
    """The part of the ledger that moves payments from state to state."""

    def __init__(self, database: Database, keep_paid: int = 0) -> None:
        """``keep_paid``: seconds that a paid result is kept, 0 for as long as the ledger."""
        self._database, self._keep_paid = database, keep_paid

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
        with self._database.writing() as connection:
            # All three are locked at once, in one order, so that two claims cannot wait for each other.
            hold(self._database, connection, key, quote_id, _buyer(facts.payer, facts.product, facts.body_sha256))
            if (row := find(connection, key)) and not _dead(row, now):
                return _taken_over(connection, row, quote_id, facts, owner, now) or AlreadyClaimed(row)
            # Those of the quote too: a claim that died must not keep it from the buyer who comes back.
            dead = (PAYMENTS.c.state == State.CLAIMED) & left(now)
            connection.execute(
                PAYMENTS.delete().where(dead, (PAYMENTS.c.key == key) | (PAYMENTS.c.quote_id == quote_id))
            )
            if refused := _refusal(connection, key, quote_id, facts, now):
                return refused
            # A random first epoch: a claim that was deleted and made anew must not look like the former one.
            claim = PaymentClaim(key, quote_id, owner, secrets.randbelow(FIRST_EPOCHS))
            connection.execute(PAYMENTS.insert().values(_row(claim, facts, now)))
            # A quote that is being paid must outlive its payment, or recovery could not settle it.
            kept_to = now + PROLONGED
            connection.execute(
                QUOTES.update().where(QUOTES.c.id == quote_id, QUOTES.c.keep_until < kept_to).values(keep_until=kept_to)
            )
        return Acquired(claim, State.CLAIMED)

    def renew(self, claim: PaymentClaim, now: int) -> bool:
        """Lengthen the lease; ``False`` when another owner took over."""
        with self._database.writing() as connection:
            # A sale that is settled needs its lease too, while its finality is looked at.
            mine = _mine(claim) & (PAYMENTS.c.state.in_(OPEN_STATES) | (PAYMENTS.c.finality == AWAITED))
            return bool(connection.execute(PAYMENTS.update().where(mine).values(lease_until=now + LEASE)).rowcount)

    def release(self, claim: PaymentClaim) -> None:
        """Remove a row that is still ``claimed`` by this claim."""
        with self._database.writing() as connection:
            # Only while it is claimed: what was journaled may have left this machine, and its row has to stay.
            connection.execute(PAYMENTS.delete().where(_mine(claim), PAYMENTS.c.state == State.CLAIMED))

    def lapse(self, claim: PaymentClaim) -> None:
        """Give up the lease of a row that stays ``sent``, so that whoever comes next can take it.

        Does nothing when another owner took over; a renewal that comes late does not fit.
        """
        with self._database.writing() as connection:
            # The epoch grows with the lapse, so that a late write of this process no longer fits.
            mine = _mine(claim) & (PAYMENTS.c.state == State.SENT)
            connection.execute(PAYMENTS.update().where(mine).values(lease_until=0, epoch=PAYMENTS.c.epoch + 1))

    def journal(self, claim: PaymentClaim, plan: Plan, payer: str, now: int) -> Sent:
        """Move claimed → sent with a first broadcast, or add one to a payment that is sent, before any byte leaves.

        Allocates the signer nonce and signs inside. ``payer`` is the one the chain proved. Raises
        ``DuplicatePayment`` and ``LeaseLost``.
        """
        with self._database.writing() as connection:
            hold(self._database, connection, claim.key)
            payment = find(connection, claim.key)
            # The fence: a process that was away longer than its lease sends nothing, whatever it still believes.
            if (
                payment is None
                or (payment.owner, payment.epoch) != (claim.owner, claim.epoch)
                or not _is_unfinished(payment)
            ):
                raise LeaseLost
            payer = payer or payment.payer
            buyer = _buyer(payer, payment.product, payment.body_sha256)
            # The signer is held until its nonce is written, so that two payments never get the same.
            hold(self._database, connection, buyer, *([f"{plan.network} {plan.signer.lower()}"] if plan.signer else []))
            first = payment.state is State.CLAIMED
            if first:
                _enter_sent(connection, claim, payment, payer, now)
            sent = broadcast(self._database, connection, claim.key, plan, now)
            add_event(connection, payment, str(State.SENT) if first else sent.kind, now, tx=sent.tx)
        return sent

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

        The row as it is then. ``finality``: ``AWAITED`` where the transfer may still be undone. ``fee``: network fees
        that we paid. Raises ``LeaseLost`` where there is no row for this quote: a lapsed claim was given to another
        payment or quote.
        """
        with self._database.writing() as connection:
            payment = _held(self._database, connection, key)
            if payment.quote_id != quote_id:
                raise LeaseLost
            if payment.state in OPEN_STATES:
                # Copied, because the row outlives its quote and a bookkeeper asks later.
                price = sa.select(QUOTES.c.usd_micros).where(QUOTES.c.id == quote_id)
                changes = {
                    "state": State.SETTLED,
                    "payer": payer or payment.payer,
                    "reason": "",
                    "response": response,
                    "updated_at": now,
                    "tx": tx,
                    "usd_micros": connection.scalar(price) or 0,
                    "finality": finality,
                } | _fee_columns(fee)
                connection.execute(PAYMENTS.update().where(PAYMENTS.c.key == key).values(changes))
                keep_until = now + self._keep_paid if self._keep_paid else None
                connection.execute(
                    QUOTES.update().where(QUOTES.c.id == payment.quote_id).values(paid_by=key, keep_until=keep_until)
                )
                add_event(connection, payment, str(State.SETTLED), now, tx=tx)
            return find(connection, key) or payment

    def reclaim(self, key: str, owner: str, now: int) -> PaymentClaim | None:
        """Take a settled payment, to see whether it is final.

        ``None`` where another process looks at it, or nothing is awaited.
        """
        with self._database.writing() as connection:
            payment = _held(self._database, connection, key)
            if payment.finality != AWAITED or not payment.is_left(now):
                return None
            claim = PaymentClaim(key, payment.quote_id, owner, payment.epoch + 1)
            changes = {"owner": owner, "epoch": claim.epoch, "lease_until": now + LEASE}
            connection.execute(PAYMENTS.update().where(PAYMENTS.c.key == key).values(changes))
        return claim

    def confirmed(
        self, claim: PaymentClaim, finality: str, now: int, *, tx: str = "", reason: str = "", fee: NetworkFee = 0
    ) -> None:
        """End the wait for finality (``FINAL`` or ``MISSING``), or with ``AWAITED`` look again after ``now``.

        Nothing where the claim was lost.
        """
        with self._database.writing() as connection:
            payment = _held(self._database, connection, claim.key)
            if (payment.owner, payment.epoch, payment.finality) != (claim.owner, claim.epoch, AWAITED):
                return
            # The epoch grows, so that a renewal of this process that comes late no longer fits.
            changes: dict[str, object] = {"lease_until": now, "epoch": payment.epoch + 1, "finality": finality}
            if finality != AWAITED:
                changes |= {"reason": reason, "tx": tx or payment.tx} | _fee_columns(fee)
                add_event(connection, payment, finality, now, reason=reason, tx=tx or payment.tx)
            connection.execute(PAYMENTS.update().where(PAYMENTS.c.key == claim.key).values(changes))

    def postpone(self, payment: Payment, now: int) -> None:
        """Move a payment that cannot be looked up behind all others that are due or unconfirmed.

        Nothing where somebody has taken it meanwhile.
        """
        # Behind the others, because a round of recovery looks at a hundred. See "Nodes that disagree decide nothing" in
        # docs/decisions/payments.md.
        changes = {"lease_until": now + POSTPONED}
        if payment.state in OPEN_STATES:
            changes["updated_at"] = now  # the order of ``due``; of a settled payment, it is the time of its sale
        same = (PAYMENTS.c.key == payment.key) & (PAYMENTS.c.owner == payment.owner)
        same &= (PAYMENTS.c.epoch == payment.epoch) & (PAYMENTS.c.state == payment.state)
        with self._database.writing() as connection:
            connection.execute(PAYMENTS.update().where(same, left(now)).values(changes))

    def fail(self, key: str, reason: str, response: str, now: int, *, tx: str = "", fee: NetworkFee = 0) -> Payment:
        """Make a sent payment that cannot succeed final; idempotent; from other states nothing changes.

        Raises ``LeaseLost`` as ``settle``.
        """
        with self._database.writing() as connection:
            payment = _held(self._database, connection, key)
            # A payment that was settled meanwhile stays settled; only what was sent can still fail.
            if payment.state is State.SENT:
                changes = {
                    "state": State.FAILED,
                    "reason": reason,
                    "response": response,
                    "updated_at": now,
                    "tx": tx,
                } | _fee_columns(fee)
                connection.execute(PAYMENTS.update().where(PAYMENTS.c.key == key).values(changes))
                add_event(connection, payment, str(State.FAILED), now, reason=reason)
            return find(connection, key) or payment


def _fee_columns(fee: NetworkFee) -> dict[str, object]:
    """The columns of a network fee."""
    if isinstance(fee, UnknownFee):
        return {"fee": "", "fee_reason": fee.reason}
    return {"fee": str(fee), "fee_reason": ""}


def _buyer(payer: str, product: str, body_sha256: str) -> str:
    return f"{payer} {product} {body_sha256}"


def _is_unfinished(payment: Payment) -> bool:
    """Whether something may be sent for a payment: it is not decided, or its transfer may have been undone."""
    return payment.state in OPEN_STATES or payment.finality == AWAITED


def _dead(payment: Payment, now: int) -> bool:
    """Whether its owner went away before anything was sent: nothing moved, so it counts as if it had never been."""
    return payment.state is State.CLAIMED and payment.is_left(now)


def _mine(claim: PaymentClaim) -> sa.ColumnElement[bool]:
    return (PAYMENTS.c.key == claim.key) & (PAYMENTS.c.owner == claim.owner) & (PAYMENTS.c.epoch == claim.epoch)


def _taken_over(
    connection: sa.Connection, row: Payment, quote_id: str, facts: PaymentFacts, owner: str, now: int
) -> Acquired | None:
    """A sent payment whose owner went away goes to who comes with the same evidence."""
    # Another proof under the same key gets nothing: the payment is the one that was journaled.
    same = (row.quote_id, row.evidence_sha256) == (quote_id, facts.evidence_sha256)
    if row.state is not State.SENT or not row.is_left(now) or not same:
        return None
    claim = PaymentClaim(row.key, row.quote_id, owner, row.epoch + 1)
    changes = {"owner": owner, "epoch": claim.epoch, "lease_until": now + LEASE, "updated_at": now}
    connection.execute(PAYMENTS.update().where(PAYMENTS.c.key == row.key).values(changes))
    return Acquired(claim, State.SENT)


def _refusal(
    connection: sa.Connection, key: str, quote_id: str, facts: PaymentFacts, now: int
) -> DuplicatePurchase | Expired | QuoteTaken | None:
    """Why a payment that nobody works on may not be claimed; the quote is locked against a sweep."""
    # Without a proof, anybody could block a buyer by naming the buyer's address as payer.
    if facts.proven and (
        prior := paid_or_sent(connection, facts.payer, facts.product, facts.body_sha256, facts.result_sha256, key=key)
    ):
        return DuplicatePurchase(prior)
    # Locked against the sweep, which deletes expired quotes.
    quote = connection.execute(sa.select(QUOTES.c.id).where(QUOTES.c.id == quote_id).with_for_update()).first()
    if quote is None:
        return Expired()
    active = (PAYMENTS.c.quote_id == quote_id) & PAYMENTS.c.state.in_(ACTIVE_STATES) & (PAYMENTS.c.key != key)
    if row := connection.execute(PAYMENTS.select().where(active)).first():
        return QuoteTaken(payment_of(row))
    return Expired() if now > facts.claim_until else None


def _row(claim: PaymentClaim, facts: PaymentFacts, now: int) -> dict[str, object]:
    columns = asdict(facts)
    for name in ("proven", "claim_until"):
        del columns[name]
    state = {
        "state": State.CLAIMED,
        "reason": "",
        "response": "",
        "lease_until": now + LEASE,
        "created_at": now,
        "updated_at": now,
    }
    return columns | state | asdict(claim)


def _enter_sent(connection: sa.Connection, claim: PaymentClaim, payment: Payment, payer: str, now: int) -> None:
    """Move claimed → sent, unless the same buyer pays for the same already.

    The claim may have been given away meanwhile.
    """
    # Asked once more, now with the payer that the chain proved: at the claim nobody may have known him.
    if other := paid_or_sent(
        connection, payer, payment.product, payment.body_sha256, payment.result_sha256, key=claim.key
    ):
        raise DuplicatePayment(other)
    changes = {"state": State.SENT, "payer": payer, "updated_at": now}
    if not connection.execute(
        PAYMENTS.update().where(_mine(claim), PAYMENTS.c.state == State.CLAIMED).values(changes)
    ).rowcount:
        raise LeaseLost


def _held(database: Database, connection: sa.Connection, key: str) -> Payment:
    """The payment of this key, held together with its quote. Raises ``LeaseLost``."""
    hold(database, connection, key)
    payment = find(connection, key)
    if payment is not None:
        # Its quote is known only from the row, so the row is read again once both are held.
        hold(database, connection, payment.quote_id)
        payment = find(connection, key)
    if payment is None:
        raise LeaseLost
    return payment
