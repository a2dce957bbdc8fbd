"""The compact guide uses its room, and a long collection has a guide for each year."""

import re
from pathlib import Path

import pytest

from citepress.admin.build import Builder
from citepress.base import clock
from citepress.edition.edition import open_edition, pointer
from citepress.settings import Settings
from support.folder import SITE, folder, post
from support.operation_context import operation_context
from support.server_with_actions import Service, small


@pytest.fixture(scope="module")
def reading(tmp_path_factory: pytest.TempPathFactory) -> Service:
    path = tmp_path_factory.mktemp("service")
    notes = {f"posts/n{n}": post(title=f"Note {n} {'x' * 100}", date=f"{2020 + n % 3}-02-01") for n in range(330)}
    return Service(operation_context(small(path / "content", notes), path / "state", inbox=False))


def test_the_compact_guide_fills_its_budget_and_says_how_many_are_older(reading: Service) -> None:
    guide = reading.ask("/llms.txt").text
    listed = re.findall(r"^- \[Note ", guide, re.MULTILINE)
    older = re.search(r"^- \[(\d+) older\]\(https://archive\.test/posts/llms\.txt\)$", guide, re.MULTILINE)
    assert older
    assert len(listed) + int(older[1]) == 330
    assert 48_000 < len(guide) <= 50_000


def guide_of(folder_of_it: Path, origins: int, notes: int) -> str:
    sources = [{"id": f"s{n}", "title": f"Source {n}", "url": f"https://o{n}.example/a"} for n in range(origins)]
    records = {
        f"posts/n{n}": post(title=f"Note {n}", summary="What it says. " * 12, sources=sources[n::notes])
        for n in range(notes)
    }
    archive = operation_context(small(folder_of_it / "content", records), folder_of_it / "state", inbox=False)
    return Service(archive).ask("/llms.txt").text


@pytest.mark.parametrize(("origins", "notes"), [(3, 10), (200, 100), (250, 200)])
def test_the_compact_guide_lists_every_record_and_origin_where_they_fit(
    tmp_path: Path, origins: int, notes: int
) -> None:
    guide = guide_of(tmp_path, origins, notes)
    assert len(guide) <= 50_000
    assert (
        len(re.findall(r"^- \[[^\]]*\]\(https://archive\.test/sources/[^/)]+\.md\)$", guide, re.MULTILINE)) == origins
    )
    assert len(re.findall(r"^- \[Note \d+\]", guide, re.MULTILINE)) == notes
    assert guide.count(": What it says.") == 5


def test_origins_give_way_to_records_where_both_do_not_fit(tmp_path: Path) -> None:
    guide = guide_of(tmp_path, 1000, 300)
    assert len(guide) <= 50_000
    assert "https://archive.test/sources/llms.txt" in guide
    assert not re.findall(r"/sources/[^/)]+\.md\)$", guide, re.MULTILINE)
    assert len(re.findall(r"^- \[Note \d+\]", guide, re.MULTILINE)) == 300


def test_a_guide_of_each_year_lists_all_its_records(reading: Service) -> None:
    years = re.findall(r"^- \[(\d{4}): (\d+)\]\((\S+)\)$", reading.ask("/posts/llms.txt").text, re.MULTILINE)
    assert [(year, count) for year, count, _ in years] == [("2022", "110"), ("2021", "110"), ("2020", "110")]
    for _, count, url in years:
        guide = reading.ask(url.removeprefix("https://archive.test")).text
        assert len(re.findall(r"^- \[Note ", guide, re.MULTILINE)) == int(count)
    assert reading.ask("/posts/2019/llms.txt").status == 404


def test_twins_end_with_the_way_to_all_pages_and_begin_with_their_dates(reading: Service) -> None:
    note, posts = reading.ask("/posts/n1.md").text, reading.ask("/posts.md").text
    assert 'last_updated: "2021-02-01"\ndoc_version: "Revision 1, 2021-02-01"\n' in note
    assert 'doc_version: "2026-09-01"\n' in posts
    for twin in (note, posts):
        assert twin.endswith(
            "\n## Sitemap\n\n[All pages](https://archive.test/sitemap.md), [glossary](https://archive.test/glossary.md)\n"
        )


def test_every_page_says_when_it_changed_and_where_it_lies(reading: Service) -> None:
    for path in ("/", "/posts/", "/posts/n1/", "/agents/", "/glossary/"):
        page = reading.ask(path).text
        assert '"dateModified":"' in page, path
        assert '"@type":"BreadcrumbList"' in page, path


def test_agents_md_has_the_sections_that_agents_look_for(reading: Service) -> None:
    answer = reading.ask("/AGENTS.md")
    assert answer.type.startswith("text/markdown")
    assert re.findall(r"^## (\w+)", answer.text, re.MULTILINE) == ["Installation", "Configuration", "Usage"]


def test_a_title_with_a_line_break_makes_no_line_of_its_own(tmp_path: Path) -> None:
    site = SITE.replace("Test archive", "Test\\narchive")
    files = {"site.toml": site, "content/posts/one.md": post(title="One\nX-Other: two")}
    Builder(Settings(folder(tmp_path / "site", files, None), tmp_path / "state")).build(clock.now())
    edition = open_edition(pointer(tmp_path / "state"))
    for path in ("/llms.txt", "/llms-full.txt", "/sitemap.md", "/posts.md", "/posts/one.md"):
        text = (edition.body(path) or b"").decode()
        assert re.search(r"Test archive|One X-Other", text), path
        assert not re.search(r"^(?:archive|X-Other)", text, re.MULTILINE), path
