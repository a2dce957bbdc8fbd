"""Where rendered reports are: the newest is found, the previous one stays, and nodes copy both to their folder."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from citepress.contract.store import StoreUnavailable
from citepress.stores.local.overlay import LocalOverlay
from citepress.stores.sql.database import Database, open_postgresql, open_sqlite
from citepress.stores.sql.migrate import migrate
from citepress_telemetry.ports import Overlay
from citepress_telemetry.reports.replication import ReportFetcher
from citepress_telemetry.sql.overlay import SqlOverlay
from citepress_telemetry.stores import ROLLUPS_FILE


def _migrated(address: str) -> Database:
    store = open_postgresql(address) if "://" in address else open_sqlite(Path(address))
    migrate(store, ROLLUPS_FILE)
    return store


@pytest.fixture
def rollup_store(address: str) -> Iterator[Database]:
    store = _migrated(address)
    yield store
    store.close()


@pytest.fixture(params=["local", "sqlite", "postgresql"])
def overlay(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Overlay]:
    if request.param == "local":
        yield LocalOverlay(tmp_path)
        return
    store = _migrated(request.getfixturevalue(f"{request.param}_address"))
    yield SqlOverlay(store)
    store.close()


def test_nothing_stands_before_the_first_reports(overlay: Overlay) -> None:
    assert overlay.newest() is None
    assert overlay.get(1) is None


def test_the_newest_two_generations_are_kept(overlay: Overlay) -> None:
    for generation in (5, 6, 9):
        overlay.put(generation, generation, b"pack %d" % generation)
    assert overlay.newest() == 9
    assert [overlay.get(generation) for generation in (5, 6, 9)] == [None, b"pack 6", b"pack 9"]


def test_a_generation_that_is_put_again_is_replaced(overlay: Overlay) -> None:
    overlay.put(1, 1, b"before")
    overlay.put(1, 2, b"after")
    assert (overlay.newest(), overlay.get(1)) == (1, b"after")


def test_a_node_copies_what_is_new_and_nothing_twice(rollup_store: Database, tmp_path: Path) -> None:
    shared, local = SqlOverlay(rollup_store), LocalOverlay(tmp_path / "node")
    fetcher = ReportFetcher(lambda: shared, local)
    assert not fetcher.look(), "nothing was rendered yet"
    shared.put(1, 10, b"one" * 1000)
    assert fetcher.look()
    assert not fetcher.look()
    shared.put(2, 11, b"two")
    assert fetcher.look()
    assert (local.newest(), local.get(1), local.get(2)) == (2, b"one" * 1000, b"two")


def test_reports_of_an_earlier_life_give_way_to_those_of_the_database(rollup_store: Database, tmp_path: Path) -> None:
    shared, local = SqlOverlay(rollup_store), LocalOverlay(tmp_path / "node")
    local.put(99, 1, b"from before there was a database")
    shared.put(3, 2, b"shared")
    assert ReportFetcher(lambda: shared, local).look()
    assert local.newest() == 3


def test_a_node_keeps_its_copy_while_the_database_is_away(tmp_path: Path) -> None:
    local = LocalOverlay(tmp_path)
    local.put(1, 1, b"one")

    def away() -> SqlOverlay:
        raise StoreUnavailable("nobody answers")

    assert not ReportFetcher(away, local).look()
    assert local.get(1) == b"one"


def test_a_damaged_row_is_no_pack(rollup_store: Database) -> None:
    shared = SqlOverlay(rollup_store)
    shared.put(1, 1, b"pack" * 100)
    with rollup_store.writing() as connection:
        connection.exec_driver_sql(
            "UPDATE overlay SET pack = '\\x00'" if not rollup_store.is_sqlite else "UPDATE overlay SET pack = x'00'"
        )
    assert shared.get(1) is None


def test_a_folder_that_cannot_be_written_is_told_in_words(tmp_path: Path) -> None:
    (tmp_path / "overlay").write_text("a file in its place")
    with pytest.raises(StoreUnavailable, match="cannot be written"):
        LocalOverlay(tmp_path).put(1, 1, b"pack")
