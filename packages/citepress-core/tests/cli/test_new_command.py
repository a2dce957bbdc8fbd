"""What `citepress new` writes and says."""

from datetime import date, timedelta
from pathlib import Path

import pytest
import yaml

from citepress.base import clock
from citepress.cli import run


def test_an_unknown_kind_is_answered_with_those_there_are(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["new", "datasets", "x"]) == 2
    assert "Kinds are agent-tasks, deltas, forecasts" in " ".join(capsys.readouterr().err.split())


def test_a_folder_that_is_none_is_not_made(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["new", "posts", "x", "--content", str(tmp_path / "nowhere")]) == 2
    assert "nowhere is not a folder" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_a_new_forecast_is_undecided_and_resolves_later(tmp_path: Path) -> None:
    assert run(["new", "forecasts", "x", "--content", str(tmp_path)]) == 0
    front = yaml.safe_load((tmp_path / "content/forecasts/x.md").read_text("utf-8").split("---")[1])
    assert front["probability"] == 0.5
    assert front["resolves_at"] - date(*clock.now().timetuple()[:3]) >= timedelta(days=364)
    assert run(["check", str(tmp_path), "--drafts"]) == 0


def test_what_new_wrote_is_a_fault_once_the_record_is_no_draft(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["new", "posts", "x", "--content", str(tmp_path)]) == 0
    path = tmp_path / "content/posts/x.md"
    path.write_text(path.read_text("utf-8").replace("draft: true", "draft: false"), "utf-8")
    capsys.readouterr()
    assert run(["check", str(tmp_path)]) == 1
    said = capsys.readouterr().out
    assert "x.md:3:10 error CP017 summary: " in said
    assert "error CP017 retrieval_nugget: " in said
