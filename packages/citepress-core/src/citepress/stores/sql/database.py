"""One database, SQLite or PostgreSQL: opening, transactions, and the meaning of its errors."""

import logging
import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from threading import Lock
from typing import Any

import sqlalchemy as sa
from sqlalchemy import exc
from sqlalchemy.engine import make_url

from citepress.base import clock
from citepress.base.errors import CitepressError
from citepress.contract.store import StoreUnavailable

STATE_FILE = "state.sqlite"
"""Name of the SQLite file in the state folder."""
MAX_WAIT_S = 4.0
"""Seconds that a statement waits for a lock, a connection or a server, at most."""
MIN_CONNECT_S = 2
"""libpq's shortest connection timeout, in seconds."""
RETRY = 0.01
"""Seconds between two attempts to switch a new SQLite file to its write-ahead log."""
PRIMARY_CODE = 0xFF
"""The bits of an SQLite error code that name the error; the others describe its cause."""
DAMAGED_MESSAGE = (
    "is damaged ({}): stop the server, move the file away and restore a backup with `citepress restore`, or begin anew"
    " without what the file held"
)
POOL = 10
_DRIVERS = {
    "postgres": "postgresql+psycopg",
    "postgresql": "postgresql+psycopg",
    "postgresql+psycopg": "postgresql+psycopg",
}
_AWAY = (exc.OperationalError, exc.InterfaceError, exc.InternalError, exc.TimeoutError, OSError)
"""What a driver raises when the database is locked, unreachable, full or damaged."""
_DAMAGE_CODES = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})
"""SQLite's codes for a damaged file; where text of its schema is damaged, the driver cannot decode its own message."""

log = logging.getLogger(__name__)


class DatabaseError(CitepressError, ValueError):
    """The database cannot be used as configured; the message says why."""


class Database:
    """Connections to one database; safe to share between threads, not between processes."""

    def __init__(self, engine: sa.Engine, wait: float, path: Path | None = None) -> None:
        """``wait`` is a timeout in seconds; ``path`` is the file of an SQLite database."""
        self.engine = engine
        self._wait = wait
        self._path = path
        self._file: tuple[int, int] | None = None
        self._turn = Lock()
        """SQLite allows one writer at a time: within a process they queue here instead of polling the file."""

    @property
    def name(self) -> str:
        """The name of the database in messages, without passwords."""
        return str(self._path) if self._path else self.engine.url.render_as_string(hide_password=True)

    @property
    def is_sqlite(self) -> bool:
        """Whether it is a file on this host."""
        return self._path is not None

    @contextmanager
    def reading(self) -> Iterator[sa.Connection]:
        """A connection with a consistent snapshot of the database. Raises ``StoreUnavailable``."""
        with self._unavailable(), self.engine.connect() as connection, connection.begin():
            yield connection

    @contextmanager
    def snapshot(self, patience: float) -> Iterator[sa.Connection]:
        """A connection to which the whole database stays as it is now, for reading all of it in several statements.

        ``patience`` is the timeout of a statement in seconds. Raises ``StoreUnavailable``.
        """
        options: dict[str, Any] = {"patience": patience}
        if not self.is_sqlite:
            # SQLite's readers see one state anyway; PostgreSQL has to be asked for it.
            options["isolation_level"] = "REPEATABLE READ"
        with self._unavailable(), self.engine.connect().execution_options(**options) as connection, connection.begin():
            yield connection

    @contextmanager
    def writing(self, patience: float = 0.0) -> Iterator[sa.Connection]:
        """A transaction that is durable when the block has ended, and leaves nothing when it raises.

        In SQLite it locks the whole file; in PostgreSQL a caller that needs mutual exclusion calls ``lock`` first.
        ``patience`` is the timeout of a statement in seconds, if it is not the default.
        Raises ``StoreUnavailable``.
        """
        with self._unavailable(), self._my_turn(), self.engine.connect() as plain:
            connection = plain.execution_options(writing=True, patience=patience or self._wait)
            self._same_file()
            with connection.begin():
                yield connection

    def lock(self, connection: sa.Connection, *names: bytes) -> None:
        """Lock these names for this transaction, in the order given; callers must agree on one order."""
        if not self.is_sqlite:
            # A lock on a name, because the row may not exist yet; it ends with the transaction, even where the process
            # dies.
            locks = (sa.func.pg_advisory_xact_lock(int.from_bytes(name[:8], signed=True)) for name in names)
            connection.execute(sa.select(*locks))

    def close(self) -> None:
        """End every connection."""
        self.engine.dispose()

    @contextmanager
    def _my_turn(self) -> Iterator[None]:
        if not self.is_sqlite:
            yield
            return
        # SQLite lets waiting writers sleep and try again in no order; within a process they queue, so nobody starves.
        if not self._turn.acquire(timeout=self._wait):
            raise StoreUnavailable("other writers of this process did not finish in time")
        try:
            yield
        finally:
            self._turn.release()

    @contextmanager
    def _unavailable(self) -> Iterator[None]:
        try:
            yield
        except (*_AWAY, UnicodeDecodeError) as error:
            raise self._store_unavailable(error) from error
        except exc.DBAPIError as error:
            if error.connection_invalidated or type(error) is exc.DatabaseError:  # the latter: a damaged file
                raise self._store_unavailable(error) from error
            raise

    def _store_unavailable(self, error: Exception) -> StoreUnavailable:
        cause = getattr(error, "orig", None) or error
        reason = str(cause).strip().partition("\n")[0]
        damaged = isinstance(cause, UnicodeDecodeError) or _primary_code(cause) in _DAMAGE_CODES
        sentence = f"the store {self.name} " + (DAMAGED_MESSAGE if damaged else "does not respond: {}").format(reason)
        log.error(sentence)
        return StoreUnavailable(sentence)

    def _same_file(self) -> None:
        """Refuse to write to a file that was deleted or replaced: the data would be lost."""
        if self._path is None:
            return
        status = os.stat(self._path)  # noqa: PTH116  (raises where the file is gone)
        if self._file is None:
            self._file = (status.st_dev, status.st_ino)
        # A restored backup replaces the file, and the open connections would go on writing into the one that is gone.
        elif self._file != (status.st_dev, status.st_ino):
            self._file = None
            self.engine.dispose()
            raise StoreUnavailable("the file was replaced; the new one is opened", 1)


