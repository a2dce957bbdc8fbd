"""The page of an origin of sources names the publisher of a source only where it is another."""

import re
from pathlib import Path

import lxml.html

from support.folder import post
from support.operation_context import operation_context
from support.server_with_actions import Service, small


def test_an_origin_does_not_name_itself_beside_each_source(tmp_path: Path) -> None:
    sources = [
        {"url": "https://press.example/1", "title": "First", "publisher": "press.example"},
        {"url": "https://press.example/2", "title": "Second", "publisher": "press.example"},
        {"url": "https://press.example/3", "title": "Third", "publisher": "Another House"},
    ]
    archive = small(tmp_path / "content", {"posts/x": post(sources=sources)})
    service = Service(operation_context(archive, tmp_path / "state", inbox=False))
    origin = service.ask("/posts/x.json").json()["sources"][0]["origin"]
    page = service.ask(f"/sources/{origin}/").text
    assert "<h1>press.example</h1>" in page
    evidence = page.partition('id="evidence"')[2].partition("</section>")[0]
    named = [span.split("<")[0] for span in evidence.split('<span class="text">')[1:]]
    assert named == ["Another House"]


def test_the_list_of_origins_says_how_much_each_holds_and_when_it_was_last_cited(tmp_path: Path) -> None:
    def cited(*pages: str) -> list[dict[str, str]]:
        return [{"url": f"https://{page}", "title": page} for page in pages]

    records = {
        "posts/new": post(date="2026-05-20", sources=cited("a.example/1", "a.example/2")),
        "posts/old": post(date="2025-01-02", sources=cited("a.example/1", "b.example/1")),
    }
    service = Service(operation_context(small(tmp_path / "content", records), tmp_path / "state", inbox=False))
    (table,) = lxml.html.fromstring(service.ask("/sources/").text).xpath("//*[@id='origins']//table")
    assert [[cell.text_content() for cell in row] for row in table.iter("tr")] == [
        ["Origin", "Sources", "Records", "Last cited"],
        ["a.example", "2", "2", "20 May 2026"],
        ["b.example", "1", "1", "2 January 2025"],
    ]


def test_every_source_is_two_clicks_from_every_page(tmp_path: Path) -> None:
    addresses = [f"https://{name}" for name in ("a.example/1", "a.example/2", "b.example/deep/1", "c.example/?q=1")]
    cited = [{"url": address, "title": f"Source {number}"} for number, address in enumerate(addresses)]
    records = {"posts/x": post(sources=cited[:3]), "posts/y": post(sources=cited[2:])}
    service = Service(operation_context(small(tmp_path / "content", records), tmp_path / "state", inbox=False))

    def links(path: str) -> set[str]:
        return set(lxml.html.fromstring(service.ask(path).text).xpath("//a/@href"))

    def listed(sitemap: str) -> list[str]:
        return re.findall(r"<loc>[^<]*?//[^/<]*([^<]*)</loc>", service.ask(sitemap).text)

    pages = [page for sitemap in listed("/sitemap.xml") for page in listed(sitemap)]
    assert len(pages) > len(records)
    for page in (*pages, "/search/", "/nothing-is-here/"):
        assert "/sources/" in links(page), page
    origins = [link for link in links("/sources/") if re.fullmatch(r"/sources/[^/]+/", link)]
    assert len(origins) == 3
    assert set(addresses) <= {link for origin in origins for link in links(origin)}


def test_one_list_has_every_source_with_the_records_that_cite_it(tmp_path: Path) -> None:
    sources = [{"url": f"https://a{number:03}.example/", "title": f"Source {number}"} for number in range(101)]

    def listed(second: str) -> list[tuple[str, list[str]]]:
        records = {
            "posts/x": post(title="First", sources=sources),
            "posts/y": post(title=second, sources=sources[100:]),
        }
        archive = small(tmp_path / second, records)
        service = Service(operation_context(archive, tmp_path / "state", inbox=False))
        (path,) = lxml.html.fromstring(service.ask("/sources/").text).xpath("//a[starts-with(.,'101 sources')]/@href")
        listing = []
        while path:
            page = lxml.html.fromstring(service.ask(path).text)
            listing += [
                (line.xpath("./strong/a/@href")[0], line.xpath("./*[@class='carried']/a/text()"))
                for line in page.xpath("//*[@id='all-sources']//li")
            ]
            path = next(iter(page.xpath("//nav[@aria-label='Pages']//a[@rel='next']/@href")), "")
        return listing

    once = [(source["url"], ["First"]) for source in sources[:100]]
    assert listed("Second") == [*once, (sources[100]["url"], ["First", "Second"])]
    assert listed("Renamed") == [*once, (sources[100]["url"], ["First", "Renamed"])]


def test_an_archive_without_sources_has_no_list_of_them(tmp_path: Path) -> None:
    archive = small(tmp_path / "content", {"posts/x": post(sources=[])})
    service = Service(operation_context(archive, tmp_path / "state", inbox=False))
    assert service.ask("/sources/page/1/").status == 404
    assert "/sources/page/" not in service.ask("/sources/").text
