"""The endpoint beside the publication: the demo archive over both doors."""

import json
import re
import shlex
from typing import Any

import lxml.html
import pytest

from support.demo import Demo
from support.mcp_endpoint import MODERN, Wire, result


@pytest.fixture
def demo_wire(demo: Demo) -> Wire:
    return Wire(demo.server, "/mcp", MODERN)


def structured_content(wire: Wire, name: str, **arguments: Any) -> dict[str, Any]:
    """The structured answer of a tool."""
    answer = result(wire.call("tools/call", {"name": name, "arguments": arguments}))
    assert answer["isError"] is False, answer
    structured: dict[str, Any] = answer["structuredContent"]
    return structured


def blocks(markdown: str) -> list[str]:
    """The code blocks of a page."""
    return re.findall(r"```\w*\n(.*?)\n```", markdown, re.DOTALL)


@pytest.mark.requirement("POST /mcp", "mcp server/discover")
def test_the_requests_that_the_page_shows_are_answered(demo: Demo) -> None:
    commands = [
        shlex.split(block.replace("\\\n", " "))
        for block in blocks(demo.get("/connect.md").text)
        if block.startswith("curl ")
    ]
    methods = []
    for command in commands:
        assert command[1] == f"{demo.base}/mcp"
        options = list(zip(command[2::2], command[3::2], strict=True))
        fields = dict(value.split(": ", 1) for option, value in options if option == "-H")
        (body,) = [value for option, value in options if option == "-d"]
        answer = demo.server.ask("/mcp", "POST", body.encode(), **{**demo.server.client(), **fields})
        outcome = result(answer)
        methods.append(json.loads(body)["method"])
        assert "error" not in outcome
        assert not outcome.get("isError")
    assert methods == ["server/discover", "tools/call", "tools/call"]


def test_the_page_has_a_line_for_each_client_and_names_every_tool(demo: Demo) -> None:
    text = demo.get("/connect.md").text
    for line in (
        "claude mcp add --transport http",
        "codex mcp add",
        "gemini mcp add --transport http",
        "code --add-mcp",
        '"mcpServers"',
        "citepress mcp DIR",
        "maxTokenBudget=",
    ):
        assert line in text
    for tool in demo.json("/mcp-readonly.json")["tools"]:
        assert tool["name"] in text


@pytest.mark.requirement("mcp rule 4")
def test_a_twin_over_http_gives_the_same_answer(demo: Demo, demo_wire: Wire) -> None:
    frame = {"schema_version", "approx_tokens", "truncated", "next_cursor", "warnings"}
    search = structured_content(demo_wire, "search_archive", query="agent memory", limit=3)
    assert demo.get("/search.json?query=agent+memory&limit=3").json()["results"] == search["results"]
    source = demo.json("/source-ledger.json")["sources"][0]["url"]
    if source.startswith("https://"):
        rest = demo.get(f"/agent-actions/contextualize.json?url={source}").json()
        tool = structured_content(demo_wire, "contextualize_url", url=source, max_tokens=8000)
        assert {name: value for name, value in rest.items() if name not in frame and value not in (None, [])} == {
            name: value for name, value in tool.items() if name not in frame and value != []
        }


@pytest.mark.requirement("mcp submission tools", "mcp read tools")
def test_a_proposal_is_one_whichever_door_it_came_through(demo: Demo, demo_wire: Wire) -> None:
    body = {"url": "https://proposal.example/one", "reason": "It measures what the archive estimates."}
    client = demo.server.client()
    first = demo.server.ask(
        "/agent-inbox/source", "POST", json.dumps(body).encode(), **{"content-type": "application/json", **client}
    )
    assert first.status == 202, first.text
    again = structured_content(demo_wire, "submit_source", **body)
    assert (again["id"], again["duplicate"]) == (first.json()["id"], True)
    assert structured_content(demo_wire, "get_submission_status", id=again["id"])["status"] == "queued"


@pytest.mark.requirement("limit mcp", "limit mcp body", "limit mcp time", "limit mcp batch", "mcp rule 3")
def test_the_limits_are_those_of_the_contract(demo: Demo) -> None:
    limits = demo.json("/mcp-readonly.json")["limits"]
    assert (
        limits["requests_per_minute"],
        limits["body_bytes"],
        limits["body_timeout_seconds"],
        limits["batch_messages"],
    ) == (
        60,
        262_144,
        5,
        10,
    )
    wire = Wire(demo.server, "/mcp", "2025-03-26")
    batch = [{"jsonrpc": "2.0", "id": number, "method": "ping"} for number in range(10)]
    answer = wire.send(batch)
    assert (len(answer.json()), answer.fields["ratelimit-remaining"]) == (10, "50")