def open_sqlite(path: Path, wait: float = MAX_WAIT_S) -> Database:
    """The SQLite database in a file, which is created if it is missing, readable by its owner only."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        # Created here rather than by SQLite, so that nobody else on the machine can ever read it.
        os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
    except OSError as error:
        raise StoreUnavailable(f"{path} cannot be opened: {error.strerror}") from error
    engine = sa.create_engine(  # errors without parameters: logs must not contain quotes, signatures or submissions
        f"sqlite:///{path}",
        pool_size=POOL,
        max_overflow=0,
        pool_timeout=wait,
        hide_parameters=True,
        connect_args={"timeout": wait},
    )
    sa.event.listen(engine, "connect", partial(_set_up_sqlite, wait=wait))
    sa.event.listen(engine, "begin", partial(_begin_sqlite, wait=wait))
    return Database(engine, wait, path)


def open_postgresql(address: str, wait: float = MAX_WAIT_S) -> Database:
    """The PostgreSQL database at an address (``postgresql://user@host/name``). Raises ``DatabaseError``."""
    try:
        url = make_url(address)
    except (exc.ArgumentError, ValueError):
        raise DatabaseError("the database address cannot be read: write postgresql://user:password@host/name") from None
    if url.drivername not in _DRIVERS:
        raise DatabaseError(
            f"{url.drivername!r} is not a supported database: write postgresql://user:password@host/name"
        )
    # A host that vanished is noticed within the wait of a request, not after the many minutes of TCP.
    arguments: dict[str, Any] = {"connect_timeout": max(MIN_CONNECT_S, int(wait)), "tcp_user_timeout": int(wait * 1000)}
    arguments |= {
        "application_name": "citepress",
        "prepare_threshold": None,
    }  # poolers cannot share prepared statements
    try:
        engine = sa.create_engine(
            url.set(drivername=_DRIVERS[url.drivername]),
            pool_size=POOL,
            max_overflow=0,
            pool_timeout=wait,
            # A connection that the server or a firewall ended is noticed before a transaction begins, not in its
            # middle.
            pool_pre_ping=True,
            isolation_level="READ COMMITTED",
            hide_parameters=True,
            connect_args=arguments,
        )
    except ModuleNotFoundError:
        raise DatabaseError("PostgreSQL needs its driver: pip install 'citepress[postgres]'") from None
    sa.event.listen(engine, "begin", partial(_begin_postgresql, wait=wait))
    return Database(engine, wait)


def _set_up_sqlite(connection: sqlite3.Connection, _record: object, wait: float) -> None:
    # Otherwise the driver begins transactions of its own, which are never immediate.
    connection.isolation_level = None
    _use_wal(connection, wait)
    # With WAL, NORMAL may lose the last commits in a power cut; a payment that was journaled must not be one of them.
    for setting in ("synchronous=FULL", "foreign_keys=ON"):
        connection.execute(f"PRAGMA {setting}").close()


def _primary_code(error: BaseException) -> int:
    """The code of an SQLite error, 0 for other errors."""
    return getattr(error, "sqlite_errorcode", 0) & PRIMARY_CODE


def _use_wal(connection: sqlite3.Connection, wait: float) -> None:
    """Switch the file to a write-ahead log, or find it switched.

    Where two connections switch a new file at once, SQLite refuses one of them at once, whatever its busy timeout:
    each holds the shared lock that the other waits for.
    """
    end = clock.seconds() + wait
    while not _try_wal(connection, last=clock.seconds() > end):
        time.sleep(RETRY)


def _try_wal(connection: sqlite3.Connection, *, last: bool) -> bool:
    try:
        connection.execute("PRAGMA journal_mode=WAL").close()
    except sqlite3.OperationalError as error:
        # Two processes that open a new file at the same moment block each other here, and SQLite does not wait by
        # itself.
        if last or _primary_code(error) != sqlite3.SQLITE_BUSY:
            raise
        return False
    return True


def _begin_sqlite(connection: sa.Connection, wait: float) -> None:
    """Writers lock the file at once: SQLite does not wait for a lock that a transaction upgrades later."""
    options = connection.get_execution_options()
    connection.exec_driver_sql(f"PRAGMA busy_timeout={int(options.get('patience', wait) * 1000)}")
    # A transaction that reads first and writes later would fail with SQLITE_BUSY at once, whatever the timeout.
    connection.exec_driver_sql("BEGIN IMMEDIATE" if options.get("writing") else "BEGIN")


def _begin_postgresql(connection: sa.Connection, wait: float) -> None:
    milliseconds = int(connection.get_execution_options().get("patience", wait) * 1000)
    connection.exec_driver_sql(f"SET LOCAL lock_timeout = {milliseconds}; SET LOCAL statement_timeout = {milliseconds}")
