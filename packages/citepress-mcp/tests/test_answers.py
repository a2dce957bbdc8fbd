"""Answers within their budgets: both forms complete and alike, pages that join, honest estimates."""

import json
from collections.abc import Iterator
from typing import Any

import jsonschema_rs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from citepress.contract.operation import Effect, Operation
from citepress.operations import OperationContext
from citepress.operations.registry import ALL
from citepress_mcp.answers import AnswerPage, AnswerWriter, BudgetFitter
from citepress_mcp.arguments import ArgumentReader
from citepress_mcp.schemas import output_schema
from citepress_mcp.text_format import as_text
from support.demo import COLLECTIONS, READ_BY_AGENTS
from support.mcp_endpoint import LIST
from support.outline import read

BUDGETS = (200, 500, 2000, 8000)
KINDS = [*COLLECTIONS, *READ_BY_AGENTS]
READS = {
    operation.name: operation
    for operation in (*ALL, LIST)
    if operation.effect is Effect.READ and operation.tool and operation.tool.tokens
}
SAMPLES: dict[str, list[dict[str, Any]]] = {
    "search_archive": [{"query": "agents"}, {"query": "zzz"}, {"query": "agents", "kinds": ["posts"], "limit": 20}],
    "get_record": [{"id": f"{kind}/one"} for kind in KINDS],
    "contextualize_url": [{"url": "https://spec.example/one"}, {"url": "https://nobody.example/"}],
    "whats_new": [{}, {"limit": 50}, {"since": "2026-02-01", "kinds": ["posts"]}],
    "what_changed": [{}, {"id": "posts/one"}],
    "get_forecasts": [{}, {"status": "all"}],
    "list_agent_tasks": [{}],
    "get_latest_metadox": [{}],
    "get_topic_brief": [{"topic": "one"}],
    "list_paid_tools": [{}],
    "fixture_list": [{"query": "x" * 100, "limit": 40}],
}
CASES = [
    pytest.param(READS[name], arguments, id=f"{name}-{number}")
    for name, all_ in SAMPLES.items()
    for number, arguments in enumerate(all_)
]


def text_and_structure(operation: Operation, here: OperationContext, **arguments: Any) -> tuple[str, dict[str, Any]]:
    """Text and structure of one answer."""
    ask, page = ArgumentReader(operation).read(arguments, 0, "e" * 8, here)
    text, raw, _ = AnswerWriter(operation).write(operation.run(ask, here), page)
    return text, json.loads(raw)


def pages(operation: Operation, here: OperationContext, **arguments: Any) -> Iterator[dict[str, Any]]:
    """Every page of an answer."""
    answer: dict[str, Any] = {"next_cursor": ""}
    while "next_cursor" in answer:
        more = {"cursor": answer["next_cursor"]} if answer["next_cursor"] else {}
        answer = text_and_structure(operation, here, **arguments, **more)[1]
        yield answer


def test_every_reading_tool_has_a_sample() -> None:
    assert set(SAMPLES) == set(READS)