@pytest.mark.requirement("mcp prompts", "error mcp version", "mcp resources")
def test_every_prompt_and_resource_of_the_demo_can_be_read(demo: Demo, demo_wire: Wire) -> None:
    source = next(
        url
        for url in (source["url"] for source in demo.json("/source-ledger.json")["sources"])
        if url.startswith("https://")
    )
    values = {
        "research_a_url": {"url": source},
        "weekly_ai_engineering_brief": {},
        "verify_a_claim": {"claim": "Agents keep their memory in files."},
    }
    for name, arguments in values.items():
        messages = result(demo_wire.call("prompts/get", {"name": name, "arguments": arguments}))["messages"]
        assert len(messages) > 1, name
    for ledger_source in result(demo_wire.call("resources/list"))["resources"]:
        content = result(demo_wire.call("resources/read", {"uri": ledger_source["uri"]}))["contents"][0]
        assert len(content["text"].encode()) == ledger_source["size"], ledger_source["uri"]
    older = Wire(demo.server, "/mcp", "")
    assert result(older.call("initialize", {"protocolVersion": "2020-01-01"}))["protocolVersion"] == "2025-11-25"


@pytest.mark.requirement("mcp citation")
def test_a_record_comes_with_the_line_that_its_page_prints_first(demo: Demo, demo_wire: Wire) -> None:
    topic = demo.items("topics")[0]
    calls = {
        "get_record": {"id": demo.items("patterns")[0]["id"]},
        "get_topic_brief": {"topic": topic["slug"]},
        "get_latest_metadox": {},
    }
    for name, arguments in calls.items():
        outcome = result(demo_wire.call("tools/call", {"name": name, "arguments": arguments}))
        structured = outcome["structuredContent"]
        assert next(iter(structured)) == "citation"
        assert outcome["content"][0]["text"].startswith(f"citation: {structured['citation']}\n")
        page = lxml.html.fromstring(demo.get(demo.path(structured["url"])).text)
        assert page.xpath("string(//section[@id='cite']//p[@class='line'])") == structured["citation"]


@pytest.mark.requirement("claim ids")
def test_a_claim_has_one_id_on_the_page_in_markdown_json_and_mcp(demo: Demo, demo_wire: Wire) -> None:
    records = [record for record in demo.records("posts") if record["claims"]][:3]
    assert records
    for record in records:
        ids = [claim["id"] for claim in record["claims"]]
        assert len(set(ids)) == len(ids)
        page = lxml.html.fromstring(demo.get(demo.path(record["html_url"])).text)
        assert page.xpath("//section[@id='claims']//li/@id") == ids
        for claim in record["claims"]:
            (item,) = page.xpath(f"//*[@id='{claim['id']}']")
            assert " ".join(claim["text"].replace("`", "").split()) in " ".join(item.text_content().split())
        markdown = demo.get(demo.path(record["markdown_url"])).text
        linked = re.findall(r"\(([^)]*#claim-[0-9a-f-]+)\)", markdown)  # by the claims, and again by their sources
        assert list(dict.fromkeys(linked)) == [f"{record['html_url']}#{id_}" for id_ in ids]
        answer = structured_content(demo_wire, "get_record", id=record["id"], max_tokens=8000)
        assert [claim["id"] for claim in answer["fields"]["claims"]] == ids[: len(answer["fields"]["claims"])]


@pytest.mark.requirement("POST /mcp")
def test_a_dataset_is_found_and_read_like_a_record(demo: Demo, demo_wire: Wire) -> None:
    name = "datasets/github-projects-for-ai-engineers"
    for arguments in (
        {"query": "table of public repositories with licences"},
        {"query": "observed_on", "kinds": ["datasets"]},
    ):
        hits = structured_content(demo_wire, "search_archive", **arguments)["results"]
        assert name in [hit["id"] for hit in hits]
    page = demo.get("/search/?query=observed_on&kinds=datasets").text
    assert ">Dataset</span>" in page
    assert f'href="/{name}/"' in page
    described = demo.get(f"/{name}.json").json()
    read = structured_content(demo_wire, "get_record", id=name)
    assert (read["title"], read["citation"]) == (described["title"], described["citation"])
    assert [source["url"] for source in read["sources"]] == [source["url"] for source in described["sources"]]
    assert described["readme_markdown"].startswith(read["body_markdown"][:200])
    assert read["fields"]["csv_url"] == described["csv_url"]
