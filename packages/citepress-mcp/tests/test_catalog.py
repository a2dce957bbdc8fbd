"""What is listed: names, sizes, order, hints, and that every document tells the same."""

import hashlib
import json
import re
from typing import Any

import orjson
import pytest

from citepress import __version__
from citepress.operations import OperationContext
from citepress.operations.registry import ALL
from citepress_mcp.catalog import tool_entry
from citepress_mcp.endpoint import Endpoint
from citepress_mcp.offer import SERVER_CAPABILITIES
from citepress_mcp.versions import MCP_REVISIONS
from support.documents import faults
from support.mcp_endpoint import MODERN, EndpointClient, message, offer

MCP = "io.modelcontextprotocol"


def document(here: OperationContext, path: str) -> Any:
    served = here.edition.find(path)
    assert served is not None, path
    return json.loads(bytes(served.leaf.body))


def test_names_and_descriptions_are_bounded_and_every_schema_is_one() -> None:
    for operation in ALL:
        tool = tool_entry(operation)
        assert re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", tool["name"])
        assert len(tool["description"]) <= 300
        for schema in (tool["inputSchema"], tool["outputSchema"]):
            assert not re.search(r'"(\$ref|\$defs|anyOf|oneOf|allOf)"', json.dumps(schema))
            faults(schema, {})
        assert (tool["inputSchema"]["additionalProperties"], "start" in tool["inputSchema"]["properties"]) == (
            False,
            False,
        )


def test_the_tools_fit_their_byte_budgets() -> None:
    contracts = [
        {name: tool_entry(operation)[name] for name in ("name", "description", "inputSchema")} for operation in ALL
    ]
    assert len(orjson.dumps(contracts)) <= 12_000
    assert len(orjson.dumps([tool_entry(operation) for operation in ALL])) <= 26_000


def test_instructions_are_short_and_name_only_tools_there_are(asker: EndpointClient) -> None:
    instructions = asker.result("server/discover")["instructions"]
    assert len(instructions) <= 2000
    named = set(re.findall(r"\b[a-z]+(?:_[a-z]+)+\b", instructions)) - {
        "next_cursor",
        "max_tokens",
        "as_of",
        "updated_at",
    }
    assert named <= {operation.name for operation in ALL}


@pytest.mark.requirement("mcp headers")
def test_card_manifest_discover_and_initialize_agree(asker: EndpointClient, here: OperationContext) -> None:
    card, manifest = document(here, "/.well-known/mcp"), document(here, "/mcp-readonly.json")
    discover = asker.result("server/discover")
    server = discover["_meta"][f"{MCP}/serverInfo"]
    greeted = asker.result("initialize", {"protocolVersion": "2025-11-25"}, revision="2025-11-25")
    assert (
        greeted["serverInfo"]
        == server
        == {name: card[name] for name in ("name", "title", "version", "description", "websiteUrl", "icons")}
    )
    assert {name: manifest[name] for name in ("name", "title", "version", "description")} == {
        name: server[name] for name in ("name", "title", "version", "description")
    }
    assert card["serverInfo"] == {name: server[name] for name in ("name", "title", "version")}
    assert (server["version"], server["name"]) == (__version__, "test.archive/test-archive")
    assert (
        discover["supportedVersions"]
        == list(MCP_REVISIONS)
        == manifest["protocol_versions"]
        == card["remotes"][0]["supportedProtocolVersions"]
    )
    assert (discover["capabilities"], card["capabilities"], card["protocolVersion"]) == (
        SERVER_CAPABILITIES,
        SERVER_CAPABILITIES,
        MODERN,
    )
    assert greeted["instructions"] == discover["instructions"]
    assert {icon["src"] for icon in server["icons"]} == {
        "https://archive.test/icon-48.png",
        "https://archive.test/icon.svg",
    }
    assert all(here.edition.find(icon["src"].removeprefix("https://archive.test")) for icon in server["icons"])


