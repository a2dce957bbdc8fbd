"""Reading arguments: slips of readers are mended and told, submissions are strict, and every fault is told at once."""

from typing import Any

import pytest

from support.mcp_endpoint import EndpointClient

SOURCE = {"url": "https://new.example/report", "reason": "It measures what the record estimates."}


def test_harmless_slips_are_mended_and_the_loud_ones_told(asker: EndpointClient) -> None:
    answer = asker.structured("search_archive", query="agents", limit="1", kinds="posts", topic=None, max_tokens=500.0)
    assert [hit["id"].partition("/")[0] for hit in answer["results"]] == ["posts"]
    assert "warnings" not in answer
    answer = asker.structured("fixture_list", query="x", max_tokens=99_999, qery="y", zzz=1)
    assert answer["warnings"] == [
        "max_tokens was moved to its bound; it goes from 200 to 8000",
        '"qery" is not an argument of this tool and was ignored; did you mean "query"?',
        '"zzz" is not an argument of this tool and was ignored',
    ]
    assert answer["ignored"] == ["qery", "zzz"]
    crowd = {f"n{number}": number for number in range(1000)}
    answer = asker.structured("fixture_list", query="x", **crowd)
    assert (len(answer["warnings"]), len(answer["ignored"])) == (5, 20)


def test_a_filter_of_another_name_is_told_wherever_a_tool_reads(asker: EndpointClient) -> None:
    answer = asker.structured("search_archive", query="agents", kind="posts")
    assert answer["ignored"] == ["kind"]
    assert answer["warnings"] == ['"kind" is not an argument of this tool and was ignored; did you mean "kinds"?']
    other = {**SOURCE, "url": "https://new.example/other"}
    id_ = asker.structured("submit_source", **other)["id"]
    assert asker.structured("get_submission_status", id=id_, verbose=True)["ignored"] == ["verbose"]


def test_a_refusal_names_what_was_ignored(asker: EndpointClient) -> None:
    text = asker.no("search_archive", q="agents", cursor=True, limit="many")
    for line in (
        "- `limit`: must be a whole number",
        "- `query`: is required",
        "- `cursor`: must be a string",
        '- "q" is not an argument of this tool and was ignored; did you mean "query"?',
    ):
        assert line in text


def test_an_empty_cursor_asks_for_the_first_page(asker: EndpointClient) -> None:
    assert asker.structured("fixture_list", query="x", cursor="") == asker.structured("fixture_list", query="x")


def test_arrays_and_objects_may_be_sent_as_json_text(asker: EndpointClient) -> None:
    answer = asker.structured("search_archive", query="agents", kinds='["posts", "topics"]')
    assert answer == asker.structured("search_archive", query="agents", kinds=["posts", "topics"])
    assert "thirst" in asker.no("get_record", id="posts/one", sections=' ["thirst"]')
    receipt = {
        "related_record": "posts/one",
        "correction": "The number is wrong.",
        "evidence_urls": '["https://new.example/a", "https://new.example/b"]',
        "agent": '{"name": "tests"}',
    }
    first = asker.structured("submit_correction", **receipt)
    same = {**receipt, "evidence_urls": ["https://new.example/a", "https://new.example/b"], "agent": {"name": "tests"}}
    assert asker.structured("submit_correction", **same)["id"] == first["id"]


@pytest.mark.parametrize("text", ['{"name": "t"', '"t"', "t", '{"nam": "t"}', "[1]"])
def test_what_is_no_such_json_is_refused_as_before(asker: EndpointClient, text: str) -> None:
    assert "agent" in asker.no("submit_source", **SOURCE, agent=text)


def test_bounds_of_limit_are_kept(asker: EndpointClient) -> None:
    answer = asker.structured("search_archive", query="agents", limit=99)
    assert answer["warnings"] == ["limit was moved to its bound; it goes from 1 to 20"]


@pytest.mark.parametrize(
    ("arguments", "lines"),
    [
        ({"query": "x", "limit": True}, ["- `limit`: must be a whole number"]),
        ({"query": "x", "max_tokens": "many"}, ["- `max_tokens`: must be a whole number"]),
        (
            {"limit": 1.5, "kinds": ["post"]},
            ["- `limit`: must be a whole number", "- `query`: is required", '- `kinds[0]`: "post" is not one of'],
        ),
        ({"query": ""}, ["- `query`: must not be empty"]),
        ({"query": 5}, ["- `query`: must be a string"]),
        ({"query": "x", "since": "yesterday"}, ["- `since`: is not a date"]),
    ],
)
def test_every_fault_is_told_at_once(asker: EndpointClient, arguments: dict[str, Any], lines: list[str]) -> None:
    first, *answer = asker.no("search_archive", **arguments).split("\n")
    assert first == "invalid_argument:"
    assert [line[: len(wanted)] for line, wanted in zip(answer, lines, strict=True)] == lines


