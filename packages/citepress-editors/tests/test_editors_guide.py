"""The guide to editors: every command works as it is printed, in its order, and prints what the page says."""

import os
import re
import subprocess
import sys
from pathlib import Path

from support.commands import without_settings
from support.tree import ROOT

PAGE = (ROOT / "docs/guides/editors.md").read_text("utf-8")
STEP = re.compile(r"^```sh\n(.*?)^```\n(?:\n```text\n(.*?)^```$)?", re.MULTILINE | re.DOTALL)
INLINE = re.compile(r"`(citepress (?:schema|skill)[^`]*)`")


def test_every_command_of_the_guide_works_and_prints_what_the_page_says(tmp_path: Path) -> None:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    steps = STEP.findall(PAGE) + [(command, "") for command in INLINE.findall(PAGE)]
    assert len(steps) >= 8
    for commands, printed in steps:
        done = subprocess.run(
            ["sh", "-ec", commands],
            cwd=tmp_path,
            env={**without_settings(os.environ), "PATH": path},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, (commands, done.stderr)
        assert done.stdout.endswith(printed), (commands, done.stdout)
    assert PAGE.count("\n") <= 120


def test_the_schemas_that_the_guide_writes_are_those_of_the_package(tmp_path: Path) -> None:
    assert "citepress schema --out schemas" in PAGE
    shipped = ROOT / "packages/citepress-editors/src/citepress_editors/schemas"
    command = [sys.executable, "-m", "citepress", "schema", "--out", str(tmp_path / "schemas")]
    subprocess.run(command, cwd=tmp_path, env=without_settings(os.environ), capture_output=True, check=True)
    assert {path.name for path in (tmp_path / "schemas").iterdir()} == {path.name for path in shipped.iterdir()}
    for path in shipped.iterdir():
        assert (tmp_path / "schemas" / path.name).read_bytes() == path.read_bytes()
