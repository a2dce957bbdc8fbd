"""Anchors of headings: the reader's own words, one scheme for pages and MCP, and quick for any number of headings."""

import re
from html import unescape
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citepress.content.headings import Anchors, anchor_of, headings
from citepress.edition.forms import html
from citepress.edition.prose.sanitizer import whole
from citepress.kinds.record_page import record_page
from citepress.operations.sections import split
from support.archive import archive_of, entry
from support.documents import desk

DESK = desk(archive_of())
IDS = re.compile(r'<h[2-6] id="([^"]*)"')
WORDS = st.text(st.sampled_from("aZ9 üßßÉ中ר-_.`*[]<>&!#\\~^|x"), min_size=1, max_size=12)


def _page(body: str) -> str:
    archive = archive_of(entry("posts/one", body_markdown=body))
    return html.write(record_page(archive.entries["posts/one"], archive), DESK).decode()


def _body_ids(page: str) -> list[str]:
    """The anchors of a record's own text."""
    _, section, after = page.partition('<section class="block prose" id="text">')
    return [unescape(anchor) for anchor in IDS.findall(after.partition("</section>")[0])] if section else []


@pytest.mark.parametrize(
    ("words", "anchor"),
    [
        ("What is new?", "what-is-new"),
        ("Überschrift mit Ümlauten", "überschrift-mit-ümlauten"),
        ("中文标题", "中文标题"),
        ("كيف يعمل", "كيف-يعمل"),
        ("e\u0301te\u0301", "été"),
        ("C++ & Rust", "c-rust"),
        ("…", "section"),
        ("a" * 200, "a" * 96),
    ],
)
def test_an_anchor_keeps_the_letters_of_every_script(words: str, anchor: str) -> None:
    assert anchor_of(words) == anchor


def test_equal_headings_are_numbered_and_never_meet_a_heading_that_has_the_number() -> None:
    anchors = Anchors()
    assert [anchors.take(words) for words in ("One", "One 2", "One", "One", "main")] == [
        "one",
        "one-2",
        "one-3",
        "one-4",
        "main-2",
    ]


def test_twenty_thousand_equal_headings_cost_as_much_each_as_a_few() -> None:
    def seconds(count: int) -> float:
        start = process_time()
        assert _page("## Same\n\ntext\n\n" * count).count('id="same') == count
        return process_time() - start

    seconds(100)
    # Both are texts that are parsed anew each time.
    assert seconds(20_000) < 8 * max(seconds(5000), 0.02), "linear would be four times"


@pytest.mark.parametrize(
    "body",
    [
        "## Über <Tags>\n\nx\n\n## Über\n\nx",
        "> ## Quoted\n\n## Quoted\n\n- # In a list\n\n# Quoted",
        "## Sources\n\nx\n\n## Cite as\n\n## Sources\n",
        "## A ![picture](/x.png) and `code`\n\n## *Both* [linked](/posts/one/)\n",
        "Setext\nof two lines\n===\n\nx\n\nOther\n---\n",
        "## Note[^1]\n\n[^1]: a note\n\n## Note\n",
        "<div>\n## Inside\n</div>\n\n## Inside\n",
        "## Main\n\n## text\n\n##\n\n## !!!\n",
    ],
)
def test_the_sections_of_mcp_have_the_anchors_of_the_page(body: str) -> None:
    page = _page(body)
    assert [heading.anchor for heading in headings(whole(body, str))] == _body_ids(page)
    for part in split(whole(body, str), "Title"):
        assert part.id == "start" or f'id="{part.id}"' in unescape(page)
    ids = re.findall(r' id="([^"]*)"', page)
    assert len(ids) == len(set(ids))


@given(st.lists(WORDS, max_size=8))
def test_any_headings_have_one_anchor_in_both(words: list[str]) -> None:
    body = "\n\n".join(f"## {word}\n\ntext" for word in words)
    anchors = [heading.anchor for heading in headings(whole(body, str))]
    assert len(anchors) == len(set(anchors))
    assert anchors == _body_ids(_page(body))


def test_a_block_gives_way_to_a_heading_of_its_name() -> None:
    page = _page("## Sources\n\nx\n\n## Source spec\n")
    assert 'id="source-spec-2"' in page
    assert re.search(r'<h2 id="sources">Sources</h2>\s*<p[^>]*>x', page)
    assert 'id="sources-2"' in page
