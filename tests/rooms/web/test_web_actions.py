"""Operations over REST: the order of checks, faults with their place, and that nothing is published."""

from pathlib import Path
from typing import Any

import orjson
import pytest

from citepress.contract.limits import Limit
from citepress.contract.store import StoreUnavailable
from citepress.edition.edition import open_edition, pointer
from citepress.inbox.ports import StoredSubmission, SubmissionReceipt
from citepress.inbox.submissions import New
from citepress.operations import ALL, Inbox, OperationContext
from citepress.web import body as bodies
from support.acting import SOURCE, Service, service, small
from support.documents import faults
from support.world import desk
from support.world import world as made

READS = ("/search.json?query=caches", "/agent-actions/contextualize.json?url=https://spec.example/one")
SUBMITS = {
    "/agent-inbox/source": SOURCE,
    "/agent-inbox/correction": {
        "related_record": "posts/caching", "correction": "It keeps the newest.", "evidence_urls": ["https://proof.example/"],
    },
    "/agent-inbox/usage-receipt": {"record_url": "https://archive.test/posts/caching/", "use": "An answer."},
}  # fmt: skip
JSON = "application/json"


@pytest.fixture(scope="module")
def reading(tmp_path_factory: pytest.TempPathFactory) -> Service:
    """A service that tests only read, or submit to under clients of their own."""
    return service(tmp_path_factory.mktemp("service"))


def sort(answer: Any) -> str:
    assert answer.type == "application/problem+json"
    return str(answer.json()["type"].rpartition("#problem-")[2])


@pytest.mark.parametrize("target", READS)
def test_a_reading_action_answers_json_with_rate_limit_and_links(reading: Service, target: str) -> None:
    answer = reading.ask(target)
    assert (answer.status, answer.type) == (200, JSON)
    assert answer.fields["ratelimit-remaining"] == "119"
    assert 'rel="describedby"' in answer.fields["link"]
    assert 'rel="deprecation"' in answer.fields["link"]
    assert answer.fields["cache-control"] == "max-age=60"
    assert "etag" not in answer.fields
    head = reading.ask(target, "HEAD")
    assert (head.status, head.body, head.fields["content-length"]) == (200, b"", str(len(answer.body)))


def test_every_answer_fits_its_published_schema(reading: Service) -> None:
    for target in READS:
        answer = reading.ask(target)
        path = answer.fields["link"].partition(">")[0].removeprefix("<https://archive.test")
        assert faults(reading.ask(path).json(), answer.json()) == []


@pytest.mark.parametrize("target", [*READS, *SUBMITS, "/search/"])
def test_options_tells_the_methods(reading: Service, target: str) -> None:
    answer = reading.ask(target, "OPTIONS")
    assert answer.status == 204
    assert answer.fields["allow"] == answer.fields["access-control-allow-methods"]
    assert ("POST" in answer.fields["allow"]) == (target in SUBMITS)


@pytest.mark.parametrize("target", [*READS, "/search/?query=x", f"/agent-inbox/submissions/{'a' * 32}.json"])
@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE"])
def test_a_reading_path_takes_no_other_method(reading: Service, target: str, method: str) -> None:
    answer = reading.ask(target, method)
    assert (answer.status, answer.fields["allow"]) == (405, "GET, HEAD, OPTIONS")


@pytest.mark.requirement("contextualize faults")
@pytest.mark.parametrize(
    ("query", "wrong"),
    [
        ("", {"url": "url is required."}),
        ("?url=", {"url": "url is required."}),
        ("?url=http://a.example/", {"url": "url must be an https URL."}),
        ("?url=https://a.example/" + "x" * 2048, {"url": "url may have at most 2,048 characters."}),
        ("?url=https://", {"url": "url is no URL: not an absolute http or https URL."}),
        ("?url=https://a.example/&url=https://b.example/", {"url": "url is given more than once."}),
        ("?url=nothing&limit=0&start=-1", {"url": "url must be an https URL.", "limit": "limit must be at least 1.", "start": "start must be at least 0."}),
        ("?url=https://a.example/&limit=many", {"limit": "limit must be a whole number."}),
        ("?url=https://a.example/&task=" + "x" * 501, {"task": "task may have at most 500 characters."}),
    ],
)  # fmt: skip
def test_query_faults_are_400_and_all_told_with_their_parameter(reading: Service, query: str, wrong: dict[str, str]) -> None:
    answer = reading.ask("/agent-actions/contextualize.json" + query)
    assert (answer.status, sort(answer)) == (400, "bad-query")
    assert {error["parameter"]: error["detail"] for error in answer.json()["errors"]} == wrong


