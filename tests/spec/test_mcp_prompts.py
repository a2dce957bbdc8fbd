"""The steps of each prompt, on the demo archive: they lead to records that can be cited, within their budgets."""

import re
from datetime import date, timedelta
from typing import Any

import pytest

from citepress.base.urls import normalise
from support.demo import Demo
from support.mcp_endpoint import MODERN, Wire, result

FENCED = re.compile(r"Answer of (\w+) \(data\)\n\n(`{3,})data\n(.*)\n\2", re.DOTALL)
STEP = re.compile(r"^\d\. (.*)$", re.MULTILINE)
BUDGET = 1500
"""Tokens of an answer that comes with a prompt."""


class Reader:
    """A model that does what a prompt says, and remembers what its tools told."""

    def __init__(self, demo: Demo) -> None:
        self.demo = demo
        self.wire = Wire(demo.server, "/mcp", MODERN)

    def prompt(self, name: str, **values: str) -> tuple[list[str], dict[str, str]]:
        """The tools that the steps name, in order, and the answers that came along."""
        messages = result(self.wire.call("prompts/get", {"name": name, "arguments": values}))["messages"]
        texts = [message["content"]["text"] for message in messages]
        tools = {tool["name"] for tool in result(self.wire.call("tools/list"))["tools"]}
        named = [word for step in STEP.findall(texts[0]) for word in re.findall(r"\w+", step) if word in tools]
        matches = [FENCED.fullmatch(text) for text in texts[1:]]
        return list(dict.fromkeys(named)), {match[1]: match[3] for match in matches if match}

    def call(self, name: str, **arguments: Any) -> dict[str, Any]:
        """A tool's structured answer, checked to stay within its budget."""
        outcome = result(self.wire.call("tools/call", {"name": name, "arguments": arguments}))
        assert outcome["isError"] is False, outcome
        structured: dict[str, Any] = outcome["structuredContent"]
        assert structured["approx_tokens"] <= arguments.get("max_tokens", 4000), (name, arguments)
        return structured

    def read(self, id_: str) -> dict[str, Any]:
        """A whole record that is citable: its URL answers, it has a date, and its evidence leads to sources."""
        record = self.call("get_record", id=id_)
        assert self.demo.get(self.demo.path(record["url"])).status == 200
        assert re.match(r"\d{4}-\d\d-\d\d", record["updated_at"])
        assert record["body_markdown"]
        ids = {source["id"] for source in record.get("sources", ())}
        for piece in (
            *record["fields"].get("evidence", ()),
            *record["fields"].get("claims", ()),
            *record["fields"].get("counter_evidence", ()),
        ):
            assert set(piece.get("source_refs", ())) <= ids, (id_, piece)
        return record


@pytest.fixture
def reader(demo: Demo) -> Reader:
    return Reader(demo)


def urls(text: str) -> list[str]:
    return re.findall(r"^  url: (\S+)$", text, re.MULTILINE)


@pytest.mark.requirement("mcp prompts")
def test_a_cited_page_is_researched(reader: Reader, demo: Demo) -> None:
    ledger = demo.json("/source-ledger.json")["sources"]
    source = next(source for source in ledger if len(source["cited_by"]) > 2 and source["url"].startswith("https://"))
    tools, first = reader.prompt("research_a_url", url=source["url"], question="Is this still so?")
    assert tools == ["contextualize_url", "get_record", "search_archive", "submit_source"]
    assert len(first["contextualize_url"]) <= 4 * BUDGET
    cited = {demo.base + f"/{id_}/" for id_ in source["cited_by"]}
    assert set(urls(first["contextualize_url"])[: len(cited)]) == cited
    assert "next_steps:" in first["contextualize_url"]
    context = reader.call("contextualize_url", url=source["url"], task="Is this still so?")
    primary = sorted(context["cited_by"], key=lambda source: source["role"] != "primary")[:3]
    records = [reader.read(citation["id"]) for citation in primary]
    assert len(records) == 3
    for record in records:
        assert source["url"] in {normalise(source["url"]) for source in record["sources"]}


