"""Counts of everything but reading: MCP, free actions, the inbox, paid products and limits."""

import json
import shutil
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

import pytest

from citepress.base import clock
from citepress.cli import run
from support.demo import DEMO
from support.running_server import Server, serving
from support.server_with_payments import ASK, BUNDLE, PaymentServer, payment_server_over, signed_for
from support.stored_telemetry import StoredTelemetry, call, rpc, until
from support.traffic_counter import CHROME

MCP, REST = 12, 9
"""Limits of this service."""
RECEIPT = {"related_record": "posts/evaluating-agents-that-run-for-hours", "use": "An answer."}
STRANGER = "no-client-of-any-list"


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Any]]:
    """The report after one of each."""
    folder, state = tmp_path_factory.mktemp("gateway") / "content", tmp_path_factory.mktemp("state")
    shutil.copytree(DEMO, folder, ignore=shutil.ignore_patterns("state"))
    site = folder / "site.toml"
    site.write_text(site.read_text("utf-8").replace("example = true", "aggregator = false"), "utf-8")
    with (
        serving(folder, state, rest_limit=str(REST), mcp_limit=str(MCP)) as server,
        payment_server_over(server, str(state / "state.sqlite")) as payment_server,
    ):
        _speak(server)
        _act(server)
        _buy(payment_server)
        _overdo(server)
        until(
            lambda: sum(
                StoredTelemetry(state).counts(bool).get(f"gateway/limit/{name}/limited", 0)
                for name in ("rest_json", "mcp")
            ),
            lambda n: n == 3,
        )
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(clock, "now", _two_hours_on(clock.now))
            assert run(["telemetry", "publish", "--state", str(state), "--content", str(folder)]) == 0
        yield until(
            lambda: server.ask("/machine-consumption.json", **server.client()).json(),
            lambda report: report["totals"]["requests"],
        )


def _two_hours_on(now: Any) -> Any:
    def later() -> datetime:
        moment: datetime = now() + timedelta(hours=2)
        return moment

    return later


def _speak(server: Server) -> None:
    for name in ("claude-code", STRANGER):
        info = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": name, "version": "1"}}
        rpc(
            server, {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": info}, "2025-06-18", **server.client()
        )
    listed = rpc(server, {"jsonrpc": "2.0", "id": 1, "method": "resources/list"}, **server.client()).json()["result"][
        "resources"
    ]
    for method, params in (("resources/read", {"uri": listed[0]["uri"]}), ("prompts/get", {"name": "no-such"})):
        rpc(server, {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}, **server.client())
    for tool, arguments in (
        ("search_archive", {"query": "agents"}),
        ("search_archive", {"query": 7}),
        ("no_such_tool", {}),
    ):
        rpc(server, call(1, tool, **arguments), **server.client())
    rpc(server, call(1, "submit_usage_receipt", **RECEIPT), **server.client())


def _act(server: Server) -> None:
    for target in (
        "/search.json?query=agents",
        "/search.json?query=zzqqxx",
        "/agent-actions/contextualize.json?url=https://spec.example/one",
    ):
        server.ask(target, **server.client())
    own = {"content_type": "application/json", **server.client()}
    for kind, body in (("usage-receipt", RECEIPT), ("usage-receipt", RECEIPT | {"use": "Another."}), ("source", {})):
        server.ask(f"/agent-inbox/{kind}", "POST", json.dumps(body).encode(), **own)


def _buy(payment_server: PaymentServer) -> None:
    signature = signed_for(payment_server.terms(BUNDLE))
    assert [payment_server.post(BUNDLE, ASK, signature).status for _ in range(2)] == [200, 200]
    assert payment_server.post(BUNDLE, b'{"query":5}').status == 422


def _overdo(server: Server) -> None:
    client = server.client()
    assert [server.ask("/posts.json", user_agent=CHROME, **client).status for _ in range(REST + 2)][-2:] == [429, 429]
    pings = [{"jsonrpc": "2.0", "id": n, "method": "ping"} for n in range(10)]
    other = server.client()
    assert [rpc(server, pings, **other).status for _ in range(2)] == [200, 429]


def test_mcp_is_told_by_revision_tool_and_client(report: dict[str, Any]) -> None:
    mcp = report["gateway"]["mcp"]
    assert (report["schema_revision"], mcp["initializes"], mcp["protocol_versions"]) == ("1.1", 2, {"2025-06-18": 2})
    assert (mcp["resource_reads"], mcp["prompt_gets"]) == (1, 1)
    assert {call["tool"]: (call["calls"], call["errors"]) for call in mcp["tool_calls"]} == {
        "search_archive": (2, 1),
        "other": (1, 1),
        "submit_usage_receipt": (1, 0),
    }
    assert {client["client"]: client["messages"] for client in mcp["clients"]} == {"claude-code": 1, "other": 1}


def test_actions_are_told_with_what_they_found(report: dict[str, Any]) -> None:
    actions = {
        action["action"]: (action["requests"], action["matched"]) for action in report["gateway"]["agent_actions"]
    }
    assert actions.pop("search_archive") == (2, 1)
    assert actions == {"contextualize_url": (1, 0)}


def test_submissions_are_told_whichever_way_they_came_and_repeats_beside_them(report: dict[str, Any]) -> None:
    assert report["gateway"]["inbox"] == {
        "submissions": {"source": 0, "correction": 0, "usage_receipt": 2},
        "deduplicated": 1,
    }


def test_sales_are_told_step_by_step(report: dict[str, Any]) -> None:
    assert report["gateway"]["paid"] == [
        {
            "product": "research-bundle-v2",
            "preflights": 2,
            "payment_required": 1,
            "settled": 1,
            "replays": 1,
            "not_sellable": 1,
        }
    ]


def test_refusals_by_limits_are_told(report: dict[str, Any]) -> None:
    assert report["gateway"]["rate_limited"] == {"rest_json": 2, "mcp": 1}


def test_a_name_that_a_client_makes_up_is_told_nowhere(report: dict[str, Any]) -> None:
    assert STRANGER not in json.dumps(report)


def test_classes_verification_and_representations_have_one_sum(report: dict[str, Any]) -> None:
    total = report["totals"]["requests"]
    assert total == sum(class_["requests"] for class_ in report["classes"])
    assert total == sum(representation["requests"] for representation in report["representations"]) > 0
    for class_ in report["operators"]:
        assert sum(class_["verification"].values()) == class_["requests"]
