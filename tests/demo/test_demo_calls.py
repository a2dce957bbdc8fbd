"""What each tool costs on the demo archive, in Python calls outside the search: a budget for each."""

import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from citepress.admin.build import Builder
from citepress.base import clock
from citepress.contract.limits import Limit
from citepress.edition.edition import open_edition
from citepress.http.message import Request
from citepress.operations import OperationContext
from citepress.operations.registry import ALL as OPERATIONS
from citepress.search.state import open_index
from citepress.settings import from_environment
from citepress.stores.local.counters import LocalCounters
from citepress.web.server.pending import Body
from citepress_mcp.endpoint import Endpoint
from citepress_mcp.offer import offered
from citepress_mcp.transport import HostPolicy, Transport
from support.calls import calls
from support.demo import DEMO
from support.mcp_endpoint import fields, message

HOST = "127.0.0.1"
ROOM = 6
"""Calls that a record more on the demo, or a line more in one, may add. Each part read from the edition takes two: it
is compared with its digest."""
CITED = "https://www.letta.com/blog/benchmarking-ai-agent-memory"
"""A page that many records cite, each of which is related to many others."""


@pytest.fixture(scope="module")
def context(tmp_path_factory: pytest.TempPathFactory) -> OperationContext:
    state = tmp_path_factory.mktemp("calls")
    builder = Builder(from_environment(DEMO, state=state, environ={}))
    now = clock.now()
    built = builder.build(now)
    builder.index(built, now)
    return OperationContext(open_edition(built.pointer), open_index(Path(state) / "search"), clock.now)


def whole(raw: bytes) -> Body:
    body = Body(len(raw))
    body.feed(raw)
    body.end()
    return body


def calling(context: OperationContext, name: str, arguments: dict[str, Any]) -> Callable[[], Awaitable[None]]:
    """A call of a tool as our own server hands it over: with its whole body."""
    params = {"name": name, "arguments": arguments}
    raw = json.dumps(message("tools/call", params, modern=True)).encode()
    header = [
        (name.encode(), value.encode())
        for name, value in {"host": HOST, **fields("tools/call", params, modern=True)}.items()
    ]
    base, limit = f"http://{HOST}", Limit("mcp", 1000, 60)
    transport = Transport(
        Endpoint(offered(OPERATIONS), lambda: context),
        LocalCounters(),
        limit,
        lambda peer, _: peer,
        HostPolicy(base),
        base,
    )

    ready = [(Request("POST", b"/mcp", b"", header, "203.0.113.1"), whole(raw)) for _ in range(2)]

    async def work() -> None:
        reply = await transport(*ready.pop())
        assert b'"isError":false' in bytes(reply.body)

    return work


@pytest.mark.parametrize(
    ("name", "arguments", "most"),
    [
        ("search_archive", {"query": "agent memory"}, 86),  # each of five hits tells two dates and its words
        ("get_record", {"id": "signals/openai-stops-reporting-swe-bench-verified"}, 80),
        (
            "get_record",
            {"id": "posts/agent-memory-settles-into-files"},
            124,
        ),  # ten claims and seven sources, a line or more each
        (
            "contextualize_url",
            {"url": "https://agents.md/"},
            228,
        ),  # twenty look whether the address is the archive's own; the related list depends on the ranking
        ("contextualize_url", {"url": CITED}, 349),  # the relations of three records are followed
        ("whats_new", {}, 88),
        ("whats_new", {"since": "2020-01-01"}, 106),
        ("what_changed", {"since": "2020-01-01"}, 106),  # ten changes
        ("get_forecasts", {}, 103),
        ("list_agent_tasks", {}, 79),
        ("get_latest_metadox", {}, 114),
        ("get_topic_brief", {"topic": "agent-security"}, 112),
        ("list_paid_tools", {}, 48),
    ],
)
def test_a_tool_keeps_its_call_budget_on_the_demo(
    context: OperationContext, name: str, arguments: dict[str, Any], most: int
) -> None:
    assert calls(calling(context, name, arguments), beside="/citepress/search/") <= most + ROOM