def test_card_manifest_and_lists_name_the_same_things(asker: EndpointClient, here: OperationContext) -> None:
    card, manifest = document(here, "/.well-known/mcp"), document(here, "/mcp-readonly.json")
    listed = asker.result("tools/list")["tools"]
    assert card["tools"] == [{name: tool[name] for name in ("name", "title", "description")} for tool in listed]
    assert [{**tool, "effect": ""} for tool in manifest["tools"]] == [
        {
            "name": tool["name"],
            "title": tool["title"],
            "description": tool["description"],
            "effect": "",
            "annotations": tool["annotations"],
        }
        for tool in listed
    ]
    prompts = asker.result("prompts/list")["prompts"]
    assert [prompt["name"] for prompt in manifest["prompts"]] == [prompt["name"] for prompt in prompts]
    assert [skill["uri"] for skill in manifest["skills"]] == [
        skill["uri"] for skill in asker.result("skills/list")["skills"]
    ]
    assert manifest["resource_templates"] == asker.result("resources/templates/list")["resourceTemplates"]
    resources = asker.result("resources/list")["resources"]
    assert [resource["uri"] for resource in manifest["resources"]] == [resource["uri"] for resource in resources]


def test_limits_are_told_as_they_are_counted(here: OperationContext) -> None:
    limits = document(here, "/mcp-readonly.json")["limits"]
    assert limits == {
        "requests_per_minute": 60,
        "counted": "messages",
        "body_bytes": 262_144,
        "body_timeout_seconds": 5,
        "batch_messages": 10,
        "batch_revisions": list(MCP_REVISIONS[1:]),
        "max_answer_tokens": 8000,
        "submissions_per_day": 30,
        "submission_bytes": 8192,
    }


def test_the_same_is_served_under_all_addresses_of_the_card(here: OperationContext) -> None:
    assert (
        document(here, "/.well-known/mcp")
        == document(here, "/.well-known/mcp/server-card.json")
        == document(here, "/mcp/server-card")
    )
    registry, catalog = document(here, "/mcp/server.json"), document(here, "/.well-known/ai-catalog.json")
    assert registry["remotes"] == [{"type": "streamable-http", "url": "https://archive.test/mcp"}]
    assert len(registry["description"]) <= 100
    (entry,) = catalog["entries"]
    assert (entry["identifier"], entry["type"]) == (
        "urn:air:archive.test:mcp:test-archive",
        "application/mcp-server-card+json",
    )
    assert entry["mediaType"] == entry["type"]


def test_resources_are_ordered_bounded_and_sized(asker: EndpointClient) -> None:
    resources = asker.result("resources/list")["resources"]
    priorities = [resource["annotations"]["priority"] for resource in resources]
    documents = [resource for resource in resources if resource["name"].startswith("/")]
    assert resources[: len(documents)] == documents
    assert priorities[: len(documents)] == sorted(priorities[: len(documents)], reverse=True)
    names = [document["name"] for document in documents]
    assert names[0] == "/llms.txt"
    assert {
        "/developers.md",
        "/mcp-readonly.json",
        "/openapi.json",
        "/posts.json",
        "/forecasts.json",
        "/owner-profile.md",
        "/feed.json",
    } <= set(names)
    assert len({resource["uri"] for resource in resources}) == len(resources)
    records = [
        resource["name"] for resource in resources if not resource["name"].startswith("/") and "/" in resource["name"]
    ]
    assert len(records) == 50
    for resource in resources:
        read = asker.result("resources/read", {"uri": resource["uri"]})["contents"][0]
        assert (read["uri"], read["mimeType"], len(read["text"].encode())) == (
            resource["uri"],
            resource["mimeType"],
            resource["size"],
        )


def test_templates_are_those_of_the_route_table(asker: EndpointClient) -> None:
    templates = [
        template["uriTemplate"].removeprefix("https://archive.test")
        for template in asker.result("resources/templates/list")["resourceTemplates"]
    ]
    assert templates[:2] == ["/posts/{slug}/", "/signals/{slug}/"]
    assert templates[13:] == [
        "/{collection}/{slug}.json",
        "/signals/page/{page}.json",
        "/sources/{origin}.json",
        "/discovery-graph/{shard}.json",
        "/page-readership/{+canonical_path}.json",
    ]