def test_a_query_that_cannot_be_read_is_400(reading: Service) -> None:
    assert reading.ask("/search.json?query=%ff").status == 400
    assert reading.ask("/search.json?" + "a=1&" * 101).status == 400
    assert reading.ask("/search.json?query=x&" + "y" * 9000).status == 414


def test_unknown_members_of_a_query_are_passed_over(reading: Service) -> None:
    assert reading.ask("/search.json?query=caches&utm_source=x&").status == 200


def test_a_list_is_written_with_commas_or_repeated(reading: Service) -> None:
    for query in ("kinds=posts,topics", "kinds=posts&kinds=topics"):
        found = reading.ask(f"/search.json?query=caches&limit=20&{query}").json()["results"]
        assert {hit["kind"] for hit in found} == {"posts", "topics"}
    wrong = reading.ask("/search.json?query=x&kinds=post").json()["errors"]
    assert [(one["parameter"], "did you mean" in one["detail"]) for one in wrong] == [("kinds", True)]


def test_a_further_part_begins_where_start_says(reading: Service) -> None:
    whole = reading.ask("/search.json?query=caches&limit=4").json()["results"]
    assert reading.ask("/search.json?query=caches&limit=2&start=2").json()["results"] == whole[2:]


@pytest.mark.parametrize("target", [*READS, *SUBMITS])
def test_a_client_that_wants_no_json_gets_406_before_any_effect(reading: Service, target: str) -> None:
    answer = reading.ask(target, "POST" if target in SUBMITS else "GET", b"{", accept="text/html", content_type="text/plain")
    assert (answer.status, sort(answer)) == (406, "not-acceptable")
    assert answer.json()["available"][0]["type"] == JSON


@pytest.mark.requirement("inbox accepted")
@pytest.mark.parametrize("target", SUBMITS)
def test_an_accepted_submission_is_202_with_its_status(reading: Service, target: str) -> None:
    answer = reading.post(target, SUBMITS[target] | {"agent": {"name": "Accepted"}})
    assert (answer.status, answer.fields["cache-control"]) == (202, "no-store")
    assert answer.fields["location"] == answer.fields["content-location"]
    told = answer.json()
    assert (told["status"], told["duplicate"], told["credited_in"]) == ("queued", False, None)
    assert told["status_url"] == "https://archive.test" + answer.fields["location"]
    assert told["review"]["next_review_at"] == "2026-11-23T00:00:00Z"
    again = reading.ask(answer.fields["location"])
    assert (again.status, again.json(), again.fields["cache-control"]) == (200, told, "no-store")
    assert "Accepted" not in again.text


@pytest.mark.requirement("inbox repeat")
def test_a_repeat_is_200_with_the_earlier_submission(reading: Service) -> None:
    body = SOURCE | {"reason": "Repeated, word for word."}
    first = reading.post("/agent-inbox/source", body)
    second = reading.post("/agent-inbox/source", body | {"related_record": "/posts/caching/", "url": "https://SOURCE.example/one#x"})
    assert (first.status, second.status) == (202, 200)
    assert (second.json()["id"], second.json()["duplicate"]) == (first.json()["id"], True)
    assert second.fields["content-location"] == first.fields["location"]
    assert "location" not in second.fields


@pytest.mark.requirement("inbox quota")
def test_the_submission_past_the_quota_is_429_with_both_policies(tmp_path: Path) -> None:
    inbox = service(tmp_path, quota=2)
    client = {"x_forwarded_for": "203.0.113.9"}
    for number in range(2):
        assert inbox.post("/agent-inbox/source", SOURCE | {"reason": f"Reason number {number}."}, **client).status == 202
    assert inbox.post("/agent-inbox/source", SOURCE | {"reason": "Reason number 1."}, **client).status == 200
    answer = inbox.post("/agent-inbox/source", SOURCE | {"reason": "One more reason."}, **client)
    assert (answer.status, sort(answer)) == (429, "rate-limited")
    assert answer.fields["ratelimit-policy"] == "120;w=60, 2;w=86400"
    assert (answer.fields["ratelimit-limit"], answer.fields["ratelimit-remaining"]) == ("2", "0")
    assert answer.fields["retry-after"] == answer.fields["ratelimit-reset"] == "86400"
    assert inbox.post("/agent-inbox/source", SOURCE | {"reason": "Another client."}, x_forwarded_for="203.0.113.10").status == 202


def test_the_rest_limit_comes_before_the_body_is_looked_at(tmp_path: Path) -> None:
    inbox = service(tmp_path, rest=2)
    client = {"x_forwarded_for": "203.0.113.9"}
    assert [inbox.post("/agent-inbox/source", {}, **client).status for _ in range(3)] == [422, 422, 429]
    assert inbox.ask("/agent-inbox/source", **client).status == 405
    assert inbox.ask(READS[0], **client).status == 429


