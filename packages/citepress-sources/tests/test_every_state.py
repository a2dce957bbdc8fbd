"""The example whose sources live and die: its pages show each state of a source and of a quote."""

import contextlib
import importlib.util
import json
import shutil
import threading
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from support.commands import citepress
from support.origin import NETWORK
from support.running_server import Server, free_port, serving
from support.tree import ROOT

EXAMPLE = ROOT / "examples" / "every-state"
SOURCES = {
    "stays": "unchanged",
    "edited": "changed",
    "gone": "gone",
    "closed": "blocked",
    "silent": "unreachable",
    "waiting": "never_checked",
}
QUOTES = ["verified", "drifted", "not_found", "unverifiable"]
SAID = ("unchanged", "changed", "gone", "blocked", "unreachable", "not checked yet")


def _module() -> ModuleType:
    spec = importlib.util.spec_from_file_location("every_state_sources", EXAMPLE / "sources.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@contextlib.contextmanager
def pages(name: str, port: int) -> Iterator[None]:
    module = _module()
    with module.server(getattr(module, name), port) as running:
        threading.Thread(target=running.serve_forever, daemon=True).start()
        yield
        running.shutdown()


def sources(root: Path, command: str, *addresses: str) -> None:
    done = citepress("sources", command, *addresses, "--allow-network", NETWORK, "--content", str(root))
    assert (done.returncode, done.stderr) == (0, "")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    root, port = tmp_path_factory.mktemp("every-state") / "archive", free_port()
    shutil.copytree(EXAMPLE, root, ignore=shutil.ignore_patterns("state", "__pycache__"))
    for file in root.glob("content/*/*.md"):
        file.write_text(file.read_text("utf-8").replace("8099", str(port)), "utf-8")
    checked = [f"http://127.0.0.1:{port}/{name}" for name in SOURCES if name not in {"silent", "waiting"}]
    checked.append("http://127.0.0.1:1/silent")
    with pages("BEFORE", port):
        sources(root, "capture", *checked)
    with pages("AFTER", port):
        sources(root, "check", *checked)
    with serving(root, root / "state") as running:
        yield running


def test_each_state_of_a_source_and_of_a_quote_is_there_once(server: Server) -> None:
    rows = server.ask("/source-ledger.json").json()["sources"]
    assert {row["url"].rpartition("/")[2]: row["status"] for row in rows} == SOURCES
    claims: list[dict[str, Any]] = server.ask("/posts/the-clock-on-the-square.json").json()["claims"]
    assert [claim["quote_check"]["state"] for claim in claims] == QUOTES, json.dumps(claims)
    health = server.ask("/evidence-health.json").json()
    assert set(health["sources"].values()) == {1}
    assert set(health["quotes"].values()) == {1}


def test_readers_see_each_state_in_words_and_in_one_bar(server: Server) -> None:
    health = server.ask("/evidence-health/").text
    assert "Of 6 sources: " in health
    assert "Of 4 quotes: " in health
    assert [state for state in SAID if f"1 {state}" not in health] == []


def test_a_pattern_shows_what_speaks_against_it_below_its_line(server: Server) -> None:
    text = server.ask("/patterns/the-clock-runs-late/").text
    assert 'class="against"' in text
    assert "below it 1 that speaks against it" in text
