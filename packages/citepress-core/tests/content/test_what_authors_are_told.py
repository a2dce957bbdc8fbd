"""What an author is told of a folder that is not right: every line that `citepress check` prints, but the quoted ones.

``broken_folders.yaml`` holds the folders. A file is written in full, or as what differs from a sound note or forecast:
lines of its front matter by their keys, ``more`` lines after them, and its ``body``.
"""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from citepress.cli import run
from support.folder import folder, forecast, topic

NOTE = {
    "title": "A note",
    "summary": "What it says.",
    "date": "2026-05-01",
    "retrieval_nugget": "One sentence.",
    "claims": "[]",
    "topics": "[t]",
}
ROWS = yaml.safe_load(Path(__file__).with_name("broken_folders.yaml").read_text("utf-8"))
QUOTED = re.compile(r" +[0-9]* \| ?.*")


def _text(name: str, written: str | Mapping[str, str]) -> str | bytes:
    if isinstance(written, str):
        return written
    if "forecasts" in name:
        return re.sub(
            rf"(?m)^({'|'.join(written)}): .*$", lambda line: f"{line[1]}: {written[line[1]]}", forecast(topics=["t"])
        )
    members = {**NOTE, **written}
    body, more = members.pop("body", "Text."), members.pop("more", "")
    front = [f"{key}: {value}".rstrip() for key, value in members.items() if value is not None]
    text = "\n".join(["---", *front, *([more] if more else []), "---", "", body, ""])
    return text.replace("\\xff", "\udcff").encode("utf-8", "surrogateescape")


@pytest.mark.parametrize("row", ROWS, ids=[row["about"] for row in ROWS])
def test_each_fault_is_told_once_with_its_place_its_reason_and_the_next_step(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], row: Mapping[str, Any]
) -> None:
    files = {name: _text(name, written) for name, written in row["files"].items()}
    code = run(["check", str(folder(tmp_path, {"content/topics/t.md": topic(topics=[]), **files}))])
    lines = [line for line in capsys.readouterr().out.splitlines() if not QUOTED.fullmatch(line)]
    assert lines == row["told"].splitlines()
    assert code == int(any(" error " in line for line in lines))


def test_there_are_folders_enough() -> None:
    assert len({row["about"] for row in ROWS}) == len(ROWS) >= 80
