"""The inbox over REST: what a submission is answered with, its limits, and every fault of its body."""

from pathlib import Path
from typing import Any

import orjson
import pytest

from citepress.contract.limits import Limit
from citepress.contract.store import StoreUnavailable
from citepress.http import body as bodies
from citepress.operations import OperationContext
from citepress_inbox.ports import Inbox, StoredSubmission, SubmissionReceipt
from citepress_inbox.service import services_of
from citepress_inbox.submissions import New
from support.documents import faults
from support.operation_context import operation_context
from support.server_with_actions import READS, SOURCE, SUBMITS, Service, problem_slug, service, small

JSON = "application/json"


@pytest.fixture(scope="module")
def reading(tmp_path_factory: pytest.TempPathFactory) -> Service:
    """A service that tests submit to under clients of their own."""
    return service(tmp_path_factory.mktemp("service"))


@pytest.mark.requirement("inbox accepted")
@pytest.mark.parametrize("target", SUBMITS)
def test_an_accepted_submission_is_202_with_its_status(reading: Service, target: str) -> None:
    answer = reading.post(target, SUBMITS[target] | {"agent": {"name": "Accepted"}})
    assert (answer.status, answer.fields["cache-control"]) == (202, "no-store")
    assert answer.fields["location"] == answer.fields["content-location"]
    document = answer.json()
    assert (document["status"], document["duplicate"], document["credited_in"]) == ("queued", False, None)
    assert document["status_url"] == "https://archive.test" + answer.fields["location"]
    assert document["review"]["next_review_at"] == "2026-11-23T00:00:00Z"
    again = reading.ask(answer.fields["location"])
    assert (again.status, again.json(), again.fields["cache-control"]) == (200, document, "no-store")
    assert "Accepted" not in again.text


@pytest.mark.requirement("inbox repeat")
def test_a_repeat_is_200_with_the_earlier_submission(reading: Service) -> None:
    body = SOURCE | {"reason": "Repeated, word for word."}
    first = reading.post("/agent-inbox/source", body)
    second = reading.post(
        "/agent-inbox/source", body | {"related_record": "/posts/caching/", "url": "https://SOURCE.example/one#x"}
    )
    assert (first.status, second.status) == (202, 200)
    assert (second.json()["id"], second.json()["duplicate"]) == (first.json()["id"], True)
    assert second.fields["content-location"] == first.fields["location"]
    assert "location" not in second.fields


@pytest.mark.requirement("inbox quota")
def test_the_submission_past_the_quota_is_429_with_both_policies(tmp_path: Path) -> None:
    inbox = service(tmp_path, quota=2)
    client = {"x_forwarded_for": "203.0.113.9"}
    for number in range(2):
        assert (
            inbox.post("/agent-inbox/source", SOURCE | {"reason": f"Reason number {number}."}, **client).status == 202
        )
    assert inbox.post("/agent-inbox/source", SOURCE | {"reason": "Reason number 1."}, **client).status == 200
    answer = inbox.post("/agent-inbox/source", SOURCE | {"reason": "One more reason."}, **client)
    assert (answer.status, problem_slug(answer)) == (429, "rate-limited")
    assert answer.fields["ratelimit-policy"] == '"rest";q=120;w=60, "inbox";q=2;w=86400'
    assert (answer.fields["ratelimit-limit"], answer.fields["ratelimit-remaining"]) == ("2", "0")
    assert answer.fields["retry-after"] == answer.fields["ratelimit-reset"] == "86400"
    assert (
        inbox.post("/agent-inbox/source", SOURCE | {"reason": "Another client."}, x_forwarded_for="203.0.113.10").status
        == 202
    )


def test_the_rest_limit_comes_before_the_body_is_looked_at(tmp_path: Path) -> None:
    inbox = service(tmp_path, rest=2)
    client = {"x_forwarded_for": "203.0.113.9"}
    assert [inbox.post("/agent-inbox/source", {}, **client).status for _ in range(3)] == [422, 422, 429]
    assert inbox.ask("/agent-inbox/source", **client).status == 405
    assert inbox.ask(READS[0], **client).status == 429


