"""Copies the newest reports from the shared store to a node's state folder, where its workers map them."""

import asyncio
import logging
from collections.abc import Callable
from typing import Protocol

from citepress.base.errors import CitepressError
from citepress_telemetry.ports import Overlay

POLL_PAUSE_S = 2.0
"""Seconds between two looks at the shared store."""
log = logging.getLogger(__name__)


class SharedOverlay(Overlay, Protocol):
    """Where an aggregator of any node publishes."""

    def as_of(self, generation: int) -> int | None:
        """The hour after the last one that a generation counts."""
        ...


class ReportFetcher:
    """Keeps the local copy of the reports current; several workers of a node may do so at once."""

    def __init__(self, open_shared: Callable[[], SharedOverlay], local: Overlay, pause: float = POLL_PAUSE_S) -> None:
        """``open_shared`` is called until it succeeds once."""
        self._open_shared = open_shared
        self._shared: SharedOverlay | None = None
        self._local = local
        self._pause = pause

    def look(self) -> bool:
        """Copy the newest generation unless it is here; tell whether it was copied.

        While the store is away the copy stays.
        """
        try:
            shared = self._shared = self._shared or self._open_shared()
            newest = shared.newest()
            if newest is None or newest == self._local.newest():
                return False
            pack, as_of = shared.get(newest), shared.as_of(newest)
            if pack is None or as_of is None:
                return False
            self._local.put(newest, as_of, pack)
        except CitepressError as error:
            log.warning("the newest reports cannot be fetched: %s", error)
            return False
        return True

    async def run(self) -> None:
        """Look again and again until cancelled; looking happens in a thread."""
        while True:
            await asyncio.to_thread(self.look)
            await asyncio.sleep(self._pause)
