"""The contextualizer and the inbox over the wire (specification, "Free agent actions and inbox")."""

import json
import socket
from collections.abc import Iterator
from http.client import HTTPResponse
from typing import Any
from urllib.parse import urlsplit

import pytest

from support.proof import proves
from support.running_server import HOST, Answer, Server
from support.server_with_actions import SOURCE, acting
from support.waiting import PATIENCE_S

CONTEXT = "/agent-actions/contextualize.json"
CORRECTION = {
    "related_record": "posts/caching",
    "correction": "It keeps the newest.",
    "evidence_urls": ["https://proof.example/"],
}
POLICIES = '"rest";q=120;w=60, "inbox";q=30;w=86400'
RECEIPT = {"related_record": "posts/caching", "use": "An answer on caching."}


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with acting(tmp_path_factory.mktemp("acting")) as started:
        yield started


def post(server: Server, path: str, body: Any, **fields: str) -> Answer:
    headers = {"content_type": "application/json", **server.client(), **fields}
    return server.ask(path, "POST", json.dumps(body).encode(), **headers)


@pytest.mark.requirement(
    "GET /agent-actions/contextualize.json",
    "query contextualize.url",
    "query contextualize.task",
    "authentication 1 inbox",
)
def test_the_contextualizer_tells_who_cites_a_url_and_judges_nothing(service: Server) -> None:
    answer = service.ask(f"{CONTEXT}?url=https%3A%2F%2Fspec.example%2Fone&task=piece+of+a+word", **service.client())
    document = answer.json()
    assert (answer.status, answer.type, document["url"]) == (200, "application/json", "https://spec.example/one")
    assert [citation["id"] for citation in document["cited_by"]] == ["posts/tokens", "posts/caching"]
    assert {"related", "patterns", "origin", "next_steps", "as_of"} <= document.keys()
    assert "verdict" not in document
    assert {"ratelimit-limit", "ratelimit-remaining", "ratelimit-reset", "ratelimit-policy"} <= answer.fields.keys()
    assert 'rel="deprecation"' in answer.fields["link"]


@pytest.mark.requirement("query contextualize.url")
@pytest.mark.parametrize(
    "path", ["/posts/caching/", "/posts/caching", "/posts/caching.md", "/posts/caching.json%23part", "/old/caching/"]
)
def test_the_contextualizer_knows_its_own_archive(service: Server, path: str) -> None:
    answer = service.ask(f"{CONTEXT}?url=https%3A%2F%2Farchive.test{path}", **service.client())
    document = answer.json()
    assert (answer.status, document["match"], document["url"]) == (200, "record", "https://archive.test/posts/caching/")
    assert document["record"]["id"] == "posts/caching"
    assert "metadox/may" in [backlink["id"] for backlink in document["record"]["backlinks"]]
    assert [source["url"] for source in document["record"]["sources"]] == ["https://spec.example/one"]
    assert "No record cites" not in answer.text


@pytest.mark.parametrize(
    ("path", "body"),
    [
        proves("POST /agent-inbox/source", "/agent-inbox/source", SOURCE),
        proves("POST /agent-inbox/correction", "/agent-inbox/correction", CORRECTION),
        proves("POST /agent-inbox/usage-receipt", "/agent-inbox/usage-receipt", RECEIPT),
    ],
)
def test_a_submission_is_queued_and_nothing_is_published(service: Server, path: str, body: dict[str, Any]) -> None:
    before = service.ask("/posts/caching.json", **service.client())
    answer = post(service, path, body | {"agent": {"name": path}})
    assert (answer.status, answer.json()["status"]) == (202, "queued")
    after = service.ask("/posts/caching.json", **service.client())
    assert (after.body, after.fields["etag"]) == (before.body, before.fields["etag"])


