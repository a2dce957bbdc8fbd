"""The chapters on upgrade and restore: their commands work as they are printed, in their order."""

import re
import shlex
from pathlib import Path

import pytest

from citepress.cli import run
from citepress.stores.sql.migrate import open_store
from citepress_inbox.sql_inbox import SqlInbox
from support.stores import hand_in, submission
from support.tree import ROOT

UPGRADE = (ROOT / "docs/guides/upgrade.md").read_text("utf-8").partition("## Before you upgrade\n")[2]
RESTORE = (ROOT / "docs/guides/back-up.md").read_text("utf-8").partition("## Restore\n")[2]
COMMANDS = [
    line
    for block in re.findall(r"^```sh\n(.*?)^```", UPGRADE + RESTORE, re.DOTALL | re.MULTILINE)
    for line in block.split("\n")
]


def test_the_commands_of_both_chapters_work_in_their_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(["init", "my-archive", "--template", "notes"]) == 0
    database = open_store(tmp_path / "my-archive" / "state")
    id_ = hand_in(SqlInbox(database), submission()).stored.id
    database.close()
    printed = {}
    for command in filter(None, COMMANDS):
        capsys.readouterr()
        _, *words = shlex.split(command)
        code, printed[command] = run(words), capsys.readouterr().out
        assert code == 0, (command, printed[command])
    assert len(printed) == 8
    assert id_ in printed["citepress inbox list --state restored-state --content my-archive"]
