"""A folder that nobody means to publish, or that may not be read or written, is named, with the one to take."""

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from citepress.cli import run
from support.folder import SITE, folder, markdown, post

NOTE = markdown({"date": "2026-05-01"})
NOBODY = 65534
AS_NOBODY = """
import encodings.idna, os, sys
from citepress.cli import run
out, errors = os.dup(1), os.dup(2)
for stream in (1, 2):
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream)
os.chdir(sys.argv[1])
run(sys.argv[3:])
sys.stdout.flush()
os.dup2(out, 1)
os.dup2(errors, 2)
os.chdir(sys.argv[2])
if os.geteuid() == 0:
    os.setegid(65534)
    os.seteuid(65534)
sys.exit(run(sys.argv[3:]))
"""
"""Root, from whom no folder can be kept, becomes another user once all is imported: the interpreter may be root's."""


def as_nobody(*words: str, directory: Path) -> subprocess.CompletedProcess[str]:
    """A command as a user whom folders can be kept from; before, it runs in a folder of its own."""
    is_archive = (directory / "site.toml").exists()
    files = {"content/posts/a.md": post()} if is_archive else {"a.md": NOTE}
    first = folder(directory.parent / "first", files, SITE if is_archive else None)
    command = [sys.executable, "-c", AS_NOBODY, str(first), str(directory), *words]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that every user may enter. Not below ``tmp_path``, which each session of pytest closes to others."""
    with tempfile.TemporaryDirectory(prefix="citepress-") as name:
        path = Path(name)
        for place in (path, *path.parents):
            if place.stat().st_uid == os.geteuid() and place != Path("/"):
                place.chmod(place.stat().st_mode | 0o755)
        yield path


def checked(root: Path, capsys: pytest.CaptureFixture[str]) -> list[str]:
    run(["check", str(root)])
    return capsys.readouterr().out.splitlines()


@pytest.mark.parametrize("inner", ["content", "content/posts"])
def test_a_part_of_an_archive_is_not_published_as_notes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], inner: str
) -> None:
    root = folder(tmp_path, {"content/posts/one.md": post()})
    assert checked(root / inner, capsys) == [
        ". error CP009 the folder is a part of an archive",
        f"    hint: name the archive: {root}",
        "1 error",
    ]


def test_a_source_tree_is_published_only_with_settings(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = {"package.json": "{}", "docs/one.md": NOTE, "src/parser/NOTES.md": NOTE}
    root = folder(tmp_path, files, site=None)
    assert checked(root, capsys) == [
        ". error CP009 the folder is a source tree: it has package.json",
        "    hint: name its folder docs/, or write an empty site.toml here to publish its Markdown all the same",
        "1 error",
    ]
    assert run(["serve", str(root), "--port", "0", "--state", str(tmp_path / "state")]) != 0
    assert checked(root / "docs", capsys)[-1].startswith("1 record")
    (root / "site.toml").write_text("")
    assert checked(root, capsys)[-1].startswith("2 records")


def test_the_site_of_another_tool_is_no_source_tree(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    root = folder(tmp_path, {"package.json": "{}", "mkdocs.yml": "site_name: S\n", "docs/one.md": NOTE}, site=None)
    assert not any("CP009" in line for line in checked(root, capsys))


def test_thousands_of_files_that_are_no_texts_are_not_published(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    root = folder(tmp_path, {"one.md": NOTE}, site=None)
    for number in range(2_001):
        (root / f"{number}.dat").touch()
    assert checked(root, capsys)[0] == ". error CP009 1 of 2,002 files are Markdown"


def test_a_draft_is_made_in_an_archive_only(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    root = folder(tmp_path / "archive", {"docs/x.txt": "x"})
    assert run(["new", "posts", "one", "--content", str(root / "docs")]) == 2
    assert capsys.readouterr().err == (
        f"citepress: {root}/docs is not an archive: it has neither site.toml nor content/."
        f" Name the archive above it: --content {root}\n"
    )
    (tmp_path / "other").mkdir()
    assert run(["new", "posts", "one", "--content", str(tmp_path / "other")]) == 2
    assert "Make one: citepress init" in capsys.readouterr().err
    assert not list(tmp_path.rglob("one.md"))


def test_a_link_into_a_folder_that_may_not_be_read_is_set_aside(open_folder: Path) -> None:
    root = folder(open_folder / "notes", {"a.md": NOTE}, site=None)
    closed = folder(open_folder / "closed", {"in/b.md": NOTE}, site=None)
    for name in ("b.md", "mkdocs.yml", "content", ".gitignore"):
        (root / name).symlink_to(closed / "in" / name)
    closed.chmod(0)
    try:
        done = as_nobody("check", directory=root)
    finally:
        closed.chmod(0o755)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[-1].startswith("1 record")


@pytest.mark.parametrize("words", [("init", "new"), ("build", ".", "--output", "dist"), ("new", "posts", "x")])
def test_a_folder_that_may_not_be_written_is_named_in_one_line(open_folder: Path, words: tuple[str, ...]) -> None:
    root = folder(open_folder / "archive", {"content/posts/a.md": post()})
    (root / "content/posts").chmod(0o555)
    root.chmod(0o555)
    done = as_nobody(*words, directory=root)
    root.chmod(0o755)
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1, done.stderr
    assert "Permission denied" in done.stderr


COMMANDS = ("version", "check .", "serve . --port 0", "build . --output dist", "routes", "inbox list", "--help")


@pytest.mark.parametrize("words", COMMANDS)
def test_ctrl_c_in_the_first_half_second_ends_a_command_without_a_traceback(tmp_path: Path, words: str) -> None:
    root = folder(tmp_path, {"content/posts/a.md": post()})
    program = "import sys; print('.', flush=True); from citepress.__main__ import main; main()"
    for delay in (0.0, 0.1, 0.25, 0.45):
        with subprocess.Popen(
            [sys.executable, "-c", program, *words.split()], stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=root
        ) as process:
            assert process.stdout is not None
            process.stdout.readline()
            time.sleep(delay + 0.02)
            process.send_signal(signal.SIGINT)
            _, errors = process.communicate(timeout=30)
        assert b"Traceback" not in errors
        assert b"ignored" not in errors