@pytest.mark.requirement("GET /agent-inbox/submissions/<id>.json", "limit inbox review")
def test_the_status_of_a_submission_is_read_where_its_answer_says(service: Server) -> None:
    queued = post(service, "/agent-inbox/source", SOURCE | {"reason": "To be looked up."})
    answer = service.ask(queued.fields["location"], **service.client())
    assert answer.json() == queued.json()
    assert answer.json()["review"] == {"cadence": "weekly", "day": "Monday", "next_review_at": "2026-11-23T00:00:00Z"}
    assert service.ask("/agent-inbox/submissions/unknown.json", **service.client()).status == 404


@pytest.mark.requirement("inbox rule 1", "limit inbox body")
def test_a_body_of_8_kib_is_read_and_one_byte_more_is_not(service: Server) -> None:
    bare = json.dumps({"reason": ""}).encode()
    for size, status in ((8192, 422), (8193, 413)):
        body = bare[:-2] + b"x" * (size - len(bare)) + bare[-2:]
        assert len(body) == size
        answer = service.ask("/agent-inbox/source", "POST", body, content_type="application/json", **service.client())
        assert answer.status == status


def test_a_body_without_end_is_cut_off_at_the_limit(service: Server) -> None:
    with socket.create_connection((HOST, service.port), PATIENCE_S) as link:
        link.sendall(
            b"POST /agent-inbox/source HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding:"
            b" chunked\r\n\r\n1000\r\n" + b"x" * 4096 + b"\r\n" + b"1001\r\n" + b"x" * 4097 + b"\r\n"
        )
        response = HTTPResponse(link)
        response.begin()
        assert (response.status, json.loads(response.read())["limit_bytes"]) == (413, 8192)
        assert link.recv(1) == b""


@pytest.mark.requirement("inbox rule 2", "limit inbox duplicate")
def test_a_repeat_within_24_hours_is_the_earlier_submission(service: Server) -> None:
    body = SOURCE | {"reason": "Handed in twice."}
    first, second = post(service, "/agent-inbox/source", body), post(service, "/agent-inbox/source", body)
    assert (first.status, second.status, second.json()["duplicate"]) == (202, 200, True)
    assert second.json() == first.json() | {"duplicate": True}


@pytest.mark.requirement("limit inbox submissions")
def test_the_31st_submission_of_a_client_in_24_hours_is_429(service: Server) -> None:
    client = service.client()
    bodies = [SOURCE | {"reason": f"Reason number {number}."} for number in range(31)]
    answers = [post(service, "/agent-inbox/source", body, **client) for body in bodies]
    assert [answer.status for answer in answers] == [202] * 30 + [429]
    assert answers[-1].fields["ratelimit-policy"] == POLICIES
    assert post(service, "/agent-inbox/source", bodies[0], **client).status == 200


@pytest.mark.parametrize(
    ("member", "wrong"),
    [
        proves("body source.url", "url", "not a url"),
        proves("body source.related_record", "related_record", 7),
        proves("body source.reason", "reason", ["text"]),
        proves("body source.agent", "agent", {"name": 7}),
    ],
)
def test_the_members_of_a_source_are_typed(service: Server, member: str, wrong: object) -> None:
    answer = post(service, "/agent-inbox/source", SOURCE | {member: wrong})
    assert answer.status == 422
    assert [error["pointer"].split("/")[1] for error in answer.json()["errors"]] == [member]


def test_the_search_page_and_its_twin_for_programs_find_the_same(service: Server) -> None:
    results = service.ask("/search.json?query=oldest+entry", **service.client()).json()["results"]
    page = service.ask("/search/?query=oldest+entry", **service.client())
    assert (page.status, page.type) == (200, "text/html; charset=utf-8")
    assert all(f'<a href="{urlsplit(hit["url"]).path}">' in page.text for hit in results)
    assert results


