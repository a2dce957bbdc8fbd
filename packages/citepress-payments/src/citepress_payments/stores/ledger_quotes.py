"""The ledger's quotes and the results that they sell: opened, read and swept."""

from collections.abc import Mapping

import orjson
import sqlalchemy as sa
from zstandard import FRAME_HEADER, ZstdCompressor, ZstdDecompressor

from citepress.stores.sql.database import Database
from citepress_payments.ports.rows import Full, Quote, State, Swept, Unpaid
from citepress_payments.stores.payment_rows import OPEN_STATES, hold, insert_or_renew, quote_of
from citepress_payments.stores.payment_tables import PAYMENTS, QUOTES, RESULTS

RESULT_GRACE_S = 3600
"""Seconds that a result outlives the last quote that sold it, so that no sweep takes it from a quote which is just
being made."""
NATIVE = "native"
"""How the lanes begin whose quotes a buyer pays before showing anything."""
UNPAID = "unpaid quotes"
"""What is held while room is made, by all processes."""
SHED = 200
"""Quotes that make room at a time."""
LEDGER_QUOTES_COMPRESSION_LEVEL = 3
MAX_RESULT_BYTES = 1 << 24
"""Of a result; products hold far less."""
DEAD = 86_400
"""Seconds after which nobody comes back for a claim whose lease has lapsed."""


class SqlQuotes:
    """The part of the ledger that knows quotes and results."""

    def __init__(self, database: Database) -> None:
        """On a migrated database."""
        self._database = database

    def open(self, quote: Quote, result: bytes, most_open: int, room: int = 0) -> bool:
        """Store a result and its quote.

        ``False``, and nothing stored, where the client has ``most_open`` unexpired unpaid quotes already.

        ``room``: bytes that unpaid quotes of native rails, and those of all others, may take; 0 for no bound.
        Expired ones of the others make room first, oldest first; a native one never does while its transfer can be
        claimed. Raises ``Full``.
        """
        packed, entries = pack(result), orjson.dumps(quote.entries).decode()
        size = len(packed) + len(entries)
        stored = {"sha256": quote.result_sha256, "product": quote.product, "body": packed, "used_at": quote.created_at}
        with self._database.writing() as connection:
            # Until the quote is stored: two preflights at the same time would both pass the same bound.
            hold(self._database, connection, quote.client_key.hex(), UNPAID)
            if _open_quotes(connection, quote) >= most_open:
                return False
            if room:
                _make_room(connection, quote, size, room)
            connection.execute(insert_or_renew(self._database, RESULTS, stored, "used_at"))
            connection.execute(QUOTES.insert().values(_values(quote) | {"entries": entries, "size": size}))
        return True

    def unpaid(self) -> Mapping[str, Unpaid]:
        """What unpaid quotes take, of native rails and of all others."""
        with self._database.reading() as connection:
            return {name: _unpaid(connection, native=name == NATIVE) for name in (NATIVE, "other")}

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
        return unpack(bytes(body))

    def sweep(self, now: int, limit: int = 1000) -> Swept:
        """Remove quotes and results past ``keep_until``, at most ``limit`` quotes and as many results at a time.

        Paid ones stay unless the operator keeps them for some days only.
        """
        with self._database.writing() as connection:
            hold(self._database, connection, "ledger sweep")  # two sweeps at once would wait for each other's rows
            # Before the quotes: a claim that nobody comes back for would keep its quote busy for ever.
            dead = (PAYMENTS.c.state == State.CLAIMED) & (PAYMENTS.c.lease_until <= now - DEAD)
            connection.execute(PAYMENTS.delete().where(dead))
            quotes = connection.execute(_old_quotes(now, limit)).rowcount
            results = connection.execute(_unused_results(now, limit)).rowcount
        return Swept(quotes, results)


def _open_quotes(connection: sa.Connection, quote: Quote) -> int:
    """How many quotes of the client can be paid now."""
    mine = (
        (QUOTES.c.client_key == quote.client_key)
        & (QUOTES.c.expires_at > quote.created_at)
        & QUOTES.c.paid_by.is_(None)
    )
    return connection.scalar(sa.select(sa.func.count()).where(mine)) or 0


