"""What the tap takes of a request, and that it never stands in a request's way."""

from typing import Any

import pytest

from citepress.http.message import Request, Response
from citepress_telemetry.capture.tap import AGENT_BYTES, CAP, TARGET_BYTES, Tap
from support.traffic_counter import POST_X

MISSING = Response(404, [(b"content-type", b"text/html")], b"gone")


def request_of(target: bytes = b"/", *fields: tuple[bytes, bytes], query: bytes = b"") -> Request:
    return Request("GET", target, query, fields, "203.0.113.7")


def tap(cap: int = CAP) -> Tap:
    return Tap(lambda peer, _fields: peer, cap, lambda: 1)


def test_one_answer_is_one_tuple_of_what_counts() -> None:
    observer = tap()
    fields = (
        (b"cookie", b"secret"),
        (b"user-agent", b"GPTBot/1.2"),
        (b"accept", b"text/html"),
        (b"authorization", b"secret"),
    )
    observer(
        request_of(b"/posts/x/", *fields, query=b"utm_source=chatgpt.com"),
        Response(200, [], b"body", POST_X, (("action", "a", "matched"),)),
    )
    notes = (("action", "a", "matched"),)
    assert observer.events == [
        (
            1,
            "203.0.113.7",
            b"GPTBot/1.2",
            b"text/html",
            b"",
            b"",
            None,
            "GET",
            b"",
            b"utm_source=chatgpt.com",
            POST_X,
            None,
            200,
            4,
            notes,
        )
    ]


def test_a_target_and_the_answers_header_are_kept_only_where_no_leaf_was_sent() -> None:
    observer = tap()
    observer(request_of(b"/.env"), MISSING)
    assert observer.events[0][8] == b"/.env"
    assert observer.events[0][11] == MISSING.headers


def test_a_signed_request_is_known_by_its_header() -> None:
    observer = tap()
    observer(request_of(b"/", (b"signature-input", b"sig=()")), MISSING)
    assert observer.events[0][6]


def test_long_fields_are_cut_so_that_a_full_list_stays_small() -> None:
    observer = tap()
    observer(
        request_of(b"/" + b"a" * 8000, (b"user-agent", b"u" * 30_000), (b"referer", b"r" * 30_000), query=b"q" * 8000),
        MISSING,
    )
    agent, referer, target, query = (observer.events[0][place] for place in (2, 4, 8, 9))
    assert len(agent) == AGENT_BYTES  # type: ignore[arg-type]
    assert len(target) == TARGET_BYTES  # type: ignore[arg-type]
    assert sum(map(len, (agent, referer, target, query))) < 5000  # type: ignore[arg-type]


def test_beyond_its_cap_it_drops_and_counts() -> None:
    observer = tap(50_000)
    request = request_of(b"/.env")
    for _ in range(60_000):
        observer(request, MISSING)
    assert (len(observer.events), observer.dropped) == (50_000, 10_000)


def test_taking_leaves_what_came_later() -> None:
    observer = tap()
    for path in (b"/1", b"/2", b"/3"):
        observer(request_of(path), MISSING)
    assert [event[8] for event in observer.take(2)] == [b"/1", b"/2"]
    assert [event[8] for event in observer.take(2)] == [b"/3"]
    assert observer.take(2) == []


@pytest.mark.parametrize("broken", [None, object(), Request("GET", b"/", b"", (), "x")])
def test_it_raises_nothing_whatever_it_is_told(broken: Any) -> None:
    observer = tap()
    observer(broken, broken)
    assert (observer.events, observer.dropped) == ([], 1)