def test_skills_are_what_the_web_serves(asker: EndpointClient, here: OperationContext) -> None:
    listed = asker.result("skills/list")["skills"]
    index = {skill["name"]: skill for skill in document(here, "/.well-known/agent-skills/index.json")["skills"]}
    names = ["research-a-url", "weekly-ai-engineering-brief", "verify-a-claim", "contribute-to-the-archive"]
    assert [skill["frontmatter"]["name"] for skill in listed] == names == list(index)
    for skill in listed:
        (file,) = skill["resources"]
        text = asker.result("resources/read", {"uri": skill["uri"]})["contents"][0]["text"]
        assert (file["digest"], file["size"]) == (
            "sha256:" + hashlib.sha256(text.encode()).hexdigest(),
            len(text.encode()),
        )
        assert index[skill["frontmatter"]["name"]]["digest"] == file["digest"]
        front = text.split("---\n")[1]
        assert (
            front == f"name: {skill['frontmatter']['name']}\ndescription:"
            f" {json.dumps(skill['frontmatter']['description'], ensure_ascii=False)}\n"
        )
        assert asker.result("skills/get", {"uri": skill["uri"]})["skill"] == skill
        assert not re.search(r"\{[a-z]+\}", text)
        assert len(skill["frontmatter"]["description"]) <= 1024
    assert asker.reply(message("skills/get", {"uri": "skill://none/SKILL.md"}, modern=True))["error"]["code"] == -32602


def test_hints_follow_what_http_says_and_vanish_while_content_is_worked_on(here: OperationContext) -> None:
    methods = [
        "server/discover",
        "tools/list",
        "prompts/list",
        "resources/templates/list",
        "skills/list",
        "resources/list",
    ]
    asker, fresh = (
        EndpointClient(Endpoint(offer(), lambda: here)),
        EndpointClient(Endpoint(offer(), lambda: here, fresh=True)),
    )
    assert [asker.result(method)["ttlMs"] for method in methods] == [3_600_000] * 5 + [300_000]
    assert {asker.result(method)["cacheScope"] for method in methods} == {"public"}
    uri = {"uri": "https://archive.test/posts/one/"}
    assert asker.result("resources/read", uri)["ttlMs"] == 300_000
    assert [fresh.result(method)["ttlMs"] for method in methods] == [0] * 6
    assert fresh.result("resources/read", uri)["ttlMs"] == 0


def test_modern_results_are_stamped_and_others_are_not(asker: EndpointClient) -> None:
    for method, params in (
        ("tools/list", {}),
        ("tools/call", {"name": "list_paid_tools"}),
        ("prompts/get", {"name": "verify_a_claim", "arguments": {"claim": "so."}}),
    ):
        modern, older = asker.result(method, params), asker.result(method, params, revision="2025-11-25")
        assert (modern["resultType"], set(modern["_meta"][f"{MCP}/serverInfo"])) == (
            "complete",
            {"name", "title", "version"},
        )
        assert not {"resultType", "_meta", "ttlMs", "cacheScope"} & set(older)


def test_notes_tell_names_and_outcomes_but_no_arguments(here: OperationContext) -> None:
    notes: list[Any] = []
    asker = EndpointClient(Endpoint(offer(), lambda: here, note=notes.append))
    asker.tool("search_archive", query="a secret")
    asker.no("get_record", id="posts/none")
    asker.reply({"jsonrpc": "2.0", "id": 1, "method": "nope", "params": {"secret": 1}})
    assert [tuple(note) for note in notes] == [
        ("tools/call", "search_archive", MODERN, "tests", "ok"),
        ("tools/call", "get_record", MODERN, "tests", "refused"),
        ("nope", "", "2025-11-25", "", "-32601"),
    ]
