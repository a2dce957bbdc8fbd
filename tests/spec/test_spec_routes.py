"""Every publication route of the specification, row by row, over the wire (specification, "Endpoints")."""

import json

import pytest

from support.demo import RATE, SPEC_RATE, Demo
from support.proof import proves

JSON, HTML, MARKDOWN, TEXT, XML = "application/json", "text/html", "text/markdown", "text/plain", "application/xml"
SCHEMA = "JsonSchemaDocument"
DATASET = "/datasets/<codehost>-projects-for-ai-engineers/"
ROUTES = [
    proves("GET /openapi.json", "/openapi.json", JSON, "OpenApiDocument"),
    proves("GET /openapi-route-catalog.json", "/openapi-route-catalog.json", JSON, "OpenApiDocument"),
    proves("GET /llms.txt", "/llms.txt", TEXT, ""),
    proves("GET /llms-full.txt", "/llms-full.txt", TEXT, ""),
    proves("GET /agents/", "/agents/", HTML, ""),
    proves("GET /developers/", "/developers/", HTML, ""),
    proves("GET /developers.md", "/developers.md", MARKDOWN, ""),
    proves("GET /.well-known/mcp", "/.well-known/mcp", JSON, "McpServerCard"),
    proves("GET /.well-known/mcp/server-card.json", "/.well-known/mcp/server-card.json", JSON, "McpServerCard"),
    proves("GET /mcp-readonly.json", "/mcp-readonly.json", JSON, "McpReadOnlyManifest"),
    proves("GET /connect/", "/connect/", HTML, ""),
    proves("GET /presence.json", "/presence.json", JSON, "PresenceReport"),
    proves("GET /presence-schema.json", "/presence-schema.json", JSON, SCHEMA),
    proves("GET /presence/", "/presence/", HTML, ""),
    proves("GET /datasets/<codehost>-projects-for-ai-engineers/", DATASET, HTML, ""),
    proves("GET /datasets/<codehost>-projects-for-ai-engineers/v1.json", DATASET + "v1.json", JSON, "AuthorityDataset"),
    proves("GET /datasets/<codehost>-projects-for-ai-engineers/v1.csv", DATASET + "v1.csv", TEXT, ""),
    proves("GET /datasets/<codehost>-projects-for-ai-engineers/schema.json", DATASET + "schema.json", JSON, SCHEMA),
    proves("GET /owner-profile-discovery.json", "/owner-profile-discovery.json", JSON, "OwnerProfileDiscovery"),
    proves("GET /owner-profile.json", "/owner-profile.json", JSON, "OwnerCareerProfile"),
    proves("GET /owner-profile.md", "/owner-profile.md", MARKDOWN, ""),
    proves("GET /machine-consumption.json", "/machine-consumption.json", JSON, "MachineConsumptionReport"),
    proves("GET /machine-consumption/", "/machine-consumption/", HTML, ""),
    proves("GET /machine-consumption-schema.json", "/machine-consumption-schema.json", JSON, SCHEMA),
    proves("GET /crawler-journeys.json", "/crawler-journeys.json", JSON, "CrawlerJourneysReport"),
    proves("GET /crawler-journeys-schema.json", "/crawler-journeys-schema.json", JSON, SCHEMA),
    proves("GET /page-readership-schema.json", "/page-readership-schema.json", JSON, SCHEMA),
    proves(
        "GET /page-readership/<canonical_path>.json",
        "/page-readership/<canonical_path>.json",
        JSON,
        "PageReadershipReport",
    ),
    proves("GET /discovery-experiments.json", "/discovery-experiments.json", JSON, "DiscoveryExperimentRegistry"),
    proves("GET /recall-probes.json", "/recall-probes.json", JSON, "RecallProbeRegistry"),
    proves("GET /bot-traffic-latest.json", "/bot-traffic-latest.json", JSON, "BotTrafficSnapshot"),
    proves("GET /bot-traffic-history.json", "/bot-traffic-history.json", JSON, "BotTrafficHistory"),
    proves("GET /discovery-graph.json", "/discovery-graph.json", JSON, "DiscoveryGraphIndex"),
    proves("GET /discovery-graph-schema.json", "/discovery-graph-schema.json", JSON, SCHEMA),
    proves("GET /discovery-graph/<shard>.json", "/discovery-graph/<shard>.json", JSON, "DiscoveryGraphShard"),
    proves("GET /sitemap.xml", "/sitemap.xml", XML, ""),
    proves("GET /robots.txt", "/robots.txt", TEXT, ""),
    proves("GET /rss.xml", "/rss.xml", XML, ""),
    proves("GET /feed.json", "/feed.json", "application/feed+json", "JsonFeedDocument"),
    proves("GET /.well-known/api-catalog", "/.well-known/api-catalog", "application/linkset+json", "ApiCatalog"),
    proves("GET /changes.xml", "/changes.xml", XML, ""),
    proves("GET /feeds/agent-runtime.xml", "/feeds/agent-runtime.xml", XML, ""),
    proves("GET /feeds/coding-agents.xml", "/feeds/coding-agents.xml", XML, ""),
    proves("GET /source-ledger.json", "/source-ledger.json", JSON, "PublicSourceLedger"),
    proves("GET /source-entities.json", "/source-entities.json", JSON, "SourceOriginIndex"),
    proves("GET /sources/<origin>.json", "/sources/<origin>.json", JSON, "SourceOriginDetail"),
    proves("GET /patterns.json", "/patterns.json", JSON, "PatternIndex"),
    proves("GET /topics.json", "/topics.json", JSON, "TopicIndex"),
    proves("GET /signals.json", "/signals.json", JSON, "SignalIndex"),
    proves("GET /posts.json", "/posts.json", JSON, "PostIndex"),
    proves("GET /shifts.json", "/shifts.json", JSON, "ShiftIndex"),
    proves("GET /deltas.json", "/deltas.json", JSON, "DeltaIndex"),
    proves("GET /graveyard.json", "/graveyard.json", JSON, "GraveyardIndex"),
    proves("GET /projects.json", "/projects.json", JSON, "ProjectIndex"),
    proves("GET /systems.json", "/systems.json", JSON, "SystemIndex"),
    proves("GET /learn.json", "/learn.json", JSON, "LearnIndex"),
    proves("GET /signals/page/<page>.json", "/signals/page/<page>.json", JSON, "SignalPage"),
    proves("GET /posts/<slug>/", "/posts/<slug>/", HTML, ""),
    proves("GET /posts/<slug>.md", "/posts/<slug>.md", MARKDOWN, ""),
    proves("GET /posts/<slug>.json", "/posts/<slug>.json", JSON, "FieldNoteRecord"),
    proves("GET /signals/<slug>/", "/signals/<slug>/", HTML, ""),
    proves("GET /signals/<slug>.md", "/signals/<slug>.md", MARKDOWN, ""),
    proves("GET /signals/<slug>.json", "/signals/<slug>.json", JSON, "RawSignalRecord"),
    proves("GET /patterns/<slug>/", "/patterns/<slug>/", HTML, ""),
    proves("GET /patterns/<slug>.md", "/patterns/<slug>.md", MARKDOWN, ""),
    proves("GET /patterns/<slug>.json", "/patterns/<slug>.json", JSON, "TrendPatternRecord"),
    proves("GET /topics/<slug>/", "/topics/<slug>/", HTML, ""),
    proves("GET /topics/<slug>.md", "/topics/<slug>.md", MARKDOWN, ""),
]
"""(path template, content type, schema name of the body) as the tables of the specification list them."""