def test_a_page_that_nobody_cites_is_searched_for_by_subject_and_origin(reader: Reader, demo: Demo) -> None:
    url = "https://www.anthropic.com/engineering/building-effective-agents"
    _, first = reader.prompt("research_a_url", url=url)
    assert "cited_by: none" in first["contextualize_url"]
    context = reader.call("contextualize_url", url=url)
    assert context["cited_by"] == []
    assert all(item["reason"] for item in (*context["related"], *context["patterns"]))
    for query, more in (
        ("building effective agents", {}),
        ("anthropic.com", {}),
        ("agents", {"origin": context["origin"]["id"]}),
    ):
        answer = reader.call("search_archive", query=query, **more)
        assert answer["results"], query
        assert "warnings" not in answer
    record = reader.read(answer["results"][0]["id"])
    assert context["origin"]["id"] in {source["origin"] for source in record["sources"]}
    assert demo.get(demo.path(context["origin"]["url"])).status == 200


@pytest.mark.requirement("mcp prompts")
@pytest.mark.parametrize("topic", ["", "agent-security"])
@pytest.mark.parametrize("past", [False, True])
def test_a_week_is_told(reader: Reader, topic: str, past: bool) -> None:
    newest = reader.call("whats_new", limit=1)
    end = date.fromisoformat(newest["as_of"][:10])
    bounds: dict[str, str] = {"topic": topic} if topic else {}
    since = end - timedelta(days=7)
    values = dict(bounds)
    if past:
        day = date.fromisoformat(
            reader.call("whats_new", since="2000-01-01", limit=50, max_tokens=8000, **bounds)["items"][-1][
                "published_at"
            ][:10]
        )
        since = day - timedelta(days=day.weekday())
        values["week"], end = day.isoformat(), since + timedelta(days=7)
        bounds["until"] = end.isoformat()
    tools, first = reader.prompt("weekly_ai_engineering_brief", **values)
    assert tools == ["whats_new", "what_changed", "get_record", "get_forecasts", "get_latest_metadox"]
    assert f"since: {since}" in first["whats_new"]
    news = reader.call("whats_new", since=since.isoformat(), **bounds)
    assert urls(first["whats_new"]) == [item["url"] for item in news["items"]][: len(urls(first["whats_new"]))]
    assert all(since.isoformat() <= item["published_at"][:10] <= end.isoformat() for item in news["items"])
    assert all(topic in item["topics"] for item in news["items"] if topic)
    changes = reader.call("what_changed", since=since.isoformat(), **bounds)["changes"]
    assert all(since.isoformat() <= change["changed_at"][:10] <= end.isoformat() for change in changes)
    for item in [*news["items"][:2], *changes[:2]]:
        record = reader.read(item["id"])
        assert not topic or topic in record["topics"]
    soon = reader.call("get_forecasts", resolves_before=(end + timedelta(days=300)).isoformat())
    assert all(forecast["probability"] is not None and forecast["resolves_at"] for forecast in soon["forecasts"])
    period = reader.call("get_latest_metadox")["period"]
    assert period["start"] < period["end"]


@pytest.mark.requirement("mcp prompts")
def test_a_claim_is_verified(reader: Reader) -> None:
    claim = "OpenAI still recommends SWE-bench Verified for coding agents."
    tools, first = reader.prompt("verify_a_claim", claim=claim)
    assert tools == ["search_archive", "contextualize_url", "get_record", "what_changed"]
    assert len(first["search_archive"]) <= 4 * BUDGET
    answer = reader.call("search_archive", query=claim)
    assert urls(first["search_archive"]) == [result["url"] for result in answer["results"]]
    against = reader.call("search_archive", query="benchmark scores SWE-bench Verified contamination")
    ids = list(dict.fromkeys(result["id"] for result in (*answer["results"], *against["results"])))
    records = [reader.read(id_) for id_ in ids[:4]]
    assert any("no longer" in record["summary"] or "stops" in record["title"] for record in records)
    pattern = reader.read(next(id_ for id_ in ids if id_.startswith("patterns/")))
    assert pattern["fields"]["counter_evidence"]
    assert pattern["fields"]["revision_trigger"]
    for record in records:
        history = reader.call("what_changed", id=record["id"])
        assert all(change["note"] for change in history["changes"])
