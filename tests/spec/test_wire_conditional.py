"""Conditional requests and HEAD, over the wire (RFC 9110 sections 9.3.2 and 13)."""

import time

import pytest

from citepress.http.preconditions import evaluate_preconditions
from support.running_server import Server

pytestmark = pytest.mark.requirement("conditional")

DAY_BEFORE, SAME_DAY = "Sun, 01 Mar 2026 00:00:00 GMT", "Mon, 02 Mar 2026 00:00:00 GMT"


def test_an_unchanged_page_is_not_sent_again(server: Server) -> None:
    first = server.ask("/posts/x/", accept_encoding="br")
    again = server.ask("/posts/x/", accept_encoding="br", if_none_match=first.fields["etag"])
    assert (again.status, again.body) == (304, b"")
    for name in ("etag", "last-modified", "cache-control", "vary", "content-security-policy"):
        assert again.fields[name] == first.fields[name]
    assert not {"content-type", "content-encoding"} & set(again.fields)


def test_a_304_of_a_negotiated_form_repeats_where_it_is(server: Server) -> None:
    tag = server.ask("/posts/x.md").fields["etag"]
    answer = server.ask("/posts/x/", accept="text/markdown", if_none_match=tag)
    assert (answer.status, answer.fields["content-location"], answer.fields["cache-control"]) == (
        304,
        "/posts/x.md",
        "private, no-cache",
    )


def test_a_304_of_json_counts(server: Server) -> None:
    client = server.client()
    first = server.ask("/posts/x.json", **client)
    again = server.ask("/posts/x.json", if_none_match=first.fields["etag"], **client)
    assert (again.status, again.fields["ratelimit-remaining"]) == (304, "118")
    assert 'rel="deprecation"' in again.fields["link"]


@pytest.mark.parametrize("shape", ["{}", "W/{}", '"other", {}', '"a,b",W/{} , "c"', "*"])
def test_if_none_match_is_a_list_compared_weakly(server: Server, shape: str) -> None:
    tag = server.ask("/posts/x/").fields["etag"]
    assert server.ask("/posts/x/", if_none_match=shape.format(tag)).status == 304


def test_another_codings_etag_is_another_etag(server: Server) -> None:
    tag = server.ask("/posts/x/", accept_encoding="gzip").fields["etag"]
    assert server.ask("/posts/x/", accept_encoding="br", if_none_match=tag).status == 200


def test_if_none_match_beats_if_modified_since(server: Server) -> None:
    assert server.ask("/posts/x/", if_none_match='"other"', if_modified_since=SAME_DAY).status == 200


@pytest.mark.parametrize(
    ("since", "status"),
    [
        (SAME_DAY, 304),
        ("Monday, 02-Mar-26 00:00:00 GMT", 304),
        ("Mon Mar  2 00:00:00 2026", 304),
        ("Tue, 03 Mar 2026 00:00:00 GMT", 304),
        (DAY_BEFORE, 200),
        ("yesterday", 200),
        ("", 200),
        ("Mon, 99 Mar 2026 00:00:00 GMT", 200),
        ("9" * 5000, 200),
    ],
)
def test_if_modified_since_is_read_in_every_form_of_date(server: Server, since: str, status: int) -> None:
    assert server.ask("/posts/x/", if_modified_since=since).status == status


def test_a_date_without_a_zone_is_utc_wherever_the_server_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "America/Los_Angeles")
    time.tzset()
    try:
        modified = 1_772_409_600
        for since in ("Sun Mar  1 23:59:59 2026", "Sun, 01 Mar 2026 23:59:59 -0000", "Sun, 01 Mar 2026 23:59:59"):
            assert evaluate_preconditions({b"if-modified-since": since.encode()}, b'"x"', modified) == 200
    finally:
        monkeypatch.undo()
        time.tzset()


def test_if_match_asks_for_the_very_version(server: Server) -> None:
    tag = server.ask("/posts/x/").fields["etag"]
    assert server.ask("/posts/x/", if_match=tag).status == 200
    assert server.ask("/posts/x/", if_match="*").status == 200
    assert server.ask("/posts/x/", if_match=f"W/{tag}").status == 412
    answer = server.ask(
        "/posts/x/", if_match='"other"', accept="application/problem+json, text/html;q=0.5", **server.client()
    )
    assert (answer.status, answer.type, answer.fields["ratelimit-remaining"]) == (
        412,
        "application/problem+json",
        "119",
    )
    assert server.ask("/posts/x/", if_match='"other"').type == "text/html; charset=utf-8"


def test_a_failed_precondition_on_json_is_a_problem_that_counted_once(server: Server) -> None:
    answer = server.ask("/posts/x.json", if_match='"other"', **server.client())
    assert (answer.status, answer.type, answer.fields["ratelimit-remaining"]) == (
        412,
        "application/problem+json",
        "119",
    )


def test_if_unmodified_since_fails_when_the_record_is_newer(server: Server) -> None:
    assert server.ask("/posts/x/", if_unmodified_since=DAY_BEFORE).status == 412
    assert server.ask("/posts/x/", if_unmodified_since=SAME_DAY).status == 200


@pytest.mark.parametrize(
    "path",
    ["/", "/posts/x/", "/posts/x.json", "/llms.txt", "/posts/none/", "/posts/none.json", "/posts/gone/", "/posts/old/"],
)
def test_head_is_get_without_the_body(server: Server, path: str) -> None:
    get, head = server.ask(path, **server.client()), server.ask(path, "HEAD", **server.client())
    drop = {"date"}
    assert (head.status, head.body) == (get.status, b"")
    assert {k: v for k, v in head.fields.items() if k not in drop} == {
        k: v for k, v in get.fields.items() if k not in drop
    }


def test_a_range_is_answered_with_the_whole(server: Server) -> None:
    answer = server.ask("/llms.txt", range="bytes=0-9")
    assert answer.status == 200
    assert len(answer.body) > 10


def test_a_body_on_get_changes_nothing(server: Server) -> None:
    assert server.ask("/llms.txt", body=b'{"a":1}').status == 200
