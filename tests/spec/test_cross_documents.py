"""Documents agree: every fact that two of them state is compared, for archives of any size and after edits."""

import re
import shutil
from collections import defaultdict
from html import unescape
from pathlib import Path

import pytest
from lxml import etree

from citepress.admin.build import Builder
from citepress.base import clock
from citepress.content.headings import headings
from citepress.edition.pages.collection_models import INDEX_ITEMS
from citepress.edition.pages.sources import MAX_SHOWN_EVIDENCE
from citepress.kinds import ALL as KINDS
from citepress.settings import Settings
from support.compared_editions import with_history
from support.demo import DEMO
from support.facts import ATOM, Facts
from support.folder import SITE, folder, post
from support.generated import files

pytestmark = pytest.mark.long

SIZES = ("demo", "0", "1", "174", "1400", "edited")
DIGEST = "sha-256:[0-9a-f]{64}|sha-256=:[A-Za-z0-9+/]{43}=:"
"""As our documents write a digest, and as RFC 9530 does."""
REGISTERS = {
    "/datasets/": "items",
    "/presence/": "presence_events attention_packets syndication_receipts authority_assets return_signals",
    "/discovery-experiments/": "experiments",
    "/recall-probes/": "probe_sets",
    "/calibration/": "resolved unscored open",
}
"""Further collections, and the members of their documents that are lists of what they hold."""
ACTIONS = ("/mcp", "/agent-", "/search", "/.well-known/mcp")
"""Beginnings of addresses that are no documents of the edition."""


def _edited(root: Path, builder: Builder) -> None:
    """A new record, one that changes its title, its sources and its date, and one that goes.

    Each published by itself.
    """
    content = root / "content" / "posts"
    (content / "post-6.md").write_text(
        post("New text.", title="Another title", lastmod="2026-11-01", sources=["https://new.example/x"])
    )
    builder.build(clock.now())
    (content / "added.md").write_text(
        post("See [it](/posts/post-6/).", title="Added", date="2026-11-02", topics=["topic-1"])
    )
    builder.build(clock.now())
    (content / "post-9.md").unlink()


