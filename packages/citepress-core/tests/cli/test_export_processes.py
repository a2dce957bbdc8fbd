"""Several processes write the files of an export as one does, and one reading of the folder is enough."""

import errno
import os
import signal
from dataclasses import replace
from pathlib import Path

import pytest

from citepress.admin import build as admin_build
from citepress.app.registry import render_context
from citepress.base.replaced_folder import replacing_folder
from citepress.cli import export
from citepress.edition.edition import Edition, open_edition, pointer
from citepress.edition.revisions import derived
from support.alone import alone, has_children
from support.export import exported
from support.folder import post

FILES: dict[str, str | bytes] = {f"content/posts/note-{number}.md": post() for number in range(30)}
ODD = "note-7.md"


@pytest.fixture(scope="module")
def edition(tmp_path_factory: pytest.TempPathFactory) -> Edition:
    path = tmp_path_factory.mktemp("export")
    exported(path, FILES)
    return open_edition(pointer(path / "state" / "export")).render_with(
        lambda archive: render_context(replace(archive, exported=True))
    )


def written(edition: Edition, folder: Path) -> dict[str, bytes]:
    """The files of an export that takes the place of another one."""
    with replacing_folder(folder) as part:
        export.write(edition, list(edition.addresses()), part)
    return {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


def shared_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let processes share little work too."""
    monkeypatch.setattr("citepress.base.forked_processes.MIN_ITEMS_TO_FORK", 1)
    monkeypatch.setattr("citepress.base.forked_processes.usable_cores", lambda: 3)


@pytest.mark.parametrize("killed", [False, True])
def test_processes_write_the_same_files_as_one_even_where_they_are_killed(
    edition: Edition, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, killed: bool
) -> None:
    write, fork, parent = Path.write_bytes, os.fork, 0
    forks: list[int] = []

    def counted() -> int:
        forks.append(0)
        return fork()

    def deadly(path: Path, data: bytes) -> int:
        if killed and path.name == ODD and os.getpid() != parent:
            write(path, data[:10])
            os.kill(os.getpid(), signal.SIGKILL)
        return write(path, data)

    def check() -> None:
        nonlocal parent
        parent = os.getpid()
        monkeypatch.setattr(os, "fork", counted)
        by_itself = written(edition, tmp_path / "one")
        assert forks == []
        shared_out(monkeypatch)
        monkeypatch.setattr(Path, "write_bytes", deadly)
        assert written(edition, tmp_path / "many") == by_itself
        assert len(forks) == 3
        assert not has_children()
        assert {path.name for path in tmp_path.iterdir()} == {"one", "many"}

    alone(check)


def test_a_full_disk_under_one_of_them_is_an_error_that_leaves_the_earlier_export(
    edition: Edition, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    write = Path.write_bytes

    def full(path: Path, data: bytes) -> int:
        if path.name == ODD:
            raise OSError(errno.ENOSPC, "No space left on device")
        return write(path, data)

    def check() -> None:
        before = written(edition, tmp_path / "out")
        shared_out(monkeypatch)
        monkeypatch.setattr(Path, "write_bytes", full)
        with pytest.raises(OSError, match=rf"No space left on device: '{tmp_path / 'out'}'"):
            written(edition, tmp_path / "out")
        assert caplog.records == [], "the error is the only line"
        monkeypatch.undo()
        assert not has_children()
        assert {path.name for path in tmp_path.iterdir()} == {"out"}
        assert written(edition, tmp_path / "out") == before

    alone(check)


def test_a_folder_is_read_once_for_an_export_and_its_records_lie_in_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assembled, frames = admin_build.assembled, []

    def counted(*arguments: object, **named: object) -> object:
        frames.append(named["frames"])
        return assembled(*arguments, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(admin_build, "assembled", counted)
    built = (exported(tmp_path, FILES) / "archive.db").read_bytes()
    assert (exported(tmp_path, FILES) / "archive.db").read_bytes() == built, "the edition was there already"
    assert len(frames) == 2
    assert all(frames)


def test_the_page_of_a_revision_is_made_once_for_all_its_forms(
    edition: Edition, monkeypatch: pytest.MonkeyPatch
) -> None:
    pages, make = [], derived.revision_page

    def counted(*arguments: object) -> object:
        pages.append(arguments)
        return make(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(derived, "revision_page", counted)
    paths = [f"/posts/note-{number}/@1{ending}" for number in (1, 2) for ending in ("/", ".md", ".json")]
    assert len({leaf.body for path in paths if (leaf := edition.leaf(path))}) == len(paths)
    assert len(pages) == 2
