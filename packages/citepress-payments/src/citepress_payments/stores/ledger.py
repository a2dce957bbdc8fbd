"""The ledger in a database: quotes, payments, what was sent for them, and the books."""

from collections.abc import Sequence
from dataclasses import asdict

import sqlalchemy as sa

from citepress.base.canonical import digest
from citepress.stores.sql.database import Database
from citepress_payments.ports.chain import Sent
from citepress_payments.ports.rows import AWAITED, Failure, Pause, Payment, PaymentEvent, State
from citepress_payments.stores.ledger_payments import SqlPayments
from citepress_payments.stores.ledger_quotes import SqlQuotes
from citepress_payments.stores.payment_rows import (
    OPEN_STATES,
    event_of,
    find,
    hold,
    insert_or_renew,
    left,
    paid_or_sent,
    pause_of,
    payment_of,
    sent_of,
)
from citepress_payments.stores.payment_tables import BROADCASTS, PAUSES, PAYMENT_EVENTS, PAYMENTS, QUOTES


class SqlPaymentHistory:
    """The part of the ledger that reads, and that pauses rails."""

    def __init__(self, database: Database) -> None:
        """On a migrated database."""
        self._database = database

    def payment(self, key: str) -> Payment | None:
        """The row of a payment."""
        with self._database.reading() as connection:
            return find(connection, key)

    def sent(self, key: str) -> Sequence[Sent]:
        """The broadcasts of a payment, in order."""
        with self._database.reading() as connection:
            return [
                sent_of(row)
                for row in connection.execute(
                    BROADCASTS.select().where(BROADCASTS.c.key == key).order_by(BROADCASTS.c.seq)
                )
            ]

    def prior(self, payer: str, product: str, body_sha256: str, result_sha256: str) -> Payment | None:
        """The payment that the guard would name."""
        with self._database.reading() as connection:
            return paid_or_sent(connection, payer, product, body_sha256, result_sha256, key="")

    def due(self, now: int, limit: int) -> Sequence[Payment]:
        """Sent payments whose lease lapsed, and claimed ones (native) left behind; longest untouched first, in turn."""
        lapsed = PAYMENTS.c.state.in_(OPEN_STATES) & left(now)
        return self._payments(
            # Each look touches a row, so those that cannot be decided move behind the others and block none.
            PAYMENTS.select().where(lapsed).order_by(PAYMENTS.c.updated_at, PAYMENTS.c.key).limit(limit)
        )

    def payments(
        self, *, states: Sequence[State] = (), finality: str = "", since: int = 0, most: int = 500
    ) -> Sequence[Payment]:
        """Rows that were made at or after ``since``, newest first."""
        query = PAYMENTS.select().order_by(PAYMENTS.c.created_at.desc(), PAYMENTS.c.key).limit(most)
        if states:
            query = query.where(PAYMENTS.c.state.in_(sorted(states)))
        if finality:
            query = query.where(PAYMENTS.c.finality == finality)
        return self._payments(query.where(PAYMENTS.c.created_at >= since) if since else query)

    def unconfirmed(self, now: int, limit: int) -> Sequence[Payment]:
        """Settled payments whose finality is awaited and that nobody looks at, longest waiting first."""
        waiting = (PAYMENTS.c.finality == AWAITED) & left(now)
        return self._payments(
            PAYMENTS.select().where(waiting).order_by(PAYMENTS.c.lease_until, PAYMENTS.c.key).limit(limit)
        )

    def failures(self, rail: str, since: int) -> Sequence[Failure]:
        """Payments of a rail that were mined and did not pay, after ``since`` and after the last one that did."""
        table = PAYMENTS.c
        paid = (
            sa.select(sa.func.max(table.updated_at))
            .where(table.rail == rail, table.state == State.SETTLED)
            .scalar_subquery()
        )
        query = (
            sa.select(table.payer, QUOTES.c.client_key)
            .select_from(PAYMENTS.outerjoin(QUOTES, QUOTES.c.id == table.quote_id))
            .where(table.rail == rail, table.state == State.FAILED, table.tx != "", table.updated_at >= since)
            # Since the last success: a rail over which somebody could pay is not broken.
            .where(table.updated_at > sa.func.coalesce(paid, 0))
        )
        with self._database.reading() as connection:
            return [Failure(row.payer, bytes(row.client_key or b"")) for row in connection.execute(query)]

    def note(self, key: str, quote_id: str, rail: str, change: str, reason: str, tx: str, now: int) -> None:
        """Add a line on a receipt to the history, once for each transaction and change."""
        table, values = (
            PAYMENT_EVENTS.c,
            {"key": key, "quote_hash": digest(quote_id.encode()), "rail": rail, "change": change, "tx": tx},
        )
        with self._database.writing() as connection:
            hold(self._database, connection, key)
            # Once, because a client may show the same useless transfer again and again.
            same = sa.select(table.seq).where(table.key == key, table.change == change, table.tx == tx).limit(1)
            if connection.execute(same).first() is None:
                connection.execute(PAYMENT_EVENTS.insert().values(values | {"at": now, "reason": reason}))

    def events(self, *, key: str = "", quote_id: str = "", change: str = "", most: int = 500) -> Sequence[PaymentEvent]:
        """The last lines of the history, oldest first."""
        query = PAYMENT_EVENTS.select().order_by(PAYMENT_EVENTS.c.seq.desc()).limit(most)
        if key:
            query = query.where(PAYMENT_EVENTS.c.key == key)
        if quote_id:
            query = query.where(PAYMENT_EVENTS.c.quote_hash == digest(quote_id.encode()))
        if change:
            query = query.where(PAYMENT_EVENTS.c.change == change)
        with self._database.reading() as connection:
            return [event_of(row) for row in connection.execute(query)][::-1]

    def pause(self, pause: Pause) -> None:
        """Pause a rail, or renew its pause."""
        values = asdict(pause)
        with self._database.writing() as connection:
            renewed = [name for name in values if name != "rail"]
            connection.execute(insert_or_renew(self._database, PAUSES, values, *renewed))
            _note(connection, pause.rail, "paused", f"{pause.by}: {pause.reason}", pause.since)

    def resume(self, rail: str, by: str, now: int) -> bool:
        """End a pause; whether there was one."""
        with self._database.writing() as connection:
            ended = bool(connection.execute(PAUSES.delete().where(PAUSES.c.rail == rail)).rowcount)
            if ended:
                _note(connection, rail, "resumed", by, now)
        return ended

    def pauses(self) -> Sequence[Pause]:
        """What is paused."""
        with self._database.reading() as connection:
            return [pause_of(row) for row in connection.execute(PAUSES.select().order_by(PAUSES.c.rail))]

    def _payments(self, query: sa.Select[tuple[object, ...]]) -> list[Payment]:
        with self._database.reading() as connection:
            return [payment_of(row) for row in connection.execute(query)]


class SqlLedger(SqlQuotes, SqlPayments, SqlPaymentHistory):
    """Quotes, results and payments in a migrated database; every call is one transaction.

    All methods raise ``StoreUnavailable``.
    """

    def __init__(self, database: Database, keep_paid: int = 0) -> None:
        """``keep_paid``: seconds that a paid result is kept, 0 for as long as the ledger."""
        SqlPayments.__init__(self, database, keep_paid)


def _note(connection: sa.Connection, rail: str, change: str, reason: str, at: int) -> None:
    """Add a line on a rail to the history."""
    values = {"at": at, "key": "", "quote_hash": "", "rail": rail, "change": change, "reason": reason, "tx": ""}
    connection.execute(PAYMENT_EVENTS.insert().values(values))