@pytest.mark.parametrize(
    ("fields", "status"),
    [
        ({"content_type": "text/plain"}, 415),
        ({"content_type": ""}, 415),
        ({"content_type": "application/json; charset=latin-1"}, 415),
        ({"content_type": "application/json", "content_encoding": "gzip"}, 415),
        ({"content_type": "application/jsonp"}, 415),
        ({"content_type": 'Application/JSON; charset="UTF-8"'}, 202),
        ({"content_type": JSON, "content_encoding": "identity"}, 202),
    ],
)
def test_the_body_is_json_in_utf8(reading: Service, fields: dict[str, str], status: int) -> None:
    body = orjson.dumps(SOURCE | {"reason": f"Reason for {fields}."})
    answer = reading.ask("/agent-inbox/source", "POST", body, **fields)
    assert answer.status == status
    if status == 415:
        assert (answer.fields["accept"], answer.fields["connection"]) == (JSON, "close")
        assert answer.fields["accept-encoding"] == "identity"


@pytest.mark.requirement("inbox oversized")
def test_a_body_over_8_kib_is_413_with_the_limit(reading: Service) -> None:
    large = orjson.dumps(SOURCE | {"reason": "x" * 8192})
    announced = reading.ask("/agent-inbox/source", "POST", [b"..."], content_type=JSON, content_length="8193")
    arriving = reading.ask("/agent-inbox/source", "POST", [large[:5000], large[5000:], b"..."], content_type=JSON)
    for answer in (announced, arriving):
        assert (answer.status, problem_slug(answer), answer.json()["limit_bytes"]) == (413, "too-large", 8192)
        assert answer.fields["connection"] == "close"
    exact = orjson.dumps({"pad": ""})[:-2] + b"x" * (8192 - 10) + b'"}'
    assert (len(exact), reading.ask("/agent-inbox/source", "POST", exact, content_type=JSON).status) == (8192, 422)


def test_the_order_of_checks_is_that_of_the_contract(reading: Service) -> None:
    def status(body: bytes = b"{", **fields: str) -> int:
        return reading.ask("/agent-inbox/source", "POST", body, **fields).status

    assert status(accept="image/png", content_type="text/plain", content_length="9000") == 406
    assert status(content_type="text/plain", content_length="9000") == 415
    assert status(content_type=JSON, content_length="9000") == 413
    assert status(content_type=JSON) == 400
    assert status(b'{"reason": 1}', content_type=JSON) == 422
    assert status(orjson.dumps(SOURCE | {"related_record": "posts/none", "reason": "short"}), content_type=JSON) == 422


def test_a_body_that_never_ends_is_408(reading: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bodies.receive_body, "__defaults__", (0.05,))
    answer = reading.ask("/agent-inbox/source", "POST", [b"..."], content_type=JSON)
    assert (answer.status, problem_slug(answer), answer.fields["connection"]) == (408, "timeout", "close")


@pytest.mark.parametrize("body", [b"", b"{", b"\xff", b"\xef\xbb\xbf{}", b"NaN", b'"\\ud800"', b"[" * 5000, b"{}{}"])
def test_what_is_not_json_is_400(reading: Service, body: bytes) -> None:
    answer = reading.ask("/agent-inbox/source", "POST", body, content_type=JSON)
    assert (answer.status, problem_slug(answer)) == (400, "bad-json")


@pytest.mark.requirement("inbox faults", "inbox bounds", "inbox bodies")
@pytest.mark.parametrize(
    ("target", "body", "pointers"),
    [
        ("source", [], [""]),
        ("source", None, [""]),
        ("source", {}, ["/reason", "/url"]),
        (
            "source",
            SOURCE | {"url": "ftp://x", "reason": "short", "agent": {"nom": "x"}, "evil~/": 1},
            ["/agent/name", "/agent/nom", "/evil~0~1", "/reason", "/url"],
        ),
        (
            "correction",
            {"related_record": "posts/caching", "correction": "x" * 2001, "evidence_urls": ["http://x", 3]},
            ["/correction", "/evidence_urls/0", "/evidence_urls/1"],
        ),
        (
            "correction",
            {"related_record": "posts/caching", "correction": "It is so now.", "evidence_urls": []},
            ["/evidence_urls"],
        ),
        ("usage-receipt", {"use": "An answer."}, ["/record_url"]),
        (
            "usage-receipt",
            {"use": "An answer.", "related_record": "posts/caching", "used_at": "yesterday"},
            ["/used_at"],
        ),
        (
            "source",
            {"url": "http://x.example", "related_record": "posts/none", "reason": "short", "evil": 1},
            ["/evil", "/reason", "/related_record", "/url"],
        ),
        (
            "correction",
            {"related_record": "posts/none", "correction": "short", "evidence_urls": ["http://x"]},
            ["/correction", "/evidence_urls/0", "/related_record"],
        ),
        (
            "usage-receipt",
            {"record_url": "https://archive.test/posts/none/", "use": "x", "used_at": "2099-01-01"},
            ["/record_url", "/use", "/used_at"],
        ),
    ],
)
def test_a_body_that_does_not_fit_is_422_with_every_pointer(
    reading: Service, target: str, body: Any, pointers: list[str]
) -> None:
    answer = reading.post(f"/agent-inbox/{target}", body)
    assert (answer.status, problem_slug(answer)) == (422, "invalid")
    assert sorted(error["pointer"] for error in answer.json()["errors"]) == pointers


