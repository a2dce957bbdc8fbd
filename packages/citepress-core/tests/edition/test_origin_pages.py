"""The page of an origin of sources names the publisher of a source only where it is another."""

import re
from pathlib import Path

import lxml.html

from citepress.admin.build import Builder
from citepress.settings import Settings
from support.folder import folder, post
from support.git_folder import at
from support.operation_context import operation_context
from support.server_with_actions import Service, small

MOMENT = at(100)


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


def test_one_list_has_every_source_with_the_records_that_cite_it_and_the_newest_first(tmp_path: Path) -> None:
    old = [{"url": f"https://a{number:03}.example/", "title": f"Source {number}"} for number in range(201)]
    new = {"url": "https://a.example/", "title": "New"}

    def listed(second: str) -> list[tuple[str, list[str]]]:
        records = {
            "posts/w": post(title="Zeroth", date="2025-01-01", sources=old[101:]),
            "posts/x": post(title="First", date="2026-01-01", sources=old[:101]),
            "posts/y": post(title=second, date="2026-02-01", sources=[old[200], new]),
        }
        archive = small(tmp_path / second, records)
        service = Service(operation_context(archive, tmp_path / "state", inbox=False))
        (path,) = lxml.html.fromstring(service.ask("/sources/").text).xpath("//a[starts-with(.,'202 sources')]/@href")
        listing, before = [], ""
        while path:
            page = lxml.html.fromstring(service.ask(path).text)
            listing += [
                (line.xpath("./strong/a/@href")[0], line.xpath("./*[@class='carried']/a/text()"))
                for line in page.xpath("//*[@id='all-sources']//li")
            ]
            assert ("202 sources" in page.text_content()) == (not before)  # on the first page alone
            assert page.xpath("//nav[@aria-label='Pages']//a[@rel='prev']/@href") == [before] * bool(before)
            before, path = path, next(iter(page.xpath("//nav[@aria-label='Pages']//a[@rel='next']/@href")), "")
        return listing

    between = [(source["url"], ["First"]) for source in old[:101]] + [
        (source["url"], ["Zeroth"]) for source in old[101:200]
    ]
    assert listed("Second") == [(new["url"], ["Second"]), *between, (old[200]["url"], ["Zeroth", "Second"])]
    assert listed("Renamed") == [(new["url"], ["Renamed"]), *between, (old[200]["url"], ["Zeroth", "Renamed"])]


def test_a_new_source_changes_the_first_page_of_all_sources_alone(tmp_path: Path) -> None:
    def cited(numbers: range) -> list[dict[str, str]]:
        return [{"url": f"https://a{number:03}.example/", "title": f"Source {number}"} for number in numbers]

    first = {
        f"content/posts/p{start}.md": post(date=f"2026-01-0{7 - start // 50}", sources=cited(range(start, start + 50)))
        for start in range(0, 350, 50)
    }
    root = folder(tmp_path / "archive", first)
    builder = Builder(Settings(root, tmp_path / "state"))
    builder.build(MOMENT)
    new, again = root / "content/posts/new.md", root / "content/posts/again.md"

    def touched(file: Path, text: str | None) -> set[str]:
        file.write_text(text, "utf-8") if text else file.unlink()
        replaced = builder.build(MOMENT, [file]).printed.replaced
        return {path for path in replaced if re.fullmatch(r"/sources/page/\d+/", path)}

    pages = {f"/sources/page/{number}/" for number in range(1, 5)}
    assert touched(new, post(date="2026-02-01", sources=cited(range(350, 360)))) == {"/sources/page/1/"}
    assert touched(again, post(date="2026-03-01", sources=cited(range(349, 350)))) == {"/sources/page/3/"}
    assert touched(new, post(date="2025-02-01", sources=cited(range(350, 360)))) == pages - {"/sources/page/4/"}
    assert touched(new, post(date="2026-02-01", sources=cited(range(350, 400)))) == pages
    assert touched(new, None) == pages
    assert touched(again, None) == {"/sources/page/3/"}


def test_an_archive_without_sources_has_no_list_of_them(tmp_path: Path) -> None:
    archive = small(tmp_path / "content", {"posts/x": post(sources=[])})
    service = Service(operation_context(archive, tmp_path / "state", inbox=False))
    assert service.ask("/sources/page/1/").status == 404
    assert "/sources/page/" not in service.ask("/sources/").text
