"""What both spools have in common: a table for each hour, heartbeats, counters, salts, and a format number."""

import secrets
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from functools import partial
from typing import Any, ClassVar

import sqlalchemy as sa

from citepress.contract.store import StoreUnavailable
from citepress.stores.sql.database import Database
from citepress_telemetry.identify.user_agents.scanning import REFUSED as REFUSALS
from citepress_telemetry.ports import EMBEDDED, ENDED, Batch, BurstRule, SpoolEmptied, SpoolRow

FORMAT = 3
EVENT_PREFIX = "ev_"
OWN = ("spool_format", "spool_beat", "spool_counter", "spool_salt", "spool_unlisted", "spool_signed")
SPOOL_COLUMNS = SpoolRow._fields[1:]
WIDE = frozenset({"ts", "net", "bytes", "miss"})
"""Columns that need 64 bits."""
SLOTS, UNLISTED_HOURS = 360, 720
"""Slots of ten seconds in an hour; hours for which product names are kept."""
SALT_BYTES, SALT_DAYS = 32, 3
"""Bytes of a salt; days for which it is recorded that one was overwritten."""
FETCH = 5_000
ROW: Callable[[Sequence[Any]], SpoolRow] = partial(tuple.__new__, SpoolRow)
"""Like ``SpoolRow._make``, but entirely in C: an hour may have millions of rows."""
SPOOL_SET_LOCK = b"spoolset"
REFUSED = f"status IN ({', '.join(map(str, sorted(REFUSALS)))})"
REFUSED_OR_REDIRECTED = f"({REFUSED} OR (probe <> 0 AND status BETWEEN 300 AND 399 AND status <> 304))"
EVIDENCE = f"miss <> 0 AND {REFUSED_OR_REDIRECTED} AND (flags & {EMBEDDED}) = 0"
"""Rows whose paths make a burst: see ``ports.BurstRule``."""


