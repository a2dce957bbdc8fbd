"""The salt of the day: shared through the spool, overwritten ten minutes into the next day."""

import logging
from collections.abc import Callable

from citepress.base.timestamps import DAY_S
from citepress_telemetry.sql.spool_base import SqlSpool

GRACE_S = 600
"""Seconds for which the salt of the previous day remains, for requests just before midnight."""
log = logging.getLogger(__name__)


class Salts:
    """One worker's cache of the salts; used by one thread."""

    def __init__(self, spool: SqlSpool, now: Callable[[], float]) -> None:
        """``now`` gives seconds since 1970."""
        self._spool = spool
        self._now = now
        self._salts: dict[int, bytes | None] = {}
        self._forgotten = 0

    def __call__(self, day: int) -> bytes | None:
        """The salt of a day; ``None`` once it is gone. Raises ``StoreUnavailable``."""
        if day in self._salts:
            return self._salts[day]
        today, second = divmod(int(self._now()), DAY_S)
        # A salt for any other day would let rows be linked that should no longer be linkable.
        if day > today + 1 or day < today - (second < GRACE_S):
            return None
        try:
            self._salts[day] = self._spool.salt(day)
        # The store refuses a salt for a day that is over; remembering that spares a question for each row.
        except LookupError:
            self._salts[day] = None
        return self._salts[day]

    def refresh(self) -> None:
        """Clear the cache, because a command may have replaced a salt, and overwrite expired salts once a day.

        Raises ``StoreUnavailable``; the next call tries again.
        """
        # Another process may have overwritten them, and this one must not go on with its copies.
        self._salts.clear()
        today, second = divmod(int(self._now()), DAY_S)
        if second >= GRACE_S and self._forgotten < today:
            self._spool.forget_salts(today)
            self._forgotten = today
