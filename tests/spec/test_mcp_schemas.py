"""What the endpoint answers, judged by the protocol's own JSON Schemas and by the official SDK's wire models."""

import json
from functools import cache
from typing import Any

import jsonschema_rs
import pytest
from mcp_types import methods as wire_models

from citepress_mcp.versions import MCP_REVISIONS
from support.mcp_endpoint import MODERN, Wire, result
from support.running_server import HOST, Server
from support.samples import HOW, MCP_SCHEMAS

TOPIC = {
    "ref": {"type": "ref/prompt", "name": "weekly_ai_engineering_brief"},
    "argument": {"name": "topic", "value": "o"},
}
RESULTS = {
    "server/discover": "DiscoverResult",
    "initialize": "InitializeResult",
    "ping": "EmptyResult",
    "tools/list": "ListToolsResult",
    "tools/call": "CallToolResult",
    "resources/list": "ListResourcesResult",
    "resources/templates/list": "ListResourceTemplatesResult",
    "resources/read": "ReadResourceResult",
    "prompts/list": "ListPromptsResult",
    "prompts/get": "GetPromptResult",
    "completion/complete": "CompleteResult",
}
"""The schema's name of each method's result."""


def requests(port: int, revision: str) -> list[tuple[str, dict[str, Any]]]:
    """Every method that a revision has, the calls with answers of each sort."""
    base = f"http://{HOST}:{port}"
    calls: list[tuple[str, dict[str, Any]]] = [
        ("search_archive", {"query": "agents"}),
        ("get_record", {"id": "posts/one", "max_tokens": 300}),
        ("get_record", {"id": "none/none"}),
        ("contextualize_url", {"url": "https://spec.example/one"}),
        ("whats_new", {"max_tokens": 200}),
        ("what_changed", {}),
        ("get_forecasts", {}),
        ("list_agent_tasks", {}),
        ("get_latest_metadox", {}),
        ("get_topic_brief", {"topic": "one"}),
        ("list_paid_tools", {}),
        ("get_submission_status", {"id": "aaaaaaaa"}),
        ("submit_source", {"url": f"https://x.example/{revision}", "reason": "It shows something."}),
    ]
    reads = ["/posts/one/", "/posts.json", "/llms.txt", "/icon-48.png", "/posts/old/"]
    prompts = [
        ("research_a_url", {"url": "https://spec.example/one"}),
        ("weekly_ai_engineering_brief", {}),
        ("verify_a_claim", {"claim": "Agents read."}),
    ]
    first = (
        [("server/discover", {})]
        if revision == MODERN
        else [("initialize", {"protocolVersion": revision}), ("ping", {})]
    )
    return [
        *first,
        *((name, {}) for name in ("tools/list", "resources/list", "resources/templates/list", "prompts/list")),
        ("completion/complete", TOPIC),
        *(("tools/call", {"name": name, "arguments": arguments}) for name, arguments in calls),
        *(("resources/read", {"uri": base + path}) for path in reads),
        ("resources/read", {"uri": "skill://verify-a-claim/SKILL.md"}),
        *(("prompts/get", {"name": name, "arguments": values}) for name, values in prompts),
    ]


@cache
def official(revision: str) -> dict[str, Any]:
    path = MCP_SCHEMAS[revision].path
    if not path.is_file():
        pytest.skip(f"the official schema is not here: {HOW}")
    schema: dict[str, Any] = json.loads(path.read_bytes())
    return schema


def judge(revision: str, name: str) -> jsonschema_rs.Validator:
    """A validator for one definition, closed to members that the revision does not know."""
    schema = official(revision)
    key = "$defs" if "$defs" in schema else "definitions"
    return jsonschema_rs.validator_for({**schema, "$ref": f"#/{key}/{name}"}, validate_formats=True)


