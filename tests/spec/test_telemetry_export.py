"""Single requests as Parquet: the queries of the guide give the figures that the archive publishes."""

import json
import re
from pathlib import Path

import duckdb
import pytest

from citepress.base import clock
from citepress.cli import run
from citepress_telemetry import export as telemetry_export
from citepress_telemetry.model import REPRESENTATIONS
from citepress_telemetry.ports import GET, NAVIGATION, Batch, SpoolRow
from citepress_telemetry.sql.dimensions import SqlDimensions
from citepress_telemetry.sql.spool import open_spool
from citepress_telemetry.stores import open_rollup_store
from support.folder import folder, post
from support.tree import ROOT

HOURS = (3, 5, 30)
"""How many hours ago there were requests; the last are outside the window of a day."""
CLIENTS = {
    "GPTBot": ("OpenAI", "training", "crawler", True),
    "ChatGPT-User": ("OpenAI", "user_action", "ai_user_agent", True),
    "(browser-like)": ("", "unknown", "", False),
}
CLAIMED, CONTRADICTED = 3, 4
QUERIES = re.findall(r"```sql\n(.*?)```", (ROOT / "docs/guides/access-logs.md").read_text("utf-8"), re.DOTALL)


def _row(at: int, family: int, route: int, number: int) -> SpoolRow:
    """A request: one in seven not found, one in eleven of an impostor, in three representations."""
    status = 404 if number % 7 == 0 else 304 if number % 5 == 0 else 200
    verify = CONTRADICTED if number % 11 == 0 else CLAIMED
    rep = number % 3
    assert rep < len(REPRESENTATIONS)
    return SpoolRow(0, at, number % 50, family, verify, route, 0, rep, status, 100 + number, GET | NAVIGATION, 0, 0, 0)


