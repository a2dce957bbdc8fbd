"""A command on a disk that has no room says so in a sentence, and loses nothing."""

import resource
import subprocess
import sys
from pathlib import Path

from citepress.cli import run
from support.folder import folder, post


def test_a_build_beyond_the_limit_on_files_ends_with_a_sentence(tmp_path: Path) -> None:
    site = folder(tmp_path / "site", {"content/posts/one.md": post()})
    command = ["build", str(site), "--output", str(tmp_path / "out"), "--state", str(tmp_path / "state")]

    def bounded() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))

    ended = subprocess.run(
        [sys.executable, "-m", "citepress", *command], capture_output=True, preexec_fn=bounded, text=True, check=False
    )
    assert ended.returncode == 1
    assert "Traceback" not in ended.stderr
    assert "make room, and run the command again" in ended.stderr
    assert run(command) == 0
    assert (tmp_path / "out/posts/one.md").is_file()
