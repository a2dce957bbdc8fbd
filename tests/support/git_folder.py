"""Content folders in Git repositories, with histories as long as a test wants, written in one pass."""

import os
import subprocess
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

ENVIRONMENT = {
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_SYSTEM": os.devnull,
    "GIT_AUTHOR_NAME": "An author",
    "GIT_AUTHOR_EMAIL": "author@archive.test",
    "GIT_COMMITTER_NAME": "An author",
    "GIT_COMMITTER_EMAIL": "author@archive.test",
}


class Commit(NamedTuple):
    """What one commit does: files that are written, renamed and deleted, in this order of effect last to first."""

    moment: datetime
    files: Mapping[str, str | bytes] = {}
    renamed: Mapping[str, str] = {}
    """Former path to new path; happens before files are written."""
    deleted: Iterable[str] = ()


def git(root: Path, *words: str, entered: bytes = b"", environment: Mapping[str, str] | None = None) -> str:
    """What Git answers in a folder."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    whole = inherited | ENVIRONMENT | dict(environment or {})
    done = subprocess.run(["git", *words], cwd=root, input=entered, env=whole, capture_output=True, check=True)
    return done.stdout.decode()


def repository(root: Path, commits: Iterable[Commit]) -> Path:
    """A repository with these commits, its last state checked out."""
    root.mkdir(parents=True)
    git(root, "init", "-q", "-b", "main")
    extend(root, commits)
    return root


def extend(root: Path, commits: Iterable[Commit]) -> None:
    """Further commits, their last state checked out."""
    began = git(root, "rev-parse", "-q", "--verify", "HEAD", "--") if any((root / ".git/refs/heads").iterdir()) else ""
    stream = bytearray()
    for number, commit in enumerate(commits):
        stream += (
            b"commit refs/heads/main\ncommitter A <a@archive.test> %d +0000\ndata 1\n.\n" % commit.moment.timestamp()
        )
        stream += f"from {began.strip()}\n".encode() if began and not number else b""
        for former, name in commit.renamed.items():
            stream += f"R {former} {name}\n".encode()
        for name in commit.deleted:
            stream += f"D {name}\n".encode()
        for name, content in commit.files.items():
            data = content if isinstance(content, bytes) else content.encode()
            stream += b"M 100644 inline %b\ndata %d\n%b\n" % (name.encode(), len(data), data)
    git(root, "fast-import", "--quiet", entered=bytes(stream))
    git(root, "reset", "-q", "--hard", "main")


def at(hour: int) -> datetime:
    """An hour after the beginning of June 2026."""
    return datetime.fromtimestamp(datetime(2026, 6, 1, tzinfo=UTC).timestamp() + 3600 * hour, UTC)
