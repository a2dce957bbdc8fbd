"""The endpoint for ChatGPT's deep research: exactly two tools, with the arguments and answers that it fixes."""

import json
from typing import Any

import pytest

from citepress.operations import OperationContext
from citepress_mcp.chatgpt import TOOLS
from citepress_mcp.endpoint import Endpoint
from support.demo import Demo
from support.mcp_endpoint import MODERN, EndpointClient, McpOffer, Wire, operation_context, printed, refused, result

PATH = "/mcp/chatgpt"


def called(wire: Wire, tool: str, **arguments: Any) -> dict[str, Any]:
    """The answer of a tool, checked to be the same as structure and as the only text."""
    answer = result(wire.call("tools/call", {"name": tool, "arguments": arguments}))
    assert answer["isError"] is False, answer
    (block,) = answer["content"]
    assert block["type"] == "text"
    structured: dict[str, Any] = answer["structuredContent"]
    assert json.loads(block["text"]) == structured
    return structured


@pytest.mark.parametrize("era", [MODERN, "2025-06-18"])
def test_search_finds_records_and_fetch_reads_each_of_them(demo: Demo, era: str) -> None:
    wire = Wire(demo.server, PATH, era)
    hits = called(wire, "search", query="agent memory")
    assert set(hits) == {"results"}
    assert hits["results"]
    for hit in hits["results"]:
        assert set(hit) == {"id", "title", "url"}
        record = called(wire, "fetch", id=hit["id"])
        assert set(record) == {"id", "title", "text", "url", "metadata"}
        assert {name: record[name] for name in hit} == hit
        assert hit["url"].startswith(demo.base)
        assert f"# {hit['title']}" in record["text"]
        assert not record["text"].startswith("---")
        assert all(isinstance(value, str) and value for value in record["metadata"].values())
        assert called(wire, "fetch", id=hit["url"]) == record


def test_the_address_lists_these_two_tools_alone_and_the_main_one_neither(demo: Demo) -> None:
    wire = Wire(demo.server, PATH, "2025-06-18")
    tools = result(wire.call("tools/list"))["tools"]
    assert [tool["name"] for tool in tools] == ["search", "fetch"]
    assert all(tool["annotations"]["readOnlyHint"] for tool in tools)
    assert [list(tool["inputSchema"]["properties"]) for tool in tools] == [["query"], ["id"]]
    greeting = result(wire.call("initialize", {"protocolVersion": "2025-06-18"}))
    assert greeting["capabilities"] == {"tools": {}}
    assert wire.call("resources/list").json()["error"]["code"] == -32601
    assert wire.call("tools/call", {"name": "get_record"}).json()["error"]["code"] == -32602
    main = {tool["name"] for tool in result(Wire(demo.server, "/mcp", "2025-06-18").call("tools/list"))["tools"]}
    assert (len(main), main & {"search", "fetch"}) == (14, set())


def test_both_contracts_and_the_setup_page_name_the_address(demo: Demo) -> None:
    for contract in ("/openapi.json", "/openapi-route-catalog.json"):
        assert demo.json(contract)["paths"][PATH]["post"]["operationId"] == "mcp_chatgpt"
    assert f"`{demo.base}{PATH}`" in demo.get("/connect.md").text


def test_a_client_that_takes_only_events_gets_one(demo: Demo) -> None:
    wire = Wire(demo.server, "/mcp", "2025-06-18")
    for accept in ("text/event-stream", "text/event-stream, application/json;q=0"):
        answer = wire.call("tools/list", accept=accept)
        assert (answer.status, answer.type) == (200, "text/event-stream")
        event, data, end = answer.text.split("\n", 2)
        assert (event, end) == ("event: message", "\n")
        assert json.loads(data.removeprefix("data: ")) == wire.call("tools/list").json()
    assert wire.call("tools/list", accept="text/event-stream;q=0.5, application/json").type == "application/json"


def test_large_resources_say_what_to_call_instead(demo: Demo) -> None:
    listed = result(Wire(demo.server, "/mcp", MODERN).call("resources/list"))["resources"]
    large = [entry for entry in listed if entry["size"] > 100_000]
    assert large
    assert all(("search_archive" in entry["description"]) == (entry in large) for entry in listed)


def test_both_addresses_spend_one_limit(demo: Demo) -> None:
    client = demo.server.client()
    main, chatgpt = Wire(demo.server, "/mcp", MODERN), Wire(demo.server, PATH, MODERN)
    assert main.call("tools/list", **client).fields["ratelimit-remaining"] == "59"
    assert chatgpt.call("tools/list", **client).fields["ratelimit-remaining"] == "58"


@pytest.mark.parametrize("path", ["/mcp/", "/.well-known/mcp/", "/mcp/chatgpt/"])
@pytest.mark.parametrize("era", [MODERN, ""])
def test_a_slash_at_the_end_is_the_same_endpoint(demo: Demo, path: str, era: str) -> None:
    wire = Wire(demo.server, path, era)
    assert result(wire.call("tools/list")) == result(Wire(demo.server, path.rstrip("/"), era).call("tools/list"))
    assert demo.get(path, "OPTIONS", origin="https://any.example").status == 204
    refused(demo.get(path, accept="text/event-stream"), 405, -31405, null=True)


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> OperationContext:
    state = tmp_path_factory.mktemp("chatgpt")
    printed(state)
    return operation_context(state)


def test_a_long_record_is_cut_to_the_budget_and_says_where_the_rest_is(here: OperationContext) -> None:
    asker = EndpointClient(Endpoint(McpOffer(TOOLS, only_tools=True), lambda: here))
    whole = asker.structured("fetch", id="posts/one")
    (block,) = asker.tool("fetch", cap=500, id="posts/one")["content"]
    cut = json.loads(block["text"])
    assert len(block["text"].encode()) <= 2000 < len(whole["text"])
    head, _, end = cut["text"].rpartition("\n\n")
    assert whole["text"].startswith(head)
    assert whole["url"] in end
    assert {**cut, "text": ""} == {**whole, "text": ""}


def test_what_is_not_there_is_refused_with_the_next_step(here: OperationContext) -> None:
    asker = EndpointClient(Endpoint(McpOffer(TOOLS, only_tools=True), lambda: here))
    assert "not_found" in asker.no("fetch", id="posts/nothing-of-the-kind")
    assert asker.structured("search", query="zzzz") == {"results": []}
    assert "`query`" in asker.no("search", query="")
