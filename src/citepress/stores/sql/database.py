"""One database, SQLite or PostgreSQL: how it is opened, how it is written to, and what its failures mean."""

import logging
import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from threading import Lock
from typing import Any

import sqlalchemy as sa
from sqlalchemy import exc
from sqlalchemy.engine import make_url

from citepress.base.errors import CitepressError
from citepress.contract.store import StoreUnavailable

FILE = "state.sqlite"
"""Name of the SQLite file in the state folder."""
WAIT = 4.0
"""Seconds that a statement waits for a lock, a connection or a server, at most."""
LEAST_CONNECT = 2
"""Seconds below which libpq does not wait for a connection."""
POOL = 10
_DRIVERS = {"postgres": "postgresql+psycopg", "postgresql": "postgresql+psycopg", "postgresql+psycopg": "postgresql+psycopg"}
_AWAY = (exc.OperationalError, exc.InterfaceError, exc.InternalError, exc.TimeoutError, OSError)
"""What a driver raises when the database is locked, gone, full or broken."""

log = logging.getLogger(__name__)


class DatabaseError(CitepressError, ValueError):
    """The database cannot be used as it was named; the sentence says why."""


class Database:
    """Connections to one database; safe to share between threads, not between processes."""

    def __init__(self, engine: sa.Engine, wait: float, path: Path | None = None) -> None:
        """``wait`` are seconds; ``path`` is the file of an SQLite database."""
        self.engine = engine
        self._wait = wait
        self._path = path
        self._file: tuple[int, int] | None = None
        self._turn = Lock()
        """SQLite takes one writer at a time: within a process they queue here instead of polling the file."""

    @property
    def name(self) -> str:
        """How the database is named in messages, without passwords."""
        return str(self._path) if self._path else self.engine.url.render_as_string(hide_password=True)

    @property
    def is_sqlite(self) -> bool:
        """Whether it is a file of this host."""
        return self._path is not None

    @contextmanager
    def reading(self) -> Iterator[sa.Connection]:
        """A connection that sees one state of the database. Raises ``StoreUnavailable``."""
        with self._unavailable(), self.engine.connect() as connection, connection.begin():
            yield connection

    @contextmanager
    def writing(self, patience: float = 0.0) -> Iterator[sa.Connection]:
        """A transaction that is durable when the block has ended, and leaves nothing when it raises.

        In SQLite it has the file for itself; in PostgreSQL what must not happen twice takes ``lock`` first.
        ``patience`` are the seconds that a statement may take, when they are not the usual ones.
        Raises ``StoreUnavailable``.
        """
        with self._unavailable(), self._my_turn(), self.engine.connect() as plain:
            connection = plain.execution_options(writing=True, patience=patience or self._wait)
            self._same_file()
            with connection.begin():
                yield connection

    def lock(self, connection: sa.Connection, *names: bytes) -> None:
        """Have these names for this transaction alone, in the order given; callers agree on one order."""
        if not self.is_sqlite:
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
        except _AWAY as error:
            raise self._told(error) from error
        except exc.DBAPIError as error:
            if error.connection_invalidated or type(error) is exc.DatabaseError:  # the second: a damaged file
                raise self._told(error) from error
            raise

    def _told(self, error: Exception) -> StoreUnavailable:
        reason = str(getattr(error, "orig", None) or error).strip().partition("\n")[0]
        sentence = f"the store {self.name} does not answer: {reason}"
        log.error(sentence)
        return StoreUnavailable(sentence)

    def _same_file(self) -> None:
        """Refuse to write into a file that was deleted or replaced: what is written there would be lost."""
        if self._path is None:
            return
        found = os.stat(self._path)  # noqa: PTH116  (raises where the file is gone)
        if self._file is None:
            self._file = (found.st_dev, found.st_ino)
        elif self._file != (found.st_dev, found.st_ino):
            self._file = None
            self.engine.dispose()
            raise StoreUnavailable("the file was replaced; the new one is opened", 1)


def open_sqlite(path: Path, wait: float = WAIT) -> Database:
    """The SQLite database in a file, which is made if it is not there, readable by its owner only."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
    except OSError as error:
        raise StoreUnavailable(f"{path} cannot be opened: {error.strerror}") from error
    engine = sa.create_engine(  # whose faults tell no parameters: logs hold no quotes, signatures or submissions
        f"sqlite:///{path}", pool_size=POOL, max_overflow=0, pool_timeout=wait, hide_parameters=True, connect_args={"timeout": wait},
    )  # fmt: skip
    sa.event.listen(engine, "connect", _set_up_sqlite)
    sa.event.listen(engine, "begin", partial(_begin_sqlite, wait=wait))
    return Database(engine, wait, path)


def open_postgresql(address: str, wait: float = WAIT) -> Database:
    """The PostgreSQL database at an address (``postgresql://user@host/name``). Raises ``DatabaseError``."""
    try:
        url = make_url(address)
    except (exc.ArgumentError, ValueError):
        raise DatabaseError("the database address cannot be read: write postgresql://user:password@host/name") from None
    if url.drivername not in _DRIVERS:
        raise DatabaseError(f"{url.drivername!r} is no database that is supported: write postgresql://user:password@host/name")
    arguments: dict[str, Any] = {"connect_timeout": max(LEAST_CONNECT, int(wait)), "tcp_user_timeout": int(wait * 1000)}
    arguments |= {"application_name": "citepress", "prepare_threshold": None}  # poolers cannot share prepared statements
    try:
        engine = sa.create_engine(
            url.set(drivername=_DRIVERS[url.drivername]), pool_size=POOL, max_overflow=0, pool_timeout=wait, pool_pre_ping=True,
            isolation_level="READ COMMITTED", hide_parameters=True, connect_args=arguments,
        )  # fmt: skip
    except ModuleNotFoundError:
        raise DatabaseError("PostgreSQL needs its driver: pip install 'citepress[postgres]'") from None
    sa.event.listen(engine, "begin", partial(_begin_postgresql, wait=wait))
    return Database(engine, wait)


def _set_up_sqlite(connection: sqlite3.Connection, _record: object) -> None:
    connection.isolation_level = None
    for setting in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON"):
        connection.execute(f"PRAGMA {setting}").close()


def _begin_sqlite(connection: sa.Connection, wait: float) -> None:
    """Writers take the file at once: a lock that is asked for half-way cannot be waited for."""
    options = connection.get_execution_options()
    connection.exec_driver_sql(f"PRAGMA busy_timeout={int(options.get('patience', wait) * 1000)}")
    connection.exec_driver_sql("BEGIN IMMEDIATE" if options.get("writing") else "BEGIN")


def _begin_postgresql(connection: sa.Connection, wait: float) -> None:
    milliseconds = int(connection.get_execution_options().get("patience", wait) * 1000)
    connection.exec_driver_sql(f"SET LOCAL lock_timeout = {milliseconds}; SET LOCAL statement_timeout = {milliseconds}")
