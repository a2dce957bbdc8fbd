"""Errors and limits of the running demo, over the wire (specification, "Errors", "Limits")."""

from pathlib import Path

import pytest

from support.demo import RATE, Demo
from support.folder import folder, post
from support.running_server import serving

PROBLEM = "application/problem+json"
MISSING = [
    "/none",
    "/none/",
    "/none.json",
    "/none.md",
    "/posts/none/",
    "/posts/none.json",
    "/topics/none.md",
    "/feeds/none.xml",
    "/schemas/None.json",
    "/datasets/none/v1.csv",
    "/sitemaps/none.xml",
    "/static/none.png",
]


@pytest.mark.requirement("error unknown", "error json", "convention statuses")
@pytest.mark.parametrize("path", MISSING)
def test_what_is_not_published_is_404_in_every_form(demo: Demo, path: str) -> None:
    for accept, type_ in (
        ("text/html", "text/html"),
        ("text/markdown", "text/markdown"),
        ("application/json", PROBLEM),
    ):
        answer = demo.get(path, accept=accept)
        assert (answer.status, answer.type.partition(";")[0]) == (404, type_)
        assert "/llms.txt" in answer.text or type_ == PROBLEM
        assert (set(answer.fields) >= RATE) == (type_ == PROBLEM)
    head = demo.get(path, "HEAD")
    assert (head.status, head.body) == (404, b"")


@pytest.mark.requirement("error problem fields")
def test_a_problem_document_names_its_type_and_what_can_be_done(demo: Demo) -> None:
    slug = demo.items("posts")[0]["slug"]
    missing = demo.get(f"/posts/{slug[:-1]}.json").json()
    assert {"type", "title", "status", "detail", "instance", "nearest"} <= set(missing)
    assert missing["type"] == f"{demo.base}/developers/#problem-not-found"
    assert f"{demo.base}/posts/{slug}/" in {near["href"] for near in missing["nearest"]}
    refused = demo.get("/posts/<slug>/", accept="image/png").json()
    assert [form["type"] for form in refused["available"]] == [
        "text/html",
        "text/markdown",
        "application/json",
        "application/x-bibtex",
        "application/x-research-info-systems",
        "application/vnd.citationstyles.csl+json",
        "application/linkset+json",
    ]
    assert 'id="problem-not-found"' in demo.get("/developers/").text


@pytest.mark.requirement("error representation")
def test_a_type_that_cannot_be_had_is_406_with_the_types_that_can(demo: Demo) -> None:
    for path in ("/rss.xml", "/llms.txt", "/posts.json", "/developers.md", "/"):
        answer = demo.get(path, accept="image/png;q=1, */*;q=0")
        assert (answer.status, answer.type) == (406, PROBLEM)
        assert answer.json()["available"]


@pytest.mark.requirement("limit rest", "error rest limit", "authentication 6")
def test_a_client_has_120_json_requests_a_minute_and_pages_beside_them(demo: Demo) -> None:
    client, other = demo.server.client(), demo.server.client()
    for left in range(119, -1, -1):
        assert demo.server.ask("/learn.json", **client).fields["ratelimit-remaining"] == str(left)
    over = demo.server.ask("/posts.json", **client)
    assert (over.status, over.type) == (429, PROBLEM)
    assert set(over.fields) >= RATE | {"retry-after"}
    assert demo.server.ask("/feed.json", **client).status == 429
    for path in ("/", "/developers.md", "/llms.txt", "/rss.xml"):
        assert demo.server.ask(path, **client).status == 200
    assert demo.server.ask("/posts.json", **other).status == 200


@pytest.mark.requirement("limit rest")
def test_the_limit_is_the_operators(tmp_path: Path) -> None:
    archive = folder(tmp_path / "archive", {"content/posts/one.md": post()})
    with serving(archive, tmp_path / "state", rest_limit="2") as server:
        statuses = [server.ask("/posts.json").status for _ in range(3)]
        assert statuses == [200, 200, 429]
        assert server.ask("/posts/one/").status == 200


@pytest.mark.requirement("limit rest")
def test_without_json_answers_left_a_client_gets_a_form_that_is_not_counted_or_429(tmp_path: Path) -> None:
    archive = folder(tmp_path / "archive", {"content/posts/one.md": post()})
    with serving(archive, tmp_path / "state", rest_limit="1") as server:
        client = server.client()
        assert server.ask("/posts.json", **client).status == 200
        for accept in ("application/json", "application/vnd.citationstyles.csl+json", "application/linkset+json"):
            assert server.ask("/posts/one/", accept=accept, **client).status == 429
            answer = server.ask("/posts/one/", accept=f"{accept}, text/markdown;q=0.5", **client)
            assert (answer.status, answer.type.partition(";")[0]) == (200, "text/markdown")
        assert server.ask("/posts/one/", accept="application/json, text/plain, */*", **client).status == 200