@pytest.mark.requirement("inbox unknown record")
@pytest.mark.parametrize(("name", "pointer"), [("related_record", "/related_record"), ("record_url", "/record_url")])
def test_an_unknown_record_is_422_with_its_pointer_and_the_nearest_ids(
    reading: Service, name: str, pointer: str
) -> None:
    url = "posts/cachings" if name == "related_record" else "https://archive.test/posts/cachings/"
    answer = reading.post("/agent-inbox/usage-receipt", {"use": "An answer.", name: url})
    assert answer.status == 422
    assert answer.json()["errors"][0]["pointer"] == pointer
    assert "search_archive finds ids. Nearest: posts/caching, " in answer.json()["detail"]
    assert ".." not in answer.json()["detail"]
    assert answer.json()["nearest"][0] == {"href": "https://archive.test/posts/caching/", "title": "posts/caching"}


@pytest.mark.parametrize("name", ["posts/withdrawn", "https://elsewhere.example/posts/caching/", "posts/caching/x"])
def test_what_is_no_published_record_takes_no_correction(reading: Service, name: str) -> None:
    answer = reading.post("/agent-inbox/correction", SUBMITS["/agent-inbox/correction"] | {"related_record": name})
    assert (answer.status, answer.json()["errors"][0]["pointer"]) == (422, "/related_record")
    assert ".." not in answer.json()["detail"]


@pytest.mark.requirement("inbox get")
@pytest.mark.parametrize("target", SUBMITS)
def test_get_on_a_submission_path_tells_the_schema(reading: Service, target: str) -> None:
    answer = reading.ask(target)
    assert (answer.status, answer.fields["allow"]) == (405, "POST, OPTIONS")
    schema = answer.json()["request_schema"]
    assert faults(schema, SUBMITS[target]) == []
    assert faults(schema, SUBMITS[target] | {"unknown": 1}) != []
    page = reading.ask(target, accept="text/html")
    assert (page.status, page.type) == (405, "text/html; charset=utf-8")


@pytest.mark.parametrize("name", ["a" * 32, "x", "../source", "a" * 33])
def test_an_unknown_submission_is_404(reading: Service, name: str) -> None:
    answer = reading.ask(f"/agent-inbox/submissions/{name}.json", accept=JSON)
    assert (answer.status, problem_slug(answer)) == (404, "not-found")


class Away:
    """A store that does not answer."""

    def submit(self, _new: New, _client: str, _limit: Limit, _moment: object) -> SubmissionReceipt:
        raise StoreUnavailable("locked", 7)

    def find(self, _id: str) -> StoredSubmission | None:
        raise StoreUnavailable("locked", 7)


def test_a_store_that_is_away_is_503_and_says_that_nothing_was_queued(tmp_path: Path) -> None:
    whole = operation_context(small(tmp_path / "c"), tmp_path / "s", inbox=False)
    away: Any = Away()
    services = services_of(Inbox(away, Limit("inbox", 30, 86400)))
    inbox = Service(OperationContext(whole.edition, whole.index, whole.now, services=services))
    answer = inbox.post("/agent-inbox/source", SOURCE)
    assert (answer.status, answer.fields["retry-after"], problem_slug(answer)) == (503, "7", "unavailable")
    assert "Nothing was queued" in answer.json()["detail"]
    assert "locked" not in answer.text
    assert inbox.ask(f"/agent-inbox/submissions/{'a' * 32}.json").status == 503
