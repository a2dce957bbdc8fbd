"""The ledger's quotes and the results that they sell: opened, read and swept."""

import orjson
import sqlalchemy as sa

from citepress.payments.ports import Quote, State, Swept
from citepress.stores.sql.database import Database
from citepress.stores.sql.payments.payment_rows import OPEN, hold, insert_or_renew, quote_of
from citepress.stores.sql.payments.payment_tables import PAYMENTS, QUOTES, RESULTS

GRACE = 3600
"""Seconds that a result outlives the last quote that sold it, so that no sweep takes it from a quote which is just being made."""
DEAD = 86_400
"""Seconds after which nobody comes back for a claim whose lease has lapsed."""


class SqlQuotes:
    """The part of ``payments.ports.Ledger`` that knows quotes and results."""

    def __init__(self, database: Database) -> None:
        """On a migrated database."""
        self._database = database

    def open(self, quote: Quote, result: bytes, most_open: int) -> bool:
        """Store a result and its quote, unless the client has too many open ones; see the port."""
        mine = (QUOTES.c.client_key == quote.client_key) & (QUOTES.c.expires_at > quote.created_at) & QUOTES.c.paid_by.is_(None)
        stored = {"sha256": quote.result_sha256, "product": quote.product, "body": result, "used_at": quote.created_at}
        with self._database.writing() as connection:
            hold(self._database, connection, quote.client_key.hex())
            if (connection.scalar(sa.select(sa.func.count()).where(mine)) or 0) >= most_open:
                return False
            connection.execute(insert_or_renew(self._database, RESULTS, stored, "used_at"))
            connection.execute(QUOTES.insert().values(_values(quote)))
        return True

    def quote(self, quote_id: str) -> Quote | None:
        """The quote of this id."""
        with self._database.reading() as connection:
            row = connection.execute(QUOTES.select().where(QUOTES.c.id == quote_id)).first()
        return None if row is None else quote_of(row)

    def result(self, sha256: str) -> bytes:
        """The result of this digest. Raises ``LookupError``."""
        with self._database.reading() as connection:
            body = connection.scalar(sa.select(RESULTS.c.body).where(RESULTS.c.sha256 == sha256))
        if body is None:
            raise LookupError(f"no result {sha256} is kept")
        return bytes(body)

    def sweep(self, now: int, limit: int = 1000) -> Swept:
        """Remove what is kept no longer; at most ``limit`` quotes and as many results at a time."""
        with self._database.writing() as connection:
            hold(self._database, connection, "ledger sweep")  # two sweeps at once would wait for each other's rows
            dead = (PAYMENTS.c.state == State.CLAIMED) & (PAYMENTS.c.lease_until <= now - DEAD)
            connection.execute(PAYMENTS.delete().where(dead))
            quotes = connection.execute(_old_quotes(now, limit)).rowcount
            results = connection.execute(_unused_results(now, limit)).rowcount
        return Swept(quotes, results)


def _values(quote: Quote) -> dict[str, object]:
    names = (
        "id", "product", "lane", "client_key", "body_sha256", "result_sha256", "salt", "usd_micros", "price", "created_at", "expires_at",
    )  # fmt: skip
    values = {name: getattr(quote, name) for name in names}
    entries = orjson.dumps(quote.entries).decode()
    return values | {"entries": entries, "keep_until": quote.keep_until or None, "paid_by": quote.paid_by or None}


def _old_quotes(now: int, limit: int) -> sa.Delete:
    """The time is asked twice: a claim that comes first prolongs the quote, and the outer question sees that in PostgreSQL."""
    busy = sa.exists().where(PAYMENTS.c.quote_id == QUOTES.c.id, PAYMENTS.c.state.in_(OPEN))
    over = QUOTES.c.keep_until <= now
    chosen = sa.select(QUOTES.c.id).where(over, ~busy).order_by(QUOTES.c.keep_until).limit(limit)
    return QUOTES.delete().where(over, QUOTES.c.id.in_(chosen))


def _unused_results(now: int, limit: int) -> sa.Delete:
    """Likewise: a quote that comes first renews the result's time."""
    sold = sa.exists().where(QUOTES.c.result_sha256 == RESULTS.c.sha256)
    over = RESULTS.c.used_at <= now - GRACE
    chosen = sa.select(RESULTS.c.sha256).where(over, ~sold).order_by(RESULTS.c.used_at).limit(limit)
    return RESULTS.delete().where(over, RESULTS.c.sha256.in_(chosen))
