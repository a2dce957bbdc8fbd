"""The versions of each file in the Git history of its folder, numbered along the first parents, through renames.

One bounded ``git log`` for the whole folder, and ``git cat-file --batch`` for the texts of many files at once.
"""

from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

from citepress.base import clock
from citepress.content.git_dates import ask_git, history_state, moment_of_commit

MAX_VERSIONS = 200_000
"""Versions of all files together; a longer history is not used."""
TEXTS_AT_ONCE = 500
"""Texts that are read at once."""
_COMMIT = "\x01"
# Along first parents alone: what a branch held before it was merged was never published, and a number never moves when
# a later commit comes. Decision "Revisions are numbered by history and rendered when they are asked for".
_LOG = ("log", "--first-parent", "-m", "--no-show-signature", "--raw", "--no-abbrev", "-M", "-z", "--relative")
_NEVER = datetime.max.replace(tzinfo=UTC)
"""Of a commit with an impossible time."""
_FILES = ("100644", "100755")
"""Modes of regular files: links and submodules hold no record."""


class FileVersion(NamedTuple):
    """A file as one commit left it."""

    blob: str
    """Name of its bytes in Git."""
    path: str
    """Path in the folder, at that time."""
    moment: datetime
    """When it was committed; never before the version that came earlier, and never ahead."""
    removed: bool = False
    """Whether the file was removed since, and made anew: what it said then is no longer published."""


class GitVersions:
    """The versions of the files of one folder, read again when its history has grown."""

    def __init__(self) -> None:
        self._state = ""
        self._versions: dict[str, list[FileVersion]] | None = None

    def of(self, root: Path) -> Mapping[str, list[FileVersion]] | None:
        """The versions of each present file, oldest first, by its path relative to the folder.

        ``None`` where there is no Git, no repository, only a part of its history, or more of it than is read. Raises
        ``GitError``.
        """
        state = history_state(root)
        if not state:
            return None
        state = f"{root}\n{state}"
        if state != self._state:
            log = ask_git(root, *_LOG, f"--format={_COMMIT}%ct", "--", ".")
            versions = None if log is None else _versions(log.decode("utf-8", "surrogateescape"), clock.now())
            self._state, self._versions = state, versions
        return self._versions


def texts(root: Path, blobs: Iterable[str], limit: int) -> Iterator[tuple[str, bytes]]:
    """Name and bytes of those of the blobs that the repository of a folder holds and that are within a limit.

    Raises ``GitError``.
    """
    wanted = list(dict.fromkeys(blobs))
    for start in range(0, len(wanted), TEXTS_AT_ONCE):
        part = wanted[start : start + TEXTS_AT_ONCE]
        sizes = ask_git(root, "cat-file", "--batch-check", given="\n".join(part).encode()) or b""
        rows = [line.split() for line in sizes.decode("ascii", "replace").splitlines()]
        small = [row[0] for row in rows if row[1:2] == ["blob"] and int(row[2]) <= limit]
        if small:
            yield from _batch(ask_git(root, "cat-file", "--batch", given="\n".join(small).encode()) or b"")


def _batch(answer: bytes) -> Iterator[tuple[str, bytes]]:
    """What ``cat-file --batch`` wrote: a line with name, type and size, the bytes, and a line's end."""
    at = 0
    while (end := answer.find(b"\n", at)) >= 0:
        name, _, size = answer[at:end].split()
        yield name.decode("ascii"), answer[end + 1 : end + 1 + int(size)]
        at = end + 2 + int(size)


class _Change(NamedTuple):
    """What one commit did to one file."""

    mode: str
    blob: str
    status: str
    former: str
    name: str
    """Equals ``former`` unless the file was renamed."""


def _versions(log: str, now: datetime) -> dict[str, list[FileVersion]] | None:
    """The versions by present path; commits come newest first. ``None`` where there are too many."""
    versions: dict[str, list[FileVersion]] = {}
    present: dict[str, str] = {}
    """Former name to present name; empty for a name whose file of that time is no more."""
    removed: set[str] = set()
    """Present names of files that were removed later, and made anew since."""
    count = 0
    for moment, changes in _commits(log):
        renamed: dict[str, str] = {}
        for change in changes:
            name = present.get(change.name, change.name)
            if change.status == "R":
                renamed.setdefault(change.name, "")
                renamed[change.former] = name
            if change.status == "D":
                removed.add(name)
            elif name and change.mode in _FILES:
                version = FileVersion(change.blob, change.name, moment or _NEVER, removed=name in removed)
                versions.setdefault(name, []).append(version)
                count += 1
        if count > MAX_VERSIONS:
            return None  # a part would number records otherwise than the whole does
        present |= renamed
    return {name: ordered for name, chain in versions.items() if (ordered := _ordered(chain, now))}


def _commits(log: str) -> Iterator[tuple[datetime | None, list[_Change]]]:
    """When each commit was made, ``None`` for an impossible time, and what it did; a file may have any name."""
    words = iter(log.split("\0"))
    commit: tuple[datetime | None, list[_Change]] | None = None
    for word in words:
        line = word.lstrip("\n")
        if line.startswith(_COMMIT):
            if commit:
                yield commit
            commit = moment_of_commit(line.removeprefix(_COMMIT)), []
        elif line.startswith(":") and commit:
            _, mode, _, blob, status = line[1:].split(" ")
            former = next(words, "")
            name = next(words, "") if status[0] in "RC" else former
            commit[1].append(_Change(mode, blob, status[0], former, name))
    if commit:
        yield commit


def _ordered(newest_first: list[FileVersion], now: datetime) -> list[FileVersion]:
    """The versions, oldest first, without those that only have another name, with clocks that never go back.

    A clock that is ahead counts as a second after the version before, or as that of the next one where it is the first.
    Empty where no clock can be used.
    """
    earliest = next((version.moment for version in reversed(newest_first) if version.moment <= now), None)
    if earliest is None:
        return []
    ordered: list[FileVersion] = []
    for version in reversed(newest_first):
        if ordered and ordered[-1].blob == version.blob and not ordered[-1].removed:
            continue  # only its name or mode changed, and readers saw no other words
        if version.moment <= now:
            earliest = max(version.moment, earliest)
        elif ordered:
            # Addresses by date need an order in time, and a clock that was ahead must not hide a version until then.
            earliest += timedelta(seconds=1)
        ordered.append(version._replace(moment=earliest))
    return ordered