def _is_json(type_: str) -> bool:
    return type_.endswith("json")


@pytest.mark.parametrize(("path", "type_", "shape"), ROUTES)
def test_a_route_answers_with_its_type_and_its_fields(demo: Demo, path: str, type_: str, shape: str) -> None:
    answer = demo.get(path)
    assert (answer.status, answer.type.partition(";")[0]) == (200, type_)
    assert answer.body
    assert {"etag", "last-modified", "cache-control", "content-length"} <= set(answer.fields)
    if not _is_json(type_):
        assert "charset=utf-8" in answer.type
        assert not RATE & set(answer.fields)
        assert answer.text
        return
    assert set(answer.fields) >= SPEC_RATE
    assert f'<{demo.base}/developers/#deprecation-policy>; rel="deprecation"' in answer.fields["link"]
    assert isinstance(json.loads(answer.body), dict)
    assert shape


@pytest.mark.parametrize(("path", "type_", "shape"), ROUTES)
def test_a_route_answers_head_like_get_without_a_body(demo: Demo, path: str, type_: str, shape: str) -> None:
    get, head = demo.get(path), demo.get(path, "HEAD")
    volatile = {"date", *RATE}
    assert (head.status, head.body) == (200, b"")
    assert {k: v for k, v in head.fields.items() if k not in volatile} == {
        k: v for k, v in get.fields.items() if k not in volatile
    }
    assert (set(head.fields) >= RATE) == bool(shape)
    assert bool(shape) == _is_json(type_)