def _make_room(connection: sa.Connection, quote: Quote, size: int, room: int) -> None:
    """Shed what nobody can pay any more, oldest first, until a quote fits.

    Raises ``Full``; the caller holds ``UNPAID``.
    """
    native, now = quote.lane.startswith(NATIVE), quote.created_at
    while (taken := _unpaid(connection, native=native).bytes) + size > room:
        # A native one only when its transfer can be claimed no more. See "A native quote is never dropped for lack of
        # room" in docs/decisions/payments.md.
        over = QUOTES.c.keep_until <= now if native else QUOTES.c.expires_at <= now
        # A quote that is being paid stays whatever its age: its payment could not be settled without it.
        busy = sa.exists().where(PAYMENTS.c.quote_id == QUOTES.c.id, PAYMENTS.c.state.in_(OPEN_STATES))
        oldest = (
            sa.select(QUOTES.c.id, QUOTES.c.result_sha256)
            .where(_of(native=native), over, ~busy)
            .order_by(QUOTES.c.expires_at)
        )
        shed = connection.execute(oldest.limit(SHED)).all()
        if not shed:
            raise Full(_wait(connection, now, native=native) if taken else RESULT_GRACE_S)
        connection.execute(QUOTES.delete().where(QUOTES.c.id.in_([row.id for row in shed])))
        sold = sa.exists().where(QUOTES.c.result_sha256 == RESULTS.c.sha256)
        connection.execute(RESULTS.delete().where(RESULTS.c.sha256.in_({row.result_sha256 for row in shed}), ~sold))


def _wait(connection: sa.Connection, now: int, *, native: bool) -> int:
    """Seconds until the oldest unpaid quote makes room."""
    ends = QUOTES.c.keep_until if native else QUOTES.c.expires_at
    first = connection.scalar(sa.select(sa.func.min(ends)).where(_of(native=native))) or now
    return int(min(max(first - now, 1), RESULT_GRACE_S))


def _unpaid(connection: sa.Connection, *, native: bool) -> Unpaid:
    row = connection.execute(sa.select(sa.func.count(), sa.func.sum(QUOTES.c.size)).where(_of(native=native))).one()
    return Unpaid(row[0], int(row[1] or 0))


def _of(*, native: bool) -> sa.ColumnElement[bool]:
    lane = QUOTES.c.lane.startswith(NATIVE)
    return QUOTES.c.paid_by.is_(None) & (lane if native else ~lane)


def pack(result: bytes) -> bytes:
    """A result as it is stored: compressed, for a preflight costs nothing and is kept for an hour or a day."""
    return ZstdCompressor(level=LEDGER_QUOTES_COMPRESSION_LEVEL).compress(result)


def unpack(stored: bytes) -> bytes:
    """A stored result; those of before were not compressed."""
    return (
        ZstdDecompressor().decompress(stored, max_output_size=MAX_RESULT_BYTES)
        if stored.startswith(FRAME_HEADER)
        else stored
    )


def _values(quote: Quote) -> dict[str, object]:
    names = {column.name for column in QUOTES.c} - {"entries", "size"}
    values = {name: getattr(quote, name) for name in names}
    return values | {"keep_until": quote.keep_until or None, "paid_by": quote.paid_by or None}


def _old_quotes(now: int, limit: int) -> sa.Delete:
    """The time is compared twice: in PostgreSQL only the outer query sees that a claim has prolonged the quote."""
    busy = sa.exists().where(PAYMENTS.c.quote_id == QUOTES.c.id, PAYMENTS.c.state.in_(OPEN_STATES))
    over = QUOTES.c.keep_until <= now
    chosen = sa.select(QUOTES.c.id).where(over, ~busy).order_by(QUOTES.c.keep_until).limit(limit)
    return QUOTES.delete().where(over, QUOTES.c.id.in_(chosen))


def _unused_results(now: int, limit: int) -> sa.Delete:
    """Likewise: a quote that comes first renews the result's time."""
    sold = sa.exists().where(QUOTES.c.result_sha256 == RESULTS.c.sha256)
    over = RESULTS.c.used_at <= now - RESULT_GRACE_S
    chosen = sa.select(RESULTS.c.sha256).where(over, ~sold).order_by(RESULTS.c.used_at).limit(limit)
    return RESULTS.delete().where(over, RESULTS.c.sha256.in_(chosen))
