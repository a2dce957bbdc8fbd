"""One worker's view of the edition: opened at start, and again whenever the pointer names another."""

import asyncio
import logging
from collections.abc import Callable
from pathlib import Path

from citepress.web.door import Door, Edition

PAUSE = 0.5
"""Seconds between looks at the pointer."""
log = logging.getLogger(__name__)
Mark = tuple[int, int, int]


class Follower:
    """Shows the door the edition that a pointer file names, and the next one when the file is replaced."""

    def __init__(self, door: Door, pointer: Path, opened: Callable[[Path], Edition], pause: float = PAUSE) -> None:
        """``opened`` opens the edition that a pointer names and raises ``OSError`` or ``ValueError`` when it is not whole."""
        self._door = door
        self._pointer = pointer
        self._opened = opened
        self._pause = pause
        self._seen: Mark | None = None

    def look(self) -> bool:
        """Open the edition if the pointer is new; say whether there was one to open. A faulty one is logged and the last good one kept."""
        mark = self._mark()
        if mark is None or mark == self._seen:
            return False
        self._seen = mark
        try:
            self._door.edition = self._opened(self._pointer)
        except (OSError, ValueError):
            log.exception("the edition at %s cannot be opened; the former one stays", self._pointer.name)
            return False
        return True

    async def run(self) -> None:
        """Look again and again until cancelled; opening happens beside the loop."""
        while True:
            await asyncio.sleep(self._pause)
            if self._mark() != self._seen:
                await asyncio.to_thread(self.look)

    def _mark(self) -> Mark | None:
        """What tells one pointer file from the next; ``None`` while there is none."""
        try:
            state = self._pointer.stat()
        except OSError:
            return None
        return (state.st_ino, state.st_mtime_ns, state.st_size)
