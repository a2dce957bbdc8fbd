"""Counting joined: the tap at a worker's door, and the thread that writes down what it was told."""

import asyncio
import logging
from collections.abc import Iterator, Mapping
from secrets import token_hex
from typing import Any
from urllib.parse import urlsplit

from citepress.app.registry import table
from citepress.base import clock
from citepress.contract.mcp_offer import CARD, ENDPOINT
from citepress.contract.site import Telemetry
from citepress.contract.store import StoreUnavailable
from citepress.edition.edition import Edition, open_edition, pointer
from citepress.edition.page_catalog import read_page_entries
from citepress.settings import Settings
from citepress.stores.sql.database import DatabaseError
from citepress.stores.sql.migrate import open_rollup_store
from citepress.stores.sql.telemetry.dimensions import SqlDimensions
from citepress.stores.sql.telemetry.spool import open_spool
from citepress.telemetry.capture.context import EnrichmentContext, nobody
from citepress.telemetry.capture.route_templates import RouteTemplates
from citepress.telemetry.capture.self_traffic import SelfTraffic, default_rules
from citepress.telemetry.capture.tap import Tap
from citepress.telemetry.capture.writer import EditionPages, SpoolWriter
from citepress.telemetry.identify.reloading_ranges import ReloadingRanges
from citepress.telemetry.identify.user_agents.verdict import UserAgentClassifier
from citepress.telemetry.identify.verify.rdns import ReverseDns
from citepress.telemetry.identify.verify.resolver import SystemResolver
from citepress.telemetry.ports import MaterialRow
from citepress.web.site import SiteApp

RANGES = "ranges.json"
"""Operators' lists of addresses, in the state folder."""
ENDPOINTS = frozenset({ENDPOINT.encode(), CARD.encode()})
"""Paths of the MCP endpoint."""
AGAIN_S = 10.0
"""Seconds after which stores are opened again that could not be."""
log = logging.getLogger(__name__)


def settings_of(told: Mapping[str, Any]) -> Telemetry:
    """The settings of an edition's facts; those of an edition that was made before there were any are the usual ones."""
    return Telemetry.model_validate(told.get("telemetry") or {})


def base_of(told: Mapping[str, Any]) -> bytes:
    """The site's own address, as a Referer would begin with it."""
    return (str(told["base_url"]).rstrip("/") + "/").encode()


def standing(settings: Settings) -> Telemetry:
    """The settings of the edition that a state folder holds. Raises ``PackError``."""
    return settings_of(open_edition(pointer(settings.state)).facts)


class RequestCounting:
    """Counts the requests of one worker."""

    def __init__(self, settings: Settings, door: SiteApp, told: Mapping[str, Any]) -> None:
        """``told`` are the facts of the edition. The door is tapped from now on; until ``run`` has opened the stores, what is tapped waits."""
        self._settings, self._door, self._told = settings, door, told
        self._own = settings_of(told)
        self._names = ReverseDns(SystemResolver(), clock.seconds) if self._own.reverse_dns else None
        self.tap = door.tap = Tap(door.observer.address)

    async def run(self) -> None:
        """Write until cancelled, then what still waits. A store that does not answer costs counts and nothing else."""
        writer = await self._opened()
        if writer is None:
            self._door.tap = None
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
                return await asyncio.to_thread(self._writer)
            except StoreUnavailable:  # the store has logged why
                await asyncio.sleep(AGAIN_S)
            except DatabaseError as error:
                log.error("requests are not counted: %s", error)  # noqa: TRY400  (a sentence for the operator)
                return None

    def _writer(self) -> SpoolWriter:
        """Raises ``DatabaseError`` and ``StoreUnavailable``."""
        settings, own = self._settings, self._own
        ranges = ReloadingRanges(settings.state / RANGES, clock.now, own.ranges_max_age_days)
        parts = EnrichmentContext(
            UserAgentClassifier(),
            ranges,
            SqlDimensions(open_rollup_store(settings.state, settings.database_url)),
            SelfTraffic(default_rules(settings.host) if own.self is None else own.self),
            RouteTemplates(table()),
            ENDPOINTS,
            base_of(self._told),
            ranges.refresh,
            self._names.confirmed if self._names else nobody,
            keep_unlisted=own.keep_unlisted,
            authority=urlsplit(str(self._told["base_url"])).netloc if own.signatures else "",
        )
        spool = open_spool(settings.state, settings.database_url)
        if not own.keep_unlisted:
            spool.forget_unlisted()
        return SpoolWriter(self.tap, spool, parts, self._shelf, token_hex(4))

    def _shelf(self) -> EditionPages | None:
        edition = self._door.edition
        return EditionPages(edition.digest, lambda: material_rows(edition)) if isinstance(edition, Edition) else None


def material_rows(edition: Edition) -> Iterator[MaterialRow]:
    """The pages of an edition as the stores name them; ids are the stores' to give."""
    for one in read_page_entries(edition):
        html, markdown, json = (form in one.forms for form in ("html", "markdown", "json"))
        yield MaterialRow(0, one.canonical, one.kind, one.published, html, markdown, json, current=True)
