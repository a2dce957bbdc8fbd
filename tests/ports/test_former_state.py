"""State of the time when one history made the tables of the inbox too opens as it is, and its backups are restored."""

import json
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext

from citepress.admin.backup import MANIFEST, restore
from citepress.settings import Settings
from citepress.stores.sql.backup import digest_file
from citepress.stores.sql.database import STATE_FILE, open_postgresql, open_sqlite
from citepress.stores.sql.migrate import open_store
from citepress.stores.sql.secret import secret
from citepress.stores.sql.store_tables import declared_stores
from citepress_inbox.sql_inbox import SqlInbox
from citepress_telemetry.stores import ROLLUPS_FILE, open_rollup_store
from support.stores import answers, barrier, hand_in, migrate_together, numbered

FORMER = Path(__file__).parents[1] / "support" / "former_state"
"""What the migrations of that time ran, as they ended."""
ROWS = (
    "INSERT INTO submissions VALUES (7, 'aaaa', 'source', 'queued', 'posts/x', '{}', 9, 9, NULL, NULL, NULL)",
    "INSERT INTO events VALUES (9, 'aaaa', 1795000000, 'agent', NULL, 'queued', '', '{}')",
    "INSERT INTO pauses VALUES ('base-usdc', 'Maintenance.', 'owner', 1795000000, {true}, 0)",
    "INSERT INTO secrets VALUES ('client-address', {key})",
)
KEY = b"k" * 32
TABLES = ("submissions", "events", "repeats", "spending", "pauses", "payments", "secrets")


def begin(address: str) -> None:
    """A database as that version left it, with a few rows."""
    engine = "postgresql" if "://" in address else "sqlite"
    with closing(open_postgresql(address) if "://" in address else open_sqlite(Path(address))) as database:
        literals = {
            "true": "true" if engine == "postgresql" else "1",
            "key": f"'\\x{KEY.hex()}'" if engine == "postgresql" else f"x'{KEY.hex()}'",
        }
        with database.writing() as connection:
            for statement in (FORMER / f"{engine}.sql").read_text("utf-8").splitlines():
                connection.exec_driver_sql(statement)
            for row in ROWS:
                connection.exec_driver_sql(row.replace("'{}'", "'{{}}'").format(**literals))
            if engine == "postgresql":
                for table in ("submissions", "events"):
                    connection.exec_driver_sql(f"SELECT setval('{table}_number_seq', 10)")


def opens_with_its_rows(settings: Settings) -> None:
    with closing(open_store(settings.state, settings.database_url)) as database:
        assert [(row.id, row.record) for row in SqlInbox(database).listed()] == [("aaaa", "posts/x")]
        assert [event.submission for event in SqlInbox(database).history()] == ["aaaa"]
        assert secret(database) == KEY
        assert not hand_in(SqlInbox(database), numbered(1)).repeated
        with database.reading() as connection:
            assert connection.exec_driver_sql("SELECT reason FROM pauses").scalar_one() == "Maintenance."
            revisions = [
                connection.scalar(sa.select(sa.table(store.history.table, sa.column("version_num"))))
                for store in declared_stores()[STATE_FILE]
            ]
        assert revisions == ["0004", "0001", "0004"]
        with pytest.raises(sa.exc.DBAPIError, match="events are only ever added"), database.writing() as connection:
            connection.exec_driver_sql("DELETE FROM events")


def test_a_state_of_that_time_is_adopted_with_its_rows(address: str, tmp_path: Path) -> None:
    begin(address)
    settings = Settings(tmp_path, tmp_path / "state", database_url=address if "://" in address else None)
    opens_with_its_rows(settings)
    with closing(open_store(settings.state, settings.database_url)) as database, database.reading() as connection:
        for store in declared_stores()[STATE_FILE]:
            difference = compare_metadata(_of(connection, store.metadata()), store.metadata())
            assert difference == [], store.history.table


def _of(connection: sa.Connection, metadata: sa.MetaData) -> MigrationContext:
    """What the database has of these tables."""
    names = set(metadata.tables)
    options = {"include_name": lambda name, kind, _: kind != "table" or name in names}
    return MigrationContext.configure(connection, opts=options)


def test_processes_that_start_at_once_adopt_it_once(address: str) -> None:
    begin(address)
    start = barrier(4)
    assert answers(migrate_together, *[(address, start)] * 4) == ["ready"] * 4


@pytest.mark.parametrize("target", ["sqlite", "postgresql"])
def test_a_backup_of_that_time_is_restored_in_either_database(
    target: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    backup = tmp_path / "backup"
    backup.mkdir()
    begin(str(tmp_path / "former" / STATE_FILE))
    open_rollup_store(tmp_path / "former").close()
    databases = {}
    for file, names in ((STATE_FILE, TABLES), (ROLLUPS_FILE, ("traffic_hour",))):
        with closing(sqlite3.connect(tmp_path / "former" / file)) as connection:
            connection.execute("PRAGMA journal_mode=DELETE")
        shutil.copyfile(tmp_path / "former" / file, backup / file)
        held = digest_file(backup / file, names)
        databases[file] = {name: {"rows": table.rows, "sha256": table.sha256} for name, table in held.items()}
    manifest = {"format": 1, "citepress": "0.1.0", "created_at": "2026-11-27T20:00:00Z", "databases": databases}
    (backup / MANIFEST).write_text(json.dumps(manifest), "utf-8")
    address = request.getfixturevalue("postgresql_address") if target == "postgresql" else None
    settings = Settings(tmp_path, tmp_path / "state", database_url=address)
    restore(settings, backup)
    opens_with_its_rows(settings)