@pytest.fixture
def archive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder whose state holds requests of several hours, closed and published."""
    for name in ("STATE", "DATABASE_URL"):
        monkeypatch.delenv(f"CITEPRESS_{name}", raising=False)
    root = folder(tmp_path / "content", {"content/posts/one.md": post()})
    state = root / "state"
    state.mkdir()
    database, spool = open_rollup_store(state), open_spool(state)
    dimensions = SqlDimensions(database)
    families = [
        dimensions.family(name, operator, purpose, cls, "direct", "", named=named)
        for name, (operator, purpose, cls, named) in CLIENTS.items()
    ]
    route, now = dimensions.route("/posts/{slug}/"), int(clock.now().timestamp()) // 3600
    for hour in sorted(now - ago for ago in HOURS):
        rows = [
            _row(hour * 3_600_000 + number * 7_000, families[number % 3], route, number + hour) for number in range(300)
        ]
        spool.append("a", Batch(rows, {}, [(hour, slot) for slot in range(360)]))
    spool.close()
    database.close()
    assert run(["telemetry", "publish", "--content", str(root)]) == 0
    return root


def _report(archive: Path, name: str, capsys: pytest.CaptureFixture[str]) -> dict[str, object]:
    capsys.readouterr()
    assert run(["telemetry", "report", name, "--json", "--content", str(archive)]) == 0
    document: dict[str, object] = json.loads(capsys.readouterr().out)
    return document


def _answer(query: str, files: Path, as_of: object) -> list[tuple[object, ...]]:
    """What DuckDB answers to a query of the guide, over these files and up to this moment."""
    moment = str(as_of).replace("T", " ").removesuffix("Z")
    here = re.sub(r"TIMESTAMP '[^']*'", f"TIMESTAMP '{moment}'", query).replace(
        "events/*.parquet", f"{files}/*.parquet"
    )
    return duckdb.connect().execute(here).fetchall()


def test_the_queries_of_the_guide_reproduce_what_is_published(
    archive: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = tmp_path / "events"
    assert run(["telemetry", "export", "--parquet", str(files), "--content", str(archive)]) == 0
    assert "with 900 requests" in capsys.readouterr().out
    latest, journeys = (_report(archive, name, capsys) for name in ("bot-traffic-latest", "crawler-journeys"))
    by_class, by_family = QUERIES
    classes = {
        (row["class"], row["requests"], row["successful_requests"], row["bytes_served"])
        for row in latest["classes"]  # type: ignore[attr-defined]
        if row["requests"]
    }
    assert set(_answer(by_class, files, latest["as_of"])) == classes
    assert len(classes) >= 3
    families = {
        (row["family"], row["requests"])
        for row in journeys["windows"]["24h"]["families"]  # type: ignore[index]
    }
    assert set(_answer(by_family, files, journeys["as_of"])) == families
    assert {name for name, _ in families} == {"GPTBot", "ChatGPT-User"}


def test_an_hour_is_written_once_and_whole(archive: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = tmp_path / "events"
    command = ["telemetry", "export", "--parquet", str(files), "--content", str(archive)]
    assert run(command) == 0
    before = {file: file.read_bytes() for file in files.iterdir()}
    assert {file.suffix for file in before} == {".parquet"}
    full = max(before, key=lambda file: file.stat().st_size)
    full.unlink()
    damaged = min(before, key=lambda file: file.stat().st_size if file != full else 1 << 30)
    damaged.write_bytes(b"half of a file")
    capsys.readouterr()
    assert run(command) == 0
    text = capsys.readouterr().out
    assert "Wrote 2 hours with 600 requests" in text
    assert "1 hour had been written before." in text
    assert "gone" not in text
    assert {file: file.read_bytes() for file in files.iterdir()} == before


def test_an_empty_name_is_no_folder(archive: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["telemetry", "export", "--parquet", "", "--content", str(archive)]) == 2
    assert "name a folder" in capsys.readouterr().err


def test_nothing_of_a_client_is_exported_but_its_family(archive: Path, tmp_path: Path) -> None:
    files = tmp_path / "events"
    assert run(["telemetry", "export", "--parquet", str(files), "--content", str(archive)]) == 0
    columns = [column[0] for column in duckdb.read_parquet(f"{files}/*.parquet").description]
    assert columns == list(telemetry_export.COLUMNS)
    assert not {"network", "net", "address", "miss"} & set(columns)


def test_without_the_library_it_is_one_sentence(
    archive: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def missing(name: str) -> None:
        raise ImportError(name)

    monkeypatch.setattr(telemetry_export, "import_module", missing)
    capsys.readouterr()
    assert run(["telemetry", "export", "--parquet", str(tmp_path / "events"), "--content", str(archive)]) == 1
    assert "pip install 'citepress[parquet]'" in capsys.readouterr().err


def test_a_timer_is_exported_in_the_class_in_which_it_is_counted(tmp_path: Path) -> None:
    archive = folder(tmp_path / "content", {"content/posts/one.md": post()})
    (archive / "state").mkdir()
    database, spool = open_rollup_store(archive / "state"), open_spool(archive / "state")
    browser = SqlDimensions(database).family("(browser-like)", "", "unknown", "", "direct", "", named=False)
    hour = int(clock.now().timestamp()) // 3600 - 3
    rows = [
        SpoolRow(0, hour * 3_600_000 + number * 300_000, 99, browser, 3, 1, 0, 0, 200, 1, GET | NAVIGATION, 0, 0, 0)
        for number in range(12)
    ]
    spool.append("a", Batch(rows, {}, [(hour, slot) for slot in range(360)]))
    spool.close()
    database.close()
    for command in (["publish"], ["export", "--parquet", str(tmp_path / "out")]):
        assert run(["telemetry", *command, "--content", str(archive)]) == 0
    query = f"SELECT class, count(*) FROM '{tmp_path}/out/*.parquet' GROUP BY class"  # noqa: S608
    assert duckdb.sql(query).fetchall() == [("machine_route", 12)]
