"""What `citepress new` writes and says."""

import json
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest
import yaml

from citepress.base import clock
from citepress.cli import run
from support.folder import folder, post


def test_an_unknown_kind_is_answered_with_those_there_are(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["new", "nothing", "x"]) == 2
    assert "Kinds are agent-tasks, deltas, forecasts" in " ".join(capsys.readouterr().err.split())


@pytest.mark.parametrize(
    ("title", "reason"),
    [
        ("a\x1b[31mb", "holds the control character U+001B"),
        ("a\nb", "is empty or not one line"),
        ("a\u2028b", "is empty or not one line"),
        (" ", "is empty or not one line"),
    ],
)
@pytest.mark.parametrize("words", [("posts", "x"), ("page", "x"), ("owner",)])
def test_a_title_that_no_page_can_carry_is_refused_before_anything_is_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], title: str, reason: str
) -> None:
    before = sorted(folder(tmp_path, {}).rglob("*"))
    assert run(["new", *words, "--title", title, "--content", str(tmp_path)]) == 2
    said = " ".join(capsys.readouterr().err.split())
    assert reason in said
    assert "write one line of text" in said
    assert sorted(tmp_path.rglob("*")) == before


def test_a_folder_that_is_none_is_not_made(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["new", "posts", "x", "--content", str(tmp_path / "nowhere")]) == 2
    assert "nowhere is not a folder" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_a_new_forecast_is_undecided_and_resolves_later(tmp_path: Path) -> None:
    folder(tmp_path, {})
    assert run(["new", "forecasts", "x", "--content", str(tmp_path)]) == 0
    front = yaml.safe_load((tmp_path / "content/forecasts/x.md").read_text("utf-8").split("---")[1])
    assert front["probability"] == 0.5
    assert front["resolves_at"] - date(*clock.now().timetuple()[:3]) >= timedelta(days=364)
    assert run(["check", str(tmp_path), "--drafts"]) == 0


def test_what_new_wrote_is_a_fault_once_the_record_is_no_draft(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder(tmp_path, {})
    assert run(["new", "posts", "x", "--content", str(tmp_path)]) == 0
    path = tmp_path / "content/posts/x.md"
    path.write_text(path.read_text("utf-8").replace("draft: true", "draft: false"), "utf-8")
    capsys.readouterr()
    assert run(["check", str(tmp_path)]) == 1
    said = capsys.readouterr().out
    assert "x.md:11:1 error CP017 the text that" in said
    assert "x.md:3:10 error CP017 summary: " in said
    assert "error CP017 retrieval_nugget: " in said


def write_placeholders(file: Path) -> None:
    file.write_text(file.read_text("utf-8").replace("To be written.", "Written."), "utf-8")


RATINGS = "id;rating;votes;seen_on;note;open\na;1,5;3;2026-01-01;;true\nb;2;4;2026-01-02;x;false\n"
SEEN: dict[str, Any] = {
    "id": {"type": "string"},
    "rating": {"type": "number"},
    "votes": {"type": "integer"},
    "seen_on": {"type": "string", "format": "date"},
    "note": {"type": ["string", "null"]},
    "open": {"type": "boolean"},
}


def test_a_dataset_is_made_of_a_csv_file_and_passes_check(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    root = folder(tmp_path / "archive", {"content/posts/a.md": post(related=[])})
    (tmp_path / "ratings.csv").write_text(RATINGS)
    assert run(["new", "dataset", "ratings", str(root), "--from", str(tmp_path / "ratings.csv")]) == 0
    schema = json.loads((root / "datasets/ratings/schema.json").read_text())
    assert schema["properties"] == {name: {**column, "description": ""} for name, column in SEEN.items()}
    assert schema["x-citepress-primary-key"] == ["id"]
    assert (root / "datasets/ratings/v1.csv").read_bytes().splitlines()[1] == b"a,1.5,3,2026-01-01,,true"
    said = capsys.readouterr().out
    assert "Replace 'To be written.'; then `citepress serve" in said
    assert "shows it at /datasets/ratings/." in " ".join(said.split())
    assert run(["check", str(root)]) == 1
    assert "README.md:10:1 error CP017 the text that `citepress new` wrote is still there" in capsys.readouterr().out
    write_placeholders(root / "datasets/ratings/README.md")
    assert run(["check", str(root)]) == 0
    assert "dataset" not in capsys.readouterr().out


@pytest.mark.parametrize("wei", ["18446744073709551616", "12345678901234567890", "0.1234567890123456789", "1e-400"])
def test_a_number_that_would_lose_digits_makes_its_column_text(tmp_path: Path, wei: str) -> None:
    root = folder(tmp_path / "archive", {"content/posts/a.md": post(related=[])})
    (tmp_path / "w.csv").write_text(f"id,wei\na,{wei}\nb,5\n")
    assert run(["new", "dataset", "wei", str(root), "--from", str(tmp_path / "w.csv")]) == 0
    schema = json.loads((root / "datasets/wei/schema.json").read_text())
    assert schema["properties"]["wei"]["type"] == "string"
    assert (root / "datasets/wei/v1.csv").read_text().splitlines()[1] == f"a,{wei}"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "it is empty; begin it with a row of column names"),
        ("a,b\n1\n", "row 2 has 1 cells; the header has 2"),
        ("a,a\n1,2\n", "the column 'a' occurs twice"),
        ("a,\n1,2\n", "a column has no name; write one into the first row"),
    ],
)
def test_a_file_that_is_no_table_is_refused_with_the_reason(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, reason: str
) -> None:
    root = folder(tmp_path / "archive", {})
    (tmp_path / "rows.csv").write_text(text)
    assert run(["new", "dataset", "rows", str(root), "--from", str(tmp_path / "rows.csv")]) == 1
    assert reason in " ".join(capsys.readouterr().err.split())
    assert not (root / "datasets").exists()


@pytest.mark.parametrize(
    ("words", "file", "path", "faults"),
    [
        (("owner",), "content/owner.md", "/owner-profile/", ["2:7", "4:11", "5:14"]),
        (("page", "about"), "content/pages/about.md", "/about/", ["6:1"]),
        (("page", "index"), "content/pages/index.md", "/", ["6:1"]),
        (("page", "about2"), "content/pages/about2.md", "/pages/about2/", ["6:1"]),
        (("post", "one"), "content/posts/one.md", "/posts/one/", []),
        (("topic", "one"), "content/topics/one.md", "/topics/one/", []),
    ],
)
def test_what_is_made_names_its_address_and_passes_check_as_a_draft_or_once_it_is_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], file: str, path: str, faults: list[str]
) -> None:
    root = folder(tmp_path, {})
    assert run(["new", *words, "--content", str(root)]) == 0
    assert f" shows it at {path}.\n" in capsys.readouterr().out
    assert run(["check", str(root), "--drafts"]) == bool(faults)
    said = capsys.readouterr().out
    assert [place for place in faults if f"{file}:{place} error CP017" in said] == faults
    assert said.count("CP017") == len(faults)
    write_placeholders(root / file)
    assert run(["check", str(root), "--drafts"]) == 0
    assert run(["new", *words, "--content", str(root)]) == 1
