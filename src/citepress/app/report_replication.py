"""Reports on several nodes: each brings the newest generation from the database to its own state folder, where workers map it."""

import asyncio
import logging
from collections.abc import Callable, Coroutine
from functools import partial
from pathlib import Path
from typing import Any

from citepress.app.reports import open_edition_with_reports
from citepress.contract.store import StoreUnavailable
from citepress.settings import Settings
from citepress.stores.local.overlay import LocalOverlay
from citepress.stores.sql.database import DatabaseError
from citepress.stores.sql.migrate import open_rollup_store
from citepress.stores.sql.telemetry.overlay import SqlOverlay
from citepress.web.reload import EditionReloader, Seen
from citepress.web.site import SiteApp

PAUSE = 2.0
"""Seconds between looks at the database."""
log = logging.getLogger(__name__)
Task = Callable[[], Coroutine[Any, Any, None]]


def following(settings: Settings, door: SiteApp, pointed: Path, seen: Seen | None) -> list[Task]:
    """What a worker runs to show each new edition and each new generation of reports; ``seen`` is what it shows already."""
    local = LocalOverlay(settings.state)
    tasks: list[Task] = [
        EditionReloader(door, pointed, partial(open_edition_with_reports, local.pointer), beside=local.pointer, seen=seen).run
    ]
    if address := settings.database_url:
        tasks.append(ReportFetcher(lambda: SqlOverlay(open_rollup_store(settings.state, address)), local).run)
    return tasks


class ReportFetcher:
    """Keeps the local copy of the reports current; several workers of a node may do so at once."""

    def __init__(self, shared: Callable[[], SqlOverlay], local: LocalOverlay, pause: float = PAUSE) -> None:
        """``shared`` opens what the aggregator published, wherever it runs; it is called once it answers, and not again."""
        self._open = shared
        self._shared: SqlOverlay | None = None
        self._local = local
        self._pause = pause

    def look(self) -> bool:
        """Copy the newest generation unless it is here; say whether it was copied. While the database is away the copy stays."""
        try:
            shared = self._shared = self._shared or self._open()
            newest = shared.newest()
            if newest is None or newest == self._local.newest():
                return False
            pack, as_of = shared.get(newest), shared.as_of(newest)
            if pack is None or as_of is None:
                return False
            self._local.put(newest, as_of, pack)
        except (StoreUnavailable, DatabaseError) as away:
            log.warning("the newest reports cannot be fetched: %s", away)
            return False
        return True

    async def run(self) -> None:
        """Look again and again until cancelled; looking happens beside the loop."""
        while True:
            await asyncio.to_thread(self.look)
            await asyncio.sleep(self._pause)