def test_a_body_that_names_a_member_twice_is_422_with_its_pointer(service: Server) -> None:
    body = (
        b'{"url":"https://source.example/two","reason":"It shows the opposite.","reason":"It shows the same.",'
        b'"agent":{"name":"A","n\\u0061me":"B"}}'
    )
    answer = service.ask("/agent-inbox/source", "POST", body, content_type="application/json", **service.client())
    assert (answer.status, answer.type) == (422, "application/problem+json")
    assert answer.json()["errors"] == [
        {"detail": "reason is given more than once; keep one of them.", "pointer": "/reason"},
        {"detail": "agent.name is given more than once; keep one of them.", "pointer": "/agent/name"},
    ]


def test_a_body_that_is_nested_too_deep_is_400(service: Server) -> None:
    body = b'{"reason":' * 300 + b"1" + b"}" * 300
    answer = service.ask("/agent-inbox/source", "POST", body, content_type="application/json", **service.client())
    assert (answer.status, answer.json()["detail"]) == (400, "The body is nested deeper than 254 levels.")


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "2130706433", "0x7f.1", "[::ffff:10.0.0.1]", "localhost:8443", "db.internal", "intranet"]
)
def test_a_submission_names_public_hosts_only(service: Server, host: str) -> None:
    answer = post(service, "/agent-inbox/source", SOURCE | {"url": f"https://{host}/report"})
    assert (answer.status, answer.type) == (422, "application/problem+json")
    assert [error["pointer"] for error in answer.json()["errors"]] == ["/url"]
    urls = ["https://proof.example/", f"https://{host}/proof"]
    answer = post(service, "/agent-inbox/correction", CORRECTION | {"evidence_urls": urls})
    assert (answer.status, [error["pointer"] for error in answer.json()["errors"]]) == (422, ["/evidence_urls/1"])


def test_the_archive_itself_may_be_named_wherever_it_stands(service: Server) -> None:
    for name in ("https://archive.test/posts/caching/", "posts/caching"):
        assert (
            post(
                service, "/agent-inbox/source", SOURCE | {"related_record": name, "reason": f"It stands at {name}."}
            ).status
            == 202
        )
    receipt = {"record_url": "https://archive.test/posts/caching/", "use": "An answer on public hosts."}
    assert post(service, "/agent-inbox/usage-receipt", receipt).status == 202


def test_rate_limit_fields_tell_what_is_left_of_the_thirty(service: Server) -> None:
    client = service.client()
    names = ("ratelimit-limit", "ratelimit-remaining", "ratelimit-policy")
    bodies = [SOURCE | {"reason": f"Left of the thirty: {number}."} for number in range(3)]
    for left, body in zip((29, 28, 27), bodies, strict=True):
        answer = post(service, "/agent-inbox/source", body, **client)
        assert [answer.fields[name] for name in names] == ["30", str(left), POLICIES]
        assert 86_390 <= int(answer.fields["ratelimit-reset"]) <= 86_400
        assert answer.fields["ratelimit"] == f'"inbox";r={left};t={answer.fields["ratelimit-reset"]}'
        policies = [policy.partition(";")[0] for policy in answer.fields["ratelimit-policy"].split(", ")]
        assert answer.fields["ratelimit"].partition(";")[0] in policies
    repeat = post(service, "/agent-inbox/source", bodies[0], **client)
    assert (repeat.status, repeat.fields["ratelimit-remaining"]) == (200, "27")
    assert "quota" not in repeat.json()
    refused = post(service, "/agent-inbox/source", {}, **client)
    assert [refused.fields[name] for name in names] == ["120", "115", POLICIES]


def test_rate_limit_fields_tell_of_requests_where_fewer_of_them_are_left(service: Server) -> None:
    client = service.client()
    for _ in range(100):
        service.ask("/posts.json", "HEAD", **client)
    answer = post(service, "/agent-inbox/source", SOURCE | {"reason": "Fewer requests are left."}, **client)
    assert (answer.status, answer.fields["ratelimit-limit"], answer.fields["ratelimit-remaining"]) == (202, "120", "19")
    assert answer.fields["ratelimit"].startswith('"rest";r=19;t=')