@pytest.mark.parametrize(
    ("fields", "status"),
    [
        ({"content_type": "text/plain"}, 415), ({"content_type": ""}, 415), ({"content_type": "application/json; charset=latin-1"}, 415),
        ({"content_type": "application/json", "content_encoding": "gzip"}, 415), ({"content_type": "application/jsonp"}, 415),
        ({"content_type": 'Application/JSON; charset="UTF-8"'}, 202), ({"content_type": JSON, "content_encoding": "identity"}, 202),
    ],
)  # fmt: skip
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
        assert (answer.status, sort(answer), answer.json()["limit_bytes"]) == (413, "too-large", 8192)
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
    monkeypatch.setattr(bodies.received, "__defaults__", (0.05,))
    answer = reading.ask("/agent-inbox/source", "POST", [b"..."], content_type=JSON)
    assert (answer.status, sort(answer), answer.fields["connection"]) == (408, "timeout", "close")


@pytest.mark.parametrize("body", [b"", b"{", b"\xff", b"\xef\xbb\xbf{}", b"NaN", b'"\\ud800"', b"[" * 5000, b"{}{}"])
def test_what_is_not_json_is_400(reading: Service, body: bytes) -> None:
    answer = reading.ask("/agent-inbox/source", "POST", body, content_type=JSON)
    assert (answer.status, sort(answer)) == (400, "bad-json")


@pytest.mark.requirement("inbox faults", "inbox bounds", "inbox bodies")
@pytest.mark.parametrize(
    ("target", "body", "pointers"),
    [
        ("source", [], [""]),
        ("source", None, [""]),
        ("source", {}, ["/reason", "/url"]),
        ("source", SOURCE | {"url": "ftp://x", "reason": "short", "agent": {"nom": "x"}, "evil~/": 1},
         ["/agent/name", "/agent/nom", "/evil~0~1", "/reason", "/url"]),
        ("correction", {"related_record": "posts/caching", "correction": "x" * 2001, "evidence_urls": ["http://x", 3]},
         ["/correction", "/evidence_urls/0", "/evidence_urls/1"]),
        ("correction", {"related_record": "posts/caching", "correction": "It is so now.", "evidence_urls": []}, ["/evidence_urls"]),
        ("usage-receipt", {"use": "An answer."}, ["/record_url"]),
        ("usage-receipt", {"use": "An answer.", "related_record": "posts/caching", "used_at": "yesterday"}, ["/used_at"]),
    ],
)  # fmt: skip
def test_a_body_that_does_not_fit_is_422_with_every_pointer(reading: Service, target: str, body: Any, pointers: list[str]) -> None:
    answer = reading.post(f"/agent-inbox/{target}", body)
    assert (answer.status, sort(answer)) == (422, "invalid")
    assert sorted(error["pointer"] for error in answer.json()["errors"]) == pointers


@pytest.mark.requirement("inbox unknown record")
@pytest.mark.parametrize(("name", "pointer"), [("related_record", "/related_record"), ("record_url", "/record_url")])
def test_an_unknown_record_is_422_with_its_pointer_and_the_nearest_ids(reading: Service, name: str, pointer: str) -> None:
    url = "posts/cachings" if name == "related_record" else "https://archive.test/posts/cachings/"
    answer = reading.post("/agent-inbox/usage-receipt", {"use": "An answer.", name: url})
    assert answer.status == 422
    assert answer.json()["errors"][0]["pointer"] == pointer
    assert answer.json()["nearest"][0] == {"href": "https://archive.test/posts/caching/", "title": "posts/caching"}


@pytest.mark.parametrize("name", ["posts/withdrawn", "https://elsewhere.example/posts/caching/", "posts/caching/x"])
def test_what_is_no_published_record_takes_no_correction(reading: Service, name: str) -> None:
    answer = reading.post("/agent-inbox/correction", SUBMITS["/agent-inbox/correction"] | {"related_record": name})
    assert (answer.status, answer.json()["errors"][0]["pointer"]) == (422, "/related_record")


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
    assert (answer.status, sort(answer)) == (404, "not-found")


class Away:
    """A store that does not answer."""

    def submit(self, _new: New, _client: str, _limit: Limit, _moment: object) -> SubmissionReceipt:
        raise StoreUnavailable("locked", 7)

    def find(self, _id: str) -> StoredSubmission | None:
        raise StoreUnavailable("locked", 7)


