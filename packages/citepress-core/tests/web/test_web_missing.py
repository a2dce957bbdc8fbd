"""What is not there, whatever the method; what is near it; and what a client gets that has no JSON left."""

from pathlib import Path

import pytest

from support.server_with_actions import Service, service

JSON = "application/json"


@pytest.fixture(scope="module")
def reading(tmp_path_factory: pytest.TempPathFactory) -> Service:
    """A service that tests only read."""
    return service(tmp_path_factory.mktemp("service"))


@pytest.mark.parametrize("method", ["GET", "POST", "OPTIONS", "DELETE"])
def test_what_no_id_can_be_is_404_whatever_the_method_and_says_no_more_than_it_tells(
    reading: Service, method: str
) -> None:
    answer = reading.ask("/agent-inbox/submissions/unknown.json", method)
    assert (answer.status, answer.type) == (404, "application/problem+json")
    problem = answer.json()
    assert ("nearest" in problem["detail"]) == ("nearest" in problem)


@pytest.mark.parametrize("path", ["/posts/nothing.json", "/posts/page/7/", "/posts/cachings.md"])
def test_nobody_who_missed_a_page_is_sent_to_a_page_of_a_list(reading: Service, path: str) -> None:
    answer = reading.ask(path, accept="application/json")
    assert answer.status == 404
    assert [page["title"] for page in answer.json()["nearest"] if "page 1" in page["title"]] == []
    assert all(page["href"].startswith("https://archive.test/") for page in answer.json()["nearest"])


def test_a_browser_may_ask_beforehand_what_it_may_send(reading: Service) -> None:
    for target in ("/agent-inbox/source", "/agent-inbox/submissions/unknown.json", "/none"):
        assert (
            reading.ask(target, "OPTIONS", origin="https://a.test", access_control_request_method="POST").status == 204
        )


def test_the_search_page_is_a_page_for_whoever_has_no_json_left(tmp_path: Path) -> None:
    few = service(tmp_path, rest=1)
    client = {"x_forwarded_for": "203.0.113.9", "accept": "application/json, text/html;q=0.5"}
    answers = [few.ask("/search/?query=caches", **client) for _ in range(2)]
    assert [(answer.status, answer.type) for answer in answers] == [(200, JSON), (200, "text/html; charset=utf-8")]
    assert few.ask("/search/?query=caches", **(client | {"accept": JSON})).status == 429
