"""Without the package nothing is left of it but the sentence that names what to install."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from citepress.admin.backup import back_up, restore, verify
from citepress.admin.kept_state import remember_kept
from citepress.contract.observation import Observation
from citepress.settings import Settings
from citepress.stores.sql.migrate import open_store
from citepress_sources.observations_writing import write_observations
from support.folder import NOW, SITE, folder, post
from support.hidden_extensions import environment_without

URL = "https://a.example/page"
HINT = "it needs an extension that is not installed: pip install 'citepress[sources]'"
TRACES = ("evidence-health", "evidence_health", "EvidenceHealth", "citepress sources")
BUILD = """
import cProfile, json, sys
from pathlib import Path

from citepress.admin.build import Builder
from citepress.base import clock
from citepress.edition import publisher
from citepress.edition.edition import open_edition
from citepress.settings import Settings

publisher.usable_cores = lambda: 1  # calls of other processes are not seen
root, state = Path(sys.argv[1]), Path(sys.argv[2])
moment = clock.now()
Builder(Settings(root, state / "warm")).build(moment)
profile = cProfile.Profile()
built = profile.runcall(Builder(Settings(root, state / "counted")).build, moment)
edition = open_edition(built.pointer)
bodies = {path: bytes(edition.body(path) or b"").decode("utf-8", "replace") for path in edition.paths()}
print(json.dumps({"calls": sum(entry.callcount for entry in profile.getstats()), "bodies": bodies}))
"""
RESTORE = """
import sys
from pathlib import Path

from citepress.admin.backup import restore
from citepress.settings import Settings

restore(Settings(Path(), Path(sys.argv[1])), Path(sys.argv[2]))
"""
SIZES = 10, 30
MAX_FIXED_CALLS = 10_000
"""Calls of a build that the package adds, however many records there are: a page in four forms, and its schemas."""


@pytest.fixture
def without(tmp_path: Path) -> Mapping[str, str]:
    return environment_without(tmp_path / "hidden", "sources")


def run(environment: Mapping[str, str], *words: object, code: int = 0) -> str:
    """What a process says."""
    command = [sys.executable, *map(str, words)]
    environment = {**environment, "PYTHONHASHSEED": "0"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout + done.stderr


def built(environment: Mapping[str, str], root: Path, state: Path) -> dict[str, Any]:
    result: dict[str, Any] = json.loads(run(environment, "-c", BUILD, root, state))
    return result


def test_the_command_and_its_table_name_what_to_install(without: Mapping[str, str], tmp_path: Path) -> None:
    lines = f'{SITE}[sources]\nstore = "s3://bucket/copies"\n'
    root = folder(tmp_path / "site", {"content/posts/one.md": post()}, lines)
    assert HINT in " ".join(run(without, "-m", "citepress", "sources", "status", code=2).split())
    said = " ".join(run(without, "-m", "citepress", "check", root, code=1).split())
    assert "CP030 sources:" in said
    assert HINT in said
    assert "private copies" not in run(without, "-m", "citepress", "--help")
    assert "private copies" in run(os.environ, "-m", "citepress", "--help")


def test_observations_are_published_without_a_trace_of_the_package(without: Mapping[str, str], tmp_path: Path) -> None:
    root = folder(tmp_path / "site", {"content/posts/one.md": post(sources=[{"url": URL, "title": "A"}])}, SITE)
    write_observations(root, [Observation(url=URL, status="gone", checked_at=NOW)])
    bodies = built(without, root, tmp_path / "state")["bodies"]
    assert {path: trace for path, body in bodies.items() for trace in TRACES if trace in f"{path} {body}"} == {}
    assert json.loads(bodies["/source-ledger.json"])["sources"][0]["status"] == "gone"
    assert "Sources alive" in bodies["/"]
    assert "/openapi.json" in bodies
    installed = built(os.environ, root, tmp_path / "with")["bodies"]
    assert bodies.keys() <= installed.keys()
    assert "/evidence-health/" in installed


def test_the_package_costs_a_build_nothing_for_a_record_without_sources(
    without: Mapping[str, str], tmp_path: Path
) -> None:
    costs = []
    for size in SIZES:
        posts = {f"content/posts/p{n}.md": post(slug=f"p{n}", tags=["otters"]) for n in range(size)}
        root = folder(tmp_path / f"site-{size}", posts)
        environments = {"installed": os.environ, "without": without}
        calls = [built(environments[name], root, tmp_path / f"{name}-{size}")["calls"] for name in environments]
        costs.append(calls[0] - calls[1])
    few, many = costs
    assert few <= MAX_FIXED_CALLS
    assert many - few < SIZES[1] - SIZES[0], "less than a call for a record"


def test_a_backup_of_copies_is_restored_without_the_package(without: Mapping[str, str], tmp_path: Path) -> None:
    settings = Settings(tmp_path, tmp_path / "state")
    open_store(settings.state).close()
    copy = settings.state / "sources" / "captures" / "a.warc.gz"
    copy.parent.mkdir(parents=True)
    copy.write_bytes(b"\x1f\x8b")
    manifest = back_up(settings, tmp_path / "backup")
    assert [*manifest.files] == ["sources/captures/a.warc.gz"]
    run(without, "-c", RESTORE, tmp_path / "restored", tmp_path / "backup")
    assert (tmp_path / "restored" / "sources" / "captures" / "a.warc.gz").read_bytes() == b"\x1f\x8b"
    assert verify(tmp_path / "backup") == restore(Settings(tmp_path, tmp_path / "again"), tmp_path / "backup")


def test_a_backup_that_is_made_without_the_package_has_the_copies_that_the_state_keeps(
    without: Mapping[str, str], tmp_path: Path
) -> None:
    settings = Settings(tmp_path, tmp_path / "state")
    open_store(settings.state).close()
    copy = settings.state / "sources" / "captures" / "a.warc.gz"
    copy.parent.mkdir(parents=True)
    copy.write_bytes(b"\x1f\x8b")
    remember_kept(settings.state)
    words = ("-m", "citepress", "backup", tmp_path / "backup", "--content", tmp_path, "--state", settings.state)
    run(without, *words)
    assert "sources/captures/a.warc.gz" in verify(tmp_path / "backup").files