def test_a_store_that_is_away_is_503_and_says_that_nothing_was_queued(tmp_path: Path) -> None:
    whole = made(small(tmp_path / "c"), tmp_path / "s", inbox=False)
    away: Any = Away()
    inbox = Service(OperationContext(whole.edition, whole.index, whole.now, Inbox(away, Limit("inbox", 30, 86400))))
    answer = inbox.post("/agent-inbox/source", SOURCE)
    assert (answer.status, answer.fields["retry-after"], sort(answer)) == (503, "7", "unavailable")
    assert "Nothing was queued" in answer.json()["detail"]
    assert "locked" not in answer.text
    assert inbox.ask(f"/agent-inbox/submissions/{'a' * 32}.json").status == 503


def test_without_an_inbox_its_paths_do_not_stand(tmp_path: Path) -> None:
    without = Service(made(small(tmp_path / "c"), tmp_path / "s", inbox=False))
    assert without.post("/agent-inbox/source", SOURCE).status == 404
    assert without.ask("/agent-inbox/source").status == 404
    assert without.ask(READS[1]).status == 200
    assert "/agent-inbox/source" not in without.ask("/openapi.json").text


def test_an_operation_that_fails_is_500_and_tells_nothing(reading: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(type(reading.world.index), "search", lambda *_: 1 / 0)
    answer = reading.ask(READS[0])
    assert (answer.status, sort(answer)) == (500, "internal")
    assert "division" not in answer.text


def test_while_there_is_no_edition_every_action_is_503(reading: Service) -> None:
    world, edition = reading.world, reading.door.edition
    reading.world, reading.door.edition = None, None  # type: ignore[assignment]
    try:
        for target, method in ((READS[0], "GET"), ("/search/", "GET"), ("/agent-inbox/source", "POST")):
            answer = reading.ask(target, method)
            assert (answer.status, answer.fields["retry-after"]) == (503, "1")
    finally:
        reading.world, reading.door.edition = world, edition


def test_no_route_publishes_anything(tmp_path: Path) -> None:
    whole = service(tmp_path)
    before = whole.world.edition.digest
    bodies = [b"", b"{}", orjson.dumps(SOURCE), b"publish"]
    paths = [path for path in whole.world.edition.paths() if path.count("/") < 3]
    for path in [*SUBMITS, *(target.partition("?")[0] for target in READS), "/search/", "/agent-inbox/submissions/x.json", *paths]:
        for method in ("POST", "PUT", "PATCH", "DELETE"):
            for body in bodies[: 4 if path in SUBMITS else 1]:
                assert whole.ask(path, method, body, content_type=JSON).status not in {200, 201, 204}
    assert open_edition(pointer(tmp_path / "state")).digest == before


def test_both_contracts_describe_every_action(reading: Service) -> None:
    contract = reading.ask("/openapi.json").json()
    post = contract["paths"]["/agent-inbox/source"]["post"]
    assert {"200", "202", "400", "406", "408", "413", "415", "422", "429", "503"} <= post["responses"].keys()
    assert post["requestBody"]["content"][JSON]["schema"] == {"$ref": "#/components/schemas/SourceSubmission"}
    assert contract["components"]["schemas"]["SourceSubmission"]["additionalProperties"] is False
    get = contract["paths"]["/agent-actions/contextualize.json"]["get"]
    assert [(p["name"], p["required"]) for p in get["parameters"]] == [("url", True), ("task", False), ("limit", False), ("start", False)]
    catalog = reading.ask("/openapi-route-catalog.json").json()
    assert catalog["paths"]["/search/"]["get"]["responses"]["200"]["content"].keys() == {"text/html", "text/markdown"}
    for guide in ("/llms.txt", "/llms-full.txt", "/agents.md"):
        assert all(path in reading.ask(guide).text for path in ("/agent-actions/contextualize.json", *SUBMITS))


def test_an_example_of_the_contract_is_accepted(reading: Service) -> None:
    paths = reading.ask("/openapi.json").json()["paths"]
    for path in SUBMITS:
        body = paths[path]["post"]["requestBody"]["content"][JSON]["example"]
        assert reading.post(path, body).status == 202
    for path in ("/search.json", "/agent-actions/contextualize.json"):
        query = "&".join(f"{p['name']}={p['example']}" for p in paths[path]["get"]["parameters"] if "example" in p).replace(" ", "+")
        assert reading.ask(f"{path}?{query}").status == 200


def test_an_action_is_no_page_of_the_sitemap_and_no_template_of_the_manifest(tmp_path: Path) -> None:
    at_desk = desk(small(tmp_path), ALL)
    assert {"/search/", "/search.json"} <= {route.path for route in at_desk.table}
    whole = made(at_desk.archive, tmp_path / "s", inbox=True).edition
    assert b"/search/" not in whole.bodies("/sitemap.md")["identity"]
    templates = orjson.loads(whole.bodies("/mcp-readonly.json")["identity"])["resource_templates"]
    assert [one["name"] for one in templates if "/agent-inbox/" in one["uriTemplate"]] == []
