"""Feeds, sitemap, robots, llms.txt, API catalog and OpenAPI (specification, "Discovery and evidence")."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from lxml import etree

from support.demo import COLLECTIONS, Demo
from support.folder import SITE, folder, post, topic
from support.running_server import Answer, serving

ATOM = "{http://www.w3.org/2005/Atom}"
MAP = "{http://www.sitemaps.org/schemas/sitemap/0.9}"
HUB = "https://pubsubhubbub.appspot.com/"
ATOM_FEEDS = ("/changes.xml", "/feeds/agent-runtime.xml", "/feeds/coding-agents.xml")


@pytest.mark.requirement("feeds")
@pytest.mark.parametrize("path", ATOM_FEEDS)
def test_an_atom_feed_is_bounded_newest_first_and_names_its_hub(demo: Demo, path: str) -> None:
    answer = demo.get(path)
    feed = etree.fromstring(answer.body)
    entries = feed.findall(f"{ATOM}entry")
    assert 0 < len(entries) <= 50
    moments = [entry.findtext(f"{ATOM}updated") or "" for entry in entries]
    assert feed.findtext(f"{ATOM}updated") == max(moments)
    assert len({entry.findtext(f"{ATOM}id") for entry in entries}) == len(entries)
    assert linked(answer, "self") == [demo.base + path]
    assert linked(answer, "hub") == [HUB]


@pytest.mark.requirement("feeds")
@pytest.mark.parametrize("path", ["/changes.xml", "/feeds/hubs.xml", "/posts/feed.xml"])
def test_a_feed_names_the_hub_of_its_site(tmp_path: Path, path: str) -> None:
    files = {"content/posts/x.md": post(), "content/topics/hubs.md": topic()}
    root = folder(tmp_path / "archive", files, f'{SITE}hub = "https://hub.example/"\n')
    with serving(root, tmp_path / "state") as server:
        assert linked(server.ask(path), "hub") == ["https://hub.example/"]


def linked(answer: Answer, relation: str) -> list[str]:
    """The targets of a relation in an Atom feed, which are those of its header too."""
    links = etree.fromstring(answer.body).findall(f"{ATOM}link")
    targets = [link.get("href") or "" for link in links if link.get("rel") == relation]
    assert re.findall(rf'<([^>]+)>; rel="{relation}"', answer.fields["link"]) == targets
    return targets


@pytest.mark.requirement("feeds", "field json feed")
def test_rss_and_json_feed_tell_of_the_same_field_notes(demo: Demo) -> None:
    rss, feed = etree.fromstring(demo.get("/rss.xml").body), demo.json("/feed.json")
    assert feed["version"] == "https://jsonfeed.org/version/1.1"
    assert feed["feed_url"] == demo.base + "/feed.json"
    notes = {item["html_url"] for item in demo.items("posts")}
    urls = [item["url"] for item in feed["items"]]
    assert urls == [item.findtext("link") for item in rss.iter("item")]
    assert set(urls) <= notes
    assert 0 < len(urls) <= 50
    published = [item["date_published"] for item in feed["items"]]
    assert published == sorted(published, reverse=True)


@pytest.mark.requirement("sitemap")
def test_the_sitemap_leads_to_every_page_and_to_nothing_missing(demo: Demo) -> None:
    index = etree.fromstring(demo.get("/sitemap.xml").body)
    assert index.tag == f"{MAP}sitemapindex"
    listed: dict[str, str] = {}
    for shard in index:
        urls = etree.fromstring(demo.get(demo.path(shard.findtext(f"{MAP}loc") or "")).body)
        assert urls.tag == f"{MAP}urlset"
        assert len(urls) <= 50_000
        listed |= {url.findtext(f"{MAP}loc") or "": url.findtext(f"{MAP}lastmod") or "" for url in urls}
        assert shard.findtext(f"{MAP}lastmod") == max(url.findtext(f"{MAP}lastmod") or "" for url in urls)
    expected = {item["html_url"]: item["updated_at"] for name in COLLECTIONS for item in demo.items(name)}
    assert {url: listed.get(url) for url in expected} == expected
    for url in sorted(listed)[::7]:
        answer = demo.get(demo.path(url))
        assert (answer.status, answer.type) == (200, "text/html; charset=utf-8"), url


@pytest.mark.requirement("robots")
def test_robots_hides_no_record_and_states_its_signals(demo: Demo) -> None:
    lines = demo.get("/robots.txt").text.splitlines()
    assert f"Sitemap: {demo.base}/sitemap.xml" in lines
    assert any(line.startswith("Content-Signal: ") for line in lines)
    assert not [line for line in lines if line.startswith("Disallow:") and re.search(r"\.(md|json)|/$", line)]


@pytest.mark.requirement("llms.txt")
def test_llms_txt_is_a_short_guide_to_markdown(demo: Demo) -> None:
    text = demo.get("/llms.txt").text
    assert len(text) <= 50_000
    assert re.match(r"# [^\n]+\n\n> [^\n]+\n", text)
    links = re.findall(r"^- \[[^\]]+\]\(([^)]+)\)", text, re.MULTILINE)
    assert all(url.endswith((".md", ".txt", ".json", ".xml")) for url in links)
    for url in links[::5]:
        assert demo.get(demo.path(url)).status == 200, url
    for name in COLLECTIONS:
        assert demo.get(f"/{name}/llms.txt").status == 200
    assert len(text) < len(demo.get("/llms-full.txt").text) <= 1_000_000


@pytest.mark.requirement("api catalog", "field api catalog")
def test_the_api_catalog_is_a_linkset_of_absolute_addresses(demo: Demo) -> None:
    answer = demo.get("/.well-known/api-catalog")
    assert answer.type == 'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"'
    for context in answer.json()["linkset"]:
        assert context["anchor"].startswith(demo.base)
        for relation, targets in context.items():
            assert relation == "anchor" or all(target["href"].startswith("http") for target in targets)
    assert (
        f'<{demo.base}/.well-known/api-catalog>; rel="api-catalog"'
        in demo.get("/.well-known/api-catalog", "HEAD").fields["link"]
    )


@pytest.mark.requirement("openapi", "versioning 1")
def test_both_contracts_come_from_one_table(demo: Demo) -> None:
    contract, catalog = (demo.json(f"/{name}.json") for name in ("openapi", "openapi-route-catalog"))
    for document in (contract, catalog):
        assert (document["openapi"], document["info"]["version"]) == ("3.1.1", "2026-09-01")
        ids = [operation["operationId"] for operation in _operations(document)]
        assert len(set(ids)) == len(ids)
        assert document["security"] == []
    for path, item in contract["paths"].items():
        for method, operation in item.items():
            assert catalog["paths"][path][method]["operationId"] == operation["operationId"]
    types = {t for operation in _operations(catalog) for t in operation["responses"].get("200", {}).get("content", {})}
    assert types >= {"text/html", "text/markdown", "application/json", "text/plain", "application/xml"}


@pytest.mark.requirement("openapi", "general 1", "convention methods")
def test_path_parameters_are_strings_of_at_least_one_character(demo: Demo) -> None:
    for path, item in demo.json("/openapi-route-catalog.json")["paths"].items():
        declared = [parameter for operation in item.values() for parameter in operation.get("parameters", [])]
        values = {parameter["name"]: parameter for parameter in declared if parameter["in"] == "path"}
        assert set(re.findall(r"{(\w+)}", path)) == set(values)
        numbers = {name for name in values if name in {"page", "revision", "later"}}
        assert all(
            (p["schema"]["type"], p["schema"]["minLength"]) == ("string", 1)
            for name, p in values.items()
            if name not in numbers
        )
        assert all(
            (values[name]["schema"]["type"], values[name]["schema"]["minimum"]) == ("integer", 1) for name in numbers
        )
        assert all(p["required"] is True for p in values.values())


def _operations(document: dict[str, Any]) -> Iterator[Any]:
    for item in document["paths"].values():
        yield from item.values()


@pytest.mark.requirement("versioning 3", "versioning 5")
@pytest.mark.parametrize(
    "path", ["/", "/posts.json", "/posts/<slug>.json", "/posts/<slug>.md", "/changes.xml", "/none.json"]
)
def test_nothing_is_deprecated_today(demo: Demo, path: str) -> None:
    for method in ("GET", "HEAD"):
        assert not {"deprecation", "sunset"} & set(demo.get(path, method).fields)
    assert not any(operation.get("deprecated") for operation in _operations(demo.json("/openapi-route-catalog.json")))


@pytest.mark.requirement("versioning 6", "versioning 7")
def test_a_deprecation_is_announced_everywhere_at_once(tmp_path: Path) -> None:
    row = (
        '[[deprecations]]\npath = "/posts.json"\ndeprecated_on = 2026-03-01\nsunset_on = 2026-09-01\nreason = "Replaced'
        ' by the graph."\n'
    )
    archive = folder(tmp_path / "archive", {"content/posts/one.md": post()}, SITE + row)
    with serving(archive, tmp_path / "state") as server:
        fields = server.ask("/posts.json").fields
        assert (fields["deprecation"], fields["sunset"]) == ("@1772323200", "Tue, 01 Sep 2026 00:00:00 GMT")
        assert 'rel="deprecation"' in fields["link"]
        assert (
            server.ask("/openapi.json", **server.client()).json()["paths"]["/posts.json"]["get"]["deprecated"] is True
        )
        assert "Replaced by the graph." in server.ask("/developers.md").text
        assert "/posts.json" in server.ask("/changes.xml").text


@pytest.mark.requirement("versioning 8", "versioning 6")
def test_the_developer_guide_says_when_it_was_reviewed_and_what_a_problem_means(demo: Demo) -> None:
    page, text = demo.get("/developers/").text, demo.get("/developers.md").text
    assert "2026-09-01" in page
    assert "2026-09-01" in text
    assert 'id="deprecation-policy"' in page
    for slug in ("not-found", "not-acceptable", "rate-limited", "internal", "method-not-allowed"):
        assert f'id="problem-{slug}"' in page
    assert "90" in text
