"""Operators' address lists, reloaded when they were fetched again, and aging with every hour."""

import logging
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

from citepress_telemetry.identify.user_agents.table import Family
from citepress_telemetry.identify.verify.ranges import Ranges, RangesError

log = logging.getLogger(__name__)


class ReloadingRanges:
    """The present lists of a file; used by one thread.

    Without a file, or with an invalid one, every identity stays claimed.
    """

    def __init__(self, path: Path, now: Callable[[], datetime], max_age_days: int) -> None:
        """``now`` returns the present moment; nothing is read before ``refresh``."""
        self._path, self._now, self._days = path, now, max_age_days
        self._mark: tuple[int, int] | None = None
        self._ranges: Ranges | None = None

    def refresh(self) -> None:
        """Read the file if it has changed, and age the lists."""
        mark = self._file_mark()
        if mark != self._mark:
            self._mark = mark
            try:
                self._ranges = Ranges.load(self._path, self._now(), max_age_days=self._days) if mark else None
            except RangesError as error:
                self._ranges = None
                log.warning("address lists are not used: %s", error)
        elif self._ranges is not None:
            self._ranges = self._ranges.aged(self._now(), max_age_days=self._days)

    def state(self, family: Family, address: str) -> str:
        """The verification state of a request of this family from this address."""
        return self._ranges.state(family, address) if self._ranges else "claimed"

    def _file_mark(self) -> tuple[int, int] | None:
        try:
            state = self._path.stat()
        except OSError:
            return None
        return state.st_ino, state.st_mtime_ns
