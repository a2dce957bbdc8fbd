"""The upgrade promise: state that 0.1.0 left opens in every store of today, with all that people gave and got."""

import contextlib
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson
import pytest

from citepress.admin.backup import back_up, restore
from citepress.settings import Settings
from citepress.stores.sql.migrate import open_store
from citepress.stores.sql.store_tables import declared_stores
from citepress_inbox.sql_inbox import SqlInbox
from citepress_payments.stores.ledger import SqlLedger
from citepress_telemetry.stores import open_rollup_store
from support.commands import citepress
from support.folder import folder
from support.recorded_state import ASK, CONTENT, FORMER, NEW_WORDS, SITE, WORDS, change, lay_out, recorded_rows
from support.running_server import Server, serving
from support.server_with_payments import BUNDLE, PRICE, payment_server_over

RELEASES = sorted(path.name for path in FORMER.iterdir() if path.is_dir())
CRAWLED, CRAWLED_ON = 240, "2026-11-20"
EDITIONS = 2


@pytest.fixture(params=RELEASES)
def release(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def state(release: str, tmp_path: Path) -> tuple[Path, dict[str, Any]]:
    """The state folder of a release, and what is known of it."""
    return tmp_path / "state", lay_out(release, tmp_path / "state")


@pytest.fixture
def server(state: tuple[Path, dict[str, Any]], tmp_path: Path) -> Iterator[Server]:
    root = folder(tmp_path / "content", CONTENT, SITE)
    change(root)
    with serving(root, state[0]) as server:
        yield server


def test_the_recorded_state_has_rows_of_every_owner(release: str) -> None:
    rows = {name for _, name, _ in recorded_rows(release)}
    assert rows >= {"submissions", "events", "payments", "quotes", "results", "secrets", "family_hour", "hour_closed"}
    assert {path.name for path in (FORMER / release / "files").iterdir()} >= {"log", "revisions", "sources"}


def test_no_row_is_lost_when_it_opens(release: str, state: tuple[Path, dict[str, Any]]) -> None:
    with contextlib.closing(open_store(state[0])), contextlib.closing(open_rollup_store(state[0])):
        pass
    versions = {store.history.table for owned in declared_stores().values() for store in owned}
    for database, table, count in recorded_rows(release):
        if table not in versions:
            with contextlib.closing(sqlite3.connect(state[0] / database)) as connection:
                assert connection.execute(f"SELECT count(*) FROM {table}").fetchone() == (count,), table  # noqa: S608


def test_what_was_paid_submitted_and_published_is_answered(server: Server, state: tuple[Path, dict[str, Any]]) -> None:
    path, facts = state
    with payment_server_over(server, str(path / "state.sqlite")) as seller:
        again = seller.post(BUNDLE, ASK, facts["signature"].encode())
        assert (again.status, again.text) == (200, facts["result"])
        assert seller.moved() == PRICE
    for status in ("queued", "declined"):
        assert server.ask(f"/agent-inbox/submissions/{facts[status]}.json").json()["status"] == status
    first, second = (server.ask(f"/patterns/weirs/@{number}.md").text for number in (1, 2))
    assert (WORDS in first, NEW_WORDS in first, NEW_WORDS in second) == (True, False, True)


def test_the_log_goes_on_and_its_entries_stay(release: str, server: Server, state: tuple[Path, dict[str, Any]]) -> None:
    recorded = (FORMER / release / "files/log/editions.jsonl").read_bytes()
    assert recorded.count(b"\n") == EDITIONS
    assert (state[0] / "log/editions.jsonl").read_bytes().startswith(recorded)
    assert server.ask("/.well-known/edition.json").json()["number"] >= EDITIONS


def test_counts_of_the_time_are_reported(state: tuple[Path, dict[str, Any]], tmp_path: Path) -> None:
    root = folder(tmp_path / "content", CONTENT, SITE)
    options = ("--json", "--content", str(root), "--state", str(state[0]))

    history = orjson.loads(citepress("telemetry", "report", "bot-traffic-history", *options).stdout)

    periods = [*history["points"], *history["months"]]
    counts = [period["total_requests"] for period in periods if CRAWLED_ON.startswith(period["start"][:7])]
    assert CRAWLED in counts


@pytest.mark.parametrize("target", ["sqlite", "postgresql"])
def test_its_backup_is_restored_in_either_database(
    target: str, state: tuple[Path, dict[str, Any]], tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    path, facts = state
    root = folder(tmp_path / "content", CONTENT, SITE)
    manifest = back_up(Settings(root, path), tmp_path / "backup")
    assert any(name.startswith("sources/captures/") for name in manifest.files)

    address = request.getfixturevalue("postgresql_address") if target == "postgresql" else None
    restored = Settings(root, tmp_path / "restored", database_url=address)
    restore(restored, tmp_path / "backup")

    with contextlib.closing(open_store(restored.state, address)) as database:
        assert {row.id: row.status for row in SqlInbox(database).listed()} == {
            facts["queued"]: "queued",
            facts["declined"]: "declined",
        }
        (payment,) = SqlLedger(database).payments()
        assert payment.state == "settled"


def test_an_older_version_refuses_a_newer_state_and_changes_nothing(
    state: tuple[Path, dict[str, Any]], tmp_path: Path
) -> None:
    path, _ = state
    with contextlib.closing(sqlite3.connect(path / "state.sqlite")) as connection, connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
        before = list(connection.iterdump())
    root = folder(tmp_path / "content", CONTENT, SITE)

    done = citepress("inbox", "list", "--content", str(root), "--state", str(path))

    assert done.returncode == 1
    assert "newer version of citepress" in done.stderr
    with contextlib.closing(sqlite3.connect(path / "state.sqlite")) as connection:
        assert list(connection.iterdump()) == before
