import sqlite3
from pathlib import Path

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory

from citepress.stores.sql.database import STATE_FILE, Database, DatabaseError
from citepress.stores.sql.migrate import migrate, open_store
from citepress.stores.sql.secret import secret
from citepress.stores.sql.store_tables import declared_stores
from citepress_inbox.sql_inbox import SqlInbox
from citepress_payments.simulated_chain.store import SIMULATED_TRANSFERS
from citepress_payments.stores.payment_tables import PAUSES, PAYMENTS
from support.stores import answers, barrier, hand_in, migrate_together, opened, submission

HISTORY = "payments_version"
"""The table of an extension's revisions, which no metadata declares."""


def test_the_migrations_make_the_tables_that_the_code_uses(database: Database) -> None:
    assert PAYMENTS.metadata is SIMULATED_TRANSFERS.metadata
    state = declared_stores()[STATE_FILE]
    histories = {store.history.table for store in state}
    with database.engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"include_name": lambda name, *_: name not in histories})
        assert compare_metadata(context, [store.metadata() for store in state]) == []


def test_processes_that_start_at_once_migrate_once(address: str) -> None:
    start, steps = barrier(4), ScriptDirectory(str(Path(migrate.__code__.co_filename).with_name("migrations")))
    assert len(steps.get_heads()) == 1
    assert answers(migrate_together, *[(address, start)] * 4) == ["ready"] * 4
    with opened(address).reading() as connection:
        assert list(connection.execute(sa.text("SELECT version_num FROM alembic_version"))) == [
            (steps.get_current_head(),)
        ]


def test_a_second_start_changes_nothing(database: Database) -> None:
    id_ = hand_in(SqlInbox(database), submission()).stored.id
    migrate(database)
    assert SqlInbox(database).find(id_) is not None


def test_a_step_that_fails_leaves_no_table_behind(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> None:
        raise RuntimeError("power cut")

    monkeypatch.setattr("sqlalchemy.sql.sqltypes.LargeBinary.__init__", lambda *_: fail())
    with pytest.raises(RuntimeError, match="power cut"):
        opened(address)
    monkeypatch.undo()
    database = opened(address)
    assert SqlInbox(database).listed() == []


def test_a_store_of_a_newer_version_is_refused_in_words(address: str) -> None:
    database = opened(address)
    with database.engine.begin() as connection:
        connection.execute(sa.text("UPDATE alembic_version SET version_num = '9999'"))
    with pytest.raises(DatabaseError, match="newer version of citepress"):
        opened(address)


def test_a_secret_is_made_once_and_lasts(address: str) -> None:
    first = secret(opened(address))
    assert len(first) == 32
    assert secret(opened(address)) == first
    assert secret(opened(address), "another") != first


def test_sqlite_confirms_only_what_is_on_the_disk(sqlite_address: str) -> None:
    with opened(sqlite_address).reading() as connection:
        settings = [
            connection.exec_driver_sql(f"PRAGMA {name}").scalar_one()
            for name in ("journal_mode", "synchronous", "foreign_keys")
        ]
    assert settings == ["wal", 2, 1]


def test_the_state_store_is_a_file_in_the_state_folder_unless_a_server_is_named(
    tmp_path: Path, postgresql_address: str
) -> None:
    SqlInbox(open_store(tmp_path / "state"))
    assert (tmp_path / "state" / "state.sqlite").exists()
    assert not SqlInbox(open_store(tmp_path / "other", postgresql_address)).listed()
    assert not (tmp_path / "other").exists()


def test_a_file_that_others_open_at_the_same_moment_is_asked_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """SQLite ignores its busy timeout where several connections switch a new file to WAL at once."""
    refusals = [sqlite3.SQLITE_BUSY, sqlite3.SQLITE_BUSY_RECOVERY]

    class Busy(sqlite3.Connection):
        def execute(self, sql: str, *parameters: object) -> sqlite3.Cursor:
            if "journal_mode" in sql and refusals:
                error = sqlite3.OperationalError("database is locked")
                error.sqlite_errorcode = refusals.pop()
                raise error
            return super().execute(sql, *parameters)

    connect = sqlite3.connect
    monkeypatch.setattr(sqlite3.dbapi2, "connect", lambda *args, **named: connect(*args, factory=Busy, **named))
    with opened(str(tmp_path / "state.sqlite")).reading() as connection:
        assert connection.exec_driver_sql("PRAGMA journal_mode").scalar_one() == "wal"
    assert not refusals


def test_payments_that_the_former_history_made_keep_their_rows(address: str) -> None:
    database = opened(address)
    with database.engine.begin() as connection:
        connection.execute(sa.insert(PAUSES).values(rail="base-usdc", reason="kept", by="", since=1, now=False))
        connection.execute(sa.text(f"DROP TABLE {HISTORY}"))
        connection.execute(sa.text("UPDATE alembic_version SET version_num = '0004'"))
    with opened(address).reading() as connection:
        assert connection.scalar(sa.select(PAUSES.c.reason)) == "kept"
        assert connection.scalar(sa.text(f"SELECT version_num FROM {HISTORY}")) == "0004"  # noqa: S608
