"""The telemetry stored by a running service, with names instead of ids; and messages to its MCP endpoint."""

import json
import sqlite3
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from citepress_telemetry.identify.user_agents.probes import CATEGORIES
from citepress_telemetry.model import REPRESENTATIONS
from citepress_telemetry.sql.spool import SPOOL_FILE
from citepress_telemetry.stores import ROLLUPS_FILE
from support.running_server import Answer, Server
from support.waiting import PATIENCE_S


@dataclass
class StoredTelemetry:
    """What the stores of a state folder hold."""

    state: Path
    offset: int = 0
    """Rows that earlier tests have looked at."""
    before: dict[str, int] = field(default_factory=dict)

    def rows(self, count: int) -> list[dict[str, Any]]:
        """The next rows, once there are so many, with names in place of ids."""
        fresh = until(lambda: self._all()[self.offset :], lambda rows: len(rows) >= count)
        self.offset += len(fresh)
        assert len(fresh) == count, fresh
        return fresh

    def counts(self, wanted: Callable[[dict[str, int]], bool]) -> dict[str, int]:
        """What counters grew by since they were last looked at, once they fit."""
        grown = until(self._grown, wanted)
        self.before = {name: self.before.get(name, 0) + n for name, n in grown.items()} | {
            name: n for name, n in self.before.items() if name not in grown
        }
        assert wanted(grown), grown
        return grown

    def _grown(self) -> dict[str, int]:
        with sqlite3.connect(self.state / SPOOL_FILE) as spool:
            now = dict(spool.execute("SELECT name, sum(n) FROM spool_counter GROUP BY name"))
        return {name: n - self.before.get(name, 0) for name, n in now.items() if n > self.before.get(name, 0)}

    def _all(self) -> list[dict[str, Any]]:
        if not (self.state / SPOOL_FILE).is_file():
            return []
        spool = sqlite3.connect(self.state / SPOOL_FILE)
        spool.row_factory = sqlite3.Row
        tables = sorted(name for (name,) in spool.execute("SELECT name FROM sqlite_master WHERE name LIKE 'ev_%'"))
        rows = [dict(row) for table in tables for row in spool.execute(f"SELECT * FROM {table} ORDER BY id")]  # noqa: S608
        spool.close()
        if not rows:
            return []
        names = sqlite3.connect(self.state / ROLLUPS_FILE)
        family, route, material = (
            dict(names.execute(f"SELECT id, {name} FROM {table}"))  # noqa: S608
            for table, name in (("family", "name"), ("route", "template"), ("material", "canonical_path"))
        )
        names.close()
        return [
            row
            | {
                "family": family[row["family"]],
                "route": route.get(row["route"], ""),
                "material": material.get(row["material"], ""),
            }
            | {"rep": REPRESENTATIONS[row["rep"]], "probe": ("", *CATEGORIES)[row["probe"]]}
            for row in rows
        ]


def until(look: Callable[[], Any], fits: Callable[[Any], bool]) -> Any:
    """What a look shows, once it fits or the time to wait is over."""
    end = time.monotonic() + PATIENCE_S
    value = look()
    while not fits(value) and time.monotonic() < end:
        time.sleep(0.05)
        value = look()
    return value


def fields(rows: list[dict[str, Any]], *names: str) -> list[tuple[Any, ...]]:
    """Some columns of rows."""
    return [tuple(row[name] for name in names) for row in rows]


def rpc(server: Server, message: object, revision: str = "2025-03-26", **more: str) -> Answer:
    """The answer to a message over HTTP."""
    own = {"content_type": "application/json", "accept": "application/json", "mcp_protocol_version": revision}
    return server.ask("/mcp", "POST", json.dumps(message).encode(), **own, **more)


def call(number: int, tool: str, **arguments: object) -> dict[str, object]:
    """A call of a tool."""
    return {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}


def marks_in(state: Path, marks: dict[str, str]) -> list[str]:
    """Which marks stand in which files below a folder."""
    return [f"{name} in {path.name}" for name, mark in marks.items() for path in holding(state, mark.encode())]


def holding(state: Path, mark: bytes) -> list[Path]:
    """Files below a folder that hold some bytes."""
    return [path for path in state.rglob("*") if path.is_file() and mark in path.read_bytes()]
