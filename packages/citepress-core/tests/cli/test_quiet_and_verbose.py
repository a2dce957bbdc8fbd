"""`--quiet` and `--verbose`: options of every command, named in help, completion and the manual."""

import json
from pathlib import Path

import pytest

from citepress.cli import application, run
from citepress.cli.man import leaves
from support.commands import citepress
from support.folder import folder, post

LONELY = {"content/posts/a.md": post()}
BROKEN = {"content/posts/a.md": post(date="soon"), "content/posts/b.md": post()}


@pytest.mark.parametrize("words", [("-q", "check"), ("--quiet", "check"), ("check", "-q"), ("check", "--quiet")])
def test_quiet_prints_errors_alone(tmp_path: Path, words: tuple[str, ...]) -> None:
    warned = citepress(*words, str(folder(tmp_path / "lonely", LONELY)))
    assert (warned.returncode, warned.stdout, warned.stderr) == (0, "", "")
    done = citepress(*words, str(folder(tmp_path / "broken", BROKEN)))
    assert done.returncode == 1
    assert done.stdout.startswith("content/posts/a.md:4:7 error CP014 date: ")
    assert "warning" not in done.stdout
    assert "1 error" not in done.stdout


def test_quiet_says_nothing_of_what_was_done(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    root = tmp_path / "a"
    assert run(["init", str(root), "--quiet"]) == 0
    assert run(["new", "posts", "x", "--content", str(root), "-q"]) == 0
    assert run(["build", str(root), "--output", str(tmp_path / "dist"), "-q"]) == 0
    said = capsys.readouterr()
    assert (said.out, said.err) == ("", "")
    assert (tmp_path / "dist" / "index.html").is_file()


def test_quiet_prints_documents_and_json_and_why_a_command_failed(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert run(["-q", "check", str(folder(tmp_path / "a", LONELY)), "--json"]) == 0
    assert [fault["level"] for fault in json.loads(capfd.readouterr().out)["faults"]] == ["warning"]
    assert run(["-q", "man"]) == 0
    assert capfd.readouterr().out.startswith(".TH CITEPRESS")
    assert run(["-q", "new", "posts", "x", "--content", str(tmp_path / "nowhere")]) == 2
    assert "nowhere is not a folder" in capfd.readouterr().err


def test_what_keeps_a_build_from_publishing_is_printed(tmp_path: Path) -> None:
    done = citepress("build", str(folder(tmp_path / "a", BROKEN)), "-q", directory=tmp_path)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("content/posts/a.md:4:7 error CP014 date: ")
    assert "warning" not in done.stderr


@pytest.mark.parametrize("words", [("-v", "build"), ("build", "--verbose")])
def test_verbose_prints_what_is_worked_on(tmp_path: Path, words: tuple[str, ...]) -> None:
    root = folder(tmp_path / "a", LONELY)
    done = citepress(*words, str(root), "--output", str(tmp_path / "dist"))
    usual = citepress("build", str(root), "--output", str(tmp_path / "usual"))
    assert (done.returncode, usual.stderr) == (0, "")
    lines = done.stderr.splitlines()
    assert "reading content/posts/a.md" in lines
    assert any(line.startswith("rendering /posts/a/") for line in lines)
    assert done.stdout.replace("dist", "usual") == usual.stdout


def test_the_two_exclude_each_other(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["version", "-q", "-v"]) == 2
    assert "exclusive" in capsys.readouterr().err


def test_one_command_being_quiet_is_nothing_to_the_next(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["-q", "explain", "CP017"]) == run(["explain", "CP017"]) == 0
    assert capsys.readouterr().out.startswith("CP017")


def test_every_help_the_completion_and_the_manual_name_both(capfd: pytest.CaptureFixture[str]) -> None:
    names = list(leaves(application()))
    for name in names:
        assert run([*name.split(), "--help"]) == 0
        shown = capfd.readouterr().out
        assert "--quiet -q" in shown, name
        assert "--verbose -v" in shown, name
    assert citepress("completion", "bash").stdout.count("--quiet") >= len(names)
    assert run(["man"]) == 0
    assert r"\-\-quiet, \-q" in capfd.readouterr().out