class SqlSpool(ABC):
    """Raw rows, one table for each hour; disposable. This is what both databases do alike."""

    row_id: ClassVar[str]
    blob: ClassVar[str]
    unlogged: ClassVar[str] = ""
    emptied: ClassVar[str] = "DELETE FROM {}"
    """Statement that empties a table without leaving anything in its file."""

    def __init__(self, database: Database) -> None:
        """Raises ``StoreUnavailable``."""
        self.database = database
        self.token = ""
        """Identifies the contents of the tables; emptied tables get a new one."""
        self.tables_of_hours: set[int] = set()
        """Hours whose tables exist, as far as this process knows."""
        self._set_up()

    def append(self, worker: str, batch: Batch) -> None:
        """Write a batch atomically.

        Raises ``StoreUnavailable``, and once ``SpoolEmptied`` after everything written was lost.
        """
        by_hour: dict[int, list[SpoolRow]] = {}
        for place, row in enumerate(batch.rows):
            rows = by_hour.setdefault(row.ts // 3_600_000, [])
            if place not in batch.held:
                rows.append(row)
        try:
            with self._writing() as connection:
                self._same(connection)
                for hour in sorted(by_hour):
                    self._create_table(connection, hour)
                    self._insert(connection, hour, by_hour[hour])
                for place, value in batch.held.items():
                    self._hold(connection, batch.rows[place], value)
                self._count(connection, worker, batch)
                for hour, slot in batch.beats:
                    self._beat(connection, worker, hour, slot)
        except SpoolEmptied:
            self._set_up()
            self.tables_of_hours.clear()
            raise
        except StoreUnavailable:
            self.tables_of_hours.clear()  # a table may have been dropped
            raise
        self.tables_of_hours.update(by_hour)

    def hours(self) -> Sequence[int]:
        """Hours that hold rows, counts or beats, in order."""
        with self.reading() as connection:
            hours = connection.scalars(sa.text("SELECT h FROM spool_beat UNION SELECT h FROM spool_counter"))
            return sorted({*hours, *self.tables(connection)})

    def read(self, hour: int, after: int = 0) -> Iterator[SpoolRow]:
        """Rows of an hour with an id above ``after``, by time and id; streamed."""
        # The driver's own cursor, without SQLAlchemy's rows: an hour may have millions.
        query = f"SELECT id, {', '.join(SPOOL_COLUMNS)} FROM {table_of(hour)} WHERE id > {int(after)} ORDER BY ts, id"  # noqa: S608  (trusted names)
        with self.reading() as connection:
            if hour not in self.tables(connection):
                return
            with closing(self._streaming(connection)) as cursor:
                cursor.execute(query)
                while rows := cursor.fetchmany(FETCH):
                    yield from map(ROW, rows)

    def last(self, hour: int) -> int:
        """The highest row id of an hour; 0 without rows."""
        with self.reading() as connection:
            if hour not in self.tables(connection):
                return 0
            return int(connection.scalar(sa.text(f"SELECT max(id) FROM {table_of(hour)}")) or 0)  # noqa: S608  (likewise)

    def bursts(self, hour: int, rule: BurstRule) -> frozenset[tuple[int, int]]:
        """(net, slot of the clock) of every burst."""
        query = (
            f"SELECT net, ts / :slot AS slot FROM {table_of(hour)}"  # noqa: S608  (likewise)
            f" WHERE net IS NOT NULL AND (probe <> 0 OR (miss <> 0 AND {REFUSED})) GROUP BY net, ts / :slot"
            f" HAVING count(DISTINCT CASE WHEN {EVIDENCE} THEN miss END) >= :paths"
            " OR count(DISTINCT CASE WHEN probe IN :hostile THEN probe END) >= :kinds"
        )
        with self.reading() as connection:
            if hour not in self.tables(connection):
                return frozenset()
            whole = [sa.bindparam(name, type_=sa.BigInteger) for name in ("slot", "paths", "kinds")]
            typed = sa.text(query).bindparams(*whole, sa.bindparam("hostile", expanding=True))
            values = {"slot": rule.slot_ms, "paths": rule.paths, "kinds": rule.kinds, "hostile": rule.hostile}
            return frozenset((int(net), int(slot)) for net, slot in connection.execute(typed, values))

    def counted(self, hour: int) -> Mapping[str, int]:
        """The counters of an hour, summed over workers."""
        with self.reading() as connection:
            rows = connection.execute(
                sa.text("SELECT name, sum(n) FROM spool_counter WHERE h = :h GROUP BY name ORDER BY name"), {"h": hour}
            )
            return {name: int(n) for name, n in rows}

    def observed_slots(self, hour: int) -> int:
        """Slots of ten seconds in which any worker was alive (0 to 360)."""
        return self._slots(hour).bit_count()

    def first_beat(self, hour: int) -> int | None:
        """The first slot of an hour in which any worker was alive."""
        slots = self._slots(hour)
        return (slots & -slots).bit_length() - 1 if slots else None

    def vanished(self, hour: int) -> int:
        """Workers whose last heartbeat is in an hour and that did not shut down normally."""
        query = (
            "SELECT count(*) FROM spool_beat AS b WHERE h = :h"
            " AND NOT EXISTS (SELECT 1 FROM spool_beat AS l WHERE l.worker = b.worker AND l.h > b.h)"
            " AND NOT EXISTS (SELECT 1 FROM spool_counter AS c WHERE c.worker = b.worker AND c.name = :ended)"
        )
        with self.reading() as connection:
            return int(connection.scalar(sa.text(query), {"h": hour, "ended": ENDED}) or 0)

    def _slots(self, hour: int) -> int:
        with self.reading() as connection:
            rows = connection.scalars(sa.text("SELECT slots FROM spool_beat WHERE h = :h"), {"h": hour})
            return _joined(bytes(row) for row in rows)

    def unlisted(self, first: int, end: int) -> Mapping[str, int]:
        """Product names of unlisted automation in the hours ``[first, end)``, most frequent first."""
        query = (
            "SELECT text, sum(n) AS n FROM spool_unlisted WHERE h >= :first AND h < :end GROUP BY text ORDER BY sum(n)"
            " DESC, text"
        )
        with self.reading() as connection:
            return {text: int(n) for text, n in connection.execute(sa.text(query), {"first": first, "end": end})}

    def forget_unlisted(self) -> None:
        """Delete all product names of unlisted automation, beyond recovery."""
        with self.reading() as connection:
            if not connection.scalar(sa.text("SELECT count(*) FROM spool_unlisted")):
                return
        with self._writing() as connection:
            connection.execute(sa.text(self.emptied.format("spool_unlisted")))
        self._wipe()

    def salt(self, day: int) -> bytes:
        """The 32-byte salt of a day (days since 1970), created on first use.

        Only for today, and for yesterday until its salt is overwritten: then raises ``LookupError``.
        """
        here = {"day": day}
        with self.reading() as connection:
            gone = connection.scalar(
                sa.text("SELECT count(*) FROM spool_salt WHERE day >= :day AND length(value) = 0"), here
            )
            value = connection.scalar(sa.text("SELECT value FROM spool_salt WHERE day = :day"), here)
        if gone:
            raise LookupError(f"the salt of day {day} is gone")
        if value is None:
            fresh = {"day": day, "value": secrets.token_bytes(SALT_BYTES)}
            with self._writing() as connection:
                connection.execute(
                    sa.text("INSERT INTO spool_salt (day, value) VALUES (:day, :value) ON CONFLICT DO NOTHING"), fresh
                )
                value = connection.scalar(sa.text("SELECT value FROM spool_salt WHERE day = :day"), here)
        return bytes(value or b"")

    def forget_salts(self, before_day: int) -> None:
        """Overwrite the salts of earlier days, beyond recovery."""
        with self._writing() as connection:
            self._forget(connection, before_day)
            gone = sa.text("INSERT INTO spool_salt (day, value) VALUES (:day, :value) ON CONFLICT DO NOTHING")
            connection.execute(gone, {"day": before_day - 1, "value": b""})
        self._wipe()

    def salts(self) -> Mapping[int, bool]:
        """Days with a salt, and whether it still exists; ``False`` if it was overwritten."""
        with self.reading() as connection:
            rows = connection.execute(sa.text("SELECT day, length(value) FROM spool_salt ORDER BY day"))
            return {int(day): bool(size) for day, size in rows}

    def renew_salt(self, day: int) -> None:
        """Overwrite the salts up to this day beyond recovery, and create a new one. Raises ``StoreUnavailable``."""
        self.forget_salts(day + 1)
        fresh = {"day": day, "value": secrets.token_bytes(SALT_BYTES)}
        with self._writing() as connection:
            connection.execute(sa.text("UPDATE spool_salt SET value = :value WHERE day = :day"), fresh)

    def signed(self, hour: int) -> Mapping[int, bytes]:
        """The signed requests of an hour, by row id."""
        with self.reading() as connection:
            rows = connection.execute(sa.text("SELECT row_id, value FROM spool_signed WHERE h = :h"), {"h": hour})
            return {int(row): bytes(value) for row, value in rows}

    def forget_signed(self, before_hour: int) -> None:
        """Delete the signed requests of earlier hours."""
        here = {"h": before_hour}
        with self.reading() as connection:
            if not connection.scalar(sa.text("SELECT count(*) FROM spool_signed WHERE h < :h"), here):
                return
        with self._writing() as connection:
            connection.execute(sa.text("DELETE FROM spool_signed WHERE h < :h"), here)

    def drop(self, hour: int) -> None:
        """Drop the rows and counters of an hour, and product names that are thirty days older."""
        with self._writing() as connection:
            connection.execute(sa.text(f"DROP TABLE IF EXISTS {table_of(hour)}"))
            for name in ("spool_beat", "spool_counter", "spool_signed"):
                connection.execute(sa.text(f"DELETE FROM {name} WHERE h = :h"), {"h": hour})  # noqa: S608  (trusted names)
            connection.execute(sa.text("DELETE FROM spool_unlisted WHERE h < :h"), {"h": hour - UNLISTED_HOURS})
        self.tables_of_hours.discard(hour)

    @abstractmethod
    def size(self) -> int:
        """Bytes that the spool occupies, without free pages of its file."""

    def close(self) -> None:
        """End every connection."""
        self.database.close()

    @contextmanager
    def _writing(self) -> Iterator[sa.Connection]:
        with self.translated_errors(), self.database.writing() as connection:
            yield connection

    @contextmanager
    def reading(self) -> Iterator[sa.Connection]:
        """A connection with a consistent snapshot. Raises ``StoreUnavailable``."""
        with self.translated_errors(), self.database.reading() as connection:
            yield connection

    @contextmanager
    def translated_errors(self) -> Iterator[None]:
        """Turn errors of a dropped table, or of the driver used directly, into ``StoreUnavailable``."""
        try:
            yield
        except (sa.exc.DBAPIError, self.database.engine.dialect.loaded_dbapi.Error) as error:
            raise StoreUnavailable(f"the spool does not respond: {type(error).__name__}") from error

    def _same(self, connection: sa.Connection) -> None:  # noqa: B027  (only one of the databases can lose its contents)
        """Raise ``SpoolEmptied`` if the tables were emptied since this process set them up."""

    def _set_up(self) -> None:
        """Create the tables of this format; tables of another format are dropped, emptied ones get a new token."""
        with self._writing() as connection:
            self.database.lock(connection, SPOOL_SET_LOCK)
            existing = frozenset(self._names(connection))
            format_number = connection.scalar(sa.text("SELECT n FROM spool_format")) if OWN[0] in existing else None
            if format_number == FORMAT:
                self.token = str(connection.scalar(sa.text("SELECT token FROM spool_format")))
                return
            emptied = format_number is None and existing.issuperset(OWN)
            for name in OWN[:1] if emptied else (*OWN, *map(table_of, self.tables(connection))):
                connection.execute(sa.text(f"DROP TABLE IF EXISTS {name}"))
            self.token = secrets.token_hex(8)
            connection.execute(
                sa.text(f"CREATE {self.unlogged} TABLE spool_format (n integer NOT NULL, token text NOT NULL)")
            )
            connection.execute(
                sa.text("INSERT INTO spool_format VALUES (:n, :token)"), {"n": FORMAT, "token": self.token}
            )
            if emptied:
                return
            for statement in (
                (
                    f"spool_beat (h integer NOT NULL, worker text NOT NULL, slots {self.blob} NOT NULL, PRIMARY KEY (h,"
                    " worker))"
                ),
                (
                    "spool_counter (h integer NOT NULL, worker text NOT NULL, name text NOT NULL, n bigint NOT NULL,"
                    " PRIMARY KEY (h, worker, name))"
                ),
                f"spool_salt (day integer PRIMARY KEY, value {self.blob} NOT NULL)",
                "spool_unlisted (h integer NOT NULL, text text NOT NULL, n bigint NOT NULL, PRIMARY KEY (h, text))",
                (
                    f"spool_signed (h integer NOT NULL, row_id bigint NOT NULL, value {self.blob} NOT NULL, PRIMARY KEY"
                    " (h, row_id))"
                ),
            ):
                connection.execute(sa.text(f"CREATE {self.unlogged} TABLE {statement}"))

    def _create_table(self, connection: sa.Connection, hour: int) -> None:
        """Create the hour's table if it is missing."""
        if hour in self.tables_of_hours:
            return
        columns = ", ".join(
            f"{name} {'bigint' if name in WIDE else 'integer'}{'' if name == 'net' else ' NOT NULL'}"
            for name in SPOOL_COLUMNS
        )
        connection.execute(
            sa.text(f"CREATE {self.unlogged} TABLE IF NOT EXISTS {table_of(hour)} (id {self.row_id}, {columns})")
        )

    def _count(self, connection: sa.Connection, worker: str, batch: Batch) -> None:
        counts = [
            {"h": hour, "worker": worker, "name": name, "n": n} for (hour, name), n in sorted(batch.counts.items())
        ]
        if counts:
            query = "INSERT INTO spool_counter AS t (h, worker, name, n) VALUES (:h, :worker, :name, :n)"
            connection.execute(
                sa.text(f"{query} ON CONFLICT (h, worker, name) DO UPDATE SET n = t.n + excluded.n"), counts
            )
        texts = [{"h": hour, "text": text, "n": n} for (hour, text), n in sorted(batch.unlisted.items())]
        if texts:
            query = "INSERT INTO spool_unlisted AS t (h, text, n) VALUES (:h, :text, :n)"
            connection.execute(sa.text(f"{query} ON CONFLICT (h, text) DO UPDATE SET n = t.n + excluded.n"), texts)

    def _hold(self, connection: sa.Connection, row: SpoolRow, value: bytes) -> None:
        """Insert a signed request by itself, because its row id is needed, and its signature."""
        hour, marks = row.ts // 3_600_000, ", ".join(f":{name}" for name in SPOOL_COLUMNS)
        query = f"INSERT INTO {table_of(hour)} ({', '.join(SPOOL_COLUMNS)}) VALUES ({marks}) RETURNING id"  # noqa: S608  (trusted names)
        id_ = connection.scalar(sa.text(query), dict(zip(SPOOL_COLUMNS, row[1:], strict=True)))
        parameters = {"h": hour, "row": id_, "value": value}
        connection.execute(sa.text("INSERT INTO spool_signed (h, row_id, value) VALUES (:h, :row, :value)"), parameters)

    def _beat(self, connection: sa.Connection, worker: str, hour: int, slot: int) -> None:
        here = {"h": hour, "worker": worker}
        slots = connection.scalar(sa.text("SELECT slots FROM spool_beat WHERE h = :h AND worker = :worker"), here)
        joined = _joined([bytes(slots or b"")]) | 1 << slot
        query = (
            "INSERT INTO spool_beat (h, worker, slots) VALUES (:h, :worker, :slots) ON CONFLICT (h, worker) DO UPDATE"
            " SET slots = excluded.slots"
        )
        connection.execute(sa.text(query), {**here, "slots": joined.to_bytes(SLOTS // 8, "little")})

    def tables(self, connection: sa.Connection) -> set[int]:
        """Hours that have a table."""
        names = self._names(connection)
        return {
            int(name.removeprefix(EVENT_PREFIX))
            for name in names
            if name.startswith(EVENT_PREFIX) and name.removeprefix(EVENT_PREFIX).isdecimal()
        }

    @abstractmethod
    def _names(self, connection: sa.Connection) -> Iterable[str]:
        """Names of the existing tables."""

    @abstractmethod
    def _streaming(self, connection: sa.Connection) -> Any:  # noqa: ANN401  (a driver's cursor)
        """A cursor that does not hold the whole result in memory."""

    @abstractmethod
    def _insert(self, connection: sa.Connection, hour: int, rows: Sequence[SpoolRow]) -> None:
        """Add rows to the table of an hour."""

    @abstractmethod
    def _forget(self, connection: sa.Connection, before_day: int) -> None:
        """Overwrite the salts of earlier days."""

    @abstractmethod
    def _wipe(self) -> None:
        """Remove every remaining copy of overwritten values."""


def table_of(hour: int) -> str:
    """Name of the table of an hour."""
    return f"{EVENT_PREFIX}{int(hour)}"


def _joined(slots: Iterable[bytes]) -> int:
    """The slots that are set in any of these."""
    joined = 0
    for each in slots:
        joined |= int.from_bytes(each, "little")
    return joined
