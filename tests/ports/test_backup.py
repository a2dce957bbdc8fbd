"""Backups of the state, from either database and into either: every row comes back, and damage is noticed."""

import json
import shutil
import sqlite3
import threading
from collections.abc import Callable
from contextlib import closing
from datetime import datetime
from pathlib import Path

import pytest
import sqlalchemy as sa

from citepress.admin import backup
from citepress.admin.backup import MANIFEST, BackupError, back_up, parts, restore, verify
from citepress.admin.restore_drill import last_drill
from citepress.admin.state_folders import prepare
from citepress.base.restore_mark import UnfinishedRestoreError
from citepress.cli import run
from citepress.history.state_files import KEPT_FILE
from citepress.settings import Settings
from citepress.stores.sql.backup import BATCH_ROWS, digest_file, digest_rows
from citepress.stores.sql.database import STATE_FILE
from citepress.stores.sql.migrate import open_store
from citepress.stores.sql.secret import secret
from citepress_inbox.sql_inbox import SqlInbox
from citepress_inbox.tables import SPENDING
from citepress_payments.ports.rows import State
from citepress_payments.stores.ledger import SqlLedger
from citepress_telemetry.sql.dimensions import SqlDimensions
from citepress_telemetry.sql.rollups import SqlRollups
from citepress_telemetry.sql.spool import open_spool
from citepress_telemetry.stores import ROLLUPS_FILE, open_rollup_store
from support.database_servers import postgresql_running, schema_of
from support.ledgers import settled
from support.rollups import END, PAGES, seed
from support.stores import hand_in, numbered, submission, submit_until

Start = Callable[[str], Settings]
SUBMISSIONS = 9


@pytest.fixture
def start(tmp_path: Path) -> Start:
    """Settings over an empty state, in SQLite or in PostgreSQL."""

    def started(engine: str, name: str = "state") -> Settings:
        address = None
        if engine == "postgresql":
            with postgresql_running() as server:
                address = schema_of(server)
        return Settings(tmp_path, tmp_path / f"{name}-{engine}", database_url=address)

    return started


def filled(settings: Settings) -> None:
    """Submissions, payments, keys and counts."""
    with closing(open_store(settings.state, settings.database_url)) as database:
        for number in range(SUBMISSIONS):
            hand_in(SqlInbox(database), numbered(number), f"198.51.100.{number}")
        with database.writing() as connection:  # more rows than are read at once
            rows = [{"client": number.to_bytes(16), "at": number} for number in range(2 * BATCH_ROWS + 1)]
            connection.execute(SPENDING.insert(), rows)
        for number in range(1, 4):
            settled(SqlLedger(database), number)
        secret(database)
    with closing(open_rollup_store(settings.state, settings.database_url)) as database:
        seed(SqlRollups(database), SqlDimensions(database), PAGES, range(END - 4, END))


def contents(settings: Settings) -> dict[str, object]:
    """What every table holds."""
    held: dict[str, object] = {}
    for part in parts():
        with closing(part.opened(settings.state, settings.database_url)) as database:
            held |= digest_rows(database, part.tables)
    return held


@pytest.mark.parametrize("source", ["sqlite", "postgresql"])
@pytest.mark.parametrize("target", ["sqlite", "postgresql"])
def test_what_was_backed_up_comes_back_whole_in_either_database(
    start: Callable[..., Settings], source: str, target: str, tmp_path: Path
) -> None:
    here, target_place = start(source), start(target, "new")
    filled(here)
    manifest = back_up(here, tmp_path / "backup")
    assert manifest.databases[STATE_FILE]["submissions"].rows == SUBMISSIONS
    assert manifest.databases[ROLLUPS_FILE]["traffic_hour"].rows > 0
    assert restore(target_place, tmp_path / "backup") == manifest
    assert contents(target_place) == contents(here)
    with closing(open_store(target_place.state, target_place.database_url)) as database:
        assert {row.state for row in SqlLedger(database).payments()} == {State.SETTLED}
        repeated = hand_in(SqlInbox(database), numbered(7), "198.51.100.7")
        assert repeated.repeated
        fresh = hand_in(SqlInbox(database), submission(url="https://source.example/after"))
        assert not fresh.repeated
        with closing(open_store(here.state, here.database_url)) as former:
            assert secret(database) == secret(former)


@pytest.mark.parametrize("engine", ["sqlite", "postgresql"])
def test_a_backup_while_others_write_holds_every_submission_that_was_acknowledged_before(
    start: Callable[..., Settings], engine: str, tmp_path: Path
) -> None:
    settings = start(engine)
    filled(settings)
    address = settings.database_url or str(settings.state / STATE_FILE)
    stop = threading.Event()
    results: list[list[str]] = []
    writer = threading.Thread(target=lambda: results.append(submit_until(address, stop)))
    writer.start()
    try:
        copies = [back_up(settings, tmp_path / f"backup-{number}") for number in range(3)]
    finally:
        stop.set()
        writer.join(60)
    sizes = [copy.databases[STATE_FILE]["submissions"].rows for copy in copies]
    assert sizes == sorted(sizes)
    for number, size in enumerate(sizes):
        with closing(sqlite3.connect(tmp_path / f"backup-{number}" / STATE_FILE)) as connection:
            assert connection.execute("SELECT count(DISTINCT submission) FROM events").fetchone() == (size,)
    last = back_up(settings, tmp_path / "last")
    assert last.databases[STATE_FILE]["submissions"].rows == SUBMISSIONS + len(results[0])


