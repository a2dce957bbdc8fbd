"""A kind, a representation and an operation of an extension: everything derived follows."""

import json
import os
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from support.extensions import install
from support.running_server import Server, serving_command
from support.tree import ROOT

pytestmark = pytest.mark.long

MODULES = {path.stem: path.read_text("utf-8") for path in (ROOT / "tests/support/extension").glob("[a-z]*.py")}
PARTS = (
    "kinds='recipes_extension.recipes:ALL', forms='recipes_extension.gemtext:ALL',"
    " operations='recipes_extension.count_records:ALL'"
)
RECIPE = """\
---
title: Pancakes
summary: Flour, milk and eggs in a hot pan.
date: 2026-03-01
topics: [content-negotiation]
servings: 4
sources:
  - url: https://recipes.example/pancakes
    title: Pancakes
    accessed_at: 2026-02-28
updates:
  - date: 2026-04-01
    note: Less salt.
---

Mix, wait half an hour, fry.
"""


@dataclass(frozen=True)
class Extended:
    """An extension with three additions, an archive that uses them, and a server of both."""

    archive: Path
    server: Server

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "citepress", *arguments]
        return subprocess.run(command, cwd=self.archive, capture_output=True, text=True, check=False, timeout=300)

    def text(self, path: str, **fields: str) -> str:
        answer = self.server.ask(path, **self.server.client(), **fields)
        assert answer.status == 200, (path, answer.text)
        return answer.text

    def json(self, path: str) -> Any:
        return json.loads(self.text(path))

    def call(self, method: str, **params: Any) -> Any:
        message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        body = json.dumps(message).encode()
        answer = self.server.ask("/mcp", "POST", body, content_type="application/json", **self.server.client())
        return answer.json()["result"]


@pytest.fixture(scope="module")
def extended(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Extended]:
    folder = tmp_path_factory.mktemp("extended")
    install(folder / "library", "recipes", PARTS, **MODULES)
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("PYTHONPATH", os.fspath(folder / "library"))
        archive = folder / "archive"
        subprocess.run([sys.executable, "-m", "citepress", "init", str(archive)], check=True, capture_output=True)
        (archive / "content" / "recipes").mkdir()
        (archive / "content" / "recipes" / "pancakes.md").write_text(RECIPE, "utf-8")
        with serving_command(archive, folder / "state") as server:
            yield Extended(archive, server)


def test_the_kind_and_the_form_get_every_route(extended: Extended) -> None:
    routes = {tuple(line.split()[:3]) for line in extended.run("routes").stdout.splitlines()}

    for path, media in (
        ("/recipes/", "text/html"),
        ("/recipes.md", "text/markdown"),
        ("/recipes.json", "application/json"),
        ("/recipes.gmi", "text/gemini"),
        ("/recipes/{slug}/", "text/html"),
        ("/recipes/{slug}.md", "text/markdown"),
        ("/recipes/{slug}.json", "application/json"),
        ("/recipes/{slug}.gmi", "text/gemini"),
        ("/posts/{slug}.gmi", "text/gemini"),
        ("/developers.gmi", "text/gemini"),
        ("/agent-actions/count.json", "application/json"),
    ):
        assert ("GET", path, media) in routes


def test_a_record_of_the_kind_is_published_in_every_form(extended: Extended) -> None:
    page = extended.text("/recipes/pancakes/")
    assert "Pancakes" in page
    assert '/recipes/pancakes.gmi"' in page
    assert "**Servings:** 4" in extended.text("/recipes/pancakes.md")
    assert extended.json("/recipes/pancakes.json")["servings"] == 4
    assert extended.text("/recipes/pancakes.gmi").startswith("# Pancakes\n")


def test_a_page_answers_in_the_form_that_is_asked_for(extended: Extended) -> None:
    answer = extended.server.ask("/posts/first-note/", accept="text/gemini")
    assert (answer.status, answer.type) == (200, "text/gemini; charset=utf-8")
    assert answer.fields["content-location"] == "/posts/first-note.gmi"
    page = extended.server.ask("/posts/first-note/")
    assert '/posts/first-note.gmi>; rel="alternate"; type="text/gemini"' in page.fields["link"]
    refused = extended.server.ask("/posts/first-note/", accept="image/png, application/problem+json;q=0.1")
    assert "text/gemini" in refused.text


def test_the_index_repeats_what_decides(extended: Extended) -> None:
    (item,) = extended.json("/recipes.json")["items"]
    assert (item["id"], item["servings"]) == ("recipes/pancakes", 4)
    assert extended.json("/recipes.json?topic=content-negotiation")["count"] == 1
    assert "servings" in extended.json("/schemas/RecipeRecord.json")["properties"]
    assert extended.json("/schemas/RecipeIndex.json")


def test_a_topic_a_source_and_the_graph_lead_to_the_record(extended: Extended) -> None:
    assert "/recipes/pancakes/" in extended.text("/topics/content-negotiation/")
    assert "recipes/pancakes" in json.dumps(extended.json("/sources/recipes.example.json"))
    shards = extended.json("/discovery-graph.json")["shards"]
    paths = [shard["url"].partition("/discovery-graph")[2] for shard in shards]
    assert any("recipes/pancakes" in extended.text(f"/discovery-graph{path}") for path in paths)


