"""Enters the editions of one output into their log, and lets none break with what was published before."""

import logging
import os
from collections.abc import Iterable, Mapping
from hashlib import blake2b
from pathlib import Path
from typing import Any

import orjson

from citepress.base import clock, fast_json
from citepress.base.errors import CitepressError
from citepress.base.replaced_file import replace_file
from citepress.base.timestamps import rfc3339
from citepress.history.state_files import HEAD_FILE
from citepress.transparency.checkpoints import head_of
from citepress.transparency.continuity import BrokenHistoryError, broken, check_keys, continued
from citepress.transparency.entries import EditionLogError, EditionTree
from citepress.transparency.heads import LogHead
from citepress.transparency.log_file import LogFile
from citepress.transparency.signing import signing_keys

log = logging.getLogger(__name__)


class EditionHistory:
    """The log of the editions of one output, with the keys that sign its head."""

    def __init__(self, state: Path, file: str, pointer: Path, *, may_break: bool) -> None:
        """``file`` is that of the log, from the state folder; ``pointer`` names the published edition."""
        self._state, self._pointer = state, pointer
        self._log = LogFile(state / file)
        self._head_file = state / HEAD_FILE.format(log=self._log.path.stem)
        self._may_break = may_break
        """Whether the next edition may begin a new log, or take another key; those behind it go on from it."""
        self._entered: tuple[LogHead, bytes] | None = None
        """The head that was made last, with the digest of its log: these go on from each other, however long it is."""

    def head(self, tree: EditionTree, base_url: str) -> Mapping[str, Any]:
        """The head of the log after an edition is entered into it. Raises ``EditionLogError`` and ``SigningError``."""
        keys = signing_keys(self._state)
        # The entry is on the disk before anybody sees the head: a head that readers know is never taken back.
        lines = self._log.extended(tree, rfc3339(clock.now().replace(microsecond=0)))
        file = os.path.relpath(self._log.path, self._pointer.parent)
        self._may_break = False
        head = head_of(lines, base_url, keys, [file])
        self._remember(head)
        self._entered = head, _digest(lines)
        return head.members()

    def ends_with(self, head: LogHead | None) -> bool:
        """Whether the published edition, with this head, is the newest of a log and keys that stand as they did."""
        if head is None:
            return False
        try:
            lines = self._log.lines()
            check_keys(self._state, head, logged=True)
            return continued(lines, head, self._log.path) == lines and lines[-1] == head.entry.encode()
        except CitepressError:
            return False

    def go_on_from(self, head: LogHead | None) -> None:
        """Make sure that log and keys go on from the head of the published edition, or where they may, break with it.

        Where no edition is there any more, the head that was made last stands in for it.

        Raises ``BrokenHistoryError``, ``EditionLogError`` and ``SigningError``.
        """
        # Folders are deleted to make room, and log and edition went together unnoticed when nothing else had the head.
        head = head or self._remembered()
        try:
            if (head, _digest(self._log.lines())) != self._entered:
                self._log.continue_from(head)
        except BrokenHistoryError as error:
            # Only who says so goes on without the past: readers cannot tell a loss from a publisher who rewrites.
            # Decision "A broken history stops the publisher, not the server".
            if not self._may_break:
                raise
            log.warning("a new log of editions begins, and the former is %s now: %s", self._log.set_aside(), error)
        try:
            check_keys(self._state, head, logged=bool(self._log.lines()))
        except BrokenHistoryError as error:
            if not self._may_break:
                raise
            log.warning("another key signs the log of editions from now on: %s", error)

    def _remember(self, head: LogHead) -> None:
        """Keep a head apart from edition and log, which may both be lost. Raises ``EditionLogError``."""
        try:
            replace_file(self._head_file, orjson.dumps(head.members()), durable=True)
        except OSError as error:
            raise EditionLogError(f"{self._head_file} cannot be written: {error.strerror}") from None

    def _remembered(self) -> LogHead | None:
        """The head that was made last; ``None`` where none ever was. Raises ``BrokenHistoryError``."""
        try:
            head = LogHead.of(fast_json.loads(self._head_file.read_bytes()))
        except FileNotFoundError:
            return None
        except (OSError, ValueError):
            head = None
        if head is None and not self._may_break:
            raise broken(str(self._head_file), "the head that was published last cannot be read")
        return head


def _digest(lines: Iterable[bytes]) -> bytes:
    return blake2b(b"\n".join(lines)).digest()
