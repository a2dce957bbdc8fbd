"""Sources, graph, owner, datasets, registries and guides over the wire (specification, "Endpoints")."""

import csv
import hashlib
import io
import json
import re
from itertools import chain
from typing import Any

import pytest

from support.demo import COLLECTIONS, READ_BY_AGENTS, Demo

DATASET = "/datasets/<codehost>-projects-for-ai-engineers/"
LINKED_DATA = re.compile(r'<script type="application/ld\+json">(.*?)</script>', re.DOTALL)


@pytest.mark.requirement("kind ledger", "kind origins", "sources", "convention origin")
def test_ledger_origins_and_records_agree_on_every_source(demo: Demo) -> None:
    ledger = demo.json("/source-ledger.json")
    origins = {item["id"]: item for item in demo.json("/source-entities.json")["items"]}
    assert ledger["count"] == len(ledger["sources"])
    assert len(origins) >= 60
    by_url = {source["url"]: source for source in ledger["sources"]}
    assert len(by_url) == len(ledger["sources"])
    assert {source["origin"] for source in by_url.values()} == set(origins)
    for record in chain.from_iterable(demo.records(collection) for collection in ("posts", "patterns", "deltas")):
        for source in record["sources"]:
            assert record["id"] in by_url[source["normalized_url"]]["cited_by"]
            assert by_url[source["normalized_url"]]["origin"] == source["origin"]


@pytest.mark.requirement("sources")
def test_an_origin_shows_its_evidence_and_who_leans_on_it(demo: Demo) -> None:
    for item in demo.json("/source-entities.json")["items"][:5]:
        detail = demo.json(demo.path(item["json_url"]))
        assert (detail["id"], detail["evidence_count"], detail["backlink_count"]) == (
            item["id"],
            item["source_count"],
            item["record_count"],
        )
        assert len(detail["evidence"]) == item["source_count"]
        assert len(detail["backlinks"]) == item["record_count"]
        assert all(evidence["citations"] for evidence in detail["evidence"])
        assert demo.get(demo.path(detail["backlinks"][0]["url"])).status == 200
    assert demo.get("/sources/no-such-origin.json").status == 404


@pytest.mark.requirement("kind graph", "field discovery graph", "graph", "convention shard")
def test_the_graph_is_whole_over_its_shards(demo: Demo) -> None:
    index = demo.json("/discovery-graph.json")
    assert [shard["id"] for shard in index["shards"]] == [f"{number:03}" for number in range(index["shard_count"])]
    nodes: dict[str, Any] = {}
    edges: list[dict[str, str]] = []
    for shard in index["shards"]:
        answer = demo.get(demo.path(shard["url"]))
        assert shard["digest"] == "sha-256:" + hashlib.sha256(answer.body).hexdigest()
        part = answer.json()
        own = {node["id"]: node for node in part["nodes"]}
        assert (len(own), len(part["edges"])) == (shard["node_count"], shard["edge_count"])
        assert len(own) <= 500
        assert {edge["from"] for edge in part["edges"]} <= set(own)
        nodes |= own
        edges += part["edges"]
    assert (len(nodes), len(edges)) == (index["node_count"], index["edge_count"])
    assert {edge["to"] for edge in edges} <= set(nodes)
    assert {edge["layer"] for edge in edges} == {"physical", "knowledge"}
    assert {f"record:{item['id']}" for name in COLLECTIONS if name != "topics" for item in demo.items(name)} <= set(
        nodes
    )
    for path in ("999", "00", "0000", "x"):
        assert demo.get(f"/discovery-graph/{path}.json").status == 404


@pytest.mark.requirement("kind owner", "owner profile")
def test_the_owner_profile_is_linked_data_with_twins(demo: Demo) -> None:
    discovery, profile = demo.json("/owner-profile-discovery.json"), demo.json("/owner-profile.json")
    assert (profile["@context"], profile["@type"]) == ("https://schema.org", "ProfilePage")
    assert profile["mainEntity"]["name"] == profile["name"]
    assert {demo.path(entry["url"]) for entry in discovery["profiles"]} >= {"/owner-profile.json", "/owner-profile.md"}
    for entry in discovery["profiles"]:
        assert demo.get(demo.path(entry["url"])).type.partition(";")[0] == entry["type"]
    assert profile["name"] in demo.get("/owner-profile.md").text