def test_feeds_and_sitemaps_list_it(extended: Extended) -> None:
    changes = ET.fromstring(extended.text("/changes.xml"))  # noqa: S314  (our own document)
    assert "Less salt." in "".join(changes.itertext())
    shards = [node.text or "" for node in ET.fromstring(extended.text("/sitemap.xml")).iter() if node.text]  # noqa: S314
    paths = ["/sitemaps" + shard.partition("/sitemaps")[2] for shard in shards if "/sitemaps" in shard]
    assert any("/recipes/pancakes/" in extended.text(path) for path in paths)
    assert "/recipes" in extended.text("/sitemap.md")


def test_guides_for_agents_list_it(extended: Extended) -> None:
    assert "/recipes.md" in extended.text("/llms.txt")
    assert "/agent-actions/count.json" in extended.text("/llms-full.txt")
    assert "/recipes/pancakes.md" in extended.text("/recipes/llms.txt")
    assert "/agent-actions/count.json" in extended.text("/agents.md")
    assert "| count_records | kind (required) |" in extended.text("/developers.md")


def test_both_contracts_describe_it(extended: Extended) -> None:
    contract, catalog = extended.json("/openapi.json"), extended.json("/openapi-route-catalog.json")
    assert {"/recipes.json", "/recipes/{slug}.json", "/agent-actions/count.json"} <= set(contract["paths"])
    assert {"RecipeRecord", "RecipeIndex", "CountAnswer"} <= set(contract["components"]["schemas"])
    operation = contract["paths"]["/agent-actions/count.json"]["get"]
    assert operation["operationId"] == "count_records"
    assert "recipes" in json.dumps(operation["parameters"])
    assert "text/gemini" in catalog["paths"]["/recipes/{slug}.gmi"]["get"]["responses"]["200"]["content"]


def test_the_operation_answers_over_rest_and_mcp(extended: Extended) -> None:
    assert extended.json("/agent-actions/count.json?kind=recipes")["count"] == 1
    result = extended.call("tools/call", name="count_records", arguments={"kind": "recipes"})
    assert (result["isError"], "1" in result["content"][0]["text"]) == (False, True)
    wrong = extended.server.ask("/agent-actions/count.json?kind=recipe")
    assert (wrong.status, "recipes" in wrong.text) == (400, True)


def test_the_mcp_endpoint_and_its_manifest_offer_it(extended: Extended) -> None:
    tools = {tool["name"]: tool for tool in extended.call("tools/list")["tools"]}
    assert "recipes" in json.dumps(tools["count_records"]["inputSchema"])
    assert "recipes" in json.dumps(tools["search_archive"]["inputSchema"])
    templates = [entry["uriTemplate"] for entry in extended.call("resources/templates/list")["resourceTemplates"]]
    assert any(template.endswith("/recipes/{slug}/") for template in templates)
    manifest = extended.text("/mcp-readonly.json")
    assert "/recipes.json" in manifest
    assert "count_records" in manifest


def test_a_search_finds_it_among_its_kind(extended: Extended) -> None:
    (hit,) = extended.json("/search.json?query=pancakes&kinds=recipes")["results"]
    assert hit["id"] == "recipes/pancakes"
    assert "Recipe" in extended.text("/search/?query=pancakes")


def test_check_and_new_know_the_kind(extended: Extended) -> None:
    wrong = extended.archive / "content" / "recipes" / "soup.md"
    wrong.write_text(RECIPE.replace("servings: 4", "servings: 0").replace("Pancakes", "Soup"), "utf-8")
    try:
        checked = extended.run("check")
    finally:
        wrong.unlink()
    assert checked.returncode == 1
    assert "recipes/soup.md:6" in checked.stdout + checked.stderr
    assert "servings" in checked.stdout + checked.stderr
    result = extended.run("new", "recipes", "my-soup")
    try:
        assert "servings:" in (extended.archive / "content" / "recipes" / "my-soup.md").read_text("utf-8"), result
    finally:
        (extended.archive / "content" / "recipes" / "my-soup.md").unlink()


def test_links_and_former_paths_know_the_form(extended: Extended) -> None:
    note = extended.archive / "content" / "recipes" / "soup.md"
    text = RECIPE.replace("Pancakes", "Soup").replace("servings: 4", "servings: 4\naliases: [/broth/]")
    note.write_text(text + "\nSee [the other](/recipes/pancakes.gmi).\n", "utf-8")
    try:
        checked = extended.run("check")
        exported = extended.run("build", "--output", "dist")
        assert (checked.returncode, exported.returncode) == (0, 0), checked.stdout + exported.stdout + exported.stderr
        assert "pancakes.gmi" not in checked.stdout
        assert "/broth.gmi" in (extended.archive / "dist" / "_redirects").read_text("utf-8")
    finally:
        note.unlink()


def test_telemetry_knows_the_pages_of_the_kind(extended: Extended) -> None:
    report = extended.json("/page-readership/recipes/pancakes.json")
    assert (report["kind"], report["canonical_path"]) == ("recipes", "recipes/pancakes")
