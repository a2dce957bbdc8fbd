"""Days and times in sentences of citepress's own are for people on pages; those that authors write stay as they are."""

import re

import pytest

from citepress.contract.page import (
    Block,
    Card,
    Cards,
    Facets,
    Fact,
    Facts,
    Item,
    Items,
    Link,
    Notice,
    NumberedSource,
    Page,
)
from citepress.edition.prose.html_parts import spoken
from support.pages import DAY, as_html, as_markdown

SENTENCE = "checked on 2026-03-01 at `2026`, until 2026-03-02T05:06:07Z"
HTML = (
    'checked on <time datetime="2026-03-01">1 March 2026</time> at <code>2026</code>, until'
    ' <time datetime="2026-03-02T05:06:07Z">2 March 2026, 05:06 UTC</time>'
)


def blocks(*, own: bool) -> tuple[Block, ...]:
    return (
        Notice("notice", "", SENTENCE, spoken=own),
        Facts("facts", "Facts", (Fact("Label", (Link(SENTENCE, spoken=own),)),)),
        Items("items", "Items", (Item(SENTENCE, spoken=own), Item(SENTENCE, title="Title", spoken=own))),
    )


def test_own_sentences_have_dates_for_people_on_pages_and_for_machines_in_markdown() -> None:
    page = Page("/x/", "T", "", blocks(own=True))
    assert as_html(page).count(HTML) == 4
    assert as_markdown(page).count("until 2026-03-02T05:06:07Z") == 4


def test_sentences_of_authors_stay_as_they_are() -> None:
    text = as_html(Page("/x/", "T", "", blocks(own=False)))
    assert "March" not in text
    assert text.count("2026-03-02T05:06:07Z") == 4


@pytest.mark.parametrize("text", ["2026-02-30", "x-2026-03-01", "2026-03-01-x", "2026-03-01T99:00:00Z", "<b>"])
def test_what_is_no_date_is_none(text: str) -> None:
    assert "<time" not in spoken(text)


def test_a_long_facet_is_folded_after_eight_values() -> None:
    links = tuple(Link(f"value {n}", f"/v/{n}/") for n in range(11))
    facets = Facets("facets", "Narrow", (Fact("Long", links), Fact("Short", links[:8])))
    text = as_html(Page("/x/", "T", "", (facets,)))
    long, short = re.findall(r"<dd>(.*?)</dd>", text, re.DOTALL)
    assert "<summary>3 more</summary>" in long
    assert long.count("<a ") == 11
    assert long.index("value 7<") < long.index("<details>") < long.index("value 8<")
    assert "<details>" not in short


def test_a_reference_follows_its_word_without_a_gap() -> None:
    mark = NumberedSource(7, "s7", "Title", "https://s.example/")
    text = as_html(Page("/x/", "T", "", (Items("claims", "Claims", (Item("A claim.", sources=(mark,)),)),)))
    assert 'A claim.</span><sup class="sources-of">' in text


def test_lines_that_markdown_writes_otherwise_are_marked_for_readers_of_both() -> None:
    text = as_html(Page("/x/", "T", "", (Cards("cards", "", (Card("Title", "/c/", "Says.", "Note", DAY),)),)))
    assert '<p class="meta" data-markdown-ignore>' in text
