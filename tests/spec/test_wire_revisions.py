"""Revisions over the wire: addresses that stay, what changed between two, and Memento (RFC 7089, RFC 5829)."""

import re
from collections.abc import Iterator
from email.utils import parsedate_to_datetime
from pathlib import Path

import lxml.html
import pytest

from support.folder import SITE, post, topic
from support.git_folder import Commit, at, extend, repository
from support.mcp_endpoint import MODERN, Wire, result
from support.running_server import Server, serving

TEXTS = ("The quick fox.", "The slow fox.", "The slow fox sleeps.")
PAGE = "/posts/x/"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    path = tmp_path_factory.mktemp("revisions")
    noted = [{"date": "2026-06-01", "note": "It is slow.", "credit": "Ada"}]
    commits = [
        Commit(at(hour * 10), {"content/posts/x.md": post(text, updates=noted[:hour])})
        for hour, text in enumerate(TEXTS)
    ]
    first = Commit(at(0), {"site.toml": SITE, "content/topics/one.md": topic()})
    with serving(repository(path / "archive", [first, *commits]), path / "state") as running:
        yield running


def links(field: str) -> dict[str, str]:
    """Addresses by relation."""
    pairs = re.findall(r'<([^>]*)>; rel="([^"]*)"', field)
    return {relation: address for address, relations in pairs for relation in relations.split()}


@pytest.mark.requirement("revisions stay")
def test_every_revision_has_an_address_in_every_form(server: Server) -> None:
    for number, text in enumerate(TEXTS, 1):
        page = server.ask(f"{PAGE}@{number}/")
        assert (page.status, page.fields["cache-control"].partition(",")[0]) == (200, "max-age=300")
        assert text in page.text
        assert 'content="noindex"' in page.text
        assert text in server.ask(f"{PAGE}@{number}.md").text
        data = server.ask(f"{PAGE}@{number}.json")
        assert data.fields["cache-control"] == "max-age=31536000, immutable", "what was written never changes"
        document = data.json()
        assert (document["revision"], document["written"]["body_markdown"].strip()) == (number, text)
        negotiated = server.ask(f"{PAGE}@{number}/", accept="application/json")
        assert (negotiated.json(), negotiated.fields["cache-control"]) == (document, "private, no-cache")
        assert server.ask(f"{PAGE}@{number}/", if_none_match=page.fields["etag"]).status == 304
        assert server.ask(f"{PAGE}@{number}/", "HEAD").fields["etag"] == page.fields["etag"]
        assert server.ask(f"{PAGE}@{number}/", "POST").status == 405
        assert server.ask(f"{PAGE}@{number}").fields["location"].endswith(f"{PAGE}@{number}/")
        tree = links(page.fields["link"])
        assert tree["latest-version"] == tree["original"] == tree["timegate"] == f"https://archive.test{PAGE}"
        assert tree["version-history"] == f"https://archive.test{PAGE}history/"
        assert tree.get("predecessor-version") == (f"https://archive.test{PAGE}@{number - 1}/" if number > 1 else None)
    assert server.ask(f"{PAGE}@1/", accept="image/png").status == 406
    for missing in ("@0/", "@4/", "@01/", "@1..1/", "@2..1/", "@1..9/", "@1.xml", "@1.bib", "@/", "@x/", "@1../"):
        assert server.ask(PAGE + missing).status == 404, missing
    for path, said in (("@2..1/", True), ("@1..1.md", True), ("@3..2.json", True), ("@2..1", True), ("@1..9/", False)):
        refused = server.ask(PAGE + path).text
        assert ("and the lower number comes first" in refused) is said, path


@pytest.mark.requirement("revisions cited")
def test_a_record_is_cited_by_the_address_of_its_revision(server: Server) -> None:
    record, address = server.ask("/posts/x.json").json(), f"https://archive.test{PAGE}@3/"
    assert (record["revision"], record["revision_url"], record["canonical_url"]) == (3, address, address[:-3])
    assert address in server.ask("/posts/x.bib").text
    page = server.ask(PAGE)
    assert links(page.fields["link"])["cite-as"] == address
    lines = lxml.html.fromstring(page.text).xpath("//p[@class='line']/text()")
    assert lines
    for line in lines:
        assert "(Revision 3, 2026-06-01)" in line
        assert line.endswith(address)
    assert f"{PAGE}history/" in page.text


