"""Paths, redirects, missing and withdrawn records, methods, over the wire (specification, "Errors")."""

import pytest

from support.running_server import Server

pytestmark = pytest.mark.requirement("missing", "withdrawn", "methods")

PROBLEM, HTML, MARKDOWN = "application/problem+json", "text/html; charset=utf-8", "text/markdown; charset=utf-8"


def test_a_missing_slash_is_redirected_and_the_query_kept(server: Server) -> None:
    answer = server.ask("/posts/x?from=a%20b&c")
    assert (answer.status, answer.fields["location"], answer.body) == (308, "/posts/x/?from=a%20b&c", b"")
    assert server.ask("/posts/x").fields["location"] == "/posts/x/"


def test_an_alias_is_redirected_from_either_spelling(server: Server) -> None:
    for path in ("/posts/old/", "/posts/old"):
        answer = server.ask(path + "?q=1")
        assert (answer.status, answer.fields["location"]) == (308, "/posts/x/?q=1")
        assert answer.fields["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize("path", ["//evil.test", "//evil.test/", "/%2Fevil.test", "/\\evil.test"])
def test_no_path_leads_off_the_site(server: Server, path: str) -> None:
    answer = server.ask(path)
    assert answer.status in {400, 404}
    assert "location" not in answer.fields


@pytest.mark.parametrize(
    ("path", "accept", "type_"),
    [
        ("/posts/none/", None, HTML),
        ("/posts/none/", "*/*", HTML),
        ("/posts/none/", "application/json", PROBLEM),
        ("/posts/none/", "application/problem+json", PROBLEM),
        ("/posts/none/", "text/markdown", MARKDOWN),
        ("/posts/none.json", None, PROBLEM),
        ("/posts/none.json", "text/html", HTML),
        ("/posts/none.json", "image/png", PROBLEM),
        ("/posts/none.md", None, MARKDOWN),
        ("/posts/none.md", "application/json, */*;q=0.1", PROBLEM),
        ("/posts/none.xml", "application/xml", HTML),
    ],
)
def test_a_missing_path_answers_404_in_the_form_asked_for(
    server: Server, path: str, accept: str | None, type_: str
) -> None:
    answer = server.ask(path, **server.client(), **({"accept": accept} if accept is not None else {}))
    assert (answer.status, answer.type) == (404, type_)
    assert answer.fields["vary"] == "Accept, Accept-Encoding"
    assert answer.fields["cache-control"] == "no-store"
    assert "Post X" in answer.text


def test_a_missing_path_is_described_by_a_problem_document(server: Server) -> None:
    problem = server.ask("/posts/%C3%BCnknown-x.json", **server.client()).json()
    assert problem["type"] == "http://archive.test/developers/#problem-not-found"
    assert (problem["title"], problem["status"]) == ("Nothing is published here", 404)
    assert problem["instance"] == "/posts/%C3%BCnknown-x.json"
    assert {"href": "http://archive.test/posts/x/", "title": "Post X"} in problem["nearest"]


def test_a_recovery_page_shows_nothing_that_was_sent_as_markup(server: Server) -> None:
    answer = server.ask("/%3Cscript%3Ealert(1)%3C/script%3E")
    assert answer.status == 404
    assert "<script" not in answer.text


def test_capital_letters_are_another_path_with_the_right_one_near(server: Server) -> None:
    answer = server.ask("/Posts/X/")
    assert answer.status == 404
    assert "/posts/x/" in answer.text


@pytest.mark.parametrize(
    ("path", "type_"),
    [("/posts/gone/", HTML), ("/posts/gone", HTML), ("/posts/gone.md", MARKDOWN), ("/posts/gone.json", PROBLEM)],
)
def test_a_withdrawn_record_is_gone_with_its_reason(server: Server, path: str, type_: str) -> None:
    answer = server.ask(path, **server.client())
    assert (answer.status, answer.type) == (410, type_)
    assert "The author withdrew it." in answer.text
    assert ("ratelimit-remaining" in answer.fields) == (type_ == PROBLEM)


@pytest.mark.parametrize(
    ("path", "type_"), [("/posts/replaced/", HTML), ("/posts/replaced.md", MARKDOWN), ("/posts/replaced.json", PROBLEM)]
)
def test_a_withdrawn_record_names_its_successor_and_sends_nobody_there(server: Server, path: str, type_: str) -> None:
    answer = server.ask(path, **server.client())
    assert (answer.status, answer.type) == (410, type_)
    assert "withdrawn on 2026-02-01. A better one stands." in answer.text
    assert '<http://archive.test/posts/x/>; rel="successor-version"' in answer.fields["link"]
    assert "Post X" in answer.text
    assert "/posts/x/" in answer.text
    assert "location" not in answer.fields
    if type_ == PROBLEM:
        assert answer.json()["successor"] == {"href": "http://archive.test/posts/x/", "title": "Post X"}


@pytest.mark.parametrize(
    "path",
    [
        *(
            "/a%00b",
            "/a%0Ab",
            "/a%7fb",
            "/a%c2%85b",
            "/a%",
            "/a%4",
            "/a%zz",
            "/%ff",
            "/%c3",
            "/%ed%a0%80",
            "/posts/x%00.json",
            "*",
        ),
        *("/feed.json#x", "/feed.json?a=1#x", "/#"),
    ],
)
def test_a_path_that_cannot_be_read_is_400(server: Server, path: str) -> None:
    answer = server.ask(path, accept="application/json", **server.client())
    assert (answer.status, answer.type) == (400, PROBLEM)
    assert answer.json()["type"].endswith("#problem-bad-path")


@pytest.mark.parametrize(
    "path",
    [
        "/../etc/passwd",
        "/posts/../posts/x/",
        "/posts/./x/",
        "/%2e%2e/%2e%2e/etc/passwd",
        "/posts/%2e%2e%2fx",
        "//",
        "//posts/x/",
        "/posts//x/",
        "/posts/x/%2F",
        "/.",
        "/..",
        "/posts/x/;a=b",
    ],
)
def test_nothing_is_published_at_dot_segments_and_doubled_slashes(server: Server, path: str) -> None:
    assert server.ask(path).status == 404


@pytest.mark.parametrize(
    "path",
    [
        "/%70osts/x/",
        "/posts/%78/",
        "/posts%2Fx/",
        "/page-readership/posts%2Fx.json",
        "/page-readership/posts%2fx.json",
        "/page-readership/posts/x.json",
        "/posts/x.json?utm=1&%00",
        "/?x=1",
    ],
)
def test_escaped_and_plain_characters_are_the_same_path(server: Server, path: str) -> None:
    assert server.ask(path, **server.client()).status == 200


def test_query_members_on_publications_are_ignored(server: Server) -> None:
    plain, queried = server.ask("/posts/x/"), server.ask("/posts/x/?accept=json&page=2")
    assert (plain.body, plain.fields["etag"]) == (queried.body, queried.fields["etag"])


def test_an_overlong_uri_is_414(server: Server) -> None:
    assert server.ask("/" + "a" * 8191).status == 404
    for path in ("/" + "a" * 8192, "/posts/x/?" + "a" * 8200):
        answer = server.ask(path, accept="application/json", **server.client())
        assert (answer.status, answer.type) == (414, PROBLEM)
        assert len(answer.json()["instance"]) <= 2048


def test_overlarge_header_fields_are_431(server: Server) -> None:
    answer = server.ask("/", x_large="a" * 33_000, accept="application/json", **server.client())
    assert (answer.status, answer.type) == (431, PROBLEM)
    assert server.ask("/", x_large="a" * 31_000).status == 200
    assert server.ask("/", x_large="a" * 200_000).status == 431


def test_options_tells_methods_and_lets_browsers_in(server: Server) -> None:
    for path in ("/posts.json", "/none", "*"):
        answer = server.ask(path, "OPTIONS", origin="https://a.test", access_control_request_method="GET")
        assert (answer.status, answer.body, answer.fields["allow"]) == (204, b"", "GET, HEAD, OPTIONS")
        assert answer.fields["access-control-allow-origin"] == "*"
        assert answer.fields["access-control-allow-methods"] == "GET, HEAD, OPTIONS"
        assert "access-control-allow-credentials" not in answer.fields
        assert "content-length" not in answer.fields


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "TRACE", "PROPFIND", "get", "X"])
def test_other_methods_are_405(server: Server, method: str) -> None:
    answer = server.ask("/posts/x/", method)
    assert (answer.status, answer.type, answer.fields["allow"]) == (405, PROBLEM, "GET, HEAD, OPTIONS")
    assert answer.json()["type"].endswith("#problem-method-not-allowed")


