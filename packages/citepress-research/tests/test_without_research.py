"""Where the package is not installed, an archive of posts and topics works, and nothing speaks of other kinds."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from support.folder import SITE, folder, post
from support.hidden_extensions import environment_without
from support.running_server import serving_command

HINT = "it needs an extension that is not installed: pip install 'citepress[research]'"
TRACES = (
    *("/signals/", "/patterns/", "/shifts/", "delta", "graveyard", "/projects/", "/systems/", "/learn/"),
    *("forecast", "agent-task", "agent_task", "metadox", "experiment", "recall-probe", "/presence", "/calibration/"),
)
TOPIC = """\
---
title: Otters
summary: What otters do all day.
date: 2026-10-01
question: Do otters swim?
short_answer: They do, and well.
---

All about otters.
"""
CONTENT = {"content/posts/one.md": post("Otters swim.", topics=["otters"]), "content/topics/otters.md": TOPIC}
TRACED = """
import sys
from pathlib import Path

from citepress.admin.build import Builder
from citepress.base import clock
from citepress.edition.edition import open_edition
from citepress.settings import Settings

edition = open_edition(Builder(Settings(Path(sys.argv[1]), Path(sys.argv[2]))).build(clock.now()).pointer)
for path in edition.paths():
    text = path + bytes(edition.body(path) or b"").decode("utf-8", "replace")
    for trace in sys.argv[3:]:
        if trace in text.lower() and not path.startswith("/theme/"):
            print(path, trace)
"""

OPENED = """
import sys
from pathlib import Path

from citepress.edition.edition import open_edition, pointer

open_edition(pointer(Path(sys.argv[1])))
"""


def run(folder: Path, *words: object, hidden: bool = True) -> subprocess.CompletedProcess[str]:
    environment = environment_without(folder / "hidden", "research") if hidden else os.environ
    return subprocess.run(
        [sys.executable, *map(str, words)], env=environment, capture_output=True, text=True, timeout=300, check=False
    )


def test_an_archive_of_posts_and_topics_is_built_without_a_trace_of_other_kinds(tmp_path: Path) -> None:
    root = folder(tmp_path / "site", CONTENT, SITE)
    checked = run(tmp_path, "-m", "citepress", "check", root)
    assert checked.returncode == 0, checked.stdout + checked.stderr
    traced = run(tmp_path, "-c", TRACED, root, tmp_path / "state", *TRACES)
    assert (traced.returncode, traced.stdout) == (0, ""), traced.stderr
    assert "/calibration/" in run(tmp_path, "-c", TRACED, root, tmp_path / "with", *TRACES, hidden=False).stdout
    for words in (("--help",), ("new", "--help"), ("init", "--help")):
        said = run(tmp_path, "-m", "citepress", *words).stdout.lower()
        assert [trace for trace in (*TRACES, "signals", "patterns") if trace in said] == []


def test_it_is_served_and_paths_of_other_kinds_are_not_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    archive = folder(tmp_path / "archive", CONTENT, SITE)
    monkeypatch.setenv("PYTHONPATH", environment_without(tmp_path / "hidden", "research")["PYTHONPATH"])
    with serving_command(archive, tmp_path / "state") as server:
        for path in ("/", "/posts/one/", "/topics/otters.json", "/llms.txt", "/connect/"):
            assert server.ask(path).status == 200, path
        for path in ("/signals/", "/forecasts.json", "/calibration/", "/recall-probes.json", "/presence-schema.json"):
            assert server.ask(path).status == 404, path
        assert server.ask("/search.json?query=otters").json()["total"] == 2
        assert server.ask("/search.json?query=otters&kinds=signals").status == 400
        related = server.ask("/agent-actions/contextualize.json?url=https://source.example/one").json()
        assert ("related" in related, "patterns" in related) == (True, False)


def test_a_folder_of_such_a_kind_names_what_to_install(tmp_path: Path) -> None:
    root = folder(tmp_path / "site", {**CONTENT, "content/signals/one.md": post()}, SITE)
    checked = run(tmp_path, "-m", "citepress", "check", root)
    assert checked.returncode == 1
    assert "content/signals error CP005 is not a kind of record" in checked.stdout
    assert HINT in " ".join(checked.stdout.split())
    drafted = run(tmp_path, "-m", "citepress", "new", "forecasts", "rain", "--content", root)
    hint = f"no kind is called 'forecasts'. {HINT[0].upper()}{HINT[1:]}"
    assert (drafted.returncode, hint in " ".join(drafted.stderr.split())) == (2, True)
    shown = run(tmp_path, "-m", "citepress", "schema", "signals")
    assert (shown.returncode, f"'signals'. {HINT[0].upper()}{HINT[1:]}" in " ".join(shown.stderr.split())) == (2, True)


def test_its_parts_of_the_front_page_are_none(tmp_path: Path) -> None:
    root = folder(tmp_path / "site", CONTENT, f'{SITE}[home]\nparts = ["notes", "forecasts"]\n')
    assert "forecasts" in run(tmp_path, "-m", "citepress", "check", root).stdout
    assert run(tmp_path, "-m", "citepress", "check", root, hidden=False).returncode == 0


def test_a_new_archive_has_no_records_of_other_kinds(tmp_path: Path) -> None:
    assert run(tmp_path, "-m", "citepress", "init", tmp_path / "new").returncode == 0
    assert sorted(path.name for path in (tmp_path / "new" / "content").iterdir()) == ["posts", "topics"]
    checked = run(tmp_path, "-m", "citepress", "check", tmp_path / "new")
    assert checked.returncode == 0, checked.stdout + checked.stderr
    assert run(tmp_path, "-m", "citepress", "init", tmp_path / "all", hidden=False).returncode == 0
    assert len([*(tmp_path / "all" / "content").iterdir()]) == 4


def test_an_edition_that_was_built_with_it_is_not_served_without_it(tmp_path: Path) -> None:
    root = folder(tmp_path / "site", CONTENT, SITE)
    assert run(tmp_path, "-c", TRACED, root, tmp_path / "state", hidden=False).returncode == 0
    refused = run(tmp_path, "-c", OPENED, tmp_path / "state")
    assert "the edition needs the extension 'research', which is not installed" in refused.stderr