@pytest.mark.requirement("revisions cited")
def test_the_cited_address_leads_agents_to_the_record(server: Server) -> None:
    def answer(number: int) -> str:
        arguments = {"id": f"https://archive.test{PAGE}@{number}/"}
        wire = Wire(server, "/mcp", MODERN)
        return str(result(wire.call("tools/call", {"name": "get_record", "arguments": arguments}))["content"])

    note = "This is revision 3, the current one; revision 1, as requested, is at https://archive.test/posts/x/@1/"
    assert "posts/x" in answer(3)
    assert "the current one" not in answer(3)
    assert note in answer(1)


@pytest.mark.requirement("revisions compared")
def test_what_changed_between_two_is_told_by_words(server: Server) -> None:
    page = lxml.html.fromstring(server.ask(f"{PAGE}@1..2/").text)
    text = page.xpath("//section[@id='changed-text']")[0]
    assert text.xpath(".//h2")[0].text_content().strip() == "Text"
    assert [(node.tag, node.text_content()) for node in text.iter("del", "ins")] == [("del", "quick"), ("ins", "slow")]
    document = server.ask(f"{PAGE}@1..3.json").json()
    assert [document["former"]["revision"], document["later"]["revision"]] == [1, 3]
    assert "body_markdown" in [change["member"] for change in document["changes"]]
    history = server.ask(f"{PAGE}history.json").json()
    assert [(item["revision"], item["notes"], item["credits"]) for item in history["items"]] == [
        (3, [], []),
        (2, ["It is slow."], ["Ada"]),
        (1, [], []),
    ]
    shown = server.ask(f"{PAGE}history/").text
    assert all(f"{PAGE}{below}" in shown for below in ("@1/", "@2/", "@3/", "@1..2/", "@2..3/"))


@pytest.mark.requirement("memento")
def test_a_moment_leads_to_the_revision_that_was_public_then(server: Server) -> None:
    for moment, number in (
        ("Thu, 01 Jan 2015 00:00:00 GMT", 1),
        ("Mon, 01 Jun 2026 09:59:59 GMT", 1),
        ("Mon, 01 Jun 2026 10:00:00 GMT", 2),
        ("Fri, 01 Jan 2038 00:00:00 GMT", 3),
    ):
        answer = server.ask(PAGE, accept_datetime=moment)
        assert (answer.status, answer.fields["location"]) == (302, f"{PAGE}@{number}/")
        assert "Accept-Datetime" in answer.fields["vary"]
        relations = links(answer.fields["link"])
        assert relations["original"] == relations["timegate"] == f"https://archive.test{PAGE}"
        assert {"timemap", "first", "last", "memento"} <= relations.keys()
        memento = server.ask(answer.fields["location"])
        since = parsedate_to_datetime(memento.fields["memento-datetime"])
        assert since == at((number - 1) * 10)
    record = server.ask(PAGE)
    assert "Accept-Datetime" in record.fields["vary"]
    assert "memento-datetime" not in record.fields
    assert {"timegate", "timemap", "original"} <= links(record.fields["link"]).keys()
    for nonsense in ("yesterday", "2026-06-01", "Mon, 99 Jun 2026 10:00:00 GMT", "x" * 500):
        assert server.ask(PAGE, accept_datetime=nonsense).status == 400, nonsense
    assert server.ask("/posts/", accept_datetime="Fri, 01 Jan 2038 00:00:00 GMT").status == 200


@pytest.mark.requirement("memento")
def test_the_timemap_lists_every_memento(server: Server) -> None:
    timemap = server.ask(f"{PAGE}history.link")
    assert (timemap.status, timemap.type) == (200, "application/link-format")
    rows = re.findall(r'<([^>]*)>; rel="([^"]*memento)"; datetime="([^"]*)"', timemap.text)
    assert [(address, relation) for address, relation, _ in rows] == [
        (f"https://archive.test{PAGE}@1/", "first memento"),
        (f"https://archive.test{PAGE}@2/", "memento"),
        (f"https://archive.test{PAGE}@3/", "last memento"),
    ]
    for address, _, moment in rows:
        assert server.ask(address.removeprefix("https://archive.test")).fields["memento-datetime"] == moment


@pytest.mark.requirement("revisions stay")
def test_search_feeds_and_sitemaps_know_the_newest_alone(server: Server) -> None:
    documents = ["/sitemap.xml", "/sitemaps/records-1.xml", "/rss.xml", "/feed.json", "/changes.xml", "/llms.txt"]
    for path in (*documents, "/search.json?query=quick", "/posts.json", "/discovery-graph/000.json"):
        answer = server.ask(path)
        assert f"{PAGE}@" not in re.sub(r"posts/x/@3/", "", answer.text), path
        assert "quick fox" not in answer.text, path


