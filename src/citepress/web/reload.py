"""One worker's view of the edition: opened at start, and again whenever the pointer names another."""

import asyncio
import logging
from collections.abc import Callable
from pathlib import Path

from citepress.web.site import ServedEdition, SiteApp

PAUSE = 0.5
"""Seconds between looks at the pointer."""
log = logging.getLogger(__name__)
Mark = tuple[int, int, int]
Seen = tuple[Mark, Mark | None]
"""One state of the pointer, and of the file beside it."""


def edition_stamp(pointer: Path, beside: Path | None = None) -> Seen | None:
    """What tells one state of both files from the next; ``None`` while there is no edition."""
    edition = _mark_of(pointer)
    return edition and (edition, _mark_of(beside) if beside else None)


class EditionReloader:
    """Shows the door the edition that a pointer file names, and the next one when the file is replaced."""

    def __init__(
        self, door: SiteApp, pointer: Path, opened: Callable[[Path], ServedEdition], pause: float = PAUSE, beside: Path | None = None,
        seen: Seen | None = None,
    ) -> None:  # fmt: skip
        """``opened`` opens the edition that a pointer names and raises ``OSError`` or ``ValueError`` when it is not whole.

        ``beside`` is another file that it reads: the pointer to the reports that stand over the edition. ``seen`` is
        what ``edition_stamp`` gave before the door's edition was opened, so that it is not opened again; nothing where the door has none yet.
        """
        self._door = door
        self._pointer = pointer
        self._opened = opened
        self._pause = pause
        self._beside = beside
        self._seen = seen

    def look(self) -> bool:
        """Open the edition if the pointer is new; say whether there was one to open. A faulty one is logged and the last good one kept."""
        mark = edition_stamp(self._pointer, self._beside)
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
            if edition_stamp(self._pointer, self._beside) != self._seen:
                await asyncio.to_thread(self.look)


def _mark_of(file: Path) -> Mark | None:
    try:
        state = file.stat()
    except OSError:
        return None
    return (state.st_ino, state.st_mtime_ns, state.st_size)