def test_a_wrong_method_is_explained_in_the_form_asked_for_and_costs_nothing(server: Server) -> None:
    client = server.client()
    assert server.ask("/posts.json", "POST", b"x" * 100_000, accept="text/html", **client).type == HTML
    assert "ratelimit-limit" not in server.ask("/posts.json", "POST", **client).fields
    assert server.ask("/posts.json", **client).fields["ratelimit-remaining"] == "119"


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "PROPFIND"])
@pytest.mark.parametrize(
    "path", ["/agent-payments/reserch-bundle", "/none", "/none/", "/posts/none.json", "//posts/x/"]
)
def test_what_is_not_there_is_404_whatever_the_method(server: Server, method: str, path: str) -> None:
    answer = server.ask(path, method, **server.client())
    assert (answer.status, answer.type) == (404, PROBLEM)
    assert answer.json()["type"].endswith("#problem-not-found")
    assert "allow" not in answer.fields


@pytest.mark.parametrize("method", ["POST", "DELETE", "OPTIONS"])
def test_what_was_withdrawn_is_gone_whatever_the_method(server: Server, method: str) -> None:
    assert [
        server.ask(path, method, **server.client()).status
        for path in ("/posts/gone/", "/posts/gone", "/posts/gone.json")
    ] == [410] * 3


def test_a_path_that_moves_or_lacks_its_slash_is_known_to_every_method(server: Server) -> None:
    for path in ("/posts/x", "/posts/old/", "/posts/old"):
        assert (server.ask(path, "POST").status, server.ask(path, "POST").fields["allow"]) == (
            405,
            "GET, HEAD, OPTIONS",
        )
        assert server.ask(path, "OPTIONS").status == 204


def test_a_path_that_cannot_be_read_is_400_whatever_the_method(server: Server) -> None:
    assert [server.ask(path, "POST", **server.client()).status for path in ("/a%00b", "/a%zz", "/" + "a" * 8192)] == [
        400,
        400,
        414,
    ]


def test_a_markdown_recovery_page_links_whole_addresses(server: Server) -> None:
    answer = server.ask("/posts/none.md")
    assert "(http://archive.test/posts/x/)" in answer.text
    assert "](/posts" not in answer.text
