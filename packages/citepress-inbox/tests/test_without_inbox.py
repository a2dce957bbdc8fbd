"""Where the inbox is not installed, nothing speaks of it, and everything else works; backups keep its rows."""

import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from citepress.admin.backup import restore
from citepress.settings import Settings
from citepress.stores.sql.database import STATE_FILE
from citepress.stores.sql.migrate import open_store
from citepress_inbox.sql_inbox import SqlInbox
from support.folder import folder, post
from support.hidden_extensions import environment_without
from support.running_server import serving_command
from support.stores import hand_in, numbered

GUIDES = (
    "/openapi.json",
    "/llms.txt",
    "/llms-full.txt",
    "/developers.md",
    "/agents.md",
    "/connect.md",
    "/mcp-readonly.json",
)
TRACES = ("agent-inbox", "get_submission_status", "submit_usage_receipt", "submit tools", "Monday")


def citepress(folder: Path, *words: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "citepress", *map(str, words)],
        env=environment_without(folder / "hidden", "inbox"),
        check=False,
        capture_output=True,
        text=True,
    )


def test_its_command_names_what_to_install_and_is_not_in_the_help(tmp_path: Path) -> None:
    assert "inbox" not in citepress(tmp_path, "--help").stdout
    refused = citepress(tmp_path, "inbox", "list")
    assert (refused.returncode, "pip install 'citepress[inbox]'" in " ".join(refused.stderr.split())) == (2, True)


def test_no_guide_speaks_of_it_and_the_rest_works(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    archive = folder(tmp_path / "archive", {"content/posts/otters.md": post("Otters swim.")})
    monkeypatch.setenv("PYTHONPATH", environment_without(tmp_path / "hidden", "inbox")["PYTHONPATH"])
    with serving_command(archive, tmp_path / "state") as server:
        for path in GUIDES:
            answer = server.ask(path)
            assert (answer.status, [trace for trace in TRACES if trace in answer.text]) == (200, []), path
        assert server.ask("/agent-inbox/source", "POST", b"{}", content_type="application/json").status in (404, 405)
        steps = server.ask("/agent-actions/contextualize.json?url=https://source.example/one").text
        assert "next_steps" in steps
        assert "submit_" not in steps
        assert server.ask("/search.json?query=otters").json()["total"] == 1


@pytest.fixture
def state(tmp_path: Path) -> Path:
    """A state folder with three submissions."""
    with closing(open_store(tmp_path / "state")) as database:
        for number in range(3):
            hand_in(SqlInbox(database), numbered(number))
    return tmp_path / "state"


def test_a_backup_that_is_made_without_it_has_its_rows(state: Path, tmp_path: Path) -> None:
    done = citepress(tmp_path, "backup", tmp_path / "backup", "--state", state)
    assert done.returncode == 0, done.stderr
    manifest = restore(Settings(tmp_path, tmp_path / "new"), tmp_path / "backup")
    assert manifest.databases[STATE_FILE]["submissions"].rows == 3
    with closing(open_store(tmp_path / "new")) as database:
        assert len(SqlInbox(database).listed()) == 3
        assert hand_in(SqlInbox(database), numbered(1)).repeated


def test_a_state_that_is_restored_without_it_has_its_tables_when_it_is_back(state: Path, tmp_path: Path) -> None:
    for words in (
        ("backup", tmp_path / "backup", "--state", state),
        ("restore", tmp_path / "backup", "--drill", "--state", state),
        ("restore", tmp_path / "backup", "--state", tmp_path / "new"),
    ):
        done = citepress(tmp_path, *words)
        assert done.returncode == 0, done.stderr
    with closing(open_store(tmp_path / "new")) as database:
        assert len(SqlInbox(database).history()) == 3
        with pytest.raises(Exception, match="events are only ever added"), database.writing() as connection:
            connection.exec_driver_sql("DELETE FROM events")
