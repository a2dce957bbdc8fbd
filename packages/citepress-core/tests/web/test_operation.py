"""Operations over REST: the order of checks, faults with their place, and that nothing is published."""

from dataclasses import replace
from pathlib import Path

import orjson
import pytest

from citepress.contract.operation import Get
from citepress.edition.edition import open_edition, pointer
from citepress.operations.registry import ALL
from citepress.web.endpoints.context import ActionContext
from citepress.web.endpoints.operation import actions
from support.documents import faults
from support.operation_context import desk, operation_context
from support.server_with_actions import READS, SOURCE, SUBMITS, Service, problem_slug, service, small

JSON = "application/json"


@pytest.fixture(scope="module")
def reading(tmp_path_factory: pytest.TempPathFactory) -> Service:
    """A service that tests only read, or submit to under clients of their own."""
    return service(tmp_path_factory.mktemp("service"))


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


def test_head_describes_the_refusal_that_get_meets(reading: Service) -> None:
    read, described = (reading.ask("/agent-inbox/source", method) for method in ("GET", "HEAD"))
    assert (read.status, described.status) == (405, 405)
    assert described.fields["content-length"] == read.fields["content-length"]


@pytest.mark.requirement("contextualize faults")
@pytest.mark.parametrize(
    ("query", "wrong"),
    [
        ("", {"url": "url is required."}),
        ("?url=", {"url": "url is required."}),
        ("?url=ftp://a.example/", {"url": "url must be an https URL."}),
        ("?url=https://a.example/" + "x" * 2048, {"url": "url may have at most 2,048 characters."}),
        ("?url=https://", {"url": "url is not a URL: not an absolute http or https URL."}),
        ("?url=https://a.example/&url=https://b.example/", {"url": "url is given more than once."}),
        (
            "?url=nothing&limit=0&start=-1",
            {
                "url": "url must be an https URL.",
                "limit": "limit must be at least 1.",
                "start": "start must be at least 0.",
            },
        ),
        ("?url=https://a.example/&limit=many", {"limit": "limit must be a whole number."}),
        ("?url=https://a.example/&task=" + "x" * 501, {"task": "task may have at most 500 characters."}),
    ],
)
def test_query_faults_are_400_and_all_told_with_their_parameter(
    reading: Service, query: str, wrong: dict[str, str]
) -> None:
    answer = reading.ask("/agent-actions/contextualize.json" + query)
    assert (answer.status, problem_slug(answer)) == (400, "bad-query")
    assert {error["parameter"]: error["detail"] for error in answer.json()["errors"]} == wrong


def test_a_query_that_cannot_be_read_is_400(reading: Service) -> None:
    assert reading.ask("/search.json?query=%ff").status == 400
    assert reading.ask("/search.json?" + "a=1&" * 101).status == 400
    assert reading.ask("/search.json?query=x&" + "y" * 9000).status == 414


def test_unknown_members_of_a_query_are_passed_over(reading: Service) -> None:
    assert reading.ask("/search.json?query=caches&utm_source=x&").status == 200


def test_a_list_is_written_with_commas_or_repeated(reading: Service) -> None:
    for query in ("kinds=posts,topics", "kinds=posts&kinds=topics"):
        results = reading.ask(f"/search.json?query=caches&limit=20&{query}").json()["results"]
        assert {hit["id"].partition("/")[0] for hit in results} == {"posts", "topics"}
    wrong = reading.ask("/search.json?query=x&kinds=post").json()["errors"]
    assert [(problem["parameter"], "did you mean" in problem["detail"]) for problem in wrong] == [("kinds", True)]


def test_a_further_part_begins_where_start_says(reading: Service) -> None:
    whole = reading.ask("/search.json?query=caches&limit=4").json()["results"]
    assert reading.ask("/search.json?query=caches&limit=2&start=2").json()["results"] == whole[2:]


@pytest.mark.parametrize("target", [*READS, *SUBMITS])
def test_a_client_that_wants_no_json_gets_406_before_any_effect(reading: Service, target: str) -> None:
    answer = reading.ask(
        target, "POST" if target in SUBMITS else "GET", b"{", accept="text/html", content_type="text/plain"
    )
    assert (answer.status, problem_slug(answer)) == (406, "not-acceptable")
    assert answer.json()["available"][0]["type"] == JSON


def test_without_an_inbox_its_paths_do_not_stand(tmp_path: Path) -> None:
    without = Service(operation_context(small(tmp_path / "c"), tmp_path / "s", inbox=False))
    assert without.post("/agent-inbox/source", SOURCE).status == 404
    assert without.ask("/agent-inbox/source").status == 404
    assert without.ask(READS[1]).status == 200
    assert "/agent-inbox/source" not in without.ask("/openapi.json").text


def test_an_operation_that_fails_is_500_and_tells_nothing(reading: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(type(reading.context.index), "search", lambda *_: 1 / 0)
    answer = reading.ask(READS[0])
    assert (answer.status, problem_slug(answer)) == (500, "internal")
    assert "division" not in answer.text


def test_while_there_is_no_edition_every_action_is_503(reading: Service) -> None:
    context, edition = reading.context, reading.site_app.edition
    reading.context, reading.site_app.edition = None, None  # type: ignore[assignment]
    try:
        for target, method in ((READS[0], "GET"), ("/search/", "GET"), ("/agent-inbox/source", "POST")):
            answer = reading.ask(target, method)
            assert (answer.status, answer.fields["retry-after"]) == (503, "1")
    finally:
        reading.context, reading.site_app.edition = context, edition


def test_no_route_publishes_anything(tmp_path: Path) -> None:
    whole = service(tmp_path)
    before = whole.context.edition.digest
    bodies = [b"", b"{}", orjson.dumps(SOURCE), b"publish"]
    paths = [path for path in whole.context.edition.paths() if path.count("/") < 3]
    for path in [
        *SUBMITS,
        *(target.partition("?")[0] for target in READS),
        "/search/",
        "/agent-inbox/submissions/x.json",
        *paths,
    ]:
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
    assert [(p["name"], p["required"]) for p in get["parameters"]] == [
        ("url", True),
        ("task", False),
        ("limit", False),
        ("start", False),
    ]
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
        query = "&".join(
            f"{p['name']}={p['example']}" for p in paths[path]["get"]["parameters"] if "example" in p
        ).replace(" ", "+")
        assert reading.ask(f"{path}?{query}").status == 200


def test_an_action_is_no_page_of_the_sitemap_and_no_template_of_the_manifest(tmp_path: Path) -> None:
    at_desk = desk(small(tmp_path), ALL)
    assert {"/search/", "/search.json"} <= {route.path for route in at_desk.table}
    whole = operation_context(at_desk.archive, tmp_path / "s", inbox=True).edition
    assert b"/search/" not in whole.body("/sitemap.md")
    templates = orjson.loads(whole.body("/mcp-readonly.json"))["resource_templates"]
    assert [template["name"] for template in templates if "/agent-inbox/" in template["uriTemplate"]] == []


def test_a_page_that_no_view_writes_is_refused_when_the_service_is_composed(reading: Service) -> None:
    (record,) = (operation for operation in ALL if operation.name == "get_record")
    paged = replace(record, rest=Get("/record.json", page="/record/"))
    with pytest.raises(LookupError, match="get_record declares the page /record/, and PAGE_VIEWS has no view for it"):
        actions([paged], ActionContext(reading.site_app, lambda: reading.context))