SOURCES = [
    {"id": "report", "url": "https://source.example/report", "title": "The report"},
    "https://other.example/",
    "shared-one",
]
CLAIMS = [
    {"text": "It holds.", "source_refs": ["report"]},
    {"text": "It held.", "source_refs": ["https://other.example/"]},
]


@pytest.mark.requirement("revisions stay")
def test_the_page_of_a_revision_reads_as_that_of_the_record_did(tmp_path: Path) -> None:
    """In the blocks of its kind: nugget, claims with numbered sources, text with anchors, sources, related records."""
    shared = "sources:\n  shared-one:\n    url: https://shared.example/\n    title: A shared one\n"
    members = {"sources": SOURCES, "claims": CLAIMS, "related": ["/posts/y/"], "topics": ["one"]}
    first = {
        "site.toml": SITE,
        "content/sources.yaml": shared,
        "content/topics/one.md": topic(title="Topic one"),
        "content/posts/y.md": post(title="The other one"),
        "content/posts/x.md": post("## A heading\n\nSee [the report](https://source.example/report).", **members),
    }
    commits = [
        Commit(at(0), first),
        Commit(at(10), {"content/posts/x.md": post("All new.")}),
        Commit(at(20), {}, deleted=["content/posts/y.md"]),
    ]
    archive = repository(tmp_path / "archive", commits[:2])
    with serving(archive, tmp_path / "state") as server:
        page = lxml.html.fromstring(server.ask(f"{PAGE}@1/").text)
        record = lxml.html.fromstring(server.ask(PAGE).text)
        assert page.xpath("//section[@id='claims']//li/sup/a/text()") == ["[1]", "[2]"]
        assert page.xpath("//section[@id='sources']//li/@id") == ["source-report", "source-s2", "source-shared-one"]
        assert page.xpath("//section[@id='text']//h2/@id | //section[@id='text']//h3/@id") == ["a-heading"]
        assert page.xpath("//section[@id='text']//p/sup/a/text()") == ["[1]"]
        assert page.xpath("//section[@id='related']//a/text()") == ["The other one"]
        assert [link.text for link in page.xpath("//a[@href='/topics/one/']")] == ["Topic one"]
        assert record.xpath("//section[@id='claims']") == []
        twin = server.ask(f"{PAGE}@1.md").text
        assert "1. It holds. ([\\[1\\] The report](https://source.example/report))" in twin
        comparison = lxml.html.fromstring(server.ask(f"{PAGE}@1..2/").text)
        changed = {section.get("id"): section for section in comparison.xpath("//section[h2]")}
        assert changed["changed-claims"].xpath("h2")[0].text_content().strip() == "Claims"
        assert [node.text for node in changed["changed-claims"].iter("ins")] == []
        assert "The report" in changed["changed-sources"].text_content()
    extend(archive, commits[2:])
    with serving(archive, tmp_path / "state") as server:
        assert server.ask(f"{PAGE}@1/").status == 200
        assert "The other one" not in server.ask(f"{PAGE}@1/").text, "it is not published any more"


@pytest.mark.requirement("revisions compared")
def test_a_link_that_leads_elsewhere_is_a_change_though_its_words_are_the_same(tmp_path: Path) -> None:
    commits = [
        Commit(at(0), {"site.toml": SITE, "content/posts/x.md": post("See *[this](https://one.example/)*.")}),
        Commit(at(10), {"content/posts/x.md": post("See **[this](https://two.example/)**.")}),
    ]
    with serving(repository(tmp_path / "archive", commits), tmp_path / "state") as server:
        page = lxml.html.fromstring(server.ask(f"{PAGE}@1..2/").text)
        (text,) = page.xpath("//section[@id='changed-text']")
        assert [(node.tag, node.text) for node in text.iter("del", "ins")] == [("del", "one"), ("ins", "two")]


def test_a_change_that_no_page_shows_is_told_by_member(tmp_path: Path) -> None:
    source = {"url": "https://one.example/", "id": "one"}
    commits = [
        Commit(at(0), {"site.toml": SITE, "content/posts/x.md": post(sources=[source])}),
        Commit(at(10), {"content/posts/x.md": post(sources=[source | {"archive_url": "https://kept.example/one"}])}),
    ]
    with serving(repository(tmp_path / "archive", commits), tmp_path / "state") as server:
        page = lxml.html.fromstring(server.ask(f"{PAGE}@1..2/").text)
        (section,) = page.xpath("//section[@id='changed-sources']")
        assert "https://kept.example/one" in section.xpath("string(.)")
