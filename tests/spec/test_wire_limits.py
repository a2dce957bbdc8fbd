"""The REST limit, over the wire (specification, "Limits")."""

from pathlib import Path

import pytest

from support.edition import printed
from support.running_server import Server, running

pytestmark = pytest.mark.requirement("rate window", "clients")


def test_the_121st_json_request_is_429(server: Server) -> None:
    client = server.client()
    for left in range(119, -1, -1):
        answer = server.ask("/posts.json", **client)
        assert (answer.status, answer.fields["ratelimit-remaining"]) == (200, str(left))
    answer = server.ask("/posts.json", **client)
    assert (answer.status, answer.type) == (429, "application/problem+json")
    assert answer.fields["cache-control"] == "no-store"
    assert 1 <= int(answer.fields["retry-after"]) <= 60
    assert answer.fields["ratelimit-reset"] == answer.fields["retry-after"]
    assert answer.fields["ratelimit-remaining"] == "0"
    assert answer.json()["type"].endswith("#problem-rate-limited")
    assert server.ask("/posts/x/", accept="application/json", **client).status == 429
    assert server.ask("/none.json", **client).status == 429
    assert server.ask("/posts.json", "HEAD", **client).status == 429
    for path in ("/posts/x/", "/posts/x.md", "/llms.txt", "/robots.txt", "/none"):
        assert server.ask(path, **client).status in {200, 404}
    assert server.ask("/posts.json", "OPTIONS", **client).status == 204
    assert server.ask("/posts.json", **server.client()).status == 200


EITHER = "application/json, text/html;q=0.5"


def used_up(server: Server) -> dict[str, str]:
    """A client that has no JSON answer left."""
    client = server.client()
    for _ in range(120):
        server.ask("/posts.json", "HEAD", **client)
    return client


def test_a_client_without_json_left_gets_a_page_that_it_takes_too(server: Server) -> None:
    client = used_up(server)
    page = server.ask("/posts/x/", accept=EITHER, **client)
    assert (page.status, page.type) == (200, "text/html; charset=utf-8")
    assert "ratelimit-limit" not in page.fields
    assert page.body == server.ask("/posts/x/", accept="text/html", **client).body
    markdown = server.ask("/posts/x/", accept="application/json, text/markdown;q=0.4, text/html;q=0.2", **client)
    assert (markdown.status, markdown.fields["content-location"]) == (200, "/posts/x.md")
    assert server.ask("/posts/x/", accept="application/json, */*;q=0.1", **client).status == 200
    missing = server.ask("/none/", accept=EITHER, **client)
    assert (missing.status, missing.type) == (404, "text/html; charset=utf-8")


@pytest.mark.parametrize(
    ("path", "accept"),
    [
        ("/posts/x/", "application/json"),
        ("/posts/x/", "application/json, text/html;q=0"),
        ("/posts/x.json", EITHER),
        ("/posts.json", EITHER),
        ("/none.json", EITHER),
    ],
)
def test_429_stands_where_json_is_the_only_form_that_fits(server: Server, path: str, accept: str) -> None:
    assert server.ask(path, accept=accept, **used_up(server)).status == 429


def test_every_request_answered_in_json_counts_whatever_its_status(server: Server) -> None:
    client = server.client()
    requests = [
        ("/posts.json", "GET", {}),
        ("/posts/x/", "GET", {"accept": "application/json"}),
        ("/posts.json", "HEAD", {}),
        ("/posts.json", "GET", {"if_none_match": "*"}),
        ("/none.json", "GET", {}),
        ("/none", "GET", {"accept": "application/json"}),
        ("/posts/x/", "GET", {"accept": "image/png"}),
        ("/posts/gone.json", "GET", {}),
    ]
    for count, (path, method, fields) in enumerate(requests, 1):
        assert server.ask(path, method, **fields, **client).fields["ratelimit-remaining"] == str(120 - count)