@pytest.mark.requirement("general 1", "convention methods", "convention statuses", "error representation")
@pytest.mark.parametrize(("path", "type_", "shape"), ROUTES)
def test_a_route_refuses_other_types_and_methods_and_longer_paths(
    demo: Demo, path: str, type_: str, shape: str
) -> None:
    refused = demo.get(path, accept="image/png")
    assert (refused.status, refused.type) == (406, "application/problem+json")
    assert refused.json()["available"], (type_, shape)
    refused = demo.get(path, "DELETE")
    posts = path == "/.well-known/mcp" and "POST" in refused.fields["allow"]
    assert (refused.status, refused.fields["allow"]) == (
        405,
        "GET, HEAD, POST, OPTIONS" if posts else "GET, HEAD, OPTIONS",
    )
    assert demo.get(demo.address(path).rstrip("/") + "/none-such").status == 404


@pytest.mark.requirement("general 3", "authentication 1")
@pytest.mark.parametrize(("path", "type_", "shape"), ROUTES)
def test_a_route_asks_for_no_credentials_and_sets_none(demo: Demo, path: str, type_: str, shape: str) -> None:
    plain, signed = demo.get(path), demo.get(path, authorization="Bearer none", cookie="session=none")
    assert (plain.status, plain.body) == (signed.status, signed.body), (type_, shape)
    assert not {"www-authenticate", "set-cookie", "payment-required"} & (set(plain.fields) | set(signed.fields))


@pytest.mark.requirement("convention headers", "versioning 4", "limit headers")
@pytest.mark.parametrize(("path", "type_", "shape"), ROUTES)
def test_the_route_catalog_describes_a_route_as_it_answers(demo: Demo, path: str, type_: str, shape: str) -> None:
    catalog = demo.json("/openapi-route-catalog.json")
    operation = _operation(catalog, demo.address(path))
    answer = operation["responses"]["200"]
    assert type_ in answer["content"]
    assert {"200", "404", "406", "500"} <= set(operation["responses"])
    headers = {name.lower() for name in answer.get("headers", {})}
    assert (headers >= SPEC_RATE) == _is_json(type_)
    assert ("429" in operation["responses"]) == any(map(_is_json, answer["content"]))
    if shape:
        assert answer["content"][type_]["schema"]["$ref"].rpartition("/")[2] == shape


def _operation(catalog: dict[str, dict[str, dict[str, dict[str, object]]]], path: str) -> dict:
    """The GET operation whose path fits an address most literally."""
    parts = path.split("/")
    fits = []
    for template in catalog["paths"]:
        wanted = template.replace("{canonical_path}", "home").split("/")
        if len(wanted) == len(parts) and all(_fits(a, b) for a, b in zip(wanted, parts, strict=True)):
            fits.append((template.count("{"), template))
    assert fits, path
    return catalog["paths"][min(fits)[1]]["get"]


def _fits(template: str, segment: str) -> bool:
    if "{" not in template:
        return template == segment
    before, _, rest = template.partition("{")
    after = rest.partition("}")[2]
    return segment.startswith(before) and segment.endswith(after) and (bool(after) or "." not in segment)
