"""Elects one aggregator among all nodes of a PostgreSQL: it holds an advisory lock while its connection lives."""

import logging

import sqlalchemy as sa

from citepress.stores.sql.database import Database

KEY = int.from_bytes(b"citepagg")
"""The lock's number, the same for every node of a database."""
log = logging.getLogger(__name__)


class SqlElection:
    """Implements ``telemetry.ports.Election``; a connection pooler must be in session mode."""

    def __init__(self, database: Database) -> None:
        """``database`` is a PostgreSQL; one of its connections is used while the lock is held."""
        self._database = database
        self._connection: sa.Connection | None = None

    def won(self) -> bool:
        """Whether this process has the lock, which a broken connection loses."""
        try:
            if self._connection is None:
                return self._try()
            self._connection.execute(sa.text("SELECT 1"))
        except (sa.exc.SQLAlchemyError, OSError) as error:
            log.warning("the aggregator's lock was lost: %s", type(error).__name__)
            self.resign()
            return False
        return True

    def resign(self) -> None:
        """Release the lock and close its connection, so that a lock whose release failed goes with it."""
        connection, self._connection = self._connection, None
        if connection is None:
            return
        try:
            # The server notices a closed connection some time later, and the lock stays taken until then.
            connection.execute(sa.select(sa.func.pg_advisory_unlock(KEY)))
        except (sa.exc.SQLAlchemyError, OSError) as error:
            log.debug("the aggregator's lock goes with its connection: %s", type(error).__name__)
        finally:
            connection.invalidate()
            connection.close()

    def _try(self) -> bool:
        connection = self._database.engine.connect().execution_options(isolation_level="AUTOCOMMIT")
        try:
            won = bool(connection.scalar(sa.select(sa.func.pg_try_advisory_lock(KEY))))
        except BaseException:
            connection.close()
            raise
        if won:
            self._connection = connection
        else:
            connection.close()
        return won