def test_a_backup_holds_no_request_of_a_reader_and_no_rendered_report(
    start: Callable[..., Settings], tmp_path: Path
) -> None:
    settings = start("sqlite")
    filled(settings)
    (settings.state / "spool.sqlite").write_bytes(b"requests")
    back_up(settings, tmp_path / "backup")
    assert sorted(path.name for path in (tmp_path / "backup").iterdir()) == [MANIFEST, STATE_FILE, ROLLUPS_FILE]
    assert (tmp_path / "backup").stat().st_mode & 0o777 == 0o700


def test_a_backup_of_postgresql_holds_no_request_of_a_reader(start: Callable[..., Settings], tmp_path: Path) -> None:
    settings = start("postgresql")
    filled(settings)
    spool = open_spool(settings.state, settings.database_url)
    with spool.database.reading() as connection:
        requests = set(sa.inspect(connection).get_table_names())
    assert {table for part in parts() for table in map(str, part.tables)} < requests
    back_up(settings, tmp_path / "backup")
    with closing(sqlite3.connect(tmp_path / "backup" / STATE_FILE)) as connection:
        held = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    assert not {name for name in held if "spool" in name or "salt" in name}, held


def test_a_backup_holds_revisions_and_copies_of_sources(start: Callable[..., Settings], tmp_path: Path) -> None:
    here, target = start("sqlite"), start("sqlite", "new")
    filled(here)
    files = {
        "log/editions.jsonl": b"{}\n",
        "revisions/revisions.log": b"one\ntwo\n",
        "sources/captures/a.warc.gz": b"\x1f\x8b",
        "sources/journal": b"",
    }
    for name, content in {**files, "revisions/process.lock": b"1"}.items():
        (here.state / name).parent.mkdir(parents=True, exist_ok=True)
        (here.state / name).write_bytes(content)
    manifest = back_up(here, tmp_path / "backup")
    assert sorted(manifest.files) == sorted(files)
    assert restore(target, tmp_path / "backup") == manifest
    assert {name: (target.state / name).read_bytes() for name in files} == files
    with pytest.raises(BackupError, match="restore into a new state folder"):
        restore(target, tmp_path / "backup")
    (tmp_path / "backup/revisions/revisions.log").write_bytes(b"one\n")
    with pytest.raises(BackupError, match="not as it was written"):
        verify(tmp_path / "backup")


