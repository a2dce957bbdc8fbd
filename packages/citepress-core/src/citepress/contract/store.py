"""What every store that changes while the service runs has in common: it can be away."""

from citepress.base.errors import CitepressError

RETRY_AFTER = 30
"""Seconds after which a client may try a store again that did not answer."""


class StoreUnavailable(CitepressError):  # noqa: N818  (a state of the store, answered with 503; not a mistake of the caller)
    """The store is locked, gone or full; nothing was written.

    Except that when the connection breaks while a change is confirmed, the change may have been made; asking again
    is safe, because a repeated submission is found again.
    """

    def __init__(self, reason: str, retry_after: int = RETRY_AFTER) -> None:
        """``reason`` is for the log, not for clients; ``retry_after`` are whole seconds."""
        super().__init__(reason)
        self.reason, self.retry_after = reason, retry_after
