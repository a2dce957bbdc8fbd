"""A commit is noticed by the files that it replaces, whatever sort of repository the folder is in."""

from collections.abc import Callable
from pathlib import Path

import pytest

from citepress.content.git_watch import HistoryWatch
from support.git_folder import Commit, at, git, repository

FILES = {"notes/one.md": "One.\n"}


def plain(place: Path) -> Path:
    return repository(place / "plain", [Commit(at(0), FILES)])


def worktree(place: Path) -> Path:
    main = repository(place / "main", [Commit(at(0), FILES)])
    git(main, "worktree", "add", "-q", "-b", "side", str(place / "tree"))
    return place / "tree"


def packed(place: Path) -> Path:
    root = repository(place / "packed", [Commit(at(0), FILES)])
    git(root, "pack-refs", "--all")
    return root


def detached(place: Path) -> Path:
    root = repository(place / "detached", [Commit(at(0), FILES)])
    git(root, "checkout", "-q", "--detach")
    return root


def submodule(place: Path) -> Path:
    inner = repository(place / "inner", [Commit(at(0), FILES)])
    outer = repository(place / "outer", [Commit(at(0), {"readme.md": "Outer.\n"})])
    git(outer, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(inner), "part")
    return outer / "part"


@pytest.mark.parametrize("kind", [plain, worktree, packed, detached, submodule])
@pytest.mark.parametrize("below", ["", "notes"])
def test_a_commit_is_noticed_once(tmp_path: Path, kind: Callable[[Path], Path], below: str) -> None:
    root = kind(tmp_path)
    watch = HistoryWatch(root / below)
    assert not watch.has_changed()
    (root / "notes/one.md").write_text("Two.\n")
    git(root, "add", ".")
    assert not watch.has_changed()
    for message in ("first", "second"):
        git(root, "commit", "-q", "--allow-empty", "-m", message)
        assert watch.has_changed()
        assert not watch.has_changed()
    git(root, "pack-refs", "--all")
    assert not watch.has_changed()
    git(root, "reset", "-q", "--soft", "HEAD~1")
    assert watch.has_changed()


def test_a_repository_may_come_and_go(tmp_path: Path) -> None:
    root = tmp_path / "site"
    root.mkdir()
    watch = HistoryWatch(root)
    assert not watch.has_changed()
    git(root, "init", "-q")
    git(root, "commit", "-q", "--allow-empty", "-m", "first")
    assert watch.has_changed()
    (root / ".git").rename(tmp_path / "git")
    assert watch.has_changed()
    assert not watch.has_changed()


@pytest.mark.parametrize(
    "leads", [b"nowhere", b"a\0b", b"loop/x", b"x" * 4000, b"/".join([b"y"] * 2000), b"\xff", b""], ids=repr
)
def test_a_file_that_leads_to_no_repository_is_a_history_that_cannot_be_read(tmp_path: Path, leads: bytes) -> None:
    root = repository(tmp_path / "site", [Commit(at(0), FILES)])
    watch = HistoryWatch(root)
    (root / "loop").symlink_to("loop")
    (root / ".git").rename(tmp_path / "git")
    (root / ".git").write_bytes(b"gitdir: " + leads + b"\n")
    assert HistoryWatch(root)
    assert watch.has_changed(), "so that a build says why"
    assert not watch.has_changed()
    (root / ".git").unlink()
    (tmp_path / "git").rename(root / ".git")
    assert watch.has_changed()
