"""An export takes the place of an earlier one whole, whatever runs beside it and wherever it is killed."""

import errno
import os
import shutil
import signal
import threading
from pathlib import Path

import pytest

from citepress.base.replaced_folder import replacing_folder, restore_folder
from support.commands import citepress
from support.folder import folder, post

ENDED = 4_194_305
"""A number that no process has: Linux counts to 2^22."""


def names(place: Path) -> set[str]:
    return {path.name for path in place.iterdir()}


def filled(place: Path, text: str, count: int = 50) -> None:
    with replacing_folder(place) as part:
        for number in range(50):
            (part / f"{number}.txt").write_text(text)
            if number == count:
                raise OSError("no room")


def test_a_folder_takes_the_place_of_another_and_leaves_nothing_beside_it(tmp_path: Path) -> None:
    for text in ("one", "two"):
        filled(tmp_path / "dist", text)
        assert {file.read_text() for file in (tmp_path / "dist").iterdir()} == {text}
    assert names(tmp_path) == {"dist"}


def test_a_folder_that_cannot_be_filled_leaves_the_other_one(tmp_path: Path) -> None:
    filled(tmp_path / "dist", "one")
    with pytest.raises(OSError, match="no room"):
        filled(tmp_path / "dist", "two", 20)
    assert {file.read_text() for file in (tmp_path / "dist").iterdir()} == {"one"}
    assert names(tmp_path) == {"dist"}


@pytest.mark.parametrize("error", [OSError(errno.EIO, "Input/output error"), KeyboardInterrupt()])
def test_what_cannot_be_put_back_stays_beside_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: BaseException
) -> None:
    place, rename = tmp_path / "dist", Path.rename
    filled(place, "one")

    def failing(path: Path, target: Path) -> Path:
        if path == place:
            return rename(path, target)
        raise error if path.name.endswith(".part") else OSError(errno.EIO, "Input/output error")

    with monkeypatch.context() as broken:
        broken.setattr(Path, "rename", failing)
        with pytest.raises(OSError, match=rf"its former files are in .*\.dist\.{os.getpid()}\.former"):
            filled(place, "two")
    (left,) = tmp_path.iterdir()
    assert {file.read_text() for file in left.iterdir()} == {"one"}
    restore_folder(place)
    assert {file.read_text() for file in place.iterdir()} == {"one"}


def test_what_a_killed_process_moved_away_is_put_back(tmp_path: Path) -> None:
    filled(tmp_path / "dist", "one")
    (tmp_path / "dist").rename(tmp_path / f".dist.{ENDED}.former")
    (tmp_path / f".dist.{ENDED}.part").mkdir()
    restore_folder(tmp_path / "dist")
    assert {file.read_text() for file in (tmp_path / "dist").iterdir()} == {"one"}
    assert names(tmp_path) == {"dist"}


def test_what_a_killed_process_left_is_removed(tmp_path: Path) -> None:
    filled(tmp_path / "dist", "one")
    shutil.copytree(tmp_path / "dist", tmp_path / f".dist.{ENDED}.former")
    (tmp_path / f".dist.{os.getppid()}.part").mkdir()
    restore_folder(tmp_path / "dist")
    assert names(tmp_path) == {"dist", f".dist.{os.getppid()}.part"}, "that of a process that runs stays"


def test_processes_that_are_killed_at_any_moment_leave_one_whole_folder(tmp_path: Path) -> None:
    place = tmp_path / "dist"
    filled(place, "0")
    for round_ in range(30):
        process = os.fork()
        if not process:
            try:
                while True:
                    filled(place, str(round_))
            finally:
                os._exit(1)
        threading.Event().wait(0.003 * round_ / 2)
        os.kill(process, signal.SIGKILL)
        os.waitpid(process, 0)
        restore_folder(place)
        files = list(place.iterdir())
        assert len(files) == 50
        assert len({file.read_text() for file in files}) == 1
        assert names(tmp_path) == {"dist"}


def test_two_exports_at_once_are_both_whole(tmp_path: Path) -> None:
    root = folder(tmp_path / "site", {f"content/posts/note-{number}.md": post() for number in range(20)})
    place, results = tmp_path / "dist", []

    def build(state: str) -> None:
        results.append(citepress("build", str(root), "-o", str(place), "--state", str(tmp_path / state)))

    for states in (("state", "state"), ("one", "two")):
        threads = [threading.Thread(target=build, args=(state,)) for state in states]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert [(done.returncode, "Traceback" in done.stderr) for done in results[-2:]] == [(0, False)] * 2
        counted = int(results[-1].stdout.partition(": ")[2].partition(" files")[0].replace(",", ""))
        written = [file for file in place.rglob("*") if file.is_file()]
        assert len(written) >= counted
        assert (place / "index.html").is_file()
    assert not [name for name in names(tmp_path) if name.startswith(".")]
