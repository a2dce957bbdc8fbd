"""The log of editions in the state folder of a publisher: one entry a line, only ever appended to."""

import fcntl
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from citepress.base.replaced_file import replace_file
from citepress.transparency.continuity import continued
from citepress.transparency.entries import EditionLogError, EditionTree, LogEntry, entry_of
from citepress.transparency.heads import LogHead


def with_edition(lines: Sequence[bytes], tree: EditionTree, published_at: str) -> list[bytes]:
    """The entries of a log after an edition was published: the same where it is the newest one already.

    Raises ``EditionLogError``.
    """
    former = entry_of(lines[-1]) if lines else None
    if former and former.tree == tree:
        return list(lines)
    return [*lines, LogEntry.after(former, tree, published_at).line]


class LogFile:
    """The log of one publisher. One process writes at a time; any number read."""

    def __init__(self, path: Path) -> None:
        """The file and its folder are made with the first entry."""
        self.path = path

    def lines(self) -> list[bytes]:
        """The entries, oldest first, without one that was half written. Raises ``EditionLogError``."""
        try:
            return self.path.read_bytes().split(b"\n")[:-1]
        except FileNotFoundError:
            return []
        except OSError as error:
            raise EditionLogError(f"{self.path} cannot be read: {error.strerror}") from None

    def extended(self, tree: EditionTree, published_at: str) -> list[bytes]:
        """The entries after an edition was published, which the file then holds. Raises ``EditionLogError``."""
        with self._alone():
            lines = with_edition(self.lines(), tree, published_at)
            self._put(lines)
        return lines

    def continue_from(self, head: LogHead | None) -> None:
        """Make sure that the file goes on from the head of the published edition; put back the entry of that head.

        Raises ``BrokenHistoryError`` and ``EditionLogError``.
        """
        with self._alone():
            lines = self.lines()
            if (whole := continued(lines, head, self.path)) != lines:
                self._put(whole)

    def set_aside(self) -> Path:
        """Rename the file, so that the next entry begins a new log; return its new path. Raises ``EditionLogError``."""
        number = 1
        while (aside := self.path.with_name(f"{self.path.name}.broken-{number}")).exists():
            number += 1
        try:
            self.path.rename(aside)
        except FileNotFoundError:
            pass
        except OSError as error:
            raise EditionLogError(f"{self.path} cannot be renamed: {error.strerror}") from None
        return aside

    def write(self, lines: Sequence[bytes]) -> None:
        """Hold these entries: what is new is appended, and anything else takes the place of the file in one step.

        They are on the disk when this returns, because a head that readers remember must never be taken back.
        Raises ``EditionLogError``.
        """
        with self._alone():
            self._put(lines)

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Keep other processes that build into the same state folder away meanwhile."""
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            descriptor = os.open(self.path.parent, os.O_RDONLY | os.O_CLOEXEC)
        except OSError as error:
            raise EditionLogError(f"{self.path.parent} cannot be written: {error.strerror}") from None
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            yield
        finally:
            os.close(descriptor)

    def _put(self, lines: Sequence[bytes]) -> None:
        held = self.lines()
        if held == list(lines):
            return
        try:
            if held == list(lines[: len(held)]):
                self._append(sum(len(line) + 1 for line in held), _text(lines[len(held) :]))
            else:
                replace_file(self.path, _text(lines), durable=True)
        except OSError as error:
            raise EditionLogError(f"{self.path} cannot be written: {error.strerror}") from None

    def _append(self, end: int, text: bytes) -> None:
        with self.path.open("ab") as file:
            file.truncate(end)  # an entry that was half written
            file.write(text)
            file.flush()
            os.fsync(file.fileno())


def _text(lines: Sequence[bytes]) -> bytes:
    return b"".join(line + b"\n" for line in lines)
