"""Extras that are not installed, or are switched off, leave no trace and cost nothing."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from citepress.admin.build import Builder
from citepress.settings import Settings
from support.folder import NOW, SITE, folder, post
from support.hidden_extensions import environment_without

pytestmark = pytest.mark.long

SETTINGS = {"cards": ("[theme]\ncards = true\n", "theme.cards"), "semantic": ("[search]\nsemantic = true\n", "search")}
"""What switches an extra on, and the setting that a fault names."""
BUILD = """
import cProfile, hashlib, json, sys
from pathlib import Path

from citepress.admin.build import Builder
from citepress.base import clock
from citepress.edition import publisher
from citepress.edition.edition import open_edition
from citepress.settings import Settings

publisher.usable_cores = lambda: 1  # calls of other processes are not seen
root, state = Path(sys.argv[1]), Path(sys.argv[2])
moment = clock.now()


def work(builder):
    built = builder.build(moment)
    builder.index(built, moment)
    return built


work(Builder(Settings(root, state / "warm")))
profile = cProfile.Profile()
built = profile.runcall(work, Builder(Settings(root, state / "counted")))
edition = open_edition(built.pointer)
bodies = {path: hashlib.sha256(bytes(edition.body(path) or b"")).hexdigest() for path in edition.paths()}
print(json.dumps({"calls": sum(entry.callcount for entry in profile.getstats()), "bodies": bodies}))
"""
SERVED = """
import sys
from pathlib import Path

from citepress.edition.edition import open_edition
from citepress.search.meaning import vectors_of
from citepress.settings import deployment_of

pointer = Path(sys.argv[1])
edition = open_edition(pointer)
print(edition.config.site.theme, edition.body("/theme/cards/home.png")[:4], vectors_of(deployment_of(pointer)))
"""
SIZES = 10, 30
MAX_FIXED_CALLS = 500
"""Calls of a build that all extras add for their tables, documents and checks, however many records there are."""


def run(environment: Mapping[str, str], *words: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, *map(str, words)]
    environment = {**environment, "PYTHONHASHSEED": "0"}
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300, check=False)


def built(environment: Mapping[str, str], root: Path, state: Path) -> dict[str, Any]:
    done = run(environment, "-c", BUILD, root, state)
    assert done.returncode == 0, done.stderr
    result: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return result


@pytest.mark.parametrize("extra", SETTINGS)
def test_a_setting_of_an_extra_that_is_not_installed_names_what_to_install(extra: str, tmp_path: Path) -> None:
    lines, setting = SETTINGS[extra]
    root = folder(tmp_path / "site", {"content/posts/one.md": post()}, SITE + lines)
    checked = run(environment_without(tmp_path / "hidden", extra), "-m", "citepress", "check", root)
    said = " ".join(checked.stdout.split())
    assert checked.returncode == 1, checked.stderr
    assert f"CP030 {setting}:" in said
    assert f"it needs an extension that is not installed: pip install 'citepress[{extra}]'" in said


def test_extras_that_are_off_change_no_byte_and_cost_a_build_nothing_for_a_record(tmp_path: Path) -> None:
    hidden, costs = environment_without(tmp_path / "hidden", *SETTINGS), list[tuple[int, int]]()
    for size in SIZES:
        root = folder(tmp_path / f"site-{size}", {f"content/posts/p{n}.md": post(slug=f"p{n}") for n in range(size)})
        installed = built(os.environ, root, tmp_path / f"installed-{size}")
        without = built(hidden, root, tmp_path / f"without-{size}")
        assert installed["bodies"] == without["bodies"]
        assert not [path for path in without["bodies"] if "cards" in path]
        costs.append((installed["calls"], without["calls"]))
    few, many = (installed - without for installed, without in costs)
    assert few <= MAX_FIXED_CALLS
    assert many - few < SIZES[1] - SIZES[0], "less than a call for a record"


def test_a_server_without_the_extras_serves_what_was_built_with_them(tmp_path: Path) -> None:
    pytest.importorskip("resvg_py", reason="citepress[cards] is not installed")
    root = folder(tmp_path / "site", {"content/posts/one.md": post()}, SITE + SETTINGS["cards"][0])
    edition = Builder(Settings(root, tmp_path / "state")).build(NOW).pointer
    served = run(environment_without(tmp_path / "hidden", *SETTINGS), "-c", SERVED, edition)
    assert served.stdout.strip() == "name='paper' b'\\x89PNG' None", served.stderr
