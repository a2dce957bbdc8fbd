"""Foreign judges read the running demo: they decide, not we (publication design, "Judges that run offline")."""

import io
import itertools
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import feedparser
import frictionless
import jsonschema_rs
import mlcroissant
import pytest
from llms_txt import parse_llms_file
from openapi_spec_validator import OpenAPIV31SpecValidator
from protego import Protego

from support.demo import COLLECTIONS, DEMO, READ_BY_AGENTS, Demo
from support.lint import remarks
from support.running_server import Server, serving

pytestmark = [pytest.mark.requirement("judges"), pytest.mark.long]

ASKED: dict[int, dict[str, str]] = {
    200: {},
    304: {"if-none-match": "*"},
    406: {"accept": "image/png"},
    412: {"if-match": '"none"'},
}
"""Fields that bring each status about."""
INTENDED = {
    "STORE_PUBLIC_UNNECESSARY": (
        "^/(mcp/server-card|.well-known/mcp|favicon|icon|apple-touch-icon)",
        "server cards are asked to say so, icons live with them",
    ),
}
"""What httplint remarks on, where, and the reason why it stays."""
FEEDS = ("/rss.xml", "/changes.xml", "/feeds/agent-runtime.xml", "/feeds/coding-agents.xml", "/posts/feed/rss.xml")
DATASET = "/datasets/<codehost>-projects-for-ai-engineers/"
CONTRACTS = ("/openapi.json", "/openapi-route-catalog.json")


ALLOWED = """
[checks.positive_data_acceptance]
expected-statuses = [200, 202, 304, 402, 404, 406, 413, 415, 422, 429]
[checks.negative_data_rejection]
expected-statuses = [400, 404, 405, 406, 413, 415, 422, 429]
[[operations]]
include-path-regex = "^/(mcp|mcp/chatgpt|.well-known/mcp)$"
checks.negative_data_rejection.enabled = false
checks.positive_data_acceptance.expected-statuses = [200, 202, 400, 404, 406, 413, 415, 429]
[[operations]]
include-path-regex = "^/[a-z-]+(/index/{page})?[.]json$"
checks.positive_data_acceptance.expected-statuses = [200, 202, 304, 400, 404, 406, 429]
[[operations]]
include-path = "/search/"
checks.negative_data_rejection.enabled = false
"""
"""Statuses of well-formed requests (what they name need not be published, and rules beyond a schema hold too) and of
malformed ones.

JSON-RPC tells of faults inside its answers, 200 among them, and of revisions and methods that are not served with
400 and 404. The search page for people shows its form where nothing was asked, whatever else is sent.
"""


def _addresses(contract: dict[str, Any]) -> Iterator[str]:
    """One address of every published route, filled in with the contract's own examples.

    What has no lasting example is left out, and what is worked out anew for each request (a query, a POST at the
    same path).
    """
    for template, item in contract["paths"].items():
        declared = item.get("get", {}).get("parameters", [])
        parameters = [parameter for parameter in declared if parameter["in"] == "path"]
        computed = "post" in item or len(parameters) < len(declared)
        if "get" in item and not computed and all("example" in parameter for parameter in parameters):
            values = {parameter["name"]: str(parameter["example"]) for parameter in parameters}
            yield re.sub(r"{(\w+)}", lambda match, values=values: values[match[1]], template)


@pytest.fixture(scope="module")
def paths(demo: Demo) -> list[str]:
    """One address of every route that publishes."""
    readable = [path for path in _addresses(demo.json("/openapi-route-catalog.json")) if demo.get(path).status == 200]
    assert len(readable) > 100
    return readable


def _unintended(findings: set[tuple[str, str, str]]) -> set[tuple[str, str, str]]:
    return {
        (name, path, method)
        for name, path, method in findings
        if name not in INTENDED or not re.match(INTENDED[name][0], path)
    }