@pytest.mark.requirement("kind dataset", "dataset")
def test_a_dataset_has_the_same_rows_in_both_forms_and_a_schema_that_fits(demo: Demo) -> None:
    data, table, schema = (demo.get(DATASET + name) for name in ("v1.json", "v1.csv", "schema.json"))
    assert table.body.count(b"\r\n") == table.body.count(b"\n")
    header, *rows = csv.reader(io.StringIO(table.text, newline=""))
    document = data.json()
    assert document["row_count"] == len(rows) == len(document["rows"]) >= 120
    assert header == [column["name"] for column in document["columns"]]
    written = [["" if row[name] is None else str(row[name]) for name in header] for row in document["rows"]]
    assert [[cell.lower() for cell in row] for row in written] == [[cell.lower() for cell in row] for row in rows]
    assert schema.json()["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert table.fields["repr-digest"].startswith("sha-256=:")


@pytest.mark.requirement("kind dataset", "dataset")
def test_a_dataset_landing_page_describes_it_to_machines(demo: Demo) -> None:
    page = demo.get(DATASET).text
    described = [json.loads(match) for match in LINKED_DATA.findall(page)]
    types = {part["@type"] for block in described for part in (block.get("@graph", [block]))}
    assert any("Dataset" in kind for kind in types)
    assert "http://mlcommons.org/croissant/1.1" in page


@pytest.mark.requirement("field presence schema")
def test_the_presence_schema_covers_its_five_entries(demo: Demo) -> None:
    schema = demo.json("/presence-schema.json")
    covered = {"PresenceEvent", "AttentionPacket", "SyndicationReceipt", "AuthorityAsset", "ReturnSignal"}
    assert covered <= set(schema["$defs"])
    for name in covered:
        assert all(
            "description" in member or "$ref" in member for member in schema["$defs"][name]["properties"].values()
        ), name


@pytest.mark.requirement("field machine-consumption schema")
def test_the_consumption_schema_is_version_1_with_an_optional_gateway_part(demo: Demo) -> None:
    schema = demo.json("/machine-consumption-schema.json")
    assert (
        schema["properties"]["schema_version"].get("const", schema["properties"]["schema_version"].get("default", 1))
        == 1
    )
    gateway = [name for name in schema["properties"] if "gateway" in name or name == "schema_minor"]
    assert gateway
    assert not set(gateway) & set(schema["required"])
    assert demo.json("/machine-consumption.json")["schema_version"] == 1


@pytest.mark.requirement("field experiments")
def test_experiments_are_written_down_before_they_run(demo: Demo) -> None:
    registry = demo.json("/discovery-experiments.json")
    assert registry["experiments"]
    for experiment in registry["experiments"]:
        assert {"hypotheses", "baseline", "metrics", "windows", "stopping_rules", "registered_at"} <= set(experiment)
        assert experiment["hypotheses"]
        assert experiment["stopping_rules"]
        assert experiment["registered_at"] < experiment["baseline"]["window"]["start"]


@pytest.mark.requirement("field recall probes")
def test_recall_probes_are_versioned_questions_on_pages_that_exist(demo: Demo) -> None:
    registry = demo.json("/recall-probes.json")
    assert registry["probe_sets"]
    for probe_set in registry["probe_sets"]:
        assert re.fullmatch(r"\d+\.\d+\.\d+", probe_set["version"])
        assert probe_set["scoring"]
        for probe in probe_set["probes"]:
            assert probe["question"].endswith("?")
            for citation in probe["canonical_citations"]:
                assert demo.get(f"/{citation['canonical_path']}/").status == 200


@pytest.mark.requirement("convention canonical path", "canonical_path forms")
def test_readership_answers_for_pages_by_either_spelling_and_for_nothing_else(demo: Demo) -> None:
    slug = demo.items("posts")[0]["slug"]
    plain, escaped = demo.get(f"/page-readership/posts/{slug}.json"), demo.get(f"/page-readership/posts%2F{slug}.json")
    assert (plain.status, plain.body) == (200, escaped.body)
    assert demo.get("/page-readership/home.json").status == 200
    for path in ("posts/none", "/home", "home/", ""):
        assert demo.get(f"/page-readership/{path}.json").status == 404


@pytest.mark.requirement("schemas")
@pytest.mark.parametrize("collection", [*COLLECTIONS, *READ_BY_AGENTS])
def test_json_documents_point_to_their_schema(demo: Demo, collection: str) -> None:
    for path in (f"/{collection}.json", f"/{collection}/<slug>.json"):
        match = re.search(r'<([^>]+)>; rel="describedby"', demo.get(path).fields["link"])
        assert match
        schema = demo.get(demo.path(match[1]))
        assert (schema.status, schema.json()["$id"]) == (200, match[1])


@pytest.mark.requirement("general 4")
@pytest.mark.parametrize(
    "path",
    ["/", "/agents/", "/developers/", "/connect/", "/posts/", "/posts/<slug>/", "/presence/", "/machine-consumption/"],
)
def test_every_page_can_be_had_as_markdown(demo: Demo, path: str) -> None:
    answer = demo.get(path, accept="text/markdown")
    assert (answer.status, answer.type) == (200, "text/markdown; charset=utf-8")
    twin = answer.fields["content-location"]
    assert demo.get(twin.removeprefix(demo.base)).body == answer.body


@pytest.mark.requirement("twin of the root")
def test_the_root_has_a_markdown_twin_too(demo: Demo) -> None:
    assert demo.get("/index.md").body == demo.get("/", accept="text/markdown").body
    slug = demo.items("posts")[0]["slug"]
    moved = demo.get(f"/posts/{slug}")
    assert (moved.status, moved.fields["location"]) == (308, f"/posts/{slug}/")


@pytest.mark.requirement("general 2")
def test_no_route_edits_approves_or_administers(demo: Demo) -> None:
    allowed = re.compile(r"^/(mcp|mcp/chatgpt|\.well-known/mcp|agent-inbox/.*|agent-payments/.*)$")
    for path, operations in demo.json("/openapi-route-catalog.json")["paths"].items():
        writes = set(operations) & {"post", "put", "patch", "delete"}
        assert not writes or (writes == {"post"} and allowed.match(path)), path
    for path in (
        "/admin",
        "/admin/",
        "/login",
        "/api/",
        "/.env",
        "/.git/config",
        "/state/",
        "/site.toml",
        "/content/owner.md",
    ):
        assert demo.get(path).status == 404


@pytest.mark.requirement("events")
def test_no_event_subscription_is_offered_beside_the_feeds(demo: Demo) -> None:
    catalog = demo.json("/openapi-route-catalog.json")
    assert not {"webhooks", "callbacks"} & set(catalog)
    assert "/changes.xml" in demo.get("/developers.md").text