@pytest.mark.parametrize("budget", BUDGETS)
@pytest.mark.parametrize(("operation", "arguments"), CASES)
def test_an_answer_stays_within_its_budget_and_tells_everything_in_both_forms(
    operation: Operation, arguments: dict[str, Any], budget: int, here: OperationContext
) -> None:
    text, answer = text_and_structure(operation, here, **arguments, max_tokens=budget)
    raw = json.dumps(answer, ensure_ascii=False, separators=(",", ":")).encode()
    assert answer["approx_tokens"] == -(-max(len(text.encode()), len(raw)) // 4) <= budget
    assert jsonschema_rs.validator_for(output_schema(operation)).is_valid(answer)
    assert operation.tool
    markdown = operation.tool.cut if isinstance(answer.get(operation.tool.cut), str) else ""
    assert read(text, answer, markdown) == answer
    assert (
        answer[operation.tool.cut]
        or not text_and_structure(operation, here, **arguments, max_tokens=8000)[1][operation.tool.cut]
    )


@pytest.mark.parametrize("budget", [300, 1000])
@pytest.mark.parametrize(("operation", "arguments"), CASES)
def test_pages_join_to_the_uncut_answer(
    operation: Operation, arguments: dict[str, Any], budget: int, here: OperationContext
) -> None:
    assert operation.tool
    cut = operation.tool.cut
    limited = {name: value for name, value in arguments.items() if name != "limit"}
    whole: Any = [] if "limit" in operation.ask.model_fields else None
    for page in pages(operation, here, **limited, max_tokens=8000):
        whole = page[cut] if whole is None else whole + page[cut]
    parts = [page[cut] for page in pages(operation, here, **limited, max_tokens=budget)]
    joined = "".join(parts) if isinstance(whole, str) else [item for part in parts for item in part]
    if isinstance(whole, str) or not any(item != other for item, other in zip(joined, whole, strict=True)):
        assert joined == whole
    else:  # an item too large for the budget is shortened, never left out
        assert [item.get("id", item.get("text")) for item in joined] == [
            item.get("id", item.get("text")) for item in whole
        ]


def test_a_later_page_repeats_only_what_identifies(here: OperationContext) -> None:
    first, second, *_ = pages(READS["get_record"], here, id="posts/one", max_tokens=500)
    assert {"topics", "fields", "sources"} <= set(first)
    assert set(second) <= {
        "citation",
        "id",
        "kind",
        "title",
        "url",
        "body_markdown",
        "as_of",
        "approx_tokens",
        "truncated",
        "next_cursor",
        "warnings",
    }
    assert first["truncated"]


def test_what_the_budget_drops_is_named(here: OperationContext) -> None:
    answer = text_and_structure(READS["get_record"], here, id="posts/one", max_tokens=200)[1]
    assert "sources" not in answer
    assert any(
        warning.startswith("left out to stay within max_tokens: ") and "sources" in warning
        for warning in answer["warnings"]
    )
    assert answer["body_markdown"]


def test_more_entries_without_a_cut_are_not_called_truncated(here: OperationContext) -> None:
    answer = text_and_structure(LIST, here, query="x", limit=2)[1]
    assert (answer["truncated"], len(answer["results"]), "next_cursor" in answer) == (False, 2, True)


def test_an_empty_required_list_is_kept_and_an_absent_one_is_not_shown(here: OperationContext) -> None:
    text, answer = text_and_structure(READS["contextualize_url"], here, url="https://nobody.example/")
    assert answer["cited_by"] == []
    assert "\ncited_by: none\n" in text
    assert "null" not in text


def test_an_item_that_alone_is_too_large_is_shortened() -> None:
    members = {"results": [{"id": "posts/x", "snippet": "word " * 2000}, {"id": "posts/y", "snippet": "short"}]}
    text, raw = BudgetFitter(
        "tool", "results", "2026-03-01T00:00:00Z", AnswerPage(200, {}, "e" * 8), (), markdown=False
    ).fit(members, more=False)
    answer = json.loads(raw)
    assert (len(answer["results"]), answer["truncated"], answer["results"][0]["snippet"][-1]) == (1, True, "…")
    assert "next_cursor" in answer
    assert max(len(text.encode()), len(raw)) <= 800


def test_hidden_characters_reach_nobody() -> None:
    members = {"results": [{"id": "posts/x", "snippet": "a\u202eb\x07c\U000e0041d\ne\tf"}]}
    text, raw = BudgetFitter("tool", "results", "x", AnswerPage(200, {}, "e" * 8), (), markdown=False).fit(
        members, more=False
    )
    assert json.loads(raw)["results"][0]["snippet"] == "abcd\ne\tf"
    assert "abcd\n    e\tf" in text


WORD = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"], include_characters="\n"), max_size=30)
SCALAR = WORD | st.integers(-(2**53), 2**53) | st.booleans() | st.floats(allow_nan=False, allow_infinity=False)
NAME = st.from_regex(r"[a-z_]{1,12}", fullmatch=True)
MEMBERS = st.recursive(
    SCALAR | st.lists(WORD, max_size=4) | st.lists(st.integers(-(2**53), 2**53), max_size=3),
    lambda inner: (
        st.dictionaries(NAME, inner, max_size=4)
        | st.lists(st.dictionaries(NAME, inner, min_size=1, max_size=3), max_size=3)
    ),
    max_leaves=12,
)


@given(st.dictionaries(NAME, MEMBERS, min_size=1, max_size=5))
def test_an_outline_reads_back_as_what_it_was_written_from(structure: dict[str, Any]) -> None:
    assert read(as_text(structure), structure) == structure


VISIBLE = st.text(
    st.characters(codec="utf-8", exclude_categories=["Cc", "Cs", "Cf"], include_characters="\n\t "),
    min_size=1,
    max_size=400,
)


@given(st.lists(VISIBLE, min_size=1, max_size=20), st.integers(200, 400))
def test_markdown_is_never_lost_between_pages(paragraphs: list[str], budget: int) -> None:
    body, joined, more = "\n\n".join(paragraphs), "", True
    while more:
        page = AnswerPage(budget, {}, "e" * 8, len(joined))
        text, raw = BudgetFitter("tool", "body", "2026-03-01T00:00:00Z", page, (), markdown=True).fit(
            {"id": "x", "body": body[len(joined) :]}, more=False
        )
        answer = json.loads(raw)
        assert answer["body"]
        assert max(len(text.encode()), len(raw)) <= budget * 4
        joined += answer["body"]
        more = "next_cursor" in answer
    assert joined == body
