"""Lists under a query: the same records in HTML, Markdown and JSON, and the facets that lead there."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from citepress.edition.pages import collections, facets, index_counts
from citepress.web import index_parts
from support.folder import forecast, pattern, post, signal, topic
from support.operation_context import operation_context
from support.server_with_actions import Service, small

TITLE = re.compile(r'<h[23] class="title"><a href="/([^"]*)/">')
SITE = "https://archive.test"


def _records() -> dict[str, str]:
    records = {
        f"posts/n{number}": post(
            "Read [more](https://mentioned.example/page)." if number == 2 else "Some text.",
            title=f"Note {number}",
            date=f"{2020 + number % 3}-01-{number + 1:02d}",
            tags=["Web Standards"] if number % 2 else ["web-standards", "写真"],
            topics=["caches"] if number < 4 else [],
            sources=["https://spec.example/one"] if number == 1 else [],
        )
        for number in range(12)
    }
    records["topics/caches"] = topic(title="Caches & tokens", question="What is kept?", short_answer="The newest.")
    records["patterns/one"] = pattern(title="One", status="emerging")
    records["patterns/two"] = pattern(title="Two", status="established")
    return records


@pytest.fixture(scope="module")
def reading(tmp_path_factory: pytest.TempPathFactory) -> Service:
    path = tmp_path_factory.mktemp("service")
    archive = small(path / "content", {**_records()})
    return Service(operation_context(archive, path / "state", inbox=False), rest=1000)


@pytest.mark.parametrize(
    "query",
    [
        "topic=caches",
        "tag=web-standards",
        "tag=%E5%86%99%E7%9C%9F&year=2021",
        "origin=spec.example",
        "origin=mentioned.example",
        "since=2022-01-05",
    ],
)
def test_every_form_lists_the_same_records(reading: Service, query: str) -> None:
    ids = [item["id"] for item in reading.ask(f"/posts.json?{query}").json()["items"]]
    page, markdown = reading.ask(f"/posts/?{query}"), reading.ask(f"/posts.md?{query}")
    assert 0 < len(ids) < 12 or query == "tag=web-standards"
    assert TITLE.findall(page.text) == ids
    assert re.findall(rf"^- \[[^]]*\]\({SITE}/(posts/[^)]*)/\)", markdown.text, re.MULTILINE) == ids
    assert f"{len(ids)} field note" in page.text
    assert reading.ask(f"/posts/?{query}", accept="text/markdown").body == markdown.body


def test_a_card_says_the_same_with_and_without_a_query(tmp_path: Path) -> None:
    records = {"signals/s": signal(date="2026-05-01"), "forecasts/f": forecast(title="Rain", date="2026-05-01")}
    service = Service(operation_context(small(tmp_path / "content", records), tmp_path / "state", inbox=False))
    for kind in ("signals", "forecasts"):
        whole, narrowed = (service.ask(f"/{kind}/{query}").text for query in ("", "?year=2026"))
        card = re.compile(r'<p class="meta"[^>]*>.*?</p>')
        assert len(card.findall(whole)) == 1
        assert card.findall(whole) == card.findall(narrowed)


def test_a_list_under_a_query_is_for_every_cache_and_no_index(reading: Service) -> None:
    page = reading.ask("/posts/?topic=caches")
    assert (page.fields["cache-control"], page.fields["vary"]) == ("max-age=60", "Accept, Accept-Encoding")
    assert '<meta name="robots" content="noindex">' in page.text
    assert page.fields["link"] == f'<{SITE}/posts/>; rel="canonical"'
    negotiated = reading.ask("/posts/?topic=caches", accept="application/json")
    assert (negotiated.fields["cache-control"], negotiated.fields["vary"]) == (
        "private, no-cache",
        "Accept, Accept-Encoding",
    )
    assert negotiated.fields["content-location"] == "/posts.json?topic=caches"


def test_facets_count_what_their_links_lead_to(reading: Service) -> None:
    facets = re.search(r'id="facets".*?</section>', reading.ask("/posts/").text, re.DOTALL)
    assert facets
    links = re.findall(r'href="(/posts/[^"]*)"[^>]*>[^<]*\((\d+)\)', facets[0])
    assert {href.partition("=")[0] for href, _ in links} == {
        "/posts/?year",
        "/posts/?topic",
        "/posts/?tag",
        "/posts/?origin",
    }
    for href, count in links:
        assert len(TITLE.findall(reading.ask(href.replace("&amp;", "&")).text)) == int(count), href


def test_a_facet_narrows_a_narrowed_list_and_can_be_removed(reading: Service) -> None:
    page = reading.ask("/posts/?topic=caches").text
    assert '<dd>Caches &amp; tokens, <a href="/posts/">remove</a></dd>' in page
    href = re.search(r'href="(/posts/\?topic=caches&amp;year=2020)">2020 \((\d)\)', page)
    assert href
    assert len(TITLE.findall(reading.ask(href[1].replace("&amp;", "&")).text)) == int(href[2]) == 2


def test_members_of_few_values_are_facets_of_their_kind(reading: Service) -> None:
    assert '<a href="/patterns/?status=established">established (1)</a>' in reading.ask("/patterns/").text
    assert [item["id"] for item in reading.ask("/patterns.json?status=established").json()["items"]] == ["patterns/two"]
    wrong = reading.ask("/patterns/?status=unknown")
    assert (wrong.status, wrong.type) == (400, "text/html; charset=utf-8")
    assert reading.ask("/posts/?status=established").fields["etag"] == reading.ask("/posts/").fields["etag"]


@pytest.mark.parametrize(
    "query", ["tag=%0d%0aX:1", "tag=web%0dstandards", "tag=none", "topic=%00", "origin=%0a", "origin=none.example"]
)
def test_a_condition_that_names_nothing_is_refused_with_its_parameter(reading: Service, query: str) -> None:
    refused = reading.ask(f"/posts.json?{query}")
    assert refused.status == 400
    assert [fault["parameter"] for fault in refused.json()["errors"]] == [query.partition("=")[0]]
    assert reading.ask(f"/posts/?{query}").status == 400


def test_a_list_in_rows_and_pages_of_it(reading: Service) -> None:
    table = reading.ask("/posts/?view=table").text
    assert len(re.findall(r'<tr><td[^>]*><a href="/posts/n\d+/">', table)) == 12
    assert '<a href="/posts/">as cards</a>' in table
    for query in ("page=99", "page=0", "page=x", "part=1"):
        assert len(TITLE.findall(reading.ask(f"/posts/?topic=caches&{query}").text)) == 4
    missing = reading.ask("/posts/?topic=caches&part=7")
    assert (missing.status, "no part 7" in missing.text) == (400, True)


def test_tags_have_pages_in_every_form(reading: Service) -> None:
    tags = reading.ask("/tags.json").json()
    assert [(tag["tag"], tag["count"]) for tag in tags["items"]] == [("web-standards", 12), ("写真", 6)]
    assert tags["items"][0]["slug"] == "web-standards"
    for tag in tags["items"]:
        page = reading.ask(f"/tags/{tag['slug']}/")
        listed = [item["id"] for item in reading.ask(f"/tags/{tag['slug']}.json").json()["items"]]
        assert TITLE.findall(page.text) == listed
        assert len(listed) == tag["count"]
    assert f'<a href="/tags/{tags["items"][1]["slug"]}/">写真</a>' in reading.ask("/posts/n2/").text


def test_lists_have_headings_for_their_years(reading: Service) -> None:
    assert re.findall(r"<h2>(\d{4})</h2>", reading.ask("/posts/").text) == ["2022", "2021", "2020"]


def test_an_archive_without_tags_leads_to_none(tmp_path: Path) -> None:
    archive = small(tmp_path / "content", {"posts/x": post()})
    bare = Service(operation_context(archive, tmp_path / "state", inbox=False))
    assert "/tags/" not in bare.ask("/posts/x/").text
    assert "/tags/" not in bare.ask("/sitemaps/pages-1.xml").text


def test_the_glossary_explains_kinds_and_terms_with_anchors(reading: Service) -> None:
    assert 'href="/glossary/"' in reading.ask("/posts/n1/").text.partition("<footer")[2]
    text = reading.ask("/glossary/").text
    assert '<a href="/patterns/">Patterns</a>' in text
    assert 'id="term-claim"' in text
    assert '"@type":"DefinedTermSet"' in text


@pytest.fixture(scope="module")
def parted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """The same records where a part of an index holds four of them, so that each year is a part."""
    path = tmp_path_factory.mktemp("parted")
    with pytest.MonkeyPatch.context() as patch:
        for module in (collections, facets, index_counts, index_parts):
            patch.setattr(module, "INDEX_ITEMS", 4)
        archive = small(path / "content", {**_records()})
        yield Service(operation_context(archive, path / "state", inbox=False), rest=1000)


@pytest.mark.parametrize(
    ("query", "counts", "total"),
    [
        ("year=2022", {1: 4}, 4),
        ("year=2020", {1: 0, 3: 4}, 4),
        ("topic=caches", {1: 1, 2: 1, 3: 2}, 4),
        ("tag=%E5%86%99%E7%9C%9F", {1: 2, 2: 2, 3: 2}, 6),
        ("topic=caches&tag=web-standards", {1: 1, 2: 1, 3: 2}, None),
        ("origin=spec.example", {1: 0, 2: 1, 3: 0}, 1),
        ("since=2022-01-05", {1: 3}, 3),
        ("since=2021-01-09", {1: 4, 2: 1}, None),
    ],
)
def test_a_narrowed_index_says_how_many_match_and_leads_to_parts_that_hold_some(
    parted: Service, query: str, counts: dict[int, int], total: int | None
) -> None:
    address, matches = f"/posts.json?{query}", dict[int, int]()
    while address:
        answer = parted.ask(address)
        document = answer.json()
        following = re.findall(r'<([^>]+)>; rel="next"', answer.fields["link"])
        assert following == ([document["next"]] if document["next"] else [])
        part = re.search(r"/index/(\d+)\.json", address)
        matches[int(part[1]) if part else 1] = document["count"]
        if not part:
            assert document["total"] == total
        address = (document["next"] or "").removeprefix(SITE)
    assert matches == counts


def test_the_last_part_and_the_page_for_people_pass_over_parts_without_a_match(parted: Service) -> None:
    links = parted.ask("/posts.json?year=2020").fields["link"]
    assert re.search(r'<[^>]+/posts/index/3\.json\?year=2020>; rel="last"', links)
    assert 'href="/posts/?year=2020&amp;part=3"' in parted.ask("/posts/?year=2020").text
    assert "part=" not in parted.ask("/posts/?year=2022").text
    two = parted.ask("/posts/index/2.json?topic=caches&year=2021").json()
    assert (two["count"], two["total"], two["next"]) == (1, 1, None)
    assert parted.ask("/posts.json").json()["total"] == 12
