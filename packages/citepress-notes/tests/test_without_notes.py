"""Where the package is not installed, archives work at no other cost, and a plain folder names what to install."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from support.folder import SITE, folder, post
from support.hidden_extensions import environment_without
from support.running_server import free_port

NOTES = {"a.md": "# A note\n\nIts words.\n"}
SAID = (
    ". error CP008 has no content/<kind>/, so it is a plain folder"
    " hint: it needs an extension that is not installed: pip install 'citepress[notes]' 1 error"
)
IMPORTED = """
import sys

from citepress.cli import main

sys.argv = ["citepress", *sys.argv[1:]]
try:
    main()
finally:
    print(*(name for name in sys.modules if name.startswith("citepress_notes.")), file=sys.stderr)
"""


def run(path: Path, *words: object, hidden: bool = True) -> subprocess.CompletedProcess[str]:
    environment = environment_without(path / "hidden", "notes") if hidden else os.environ
    command = [sys.executable, *map(str, words)]
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300, check=False)


@pytest.mark.parametrize("site", [None, SITE], ids=["without settings", "with settings"])
def test_a_plain_folder_names_what_to_install(tmp_path: Path, site: str | None) -> None:
    root = folder(tmp_path / "notes", NOTES, site=site)
    for words in (("check", root), ("build", root), ("serve", root, "--port", free_port())):
        done = run(tmp_path, "-m", "citepress", *words)
        assert (done.returncode, " ".join((done.stdout + done.stderr).split())) == (1, SAID)
    assert run(tmp_path, "-m", "citepress", "check", root, hidden=False).returncode == 0


@pytest.mark.parametrize("site", [None, SITE], ids=["without settings", "with settings"])
def test_an_archive_is_the_same_without_it(tmp_path: Path, site: str | None) -> None:
    root = folder(tmp_path / "site", {"content/posts/one.md": post("Words.")}, site=site)
    outputs = []
    for hidden in (True, False):
        output = tmp_path / f"out-{hidden}"
        done = run(tmp_path, "-m", "citepress", "build", root, "--output", output, hidden=hidden)
        assert done.returncode == 0, done.stderr
        outputs.append({path.relative_to(output): path.read_bytes() for path in output.rglob("*.md")})
    assert outputs[0] == outputs[1] != {}


def test_an_archive_with_settings_imports_nothing_but_its_declaration(tmp_path: Path) -> None:
    root = folder(tmp_path / "site", {"content/posts/one.md": post("Words.")}, SITE)
    for words in (("version",), ("check", root), ("build", root, "--output", tmp_path / "out")):
        done = run(tmp_path, "-c", IMPORTED, *words, hidden=False)
        imported = set(done.stderr.splitlines()[-1].split())
        assert imported <= {"citepress_notes.extension"}, words
    plain = run(tmp_path, "-c", IMPORTED, "check", folder(tmp_path / "notes", NOTES, site=None), hidden=False)
    assert "citepress_notes.notes_reader" in plain.stderr
