"""The demo archive over the wire: addresses for the specification's path templates."""

import re
from collections.abc import Iterator
from functools import cached_property
from typing import Any

from support.running_server import Answer, Server
from support.tree import ROOT

DEMO = ROOT / "examples" / "agent-archive"
COLLECTIONS = (
    "posts",
    "signals",
    "patterns",
    "topics",
    "shifts",
    "deltas",
    "graveyard",
    "projects",
    "systems",
    "learn",
)
READ_BY_AGENTS = ("forecasts", "agent-tasks", "metadox")
RATE = {"ratelimit-limit", "ratelimit-remaining", "ratelimit-reset", "ratelimit-policy", "ratelimit"}
SPEC_RATE = RATE - {"ratelimit"}


class Demo:
    """A running demo; every request comes from a client of its own."""

    def __init__(self, server: Server) -> None:
        self.server = server

    def get(self, path: str, method: str = "GET", **fields: str) -> Answer:
        """Ask for a path, or for the first address that a template of the specification stands for."""
        return self.server.ask(self.address(path), method, **{**self.server.client(), **fields})

    def json(self, path: str) -> Any:
        """The JSON document at a path."""
        answer = self.get(path)
        assert answer.status == 200, (path, answer.text)
        return answer.json()

    def address(self, template: str) -> str:
        """A real path of a template such as ``/posts/<slug>.json``."""
        return re.sub("<([a-z_]+)>", lambda address: self._value(address[1], template), template)

    def _value(self, name: str, template: str) -> str:
        if name == "slug":
            return str(self.items(template.split("/")[1])[0]["slug"])
        return {
            "origin": self._origin,
            "shard": self._shard,
            "page": "1",
            "canonical_path": "home",
            "codehost": "github",
        }[name]

    @cached_property
    def _origin(self) -> str:
        return str(self.json("/source-entities.json")["items"][0]["id"])

    @cached_property
    def _shard(self) -> str:
        return str(self.json("/discovery-graph.json")["shards"][0]["id"])

    def items(self, collection: str) -> list[Any]:
        """Every item of a collection's index, over all its parts."""
        document = self.json(f"/{collection}.json")
        collected = list(document["items"])
        while document.get("next"):
            document = self.json(self.path(document["next"]))
            collected += document["items"]
        return collected

    def records(self, collection: str) -> Iterator[Any]:
        """Every record of a collection as JSON."""
        for item in self.items(collection):
            yield self.json(self.path(item["json_url"]))

    @cached_property
    def base(self) -> str:
        """Where the demo says it stands."""
        return f"http://127.0.0.1:{self.server.port}"

    def path(self, url: str) -> str:
        """The path of one of the demo's own URLs."""
        assert url.startswith(self.base + "/"), url
        return url.removeprefix(self.base)