@pytest.fixture(scope="module", params=SIZES)
def facts(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Facts:
    where = tmp_path_factory.mktemp("facts")
    name = str(request.param)
    if name == "demo":
        shutil.copytree(DEMO, where / "archive", ignore=shutil.ignore_patterns("state"))
    else:
        folder(where / "archive", files(40 if name == "edited" else int(name)), SITE)
    builder = Builder(Settings(where / "archive", where / "state"))
    built = builder.build(clock.now())
    if name == "edited":
        _edited(where / "archive", builder)
        built = builder.build(clock.now())
        whole = Builder(Settings(where / "archive", with_history(where / "state", where / "whole"))).build(clock.now())
        assert built.printed is not None
        assert whole.printed is not None
        assert built.printed.digest == whole.printed.digest, "edits one by one end where a build from nothing does"
    return Facts(built.pointer)


def test_indexes_count_what_they_lead_to(facts: Facts) -> None:
    for kind in KINDS:
        items = facts.items(f"/{kind.name}.json")
        published = [
            path for path in facts.paths_named if re.fullmatch(rf"/{kind.name}/(?!page/|index/)[a-z0-9-]+\.json", path)
        ]
        assert len(items) == len(published) == facts.json(f"/{kind.name}.json")["count"]
        assert len({item["id"] for item in items}) == len(items)
        dates = [item["published_at"] for item in items]
        assert dates == sorted(dates, reverse=True)


@pytest.mark.requirement("signal pages", "index shape")
def test_a_chain_is_the_same_in_the_body_and_in_the_link_field(facts: Facts) -> None:
    starts = [f"/{kind.name}.json" for kind in KINDS] + ["/source-ledger.json", "/source-entities.json"]
    starts += [f"/{kind.name}/page/1.json" for kind in KINDS if kind.page_size]
    for start in starts:
        parts = list(facts.chain(start))
        for number, (path, document) in enumerate(parts):
            links = facts.links(path)
            assert links.get("next") == document["next"], path
            assert links.get("prev", "") == (facts.base + parts[number - 1][0] if number else ""), path
            assert document.get("prev", links.get("prev")) == links.get("prev")
            if len(parts) > 1:
                assert (links["first"], links["last"]) == (facts.base + start, facts.base + parts[-1][0])
    for kind in KINDS:
        if kind.page_size:
            pages = [record["id"] for _, page in facts.chain(f"/{kind.name}/page/1.json") for record in page["items"]]
            assert pages == [item["id"] for item in facts.items(f"/{kind.name}.json")]
            assert facts.json(f"/{kind.name}.json")["page_count"] == len(list(facts.chain(f"/{kind.name}/page/1.json")))


def test_the_pages_of_a_list_are_one_chain_for_people(facts: Facts) -> None:
    for kind in KINDS:
        visited, path = [], f"/{kind.name}/"
        while path:
            visited.append(path)
            following = facts.links(path).get("next", "")
            match = re.search(r'<link rel="next" href="([^"]*)">', facts.text(path))
            assert (match[1] if match else "") == following.removeprefix(facts.base)
            path = following.removeprefix(facts.base)
        assert f"/{kind.name}/page/1/" not in visited
        assert facts.links(f"/{kind.name}/page/1/")["canonical"] == f"{facts.base}/{kind.name}/"
        assert len(visited) == len(
            [address for address in facts.paths_named if re.fullmatch(rf"/{kind.name}/page/\d+/", address)]
        )


def test_a_record_says_the_same_in_every_form(facts: Facts) -> None:
    items = {item["id"]: item for kind in KINDS for item in facts.items(f"/{kind.name}.json")}
    for id_, record in list(facts.records.items())[:: max(1, len(items) // 100)]:
        assert {name: value for name, value in record.items() if name in items[id_]} == items[id_]
        page, twin = facts.text(f"/{id_}/"), facts.text(f"/{id_}.md")
        heading = re.search(r"<h1>(.*?)</h1>", page)
        assert heading is not None
        assert unescape(re.sub("<[^>]*>", "", heading[1])) == record["title"].replace("`", "")
        assert f"canonical_url: {record['canonical_url']!r}".replace("'", '"') in twin
        assert f'date_modified: "{record["updated_at"]}"' in twin
        checks = [source["checked_at"] or "" for source in record["sources"]]
        revised = max([record["updated_at"], record["revised_at"] or "", *checks])
        (modified,) = {facts.modified(f"/{id_}{form}") for form in ("/", ".md", ".json")}
        assert modified >= revised
        anchors = [heading.anchor for heading in headings(record["body_markdown"])]
        assert anchors == [anchor for anchor in anchors if f'id="{anchor}"' in page]
        links = re.findall(r"\]\(([^)\s]*)\)", record["body_markdown"])
        assert all(f"]({link})" in twin for link in links)
        ids = re.findall(r'<[^>]* id="([^"]*)"', page)
        assert len(ids) == len(set(ids)), f"{id_}: ids of its page are not unique"


def test_as_of_and_schema_version_are_the_same_everywhere(facts: Facts) -> None:
    as_of = {}
    for path, document in facts.documents():
        if isinstance(document, dict) and "schema_version" in document:
            assert document["schema_version"] == 1, path
            assert type(document["schema_version"]) is int, path
        if (
            isinstance(document, dict)
            and re.match(r"/[a-z-]+\.json$", path)
            and document.get("kind")
            and "items" in document
        ):
            as_of[path] = document["as_of"]
    as_of["/source-ledger.json"] = facts.json("/source-ledger.json")["as_of"]
    as_of["/source-entities.json"] = facts.json("/source-entities.json")["as_of"]
    assert len(set(as_of.values())) == 1
    newest = max((record["updated_at"] for record in facts.records.values()), default="1970-01-01T00:00:00Z")
    assert max(as_of.values()) >= newest


@pytest.mark.requirement("sitemap")
def test_the_sitemap_names_every_page_with_the_last_change_by_an_author(facts: Facts) -> None:
    pages = {
        path
        for path in facts.paths_named
        if facts.meta(path)["kind"] == "html" and not re.search(r"/page/\d+/$|^/tags/.", path)
    }
    listing = {f"/{kind.name}/": "items" for kind in KINDS} | {"/tags/": "items"} | REGISTERS
    empty = {
        path
        for path, member in listing.items()
        if not any(facts.json(f"{path.rstrip('/')}.json")[name] for name in member.split())
    }
    assert facts.sitemap.keys() == pages - empty
    wrong = {
        path: (listed, facts.modified(path))
        for path, listed in facts.sitemap.items()
        if listed and listed > facts.modified(path)
    }
    assert not wrong, "what its author dated later than its bytes"
    records = {f"/{id_}/": record["updated_at"] for id_, record in facts.records.items()}
    assert {path: facts.sitemap[path] for path in records} == records
    undated = [path for path, listed in facts.sitemap.items() if not listed]
    assert undated == [path for path in facts.sitemap if facts.meta(path)["live"] or not records], "no author dated it"


@pytest.mark.requirement("field json feed", "feeds")
def test_feeds_tell_what_records_tell(facts: Facts) -> None:
    posts = [facts.records[item["id"]] for item in facts.items("/posts.json")][:50]
    feed = facts.json("/feed.json")["items"]
    rows = [
        (item["url"], item["title"], item["summary"], item["date_published"], item["date_modified"]) for item in feed
    ]
    assert rows == [(p["canonical_url"], p["title"], p["summary"], p["published_at"], p["updated_at"]) for p in posts]
    rss = etree.fromstring(facts.body("/rss.xml"))
    assert [(item.findtext("guid"), item.findtext("title")) for item in rss.iter("item")] == [
        (p["canonical_url"], p["title"].replace("<", "&lt;"))  # readers decode a title of RSS once more, as HTML
        for p in posts
    ]
    for path in [path for path in facts.paths_named if path == "/changes.xml" or path.startswith("/feeds/")]:
        entries = list(etree.fromstring(facts.body(path)).iter(f"{ATOM}entry"))
        ids = [entry.findtext(f"{ATOM}id") for entry in entries]
        assert len(ids) == len(set(ids)) <= 50, path
        moments = [entry.findtext(f"{ATOM}updated", "") for entry in entries]
        assert moments == sorted(moments, reverse=True), path


@pytest.mark.requirement("kind ledger", "kind origins")
def test_ledger_origins_and_records_agree_on_who_cites_what(facts: Facts) -> None:
    citing: dict[str, set[str]] = defaultdict(set)
    linking: dict[str, set[str]] = defaultdict(set)
    origin_of = {}
    for record in facts.records.values():
        assert record["source_urls"] == [source["normalized_url"] for source in record["sources"]]
        assert {mention["role"] for mention in record["mentions"]} <= {"mentioned"}
        for records, uses in ((citing, record["sources"]), (linking, record["mentions"])):
            for use in uses:
                records[use["normalized_url"]].add(record["id"])
                origin_of[use["normalized_url"]] = use["origin"]
    sources = [source for _, part in facts.chain("/source-ledger.json") for source in part["sources"]]
    assert {source["url"]: set(source["cited_by"]) for source in sources if source["cited_by"]} == citing
    assert {source["url"]: set(source["mentioned_by"]) for source in sources if source["mentioned_by"]} == linking
    assert all((source["role"] == "mentioned") == (not source["cited_by"]) for source in sources)
    assert {source["url"]: source["origin"] for source in sources} == origin_of
    assert facts.json("/source-ledger.json")["count"] == len(sources)
    for origin in facts.items("/source-entities.json"):
        own = {url for url, id_ in origin_of.items() if id_ == origin["id"]}
        detail = facts.json(facts.path(origin["json_url"]))
        assert origin["source_count"] == detail["evidence_count"] == len(own & citing.keys())
        assert origin["mention_count"] == detail["mention_count"] == len(own - citing.keys())
        cites = set[str]().union(*(citing.get(url, ()) for url in own))
        links = set[str]().union(*(linking.get(url, ()) for url in own)) - cites
        assert origin["record_count"] == detail["backlink_count"] == len(cites | links)
        relations = {back["id"]: back["relation"] for back in detail["backlinks"]}
        assert relations == dict.fromkeys(cites, "cites") | dict.fromkeys(links, "mentions")


def test_a_source_has_one_title_and_keeps_the_address_that_was_written(facts: Facts) -> None:
    titles: dict[str, set[str]] = {}
    written: dict[str, dict[str, str]] = {}
    for record in facts.records.values():
        for source in record["sources"]:
            titles.setdefault(source["normalized_url"], set()).add(source["title"])
            written.setdefault(source["normalized_url"], {})[record["id"]] = source["url"]
    for _, part in facts.chain("/source-ledger.json"):
        for source in [source for source in part["sources"] if source["cited_by"]]:
            titles[source["url"]].add(source["title"])
            assert source["cited_url"] in written[source["url"]].values()
    for origin in facts.items("/source-entities.json"):
        page = unescape(facts.text(facts.path(origin["html_url"])))
        detail = facts.json(facts.path(origin["json_url"]))
        for mention in detail["mentions"]:
            assert {citation["role"] for citation in mention["citations"]} == {mention["role"]} == {"mentioned"}
        for place, source in enumerate(detail["evidence"]):
            titles[source["url"]].add(source["title"])
            citations = [citation for citation in source["citations"] if citation["role"] != "mentioned"]
            assert {citation["record"]: citation["cited_url"] for citation in citations} == written[source["url"]]
            assert source["cited_url"] in written[source["url"]].values()
            assert place >= MAX_SHOWN_EVIDENCE or f'href="{source["cited_url"]}"' in page
    for dataset in [path for path in facts.paths_named if re.fullmatch(r"/datasets/[^/]+\.json", path)]:
        for source in facts.json(dataset).get("sources", ()):
            titles.setdefault(source["normalized_url"], set()).add(source["title"])
    assert {url: names for url, names in titles.items() if len(names) > 1} == {}


def test_minor_changes_are_in_the_history_of_their_record_alone(facts: Facts) -> None:
    listed = {
        entry.findtext(f"{ATOM}id") for entry in etree.fromstring(facts.body("/changes.xml")).iter(f"{ATOM}entry")
    }
    changes = [(record, change) for record in facts.records.values() for change in record["updates"]]
    for record, change in changes:
        assert change["minor"] or change["date"] <= record["updated_at"]
        if change["minor"]:
            assert record["updated_at"] < change["date"]
            read = [source["accessed_at"] for source in record["sources"] if source["accessed_at"]]
            assert record["sources_read_at"] == max(read, default=None)
            assert f"{record['canonical_url']}#{change['id']}" not in listed
            assert change["note"] in unescape(facts.text(facts.path(record["html_url"])))
    # A reader of the feed sees new and changed records, not one entry for each reading of sources.
    assert not [entry for entry in listed if "#updated-2026-10-02" in str(entry)]


def test_digests_have_one_spelling_unless_a_standard_has_its_own(facts: Facts) -> None:
    spelt = {
        path: re.findall(r'"[a-z_]*digest":"(sha[^"]*)"', facts.text(path))
        for path in facts.paths_named
        if facts.meta(path)["kind"] == "json"
    }
    own_names = {
        path: names for path, names in spelt.items() if names and not path.startswith("/.well-known/agent-skills/")
    }
    assert own_names
    assert [text for names in own_names.values() for text in names if not re.fullmatch(DIGEST, text)] == []


def test_backlinks_are_the_links_of_others(facts: Facts) -> None:
    for record in facts.records.values():
        assert all(back["id"] in facts.records for back in record["backlinks"])
        about = {back["id"] for back in record["backlinks"] if back["relation"] == "about-topic"}
        if record["kind"] == "topics":
            assert about == {member["id"] for member in facts.records.values() if record["slug"] in member["topics"]}
        for other in record["related"]:
            assert record["id"] in facts.records[other]["related"]
        for back in filter(lambda back: back["passage"], record["backlinks"]):
            assert back["relation"] == "links-to"
            assert record["slug"] in facts.records[back["id"]]["body_markdown"]
            if back["passage"]["words"].isalnum():
                assert f"[{back['passage']['words']}](" in facts.records[back["id"]]["body_markdown"]


def test_every_address_of_the_site_that_a_document_names_is_answered(facts: Facts) -> None:
    named: dict[str, str] = {}
    for path in facts.paths:
        if (
            facts.meta(path)["kind"] in {"json", "xml", "text", "markdown"}
            and path in facts.paths_named
            and not path.startswith("/openapi")
        ):
            named |= dict.fromkeys(facts.addresses(path), path)
    wrong = {
        address: path
        for address, path in named.items()
        if not address.startswith(ACTIONS) and facts.edition.find(address) is None
    }
    assert not wrong


def test_a_large_index_goes_on_in_parts(facts: Facts) -> None:
    for kind in KINDS:
        first = facts.json(f"/{kind.name}.json")
        assert (first["next"] is not None) == (first["count"] > INDEX_ITEMS)
