"""When each file was first and last committed, where the folder is in a Git repository.

One bounded call for the whole tree.
"""

import logging
import os
import shutil
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from citepress.base.errors import CitepressError

log = logging.getLogger(__name__)
GIT_TIMEOUT_S = 20.0
"""The longest time that Git may take for one answer."""
OUTPUT = 268_435_456
"""Bytes of the longest answer; a longer one is not used."""
_COMMIT = "\x01"
_STATE = ("rev-parse", "--is-shallow-repository", "HEAD", "--show-prefix")
_SETTINGS = ("core.fsmonitor=false", "log.showSignature=false", "core.quotePath=false", "diff.renames=true")
_CALM = {"GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0", "GIT_NO_LAZY_FETCH": "1", "LC_ALL": "C"}
"""Nothing is locked, asked or fetched."""


class GitError(CitepressError):
    """Git does not answer in a folder that lies in a repository."""


class Committed(NamedTuple):
    """The first and last commit of a file, by the clocks of its authors."""

    first: datetime
    last: datetime


def history_state(root: Path) -> str:
    """An identifier of the current state of a folder's whole history.

    Empty where there is no Git, no repository, no commit, or only a part of the history, and where Git refuses to open
    the repository, which is logged: somebody else owns it, or what it needs was not copied with the folder. Raises
    ``GitError`` where Git does not answer.
    """
    if not root.is_dir() or repository_above(root.resolve()) is None or (done := _ran(root, _STATE)) is None:
        return ""
    if done.returncode:
        if not _has_no_commit(root):
            _note_refusal(root, _said(done))
        return ""
    state = _answer(root, done) or b""
    return state.decode("utf-8", "surrogateescape") if state.startswith(b"false\n") else ""


@lru_cache(maxsize=16)
def _note_refusal(root: Path, said: str) -> None:
    """Log once that a folder is read as if it were not in a repository."""
    log.warning("%s is read without its history, because Git refuses it: %s", root, said)


def _said(done: "subprocess.CompletedProcess[bytes]") -> str:
    """What Git said of a failure."""
    return " ".join(done.stderr.decode("utf-8", "replace").split())[:300] or f"exit code {done.returncode}"


def repository_above(folder: Path) -> Path | None:
    """The ``.git`` of the repository in which a resolved folder lies: a folder, or a file that leads to one.

    As Git does, it is looked for on the file system of the folder alone; an empty one is none.
    """
    with suppress(OSError):
        device = folder.stat().st_dev
        for above in (folder, *folder.parents):
            if above.stat().st_dev != device:
                return None
            place = above / ".git"
            if place.is_file() or any(os.path.lexists(place / name) for name in ("HEAD", "objects")):
                return place
    return None


def is_shallow(root: Path) -> bool:
    """Whether a folder is a checkout with a part of its history.

    The times of its files are then those of the checkout, and the commits that would date them are not there.
    """
    place = repository_above(root)
    return place is not None and (place / "shallow").is_file()


def _has_no_commit(root: Path) -> bool:
    done = _ran(root, ("log", "-1", "--format="))
    return done is not None and done.returncode != 0 and b"does not have any commits yet" in done.stderr


class GitDates:
    """The dates of the files of one folder, read again when its history has grown."""

    def __init__(self) -> None:
        self._head = ""
        self._dates: dict[str, Committed] = {}

    def of(self, root: Path) -> dict[str, Committed]:
        """Dates by path relative to the folder.

        Empty where there is no Git, no repository, or only a part of its history, or more of it than is read.
        Raises ``GitError``.
        """
        state = history_state(root)
        if not state:
            return {}
        head = f"{root}\n{state}"
        if head != self._head:
            commits = ask_git(
                root,
                "log",
                "--no-show-signature",
                "--no-merges",
                f"--format={_COMMIT}%at",
                "--name-status",
                "-M",
                "-z",
                "--relative",
                "--",
                ".",
            )
            self._head, self._dates = head, _dates((commits or b"").decode("utf-8", "surrogateescape"))
        return self._dates


def ask_git(root: Path, *words: str, given: bytes | None = None) -> bytes | None:
    """What Git answers in a folder, ``given`` being its input.

    ``None`` where there is no Git, or its answer is too long. Raises ``GitError`` where it fails or takes too long.
    """
    done = _ran(root, words, given)
    return _answer(root, done) if done else None


def _answer(root: Path, done: "subprocess.CompletedProcess[bytes]") -> bytes | None:
    """What Git answered; ``None`` for too much. Raises ``GitError``."""
    if done.returncode:
        raise GitError(f"Git fails in {root}: {_said(done)}")
    return done.stdout if len(done.stdout) <= OUTPUT else None


def _ran(root: Path, words: Sequence[str], given: bytes | None = None) -> "subprocess.CompletedProcess[bytes] | None":
    """Git, when it has ended; ``None`` where there is none. Raises ``GitError``."""
    git = shutil.which("git")
    if git is None:
        return None
    settings = [part for setting in _SETTINGS for part in ("-c", setting)]
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    try:
        return subprocess.run(  # noqa: S603  (Git by its whole path, no word of it from the content)
            [git, *settings, *words],
            cwd=root,
            env={**inherited, **_CALM},
            input=given or b"",
            capture_output=True,
            timeout=GIT_TIMEOUT_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise GitError(f"Git does not answer in {root} within {GIT_TIMEOUT_S:g} seconds") from None
    except OSError as error:
        raise GitError(f"Git cannot be started in {root}: {error.strerror}") from error


def _dates(commits: str) -> dict[str, Committed]:
    """First and last commit of each present name, followed back through its renames; commits come newest first."""
    by_name: dict[str, Committed] = {}
    present: dict[str, str] = {}
    """Former name to present name."""
    for commit in commits.split(_COMMIT)[1:]:
        head, *rest = commit.split("\0")
        moment = moment_of_commit(head.split("\n", maxsplit=1)[0])
        if moment is None:
            continue
        words = iter([word.lstrip("\n") for word in (*head.split("\n")[1:], *rest)])
        for status in words:
            if not status:
                continue
            name = next(words, "")
            if status[0] in "RC":
                former, name = name, next(words, "")
                if status[0] == "R":
                    present[former] = present.get(name, name)
            now = present.get(name, name)
            earlier = by_name.get(now)
            by_name[now] = (
                Committed(min(moment, earlier.first), max(moment, earlier.last))
                if earlier
                else Committed(moment, moment)
            )
    return by_name


def moment_of_commit(seconds: str) -> datetime | None:
    """When a commit was made by its clock; ``None`` for an impossible time."""
    try:
        return datetime.fromtimestamp(int(seconds), UTC)
    except (ValueError, OverflowError, OSError):
        return None
