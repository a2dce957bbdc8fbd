"""Reading arguments: slips of readers are mended and told, submissions are strict, and every fault is told at once."""

from typing import Any

import pytest

from support.mcp import Asker

SOURCE = {"url": "https://new.example/report", "reason": "It measures what the record estimates."}


def test_harmless_slips_are_mended_and_the_loud_ones_told(asker: Asker) -> None:
    told = asker.told("search_archive", query="agents", limit="1", kinds="posts", topic=None, max_tokens=500.0)
    assert ([hit["kind"] for hit in told["results"]], "warnings" in told) == (["posts"], False)
    told = asker.told("fixture_list", query="x", max_tokens=99_999, qery="y", zzz=1)
    assert told["warnings"] == [
        "max_tokens was moved to its bound; it goes from 200 to 8000",
        '"qery" is no argument of this tool and was dropped; did you mean "query"?',
        '"zzz" is no argument of this tool and was dropped',
    ]
    crowd = {f"n{number}": number for number in range(1000)}
    assert len(asker.told("fixture_list", query="x", **crowd)["warnings"]) == 5


def test_bounds_of_limit_are_kept(asker: Asker) -> None:
    told = asker.told("search_archive", query="agents", limit=99)
    assert told["warnings"] == ["limit was moved to its bound; it goes from 1 to 20"]


@pytest.mark.parametrize(
    ("arguments", "lines"),
    [
        ({"query": "x", "limit": True}, ["- `limit`: must be a whole number"]),
        ({"query": "x", "max_tokens": "many"}, ["- `max_tokens`: must be a whole number"]),
        (
            {"limit": 1.5, "kinds": ["post"]},
            ["- `limit`: must be a whole number", "- `query`: is required", '- `kinds[0]`: "post" is not one of'],
        ),
        ({"query": ""}, ["- `query`: must have at least 1 characters"]),
        ({"query": 5}, ["- `query`: must be a string"]),
        ({"query": "x", "since": "yesterday"}, ["- `since`: is no date"]),
    ],
)
def test_every_fault_is_told_at_once(asker: Asker, arguments: dict[str, Any], lines: list[str]) -> None:
    first, *told = asker.no("search_archive", **arguments).split("\n")
    assert first == "invalid_argument:"
    assert [line[: len(wanted)] for line, wanted in zip(told, lines, strict=True)] == lines


def test_a_near_word_is_proposed(asker: Asker) -> None:
    assert asker.no("search_archive", query="x", kinds=["post"]).endswith('did you mean "posts"?')


def test_unknown_records_and_sections_name_what_there_is(asker: Asker) -> None:
    assert "Nearest: posts/one" in asker.no("get_record", id="posts/on")
    assert asker.no("get_record", id="posts/one", sections=["thirst"]).endswith("Available: first, second")


@pytest.mark.parametrize(
    "arguments",
    [{**SOURCE, "evidence_url": "https://x.example"}, {**SOURCE, "agent": {"nam": "x"}}, {**SOURCE, "url": "http://x.example"}, {"url": SOURCE["url"]},
     {**SOURCE, "reason": 5}, {**SOURCE, "related_record": "posts/none"}],
)  # fmt: skip
def test_submissions_are_strict(asker: Asker, arguments: dict[str, Any]) -> None:
    assert asker.no("submit_source", **arguments).startswith("invalid_argument:\n- ")


def test_a_submission_has_the_size_of_its_rest_body(asker: Asker) -> None:
    assert "at most 8,192" in asker.no("submit_source", **SOURCE, related_record="x" * 8200)


@pytest.mark.requirement("mcp submission tools", "mcp rule 1")
def test_a_submission_is_queued_and_its_status_read(asker: Asker) -> None:
    first = asker.told("submit_source", **SOURCE)
    assert (first["status"], first["duplicate"]) == ("queued", False)
    again = asker.told("submit_source", **SOURCE)
    assert (again["id"], again["duplicate"]) == (first["id"], True)
    assert asker.told("get_submission_status", id=first["id"])["status"] == "queued"
    assert asker.no("get_submission_status", id="aaaaaaaa").startswith("not_found:")


def test_a_cursor_belongs_to_its_arguments_but_not_to_their_size(asker: Asker) -> None:
    first = asker.told("fixture_list", query="x", limit=3)
    cursor = first["next_cursor"]
    assert [one["id"] for one in asker.told("fixture_list", query="x", limit=2, max_tokens=600, cursor=cursor)["results"]] == [
        "posts/n3",
        "posts/n4",
    ]
    for other in ({"query": "y"}, {"query": "x", "cursor": cursor[:-2]}, {"query": "x", "cursor": ""}):
        assert asker.no("fixture_list", **{"cursor": cursor, **other}).startswith("bad_cursor:")


def test_the_address_caps_every_answer(asker: Asker) -> None:
    told = asker.tool("fixture_list", cap=300, query="x", limit=40)["structuredContent"]
    assert (told["approx_tokens"] <= 300, told["truncated"]) == (True, True)
    assert asker.tool("fixture_list", cap=300, query="x", max_tokens=200)["structuredContent"]["approx_tokens"] <= 200
