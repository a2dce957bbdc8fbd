"""Counts the requests of one worker: the tap collects them, a thread writes them to the spool."""

import asyncio
import logging
from collections.abc import Callable

from citepress.base.errors import CitepressError
from citepress.contract.store import StoreUnavailable
from citepress_telemetry.capture.writer import SpoolWriter
from citepress_telemetry.identify.verify.rdns import ReverseDns

STORE_RETRY_S = 10.0
"""Seconds after which stores are opened again that could not be."""
log = logging.getLogger(__name__)


class RequestCounting:
    """Opens the stores, then writes what the tap collects until it is cancelled."""

    def __init__(
        self, open_writer: Callable[[], SpoolWriter], close_tap: Callable[[], None], names: ReverseDns | None
    ) -> None:
        """``close_tap`` ends the counting where the stores can never be opened; ``names`` resolves addresses."""
        self._open_writer, self._close_tap, self._names = open_writer, close_tap, names

    async def run(self) -> None:
        """Write until cancelled, then what is still waiting. A store that does not answer costs counts only."""
        writer = await self._opened()
        if writer is None:
            self._close_tap()
            return
        if self._names:
            self._names.start()
        writer.start()
        try:
            await asyncio.Event().wait()
        finally:
            await asyncio.to_thread(writer.stop)
            if self._names:
                self._names.stop(0)

    async def _opened(self) -> SpoolWriter | None:
        while True:
            try:
                return await asyncio.to_thread(self._open_writer)
            except StoreUnavailable:  # the store has logged why
                await asyncio.sleep(STORE_RETRY_S)
            except CitepressError as error:
                log.error("requests are not counted: %s", error)  # noqa: TRY400  (a sentence for the operator)
                return None
