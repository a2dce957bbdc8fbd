"""Rows of the ledger as the payment room knows them, and what every part of the ledger does with them."""

import hashlib
from collections.abc import Mapping
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite

from citepress.base import fast_json
from citepress.base.canonical import digest
from citepress.stores.sql.database import Database
from citepress_payments.ports.chain import Sent
from citepress_payments.ports.rows import FURTHEST, Pause, Payment, PaymentEvent, Quote, State
from citepress_payments.stores.payment_tables import PAYMENT_EVENTS, PAYMENTS, QUOTES

ACTIVE_STATES = (State.CLAIMED, State.SENT, State.SETTLED)
"""States in which a payment has its quote for itself."""
OPEN_STATES = (State.CLAIMED, State.SENT)
"""States that somebody has to finish."""


def hold(database: Database, connection: sa.Connection, *names: str) -> None:
    """Have these names for this transaction alone.

    Everybody takes them in this order, before changing a row: payment key, quote, buyer and body, signer.
    """
    database.lock(connection, *(hashlib.blake2b(name.encode(), digest_size=8).digest() for name in names))


def insert_or_renew(database: Database, table: sa.Table, values: Mapping[str, Any], *renewed: str) -> sa.Executable:
    """Insert a row, or renew these columns of the row that has its primary key; either way the row is locked."""
    insert = (sqlite.insert if database.is_sqlite else postgresql.insert)(table).values(dict(values))
    keys = [column.name for column in table.primary_key.columns]
    return insert.on_conflict_do_update(index_elements=keys, set_={name: insert.excluded[name] for name in renewed})


def find(connection: sa.Connection, key: str) -> Payment | None:
    """The payment of this key."""
    row = connection.execute(PAYMENTS.select().where(PAYMENTS.c.key == key)).first()
    return None if row is None else payment_of(row)


def paid_or_sent(
    connection: sa.Connection, payer: str, product: str, body_sha256: str, result_sha256: str, *, key: str
) -> Payment | None:
    """Another payment of this payer for the same: sent, or settled with the same result, which is still kept."""
    if not payer:
        return None
    has_quote = sa.exists().where(QUOTES.c.id == PAYMENTS.c.quote_id)
    settled = (PAYMENTS.c.state == State.SETTLED) & (PAYMENTS.c.result_sha256 == result_sha256) & has_quote
    same = (
        (PAYMENTS.c.payer == payer)
        & (PAYMENTS.c.product == product)
        & (PAYMENTS.c.body_sha256 == body_sha256)
        & (PAYMENTS.c.key != key)
    )
    first = sa.case((PAYMENTS.c.state == State.SETTLED, 0), else_=1)
    query = (
        PAYMENTS.select()
        .where(same, (PAYMENTS.c.state == State.SENT) | settled)
        .order_by(first, PAYMENTS.c.created_at)
        .limit(1)
    )
    row = connection.execute(query).first()
    return None if row is None else payment_of(row)


def left(now: int) -> sa.ColumnElement[bool]:
    """``Payment.is_left`` for rows."""
    return (PAYMENTS.c.lease_until <= now) | (PAYMENTS.c.lease_until > now + FURTHEST)


def add_event(
    connection: sa.Connection, payment: Payment, change: str, at: int, *, reason: str = "", tx: str = ""
) -> None:
    """Add a line on a payment to the history."""
    values = {"at": at, "key": payment.key, "quote_hash": digest(payment.quote_id.encode()), "rail": payment.rail}
    connection.execute(PAYMENT_EVENTS.insert().values(values | {"change": change, "reason": reason, "tx": tx}))


def payment_of(row: sa.Row[Any]) -> Payment:
    """A payment from its row."""
    return Payment(**(dict(row._mapping) | {"state": State(row.state)}))  # noqa: SLF001  (the public way to name columns)


def quote_of(row: sa.Row[Any]) -> Quote:
    """A quote from its row."""
    columns = dict(row._mapping)  # noqa: SLF001  (the public way to name columns)
    del columns["size"]
    read = {
        "client_key": bytes(row.client_key),
        "salt": bytes(row.salt),
        "entries": tuple(fast_json.loads(row.entries)),
    }
    return Quote(**columns | read | {"keep_until": row.keep_until or 0, "paid_by": row.paid_by or ""})


def sent_of(row: sa.Row[Any]) -> Sent:
    """A broadcast from its row."""
    return Sent(row.seq, row.tx or "", bytes(row.raw), row.signer, row.nonce, row.kind, row.created_at)


def event_of(row: sa.Row[Any]) -> PaymentEvent:
    """A line of the history from its row."""
    return PaymentEvent(row.seq, row.at, row.key, row.quote_hash, row.rail, row.change, row.reason, row.tx)


def pause_of(row: sa.Row[Any]) -> Pause:
    """A pause from its row."""
    return Pause(row.rail, row.reason, row.by, row.since, row.now, row.until)