def _flip(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE submissions SET body = replace(body, 'opposite', 'contrary') WHERE number = 5")
        connection.commit()


def _drop(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("DELETE FROM payments WHERE state = 'settled'")
        connection.commit()


DAMAGE: list[tuple[str, Callable[[Path], object], str]] = [
    ("one byte of a row", lambda folder: _flip(folder / STATE_FILE), "table submissions: rows that differ"),
    ("a row", lambda folder: _drop(folder / STATE_FILE), "table payments: 0 rows where 3 were written"),
    ("half a file", lambda folder: _halve(folder / STATE_FILE), STATE_FILE),
    ("a file", lambda folder: (folder / ROLLUPS_FILE).unlink(), "cannot be read"),
    ("the manifest", lambda folder: (folder / MANIFEST).unlink(), "name the folder of a backup"),
    ("its words", lambda folder: (folder / MANIFEST).write_text('{"format": 9}'), "is not the manifest of a backup"),
]


def _halve(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


@pytest.mark.parametrize(("what", "damage", "sentence"), DAMAGE, ids=[what for what, _, _ in DAMAGE])
def test_a_damaged_backup_is_refused_before_anything_is_restored(
    start: Callable[..., Settings], tmp_path: Path, what: str, damage: Callable[[Path], object], sentence: str
) -> None:
    here, target_place = start("sqlite"), start("sqlite", "new")
    filled(here)
    back_up(here, tmp_path / "backup")
    damage(tmp_path / "backup")
    with pytest.raises(BackupError, match=sentence):
        verify(tmp_path / "backup")
    with pytest.raises(BackupError, match=sentence):
        restore(target_place, tmp_path / "backup")
    assert not target_place.state.exists(), what


def test_a_state_that_holds_something_is_not_overwritten(start: Callable[..., Settings], tmp_path: Path) -> None:
    settings = start("sqlite")
    filled(settings)
    back_up(settings, tmp_path / "backup")
    before = contents(settings)
    with pytest.raises(BackupError, match="is not empty: restore into a new state folder or an empty database"):
        restore(settings, tmp_path / "backup")
    with pytest.raises(BackupError, match="exists: name a new folder"):
        back_up(settings, tmp_path / "backup")
    assert contents(settings) == before


@pytest.mark.parametrize(("engine", "saved"), [("sqlite", True), ("postgresql", False)])
def test_a_file_of_a_removed_package_is_saved_where_the_state_is_in_files(
    start: Start, tmp_path: Path, engine: str, saved: bool
) -> None:
    settings = start(engine)
    open_store(settings.state, settings.database_url).close()
    settings.state.mkdir(exist_ok=True)
    with closing(sqlite3.connect(settings.state / "gone.sqlite")) as connection, connection:
        connection.execute("CREATE TABLE counts (id INTEGER PRIMARY KEY, number INTEGER)")
        connection.execute("INSERT INTO counts VALUES (1, 2)")
    (settings.state / KEPT_FILE).write_text('{"databases": ["gone.sqlite"], "folders": []}')

    databases = back_up(settings, tmp_path / "backup").databases
    assert ("gone.sqlite" in databases) is saved
    assert not saved or databases["gone.sqlite"]["counts"].rows == 1


def test_a_restore_that_was_killed_leaves_nothing_that_is_taken_for_whole(
    start: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    filled(settings := start("sqlite"))
    back_up(settings, tmp_path / "backup")
    new = start("sqlite", "new")

    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(backup, "_copy_files", killed)  # the rows are there, and the files are not
        with pytest.raises(KeyboardInterrupt):
            restore(new, tmp_path / "backup")
    for goes_on in (
        lambda: open_store(new.state),
        lambda: prepare(new.state),
        lambda: restore(new, tmp_path / "backup"),
    ):
        with pytest.raises(UnfinishedRestoreError, match="was not restored to its end"):
            goes_on()
    shutil.rmtree(new.state)
    restore(new, tmp_path / "backup")
    open_store(new.state).close()


def test_a_backup_of_an_older_version_is_brought_up_to_date(start: Callable[..., Settings], tmp_path: Path) -> None:
    here, target_place = start("sqlite"), start("sqlite", "new")
    filled(here)
    back_up(here, tmp_path / "backup")
    with closing(sqlite3.connect(tmp_path / "backup" / STATE_FILE)) as connection:
        connection.execute("ALTER TABLE payments DROP COLUMN fee_reason")
        connection.execute("UPDATE alembic_version SET version_num = '0003'")
        connection.execute("DROP TABLE payments_version")  # payments had no history of their own then
        connection.commit()
    _sign_again(tmp_path / "backup")
    restore(target_place, tmp_path / "backup")
    with closing(open_store(target_place.state)) as database, database.reading() as connection:
        assert connection.scalar(sa.text("SELECT count(*) FROM payments WHERE fee_reason = ''")) == 3


def _sign_again(folder: Path) -> None:
    """Bring the manifest to what the older version would have written."""
    manifest = json.loads((folder / MANIFEST).read_text())
    digest = digest_file(folder / STATE_FILE, ["payments"])["payments"]
    manifest["databases"][STATE_FILE]["payments"] = {"rows": digest.rows, "sha256": digest.sha256}
    (folder / MANIFEST).write_text(json.dumps(manifest))


def test_the_commands_say_what_they_did(
    start: Callable[..., Settings], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = start("sqlite")
    filled(settings)
    copy, state = str(tmp_path / "backup"), str(settings.state)
    assert run(["backup", copy, "--state", state]) == 0
    assert "every row was read back" in capsys.readouterr().out
    assert run(["restore", copy, "--verify", "--state", state, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["databases"][STATE_FILE]["payments"]["rows"] == 3
    assert run(["restore", copy, "--state", state]) == 1
    assert capsys.readouterr().err.startswith("citepress: ")
    assert run(["backup", str(tmp_path / "none"), "--state", str(tmp_path / "nowhere")]) == 1
    assert "there is no state.sqlite" in capsys.readouterr().err
    assert not (tmp_path / "none").exists()


def test_a_drill_restores_elsewhere_and_its_day_is_remembered(
    start: Callable[..., Settings], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = start("sqlite")
    filled(settings)
    before, copy, state = contents(settings), str(tmp_path / "backup"), str(settings.state)
    assert run(["backup", copy, "--state", state]) == 0
    assert last_drill(settings.state) is None
    assert run(["restore", copy, "--drill", "--state", state]) == 0
    assert "can be restored" in capsys.readouterr().out
    assert contents(settings) == before
    assert run(["restore", copy, "--drill", "--state", str(tmp_path / "nowhere")]) == 1
    assert "name it with --state or --content" in capsys.readouterr().err
    assert not (tmp_path / "nowhere").exists()
    drilled = last_drill(settings.state)
    assert drilled is not None
    assert drilled.backup_created_at == datetime.fromisoformat(verify(tmp_path / "backup").created_at)


def test_a_drill_of_a_damaged_backup_fails_and_is_not_remembered(
    start: Callable[..., Settings], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = start("sqlite")
    filled(settings)
    back_up(settings, tmp_path / "backup")
    with closing(sqlite3.connect(tmp_path / "backup" / STATE_FILE)) as connection:
        connection.execute("DELETE FROM payments")
        connection.commit()
    assert run(["restore", str(tmp_path / "backup"), "--drill", "--state", str(settings.state)]) == 1
    assert "rows where 3 were written" in capsys.readouterr().err
    assert last_drill(settings.state) is None
