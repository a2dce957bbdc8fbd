"""One worker's view of the edition: opened at start, and again whenever the pointer names another."""

import asyncio
import logging
from collections.abc import Callable
from pathlib import Path

from citepress.base import clock
from citepress.edition.edition import Edition
from citepress.web.site import SiteApp

POINTER_PAUSE_S = 0.5
"""Seconds between checks of the pointer."""
log = logging.getLogger(__name__)
PointerMark = tuple[int, int, int]
Seen = tuple[PointerMark, PointerMark | None]
"""One state of the pointer, and of the file beside it."""


def edition_stamp(pointer: Path, beside: Path | None = None) -> Seen | None:
    """Identifies the state of both files; ``None`` while there is no edition."""
    edition = _mark_of(pointer)
    return edition and (edition, _mark_of(beside) if beside else None)


class EditionReloader:
    """Gives the site application the edition that the pointer file names, and the next one when it is replaced."""

    def __init__(
        self,
        site_app: SiteApp,
        pointer: Path,
        opened: Callable[[Path], Edition],
        pause: float = POINTER_PAUSE_S,
        beside: Path | None = None,
        stamp: Seen | None = None,
    ) -> None:
        """``opened`` opens the edition of a pointer; ``OSError`` or ``ValueError`` mean that it is incomplete.

        ``beside`` is another file that it reads: the pointer to the reports that overlay the edition. ``stamp`` is the
        ``edition_stamp`` from before the current edition was opened, so that it is not opened again; ``None`` without
        an edition.
        """
        self._site_app = site_app
        self._pointer = pointer
        self._opened = opened
        self._pause = pause
        self._beside = beside
        self._stamp = stamp
        self._short = False
        """Whether want of memory was reported since an edition was opened."""
        self._now = clock.now()
        self._set_back = False
        """Whether the clock was set back since an edition was opened: what is held ready bears later dates."""

    def look(self) -> bool:
        """Open the edition if the pointer is new; say whether there was one to open.

        A faulty one is logged and the last good one kept.
        """
        mark = edition_stamp(self._pointer, self._beside)
        if mark is None or mark == self._stamp:
            return False
        # Noted before it is opened: a damaged edition is reported once, not at every check.
        former, self._stamp = self._stamp, mark
        try:
            edition = self._opened(self._pointer)
        except MemoryError:
            self._stamp = former  # it is whole, and is opened as soon as there is memory
            if not self._short:
                log.error("not enough memory to open the edition at %s; the former one stays", self._pointer.name)  # noqa: TRY400  (a traceback says nothing more)
            self._short = True
            return False
        except (OSError, ValueError):
            log.exception("the edition at %s cannot be opened; the former one stays", self._pointer.name)
            return False
        self._short = False
        # Most leaves are the same in both editions, and decompressing them again would slow the first requests down.
        if not self._set_back:
            edition.inherit(self._site_app.edition)
        self._set_back, edition.latest = False, int(clock.now().timestamp())
        self._site_app.edition = edition
        return True

    async def run(self) -> None:
        """Check periodically until cancelled; editions are opened in a thread."""
        while True:
            await asyncio.sleep(self._pause)
            former, self._now = self._now, clock.now()
            if self._now < former:
                self._stamp, self._set_back = None, True
            # A stat is quick enough for the event loop; opening an edition is not.
            if edition_stamp(self._pointer, self._beside) != self._stamp:
                await asyncio.to_thread(self.look)


def _mark_of(file: Path) -> PointerMark | None:
    try:
        state = file.stat()
    except OSError:
        return None
    # The inode changes with every atomic replacement, even where time and size stay the same.
    return (state.st_ino, state.st_mtime_ns, state.st_size)