def test_what_is_not_json_does_not_count(server: Server) -> None:
    client = server.client()
    for path in ("/", "/posts/x/", "/posts/x.md", "/rss.xml", "/none", "/posts/x"):
        server.ask(path, **client)
    server.ask("/posts.json", accept="text/html", **client)
    server.ask("/posts.json", "OPTIONS", **client)
    server.ask("/posts.json", "PUT", **client)
    assert server.ask("/posts.json", **client).fields["ratelimit-remaining"] == "119"


def test_robots_txt_is_never_limited(server: Server) -> None:
    client = server.client()
    assert {server.ask("/robots.txt", **client).status for _ in range(125)} == {200}


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [
        ({"x_forwarded_for": "203.0.113.1"}, {"x_forwarded_for": "203.0.113.1"}, True),
        ({"x_forwarded_for": "203.0.113.2"}, {"x_forwarded_for": "203.0.113.3"}, False),
        ({"x_forwarded_for": "1.2.3.4, 203.0.113.4"}, {"x_forwarded_for": "9.9.9.9, 203.0.113.4:5000"}, True),
        ({"x_forwarded_for": "203.0.113.5, 127.0.0.1"}, {"x_forwarded_for": "203.0.113.5"}, True),
        ({"x_forwarded_for": "2001:db8:5:5::1"}, {"x_forwarded_for": "[2001:db8:5:5:ffff::2]:443"}, True),
        ({"x_forwarded_for": "2001:db8:6:6::1"}, {"x_forwarded_for": "2001:db8:6:7::1"}, False),
        ({"x_forwarded_for": "::ffff:203.0.113.6"}, {"x_forwarded_for": "203.0.113.6"}, True),
        (
            {"x_forwarded_for": "203.0.113.10", "forwarded": "for=203.0.113.11"},
            {"x_forwarded_for": "203.0.113.10"},
            True,
        ),
    ],
)
def test_behind_a_trusted_proxy_the_client_is_the_one_it_saw(
    server: Server, first: dict[str, str], second: dict[str, str], same: bool
) -> None:
    before = int(server.ask("/posts.json", **first).fields["ratelimit-remaining"])
    after = int(server.ask("/posts.json", **second).fields["ratelimit-remaining"])
    assert (after == before - 1) == same


def test_a_forged_field_that_the_proxy_does_not_write_wins_nothing(tmp_path: Path) -> None:
    printed(tmp_path)
    with running(tmp_path, quota=4, field="Forwarded") as server:
        for left in (3, 2, 1, 0):
            forged = {"forwarded": 'for="203.0.113.7:80";proto=https', "x_forwarded_for": f"203.0.113.{left}"}
            assert server.ask("/posts.json", **forged).fields["ratelimit-remaining"] == str(left)
        assert server.ask("/posts.json", forwarded="for=203.0.113.7", x_forwarded_for="203.0.113.9").status == 429
        assert server.ask("/posts.json", forwarded="for=203.0.113.8", x_forwarded_for="203.0.113.9").status == 200


def test_nobody_else_is_believed(tmp_path: Path) -> None:
    printed(tmp_path)
    with running(tmp_path, quota=4, proxies=("192.0.2.1",)) as server:
        for left in (3, 2, 1, 0):
            assert server.ask("/posts.json", x_forwarded_for=f"203.0.113.{left}").fields["ratelimit-remaining"] == str(
                left
            )
        assert server.ask("/posts.json", x_forwarded_for="203.0.113.9").status == 429


def test_a_malformed_forwarded_field_counts_for_the_proxy(tmp_path: Path) -> None:
    printed(tmp_path)
    with running(tmp_path) as server:
        fields = [
            {"x_forwarded_for": "nobody"},
            {"x_forwarded_for": "1.2.3.4,"},
            {"forwarded": "for=203.0.113.1"},
            {"x_forwarded_for": "1.2.3.999"},
            {},
        ]
        for count, field in enumerate(fields, 1):
            assert server.ask("/posts.json", **field).fields["ratelimit-remaining"] == str(120 - count), field
