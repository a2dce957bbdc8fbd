"""The official Python SDK as a client: over HTTP in every mode, and over standard input and output."""

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.shared.exceptions import MCPError
from mcp_types import PromptReference

from support.folder import folder, post, topic
from support.mcp_endpoint import endpoint_running
from support.running_server import HOST, Server

MODES = {"auto": "2026-07-28", "legacy": "2025-11-25", "2026-07-28": "2026-07-28"}
TOOLS = [
    "search_archive",
    "get_record",
    "contextualize_url",
    "whats_new",
    "what_changed",
    "get_forecasts",
    "list_agent_tasks",
    "get_latest_metadox",
    "get_topic_brief",
    "get_submission_status",
    "list_paid_tools",
    "submit_source",
    "submit_correction",
    "submit_usage_receipt",
]
PROMPTS = ["research_a_url", "weekly_ai_engineering_brief", "verify_a_claim"]


@pytest.fixture(scope="module")
def wide(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with endpoint_running(tmp_path_factory.mktemp("wide"), quota=100_000) as server:
        yield server


def run(target: Any, mode: str, work: Callable[[Client], Awaitable[None]]) -> None:
    """Connect, check what was negotiated, work."""

    async def main() -> None:
        async with Client(target, mode=mode) as client:
            await work(client)

    asyncio.run(main())


@pytest.mark.requirement("POST /mcp", "POST /.well-known/mcp", "mcp rule 2")
@pytest.mark.parametrize("path", ["/mcp", "/.well-known/mcp"])
@pytest.mark.parametrize("mode", MODES)
def test_each_mode_negotiates_its_revision(wide: Server, path: str, mode: str) -> None:
    async def work(client: Client) -> None:
        assert client.protocol_version == MODES[mode]
        if mode != "2026-07-28":  # a pinned client asks for nothing first
            assert client.server_info is not None
            assert client.server_info.title == "Test archive"
            assert client.server_capabilities.completions is not None
            assert client.instructions
            assert "search_archive" in client.instructions

    run(f"http://{HOST}:{wide.port}{path}", mode, work)


@pytest.mark.requirement("mcp read tools", "mcp submission tools", "mcp rule 4", "mcp prompts", "mcp resources")
@pytest.mark.parametrize("mode", MODES)
def test_everything_is_listed(wide: Server, mode: str) -> None:
    async def work(client: Client) -> None:
        tools = (await client.list_tools()).tools
        assert [tool.name for tool in tools][: len(TOOLS)] == TOOLS
        submits = [tool.name for tool in tools if tool.annotations and tool.annotations.read_only_hint is False]
        assert submits == ["submit_source", "submit_correction", "submit_usage_receipt"]
        assert not any(tool.annotations.destructive_hint for tool in tools if tool.annotations)
        assert [prompt.name for prompt in (await client.list_prompts()).prompts] == PROMPTS
        templates = (await client.list_resource_templates()).resource_templates
        assert [template.name for template in templates][:2] == ["posts", "signals"]
        first = await client.list_resources()
        uris = [str(resource.uri) for resource in first.resources]
        while first.next_cursor:
            first = await client.list_resources(cursor=first.next_cursor)
            uris += [str(resource.uri) for resource in first.resources]
        assert len(uris) == len(set(uris)) <= 200
        assert {f"http://{HOST}:{wide.port}/llms.txt", "skill://verify-a-claim/SKILL.md"} <= set(uris)

    run(f"http://{HOST}:{wide.port}/mcp", mode, work)


@pytest.mark.requirement("mcp rule 1", "authentication 1 mcp")
@pytest.mark.parametrize("mode", MODES)
def test_tools_resources_prompts_and_completions_answer(wide: Server, mode: str) -> None:
    base = f"http://{HOST}:{wide.port}"

    async def work(client: Client) -> None:
        answer = await client.call_tool("search_archive", {"query": "agents"})
        assert answer.structured_content is not None
        hit = answer.structured_content["results"][0]
        record = await client.call_tool("get_record", {"id": hit["id"]})
        assert record.structured_content is not None
        assert record.structured_content["url"] == hit["url"]
        read = await client.read_resource(f"{base}/posts/one/")
        assert "Title of one" in read.contents[0].text  # type: ignore[union-attr]
        prompt = await client.get_prompt("verify_a_claim", {"claim": "Agents read archives."})
        assert [message.role for message in prompt.messages] == ["user", "user"]
        done = await client.complete(
            PromptReference(type="ref/prompt", name="weekly_ai_engineering_brief"), {"name": "topic", "value": "O"}
        )
        assert done.completion.values == ["one"]

    run(f"{base}/mcp", mode, work)


@pytest.mark.parametrize("mode", MODES)
def test_pages_of_an_answer_follow_each_other(wide: Server, mode: str) -> None:
    async def work(client: Client) -> None:
        ids: list[str] = []
        arguments: dict[str, Any] = {"query": "n", "limit": 10}
        while True:
            page = (await client.call_tool("fixture_list", arguments)).structured_content
            assert page is not None
            ids += [item["id"] for item in page["results"]]
            if "next_cursor" not in page:
                break
            arguments["cursor"] = page["next_cursor"]
        assert ids == [f"posts/n{number}" for number in range(42)]

    run(f"http://{HOST}:{wide.port}/mcp", mode, work)


@pytest.mark.requirement("error mcp protocol", "error mcp codes")
@pytest.mark.parametrize("mode", MODES)
def test_errors_reach_the_client_with_their_words(wide: Server, mode: str) -> None:
    async def work(client: Client) -> None:
        with pytest.raises(MCPError, match="There is no such tool"):
            await client.call_tool("nope", {})
        with pytest.raises(MCPError, match="no such resource"):
            await client.read_resource(f"http://{HOST}:{wide.port}/none")
        refused = await client.call_tool("get_record", {"id": "posts/none"})
        assert refused.is_error
        assert refused.content[0].text.startswith("not_found:")  # type: ignore[union-attr]

    run(f"http://{HOST}:{wide.port}/mcp", mode, work)


@pytest.mark.requirement("error mcp limit")
def test_a_used_up_limit_is_told_to_the_client(tmp_path: Path) -> None:
    async def spend(client: Client) -> None:
        for _ in range(5):
            await client.call_tool("fixture_list", {"query": "x"})

    async def work(client: Client) -> None:
        with pytest.raises(MCPError, match="Rate limit: 4 messages per minute"):
            await spend(client)

    with endpoint_running(tmp_path, quota=4) as server:
        run(f"http://{HOST}:{server.port}/mcp", "legacy", work)


@pytest.fixture(scope="module")
def content(tmp_path_factory: pytest.TempPathFactory) -> Path:
    notes = {f"content/posts/note-{number}.md": post(title=f"Note {number}", topics=["one"]) for number in range(3)}
    return folder(tmp_path_factory.mktemp("content"), {**notes, "content/topics/one.md": topic(title="One")})


@asynccontextmanager
async def spoken(content: Path, mode: str) -> AsyncIterator[Client]:
    """A client of ``citepress mcp`` in a process of its own."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("CITEPRESS_")}
    server = StdioServerParameters(
        command=sys.executable, args=["-m", "citepress", "mcp", str(content)], env=environment
    )
    async with Client(stdio_client(server), mode=mode) as client:
        yield client


@pytest.mark.parametrize("mode", MODES)
def test_the_same_is_served_over_standard_input_and_output(content: Path, mode: str) -> None:
    async def main() -> None:
        async with spoken(content, mode) as client:
            assert client.protocol_version == MODES[mode]
            assert [tool.name for tool in (await client.list_tools()).tools] == TOOLS
            answer = await client.call_tool("search_archive", {"query": "note"})
            assert answer.structured_content is not None
            assert answer.structured_content["total"] == 3
            read = await client.read_resource("https://archive.test/posts/note-1/")
            assert "Note 1" in read.contents[0].text  # type: ignore[union-attr]
            assert (await client.call_tool("get_record", {"id": "posts/none"})).is_error
            prompt = await client.get_prompt("research_a_url", {"url": "https://x.example/"})
            assert prompt.messages
            with pytest.raises(MCPError):
                await client.read_resource("https://archive.test/none")

    asyncio.run(main())