def test_a_near_word_is_proposed(asker: EndpointClient) -> None:
    assert asker.no("search_archive", query="x", kinds=["post"]).endswith('did you mean "posts"?')


@pytest.mark.parametrize(
    ("name", "first"),
    [("one", "Nearest: posts/one,"), ("POSTS/ONES", "Nearest: posts/one"), ("Note-007", "Nearest: posts/note-007")],
)
def test_the_nearest_records_are_those_whose_last_segment_is_alike(
    asker: EndpointClient, name: str, first: str
) -> None:
    assert first in asker.no("get_record", id=name)


@pytest.mark.parametrize("name", ["posts/qqqqqqqq", "agents", "xyzzy"])
def test_nothing_is_offered_that_is_not_alike(asker: EndpointClient, name: str) -> None:
    assert "Nearest" not in asker.no("get_record", id=name)


def test_unknown_records_and_sections_name_what_there_is(asker: EndpointClient) -> None:
    assert "Nearest: posts/one" in asker.no("get_record", id="posts/on")
    assert asker.no("get_record", id="posts/one", sections=["thirst"]).endswith("Available: first, second")


@pytest.mark.parametrize(
    "arguments",
    [
        {**SOURCE, "evidence_url": "https://x.example"},
        {**SOURCE, "agent": {"nam": "x"}},
        {**SOURCE, "url": "http://x.example"},
        {"url": SOURCE["url"]},
        {**SOURCE, "reason": 5},
        {**SOURCE, "related_record": "posts/none"},
    ],
)
def test_submissions_are_strict(asker: EndpointClient, arguments: dict[str, Any]) -> None:
    assert asker.no("submit_source", **arguments).startswith("invalid_argument:\n- ")


def test_an_unknown_record_is_named_together_with_all_other_faults(asker: EndpointClient) -> None:
    arguments = {"related_record": "posts/on", "use": "x", "used_at": "2099-01-01", "agent": {"nam": "x"}}
    text = asker.no("submit_usage_receipt", **arguments)
    lines = [line for line in text.splitlines() if line.startswith("- ")]
    assert len(lines) == 5
    for start in ("- related_record: There is no record", "- use must have", "- used_at is in the future", "- agent."):
        assert any(line.startswith(start) for line in lines), text
    assert "Nearest: posts/one" in text


def test_a_submission_has_the_size_of_its_rest_body(asker: EndpointClient) -> None:
    assert "at most 8,192" in asker.no("submit_source", **SOURCE, related_record="x" * 8200)


@pytest.mark.requirement("mcp submission tools", "mcp rule 1")
def test_a_submission_is_queued_and_its_status_read(asker: EndpointClient) -> None:
    first = asker.structured("submit_source", **SOURCE)
    assert (first["status"], first["duplicate"]) == ("queued", False)
    again = asker.structured("submit_source", **SOURCE)
    assert (again["id"], again["duplicate"]) == (first["id"], True)
    assert asker.structured("get_submission_status", id=first["id"])["status"] == "queued"
    assert asker.no("get_submission_status", id="aaaaaaaa").startswith("not_found:")


def test_a_cursor_belongs_to_its_arguments_but_not_to_their_size(asker: EndpointClient) -> None:
    first = asker.structured("fixture_list", query="x", limit=3)
    cursor = first["next_cursor"]
    assert [
        item["id"]
        for item in asker.structured("fixture_list", query="x", limit=2, max_tokens=600, cursor=cursor)["results"]
    ] == [
        "posts/n3",
        "posts/n4",
    ]
    for other in ({"query": "y"}, {"query": "x", "cursor": cursor[:-2]}):
        assert asker.no("fixture_list", **{"cursor": cursor, **other}).startswith("bad_cursor:")


def test_the_address_caps_every_answer(asker: EndpointClient) -> None:
    answer = asker.tool("fixture_list", cap=300, query="x", limit=40)["structuredContent"]
    assert (answer["approx_tokens"] <= 300, answer["truncated"]) == (True, True)
    assert asker.tool("fixture_list", cap=300, query="x", max_tokens=200)["structuredContent"]["approx_tokens"] <= 200
