"""A command on a disk that has no room says in a sentence where, and loses nothing."""

import os
import resource
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from citepress.cli import run
from support.folder import folder, post

FILES = {"content/posts/one.md": post(), "static/large.bin": b"0123456789abcdef" * 10_000}
NEEDS_MOUNTS = pytest.mark.skipif(
    subprocess.run(["unshare", "--mount", "true"], capture_output=True, check=False).returncode != 0,
    reason="this process may mount nothing",
)


def ended(command: list[str], before: Callable[[], None] | None = None) -> tuple[int, str]:
    # Where no room is left, the interpreter would leave parts of compiled modules behind.
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(command, capture_output=True, preexec_fn=before, env=environment, text=True, check=False)
    return done.returncode, done.stderr


def test_a_build_beyond_the_limit_on_files_names_the_limit(tmp_path: Path) -> None:
    site, state = folder(tmp_path / "site", FILES), tmp_path / "state"
    command = ["build", str(site), "--output", str(tmp_path / "out"), "--state", str(state)]

    def bounded() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))

    sentence = (
        f"citepress: File too large at {state / 'export'}: this process may write no file of more than 20,000 bytes;"
        " raise that limit (ulimit -f), and run the command again\n"
    )
    assert ended([sys.executable, "-m", "citepress", *command], bounded) == (1, sentence)
    assert run(command) == 0
    assert (tmp_path / "out/posts/one.md").is_file()


@NEEDS_MOUNTS
@pytest.mark.parametrize("full", ["out", "state"])
def test_a_build_on_a_full_disk_names_its_file_system(tmp_path: Path, full: str) -> None:
    site, disk = folder(tmp_path / "site", FILES), tmp_path / "disk"
    disk.mkdir()
    places = {name: (disk if name == full else tmp_path) / name for name in ("out", "state")}
    script = 'mount -t tmpfs -o size=100k tmpfs "$0" && exec "$@"'
    command = [sys.executable, "-m", "citepress", "build", str(site)]
    command += ["--output", str(places["out"]), "--state", str(places["state"])]
    place = places["out"] if full == "out" else places["state"] / "export"
    sentence = (
        f"citepress: No space left on device at {place}: make room on the file system of {disk},"
        " and run the command again\n"
    )
    assert ended(["unshare", "--mount", "sh", "-c", script, str(disk), *command]) == (1, sentence)
