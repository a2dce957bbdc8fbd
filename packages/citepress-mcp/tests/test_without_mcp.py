"""Where the endpoint is not installed, nothing that is published speaks of it, and everything else works."""

import subprocess
import sys
from pathlib import Path

import pytest

from support.folder import folder, post
from support.hidden_extensions import environment_without
from support.running_server import serving_command

FILES = {"content/posts/otters.md": post("Otters rest below weirs.")}
GUIDES = ("/llms.txt", "/llms-full.txt", "/developers.md", "/agents.md", "/openapi.json")
PRINTED = """
import re, sys
from pathlib import Path
from citepress.admin.build import Builder
from citepress.base import clock
from citepress.edition.edition import open_edition
from citepress.settings import from_environment

edition = open_edition(Builder(from_environment(Path(sys.argv[1]), state=Path(sys.argv[2]))).build(clock.now()).pointer)
for path in edition.paths():
    found = edition.find(path)
    body = bytes(found.leaf.body).replace(b'"web_search","mcp","closed_book"', b"")  # modes of recall probes
    for trace in re.findall(rb".{0,30}(?:mcp|/connect|agent-skills).{0,30}", path.encode() + body, re.I):
        print(path, trace)
assert not any(name.startswith("citepress_mcp") for name in sys.modules if sys.modules[name])
"""


def test_without_the_package_nothing_that_is_published_names_it(tmp_path: Path) -> None:
    content = folder(tmp_path / "content", FILES)
    done = subprocess.run(
        [sys.executable, "-c", PRINTED, str(content), str(tmp_path / "state")],
        env=environment_without(tmp_path / "hidden", "mcp", "telemetry"),  # whose reports count it, as specified
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_without_the_package_the_actions_are_described_and_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = folder(tmp_path / "content", FILES)
    monkeypatch.setenv("PYTHONPATH", environment_without(tmp_path / "hidden", "mcp")["PYTHONPATH"])
    with serving_command(content, tmp_path / "state") as server:
        assert all("/agent-actions/contextualize.json" in server.ask(path).text for path in GUIDES)
        assert server.ask("/search.json?query=otters").json()["total"] == 1
        assert server.ask("/mcp", "POST", b"{}", content_type="application/json").status in (404, 405)
        assert server.ask("/connect/").status == 404


@pytest.mark.parametrize(
    ("words", "table"),
    [(["mcp"], ""), (["check"], '[mcp]\nname = "test.archive/otters"\n'), (["check"], "[limits]\nmcp = 5\n")],
)
def test_without_the_package_its_command_and_its_settings_name_what_to_install(
    tmp_path: Path, words: list[str], table: str
) -> None:
    content = folder(tmp_path / "content", FILES, table)
    command = [sys.executable, "-m", "citepress", *words, str(content)]
    environment = environment_without(tmp_path / "hidden", "mcp")
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode
    assert "pip install 'citepress[mcp]'" in " ".join((done.stdout + done.stderr).split())