@pytest.mark.parametrize("status", ASKED)
def test_httplint_finds_nothing_in_reading(demo: Demo, paths: list[str], status: int) -> None:
    findings = set()
    validated = [path for path in paths if status not in {304, 412} or "etag" in demo.get(path).fields]
    assert len(validated) > 100
    for path, method in itertools.product(validated, ("GET", "HEAD")):
        sent = {"host": f"127.0.0.1:{demo.server.port}", **ASKED[status], **demo.server.client()}
        answer = demo.server.ask(path, method, **sent)
        assert answer.status == (200 if status == 406 and answer.type.startswith("image/") else status), (method, path)
        findings |= {(name, path, method) for name in remarks(demo.base + path, method, sent, answer)}
    assert _unintended(findings) == set()


@pytest.mark.parametrize(("method", "status"), [("OPTIONS", 204), ("POST", 405), ("DELETE", 405)])
def test_httplint_finds_nothing_in_other_methods(demo: Demo, paths: list[str], method: str, status: int) -> None:
    findings = set()
    taken = {path for path, item in demo.json("/openapi-route-catalog.json")["paths"].items() if method.lower() in item}
    preflight = {"origin": "https://a.example", "access-control-request-method": "GET"} if method == "OPTIONS" else {}
    for path in set(paths) - taken:
        sent = {"host": f"127.0.0.1:{demo.server.port}", **preflight, **demo.server.client()}
        answer = demo.server.ask(path, method, **sent)
        assert answer.status == status, path
        findings |= {(name, path, method) for name in remarks(demo.base + path, method, sent, answer)}
    assert _unintended(findings) == set()


@pytest.mark.parametrize("path", CONTRACTS)
def test_both_contracts_are_openapi(demo: Demo, path: str) -> None:
    assert [error.message for error in OpenAPIV31SpecValidator(demo.json(path)).iter_errors()] == []