def unknown(revision: str, name: str, value: dict[str, Any]) -> set[str]:
    """Members of a result that its definition does not name."""
    schema = official(revision)
    return set(value) - set((schema.get("$defs") or schema["definitions"])[name].get("properties", ())) - {"_meta"}


@pytest.mark.requirement("mcp server/discover")
@pytest.mark.parametrize("revision", MCP_REVISIONS)
def test_every_result_fits_the_official_schema_of_its_revision(endpoint: Server, revision: str) -> None:
    wire = Wire(endpoint, "/mcp", revision)
    for method, params in requests(endpoint.port, revision):
        document = result(wire.call(method, params))
        name = RESULTS[method]
        faults = [
            f"{list(error.instance_path)}: {error.message}" for error in judge(revision, name).iter_errors(document)
        ]
        assert faults == [], (method, params)
        if name != "EmptyResult":
            assert unknown(revision, name, document) <= ({"description"} if name == "GetPromptResult" else set()), (
                method,
                params,
            )


@pytest.mark.parametrize("revision", MCP_REVISIONS)
def test_every_result_fits_the_wire_models_of_the_official_sdk(endpoint: Server, revision: str) -> None:
    wire = Wire(endpoint, "/mcp", revision)
    for method, params in requests(endpoint.port, revision):
        wire_models.validate_server_result(method, revision, result(wire.call(method, params)))


@pytest.mark.parametrize("revision", MCP_REVISIONS)
def test_every_error_fits_the_official_schema_of_its_revision(endpoint: Server, revision: str) -> None:
    wire = Wire(endpoint, "/mcp", revision)
    name = "JSONRPCErrorResponse" if revision >= "2025-11-25" else "JSONRPCError"
    for method, params in (
        ("nope", {}),
        ("tools/call", {"name": "nope"}),
        ("resources/read", {"uri": "x:y"}),
        ("resources/list", {"cursor": "x"}),
    ):
        document = wire.call(method, params).json()
        assert [error.message for error in judge(revision, name).iter_errors(document)] == [], method


def test_older_revisions_are_told_nothing_that_they_do_not_know(endpoint: Server) -> None:
    def members(revision: str) -> set[str]:
        tool = result(Wire(endpoint, "/mcp", revision).call("tools/list"))["tools"][0]
        return set(tool)

    plain = {"name", "description", "inputSchema"}
    assert members("2024-11-05") == plain
    assert members("2025-03-26") == plain | {"annotations"}
    assert (
        members("2025-06-18")
        == members("2025-11-25")
        == members(MODERN)
        == plain | {"annotations", "title", "outputSchema"}
    )
    for revision in ("2024-11-05", "2025-03-26"):
        wire = Wire(endpoint, "/mcp", revision)
        document = result(wire.call("tools/call", {"name": "get_record", "arguments": {"id": "posts/one"}}))
        assert (set(document), [block["type"] for block in document["content"]]) == ({"content", "isError"}, ["text"])
        listed = result(wire.call("resources/list"))["resources"][0]
        assert (set(listed), set(listed["annotations"])) == (
            {"uri", "name", "description", "mimeType", "annotations", "size"},
            {"priority"},
        )
    greeted = {
        revision: result(Wire(endpoint, "/mcp", revision).call("initialize", {"protocolVersion": revision}))
        for revision in MCP_REVISIONS[1:]
    }
    assert {revision: set(greeting["serverInfo"]) for revision, greeting in greeted.items()} == {
        "2024-11-05": {"name", "version"},
        "2025-03-26": {"name", "version"},
        "2025-06-18": {"name", "version", "title"},
        "2025-11-25": {"name", "version", "title", "description", "websiteUrl", "icons"},
    }
    assert {
        revision: set(greeting["capabilities"]) - {"tools", "resources", "prompts"}
        for revision, greeting in greeted.items()
    } == {
        "2024-11-05": set(),
        "2025-03-26": {"completions"},
        "2025-06-18": {"completions"},
        "2025-11-25": {"completions"},
    }
