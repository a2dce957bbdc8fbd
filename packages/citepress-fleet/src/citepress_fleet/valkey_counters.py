"""Rate limits counted in Valkey, for several hosts; counted in memory while Valkey is unreachable."""

import hashlib
import logging
from collections.abc import Callable
from importlib.resources import files
from threading import Lock
from typing import Any

from citepress.base import clock
from citepress.base.errors import CitepressError
from citepress.contract.limits import Limit, LimitState
from citepress.contract.store import StoreUnavailable
from citepress.stores.local.counters import LocalCounters

try:
    import valkey
    from valkey.backoff import NoBackoff
    from valkey.retry import Retry
except ModuleNotFoundError:  # an optional extra
    valkey = None  # type: ignore[assignment]

TIMEOUT = 0.25
"""Seconds that a request waits for Valkey at most; a stale connection is reopened once."""
PAUSE = 5.0
"""Seconds before Valkey is tried again after it did not respond."""
CONNECTIONS = 64
SCRIPT = files(__package__).joinpath("valkey_counters.lua").read_text("utf-8")
"""Atomic on the server, so that two requests cannot both take the last unit; the server's clock ends a window."""

log = logging.getLogger(__name__)


class ValkeyError(CitepressError, ValueError):
    """Valkey cannot be used as configured; the message says why."""


class ValkeyCounters:
    """Fixed windows that begin with a client's first request, shared by every process that names the same Valkey.

    A request never fails because Valkey is unreachable: for ``PAUSE`` seconds each process then counts by itself, from
    zero, so that a client may use up its limit once more in each process. This is logged once, and once more when
    Valkey is back.
    """

    name = "Valkey"

    def __init__(
        self, address: str, key: bytes, *, timeout: float = TIMEOUT, seconds: Callable[[], float] = clock.seconds
    ) -> None:
        """``address`` is ``valkey://host:6379/0`` (also ``redis://`` and ``unix://``); ``key`` hashes client addresses.

        Raises ``ValkeyError`` for an address that cannot be read; a Valkey that does not respond raises nothing here.
        """
        if valkey is None:
            raise ValkeyError("shared counters need their driver: pip install 'citepress[valkey]'")
        try:
            self._client: Any = valkey.Valkey.from_url(
                address,
                socket_timeout=timeout,
                socket_connect_timeout=timeout,
                # A server that restarted closes connections of the pool; one new one is worth a try, more would hold
                # the request.
                retry=Retry(NoBackoff(), 1, (valkey.ConnectionError,)),
                max_connections=CONNECTIONS,
            )
        except ValueError as error:
            raise ValkeyError(f"the Valkey address cannot be read: {error}") from None
        self._script: Any = self._client.register_script(SCRIPT)
        self._key = key
        self._seconds = seconds
        self._local = LocalCounters(seconds)
        self._lock = Lock()
        self._away_until: float | None = None
        """When Valkey is tried again; ``None`` while it responds."""

    def spend(self, limit: Limit, client: str, cost: int = 1) -> LimitState:
        """Take ``cost`` units from the client's window, all or nothing."""
        if self._away_until is not None and not self._my_turn_to_ask():
            return self._local.spend(limit, client, cost)
        try:
            allowed, remaining, left = self._ask(limit, client, cost)
        except (valkey.ValkeyError, OSError) as error:
            self._leave(error)
            return self._local.spend(limit, client, cost)
        if self._away_until is not None:
            self._return()
        return LimitState(bool(allowed), remaining, max(1, -(-left // 1000)))

    def check(self) -> None:
        """Check that Valkey responds. Raises ``StoreUnavailable``."""
        try:
            self._ask(Limit("check", 1, 1), "", 0)
        except (valkey.ValkeyError, OSError) as error:
            raise StoreUnavailable(f"Valkey does not respond: {str(error).rstrip('.')}") from error

    def close(self) -> None:
        """End every connection."""
        self._client.close()

    def _ask(self, limit: Limit, client: str, cost: int) -> tuple[int, int, int]:
        # The store must not hold addresses; a keyed hash cannot be searched for one.
        who = hashlib.blake2b(client.encode(), digest_size=16, key=self._key).hexdigest()
        allowed, remaining, left = self._script(
            keys=[f"citepress:{limit.name}:{who}"], args=[cost, limit.quota, limit.window * 1000]
        )
        return allowed, remaining, left

    def _my_turn_to_ask(self) -> bool:
        """Whether the pause is over; one request at a time checks whether Valkey is back."""
        with self._lock:
            now = self._seconds()
            if self._away_until is None:
                return True
            if now < self._away_until:
                return False
            # Only one request tries; the others go on at once instead of waiting for a time-out each.
            self._away_until = now + PAUSE
            return True

    def _leave(self, error: Exception) -> None:
        with self._lock:
            first = self._away_until is None
            self._away_until = self._seconds() + PAUSE
        if first:
            log.warning("Valkey does not respond (%s): each process counts its clients by itself until it does", error)

    def _return(self) -> None:
        with self._lock:
            was_away, self._away_until = self._away_until is not None, None
            # What was counted here while the store was away does not matter once all processes count together again.
            self._local = LocalCounters(self._seconds)
        if was_away:
            log.warning("Valkey responds again: clients are counted by all processes together")
