"""Where the package is not installed nothing tells of it, save the sentence that names what to install."""

import os
import subprocess
import sys
from pathlib import Path

from citepress.admin.backup import back_up, restore
from citepress.settings import Settings
from citepress.stores.sql.migrate import open_store
from support.folder import SITE, folder, post
from support.hidden_extensions import environment_without

TRACES = ("machine-consumption", "bot-traffic", "crawler-journeys", "page-readership", "/telemetry/")
"""``Telemetry`` alone is a heading of the specification, under which experiments and probes are listed too."""
HINT = "it needs an extension that is not installed: pip install 'citepress[telemetry]'"
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
        if trace in text.lower():
            print(path, trace)
"""


def run(folder: Path, *words: object, hidden: bool = True) -> subprocess.CompletedProcess[str]:
    environment = environment_without(folder, "telemetry") if hidden else os.environ
    return subprocess.run(
        [sys.executable, *map(str, words)], env=environment, capture_output=True, text=True, timeout=300, check=False
    )


def test_an_edition_without_telemetry_has_no_trace_of_it(tmp_path: Path) -> None:
    root = folder(tmp_path / "site", {"content/posts/one.md": post()}, SITE)
    traced = run(tmp_path / "hidden", "-c", TRACED, root, tmp_path / "state", *TRACES)
    assert (traced.returncode, traced.stdout) == (0, ""), traced.stderr
    assert "/machine-consumption/" in run(tmp_path, "-c", TRACED, root, tmp_path / "with", *TRACES, hidden=False).stdout


def test_the_command_and_the_table_name_what_to_install(tmp_path: Path) -> None:
    root = folder(tmp_path / "site", {"content/posts/one.md": post()}, f"{SITE}[telemetry]\nmin_count = 7\n")
    checked = run(tmp_path / "hidden", "-m", "citepress", "check", root)
    assert checked.returncode == 1, checked.stderr
    assert "CP030 telemetry:" in checked.stdout
    assert HINT in " ".join(checked.stdout.split())
    assert "telemetry" not in run(tmp_path / "hidden", "-m", "citepress", "--help").stdout
    refused = run(tmp_path / "hidden", "-m", "citepress", "telemetry", "publish")
    assert refused.returncode == 2
    assert HINT in " ".join(refused.stderr.split())


def test_a_backup_with_counts_is_not_restored_without_the_package(tmp_path: Path) -> None:
    open_store(tmp_path / "state").close()
    back_up(Settings(tmp_path, tmp_path / "state"), tmp_path / "backup")
    words = ("-m", "citepress", "restore", tmp_path / "backup", "--state")
    refused = run(tmp_path / "hidden", *words, tmp_path / "new")
    assert refused.returncode == 1
    assert "telemetry.sqlite is of a package that is not installed" in " ".join(refused.stderr.split())
    assert run(tmp_path, *words, tmp_path / "new", hidden=False).returncode == 0


def test_a_backup_that_is_made_without_the_package_has_the_counts_that_the_state_keeps(tmp_path: Path) -> None:
    settings = Settings(tmp_path, tmp_path / "state")
    open_store(settings.state).close()
    back_up(settings, tmp_path / "whole")  # as a service does, it remembers what the state keeps
    done = run(
        tmp_path / "hidden", "-m", "citepress", "backup", tmp_path / "backup", "--content", tmp_path,
        "--state", settings.state,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    databases = [
        restore(Settings(tmp_path, tmp_path / f"new-{name}"), tmp_path / name).databases for name in ("whole", "backup")
    ]
    assert databases[0]["telemetry.sqlite"].items() <= databases[1]["telemetry.sqlite"].items()


def test_a_backup_from_before_the_package_was_installed_is_restored_with_it(tmp_path: Path) -> None:
    state = tmp_path / "state"
    open_store(state).close()
    words = ("-m", "citepress", "backup", tmp_path / "backup", "--content", tmp_path, "--state", state)
    assert run(tmp_path / "hidden", *words).returncode == 0
    assert not (tmp_path / "backup" / "telemetry.sqlite").exists()
    assert "state.sqlite" in restore(Settings(tmp_path, tmp_path / "new"), tmp_path / "backup").databases