@pytest.fixture(scope="module")
def unlimited(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with serving(DEMO, tmp_path_factory.mktemp("unlimited"), rest_limit="1000000") as server:
        yield server


def _without(contract: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    """A contract without the operations that another one describes with the same words and the same schemas."""
    assert contract["components"] == other["components"]
    paths = {
        path: {name: part for name, part in item.items() if other["paths"].get(path, {}).get(name) != part}
        for path, item in contract["paths"].items()
    }
    return {**contract, "paths": {path: item for path, item in paths.items() if item}}


@pytest.fixture(scope="module")
def contracts(unlimited: Server) -> dict[str, dict[str, Any]]:
    """Both contracts, the second one without the operations of the first: an operation need not be tried out twice."""
    first, second = (unlimited.ask(path, **unlimited.client()).json() for path in CONTRACTS)
    return dict(zip(CONTRACTS, (first, _without(second, first)), strict=True))


@pytest.mark.parametrize("path", CONTRACTS)
def test_schemathesis_finds_no_answer_that_a_contract_does_not_allow(
    unlimited: Server, contracts: dict[str, dict[str, Any]], tmp_path: Path, path: str
) -> None:
    command = [
        str(Path(sys.executable).with_name("schemathesis")),
        "--no-color",
        "run",
        "--phases",
        "examples,coverage,fuzzing",
        "--max-examples",
        "10",
        "--generation-deterministic",
        "--warnings",
        "off",
    ]
    (tmp_path / "schemathesis.toml").write_text(ALLOWED)
    (tmp_path / "contract.json").write_text(json.dumps(contracts[path]))
    command += ["contract.json", "--url", f"http://127.0.0.1:{unlimited.port}"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=1500, check=False)
    assert done.returncode == 0, done.stdout[-8000:]
    assert int(re.search(r"(\d+) generated", done.stdout)[1]) > 1000


def _closed(schema: Any) -> Any:
    """A schema that allows no member beyond those it names."""
    if isinstance(schema, list):
        return [_closed(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    parts = {name: _closed(part) for name, part in schema.items()}
    if (
        isinstance(schema.get("properties"), dict)
        and "type" in schema
        and schema.get("additionalProperties") in (None, True)
    ):
        parts["additionalProperties"] = False
    return parts


def _json_addresses(demo: Demo) -> Iterator[str]:
    """Every published JSON page and record that the sitemap and the contract lead to."""
    yield from (path for path in _addresses(demo.json("/openapi.json")) if demo.get(path).status == 200)
    for name in (*COLLECTIONS, *READ_BY_AGENTS):
        yield from (demo.path(item["json_url"]) for item in demo.items(name))
    yield from (demo.path(item["json_url"]) for item in demo.json("/source-entities.json")["items"])
    yield from (demo.path(shard["url"]) for shard in demo.json("/discovery-graph.json")["shards"])
    yield from (demo.path(page["url"]) for page in demo.json("/signals.json")["pages"])


@pytest.mark.requirement("versioning 2")
def test_every_json_document_fits_its_schema_open_and_closed(demo: Demo) -> None:
    judges: dict[str, list[jsonschema_rs.Validator]] = {}
    findings, unschooled, count = [], set(), 0
    for path in sorted(set(_json_addresses(demo))):
        answer = demo.get(path)
        link = re.search(r'<([^>]+)>; rel="describedby"', answer.fields["link"])
        if not link:
            unschooled.add(path)
            continue
        if link[1] not in judges:
            schema = demo.json(demo.path(link[1]))
            jsonschema_rs.meta.validate(schema)
            judges[link[1]] = [
                jsonschema_rs.Draft202012Validator(variant, validate_formats=True)
                for variant in (schema, _closed(schema))
            ]
        count += 1
        value = answer.json()
        findings += [
            f"{path} {list(error.instance_path)}: {error.message}"
            for judge in judges[link[1]]
            for error in judge.iter_errors(value)
        ]
    assert findings == []
    assert count > 250
    assert all(
        path.startswith(("/openapi", "/.well-known/", "/schemas/", "/mcp"))
        or path.endswith("/feed.json")
        or "schema" in path
        for path in unschooled
    )


@pytest.mark.parametrize("path", FEEDS)
def test_feedparser_reads_every_feed(demo: Demo, path: str) -> None:
    answer = demo.get(path)
    feed = feedparser.parse(io.BytesIO(answer.body), response_headers={"content-type": answer.type})
    assert not feed.bozo, feed.get("bozo_exception")
    assert feed.version in {"rss20", "atom10"}
    assert feed.entries
    for entry in feed.entries:
        assert entry.id
        assert entry.title
        assert entry.link.startswith(demo.base)
        assert "published_parsed" in entry or "updated_parsed" in entry


def test_protego_lets_every_agent_read_every_form(demo: Demo) -> None:
    robots = Protego.parse(demo.get("/robots.txt").text)
    for agent in ("GPTBot", "ClaudeBot", "Googlebot", "curl", "SomethingElse/1.0"):
        for path in ("/", "/posts/x/", "/posts/x.md", "/posts/x.json", "/llms.txt", "/openapi.json", "/mcp"):
            assert robots.can_fetch(demo.base + path, agent)
    assert list(robots.sitemaps) == [f"{demo.base}/sitemap.xml"]


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of libraries that the judge itself uses
def test_mlcroissant_loads_the_dataset_description(demo: Demo) -> None:
    page = demo.get(DATASET).text
    blocks = [
        json.loads(block)
        for block in re.findall(r'<script type="application/ld\+json">(.*?)</script>', page, re.DOTALL)
    ]
    described = [block for block in blocks if "mlcommons.org/croissant" in json.dumps(block)]
    assert described
    dataset = mlcroissant.Dataset(jsonld=described[0])
    assert not dataset.metadata.ctx.issues.errors
    assert not dataset.metadata.ctx.issues.warnings
    assert dataset.metadata.record_sets


def test_frictionless_finds_the_table_sound(demo: Demo) -> None:
    table = demo.get(DATASET + "v1.csv")
    resource = frictionless.Resource(table.body, format="csv", encoding="utf-8")
    report = frictionless.validate(resource)
    assert report.valid, report.flatten(["rowNumber", "fieldNumber", "type", "message"])


def test_the_reference_parser_reads_llms_txt(demo: Demo) -> None:
    guide = parse_llms_file(demo.get("/llms.txt").text)
    assert guide.title
    assert guide.summary
    assert len(guide.sections) >= 5
    for name, links in guide.sections.items():
        assert links, name
        assert all(link.title and link.url.startswith(demo.base) for link in links)
