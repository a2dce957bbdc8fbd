"""The compact guide uses its room, and a long collection has a guide for each year."""

import re

import pytest

from support.folder import post
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
