"""A tap and its writer over real stores, with a clock that the test moves; requests go straight to the tap."""

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

from citepress.app.registry import table
from citepress.base.media import HTML
from citepress.edition.leaf import Leaf
from citepress.http.message import Request, Response
from citepress.stores.sql.database import open_sqlite
from citepress_telemetry.capture.context import EnrichmentContext, nobody
from citepress_telemetry.capture.route_templates import RouteTemplates
from citepress_telemetry.capture.self_traffic import SelfTraffic
from citepress_telemetry.capture.tap import CAP, Tap
from citepress_telemetry.capture.writer import EditionPages, SpoolWriter
from citepress_telemetry.identify.user_agents.table import Family
from citepress_telemetry.identify.user_agents.verdict import UserAgentClassifier
from citepress_telemetry.identify.verify.ranges import Ranges
from citepress_telemetry.ports import MaterialRow, SpoolRow
from citepress_telemetry.sql.dimensions import SqlDimensions
from citepress_telemetry.sql.spool import SPOOL_FILE, SqliteSpool
from citepress_telemetry.sql.spool_base import SqlSpool
from citepress_telemetry.stores import ROLLUPS_FILE, open_rollup_store
from support.edition import leaf
from support.stores import begin_migrated

HOUR = 498_000
"""The hour at which the clock stands first; a day begins with it."""
START_NS = HOUR * 3_600_000_000_000 + 1_000_000_000
GPTBOT = "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.2; +https://openai.com/gptbot)"
CHROME = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36"
POST_X = leaf("/posts/x/", HTML, "<p>x</p>", route="/posts/{slug}/", canonical="posts/x")


@cache
def judge() -> UserAgentClassifier:
    """The shipped classifier."""
    return UserAgentClassifier()


class NoLists:
    """No address is on any list."""

    def state(self, _family: object, _address: str) -> str:
        """Nothing is proven."""
        return "claimed"


class TrafficCounter:
    """One worker that counts."""

    def __init__(  # noqa: PLR0913  (what a worker may be set to)
        self,
        state: Path,
        own: Sequence[str] = (),
        *,
        ranges: Ranges | None = None,
        cap: int = CAP,
        timeout: float = 0.0,
        wait: float = 4.0,
        confirmed: Callable[[Family, str], bool] = nobody,
        authority: str = "",
        keep_unlisted: bool = False,
    ) -> None:
        self.state = state
        self.now = START_NS
        self.spool: SqlSpool = SqliteSpool(open_sqlite(state / SPOOL_FILE, wait))
        begin_migrated(state / ROLLUPS_FILE)
        self._store = open_rollup_store(state)
        self.names = SqlDimensions(self._store)
        self.tap = Tap(lambda peer, _fields: peer, cap, lambda: self.now)
        self.materials = ["posts/x", "home"]
        parts = EnrichmentContext(
            judge(),
            ranges or NoLists(),
            self.names,
            SelfTraffic(own),
            RouteTemplates(table()),
            frozenset({b"/mcp"}),
            b"http://archive.test/",
            confirmed=confirmed,
            authority=authority,
            keep_unlisted=keep_unlisted,
        )
        self.writer = SpoolWriter(
            self.tap, self.spool, parts, self._shelf, "worker", now=lambda: self.now, timeout=timeout
        )

    def _shelf(self) -> EditionPages:
        rows = [
            MaterialRow(0, name, "posts", None, html=True, markdown=True, json=True, current=True)
            for name in self.materials
        ]
        return EditionPages(
            "/".join(self.materials), lambda paths: [row for row in rows if row.canonical_path in paths]
        )

    def ask(  # noqa: PLR0913  (what a request may have)
        self,
        target: str = "/posts/x/",
        ua: str | None = GPTBOT,
        *,
        leaf: Leaf | None = POST_X,
        method: str = "GET",
        client: str = "203.0.113.7",
        status: int = 200,
        body: bytes = b"body",
        reply: Response | None = None,
        fields: dict[str, str] | None = None,
    ) -> None:
        """Tell the tap of a request and its answer; without a leaf, and with another status, as the door would."""
        path, _, query = target.partition("?")
        lines = [(name.encode(), value.encode()) for name, value in (fields or {}).items()]
        lines += [(b"user-agent", ua.encode("latin-1"))] if ua is not None else []
        request = Request(method, path.encode(), query.encode(), lines, client)
        self.tap(request, reply or Response(status, [(b"content-type", b"text/html; charset=utf-8")], body, leaf))

    def miss(self, target: str, **members: Any) -> None:
        """A request for what is not there."""
        self.ask(target, leaf=None, status=404, **members)

    def rows(self, hour: int = HOUR) -> list[SpoolRow]:
        """What the spool holds after a turn of the writer."""
        self.writer.turn()
        return list(self.spool.read(hour))

    def family(self, row: SpoolRow) -> str:
        """Name of a row's family."""
        return self.names.families()[row.family].name

    def route(self, row: SpoolRow) -> str:
        """Template of a row's route."""
        return self.names.routes().get(row.route, "")

    def later(self, seconds: float) -> None:
        """Move the clock."""
        self.now += int(seconds * 1e9)

    @contextmanager
    def locked(self) -> Iterator[None]:
        """While somebody else has the spool's file for writing."""
        other = sqlite3.connect(self.state / SPOOL_FILE, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        yield
        other.close()

    def close(self) -> None:
        """End every connection."""
        self.spool.close()
        self._store.close()
