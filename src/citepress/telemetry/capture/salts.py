"""The salt of the day: shared through the spool, forgotten ten minutes into the next day."""

import logging
from collections.abc import Callable

from citepress.telemetry.ports import Spool

DAY_S = 86_400
GRACE_S = 600
"""Seconds of a day in which the salt of the day before still stands, for what happened just before midnight."""
log = logging.getLogger(__name__)


class Salts:
    """One worker's view of the salts; asked by one thread."""

    def __init__(self, spool: Spool, now: Callable[[], float]) -> None:
        """``now`` gives seconds since 1970."""
        self._spool = spool
        self._now = now
        self._known: dict[int, bytes | None] = {}
        self._forgotten = 0

    def __call__(self, day: int) -> bytes | None:
        """The salt of a day; ``None`` where it is gone. Raises ``StoreUnavailable``."""
        if day in self._known:
            return self._known[day]
        today, second = divmod(int(self._now()), DAY_S)
        if day > today + 1 or day < today - (second < GRACE_S):
            return None
        try:
            self._known[day] = self._spool.salt(day)
        except LookupError:
            self._known[day] = None
        return self._known[day]

    def refresh(self) -> None:
        """Ask anew from now on, for somebody may have replaced a salt; overwrite, once a day, what has had its time.

        Raises ``StoreUnavailable``; it is tried again when this is called again.
        """
        self._known.clear()
        today, second = divmod(int(self._now()), DAY_S)
        if second >= GRACE_S and self._forgotten < today:
            self._spool.forget_salts(today)
            self._forgotten = today
