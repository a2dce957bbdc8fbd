"""Markdown that bloggers write, as pages show it."""

from citepress.content.opening import opening
from citepress.contract.page import Page, Prose
from support.pages import as_html


def prose(text: str) -> str:
    page: str = as_html(Page("/x/", "T", "D", (Prose("text", "", text),)))
    return page[page.index('id="text"') : page.index("</main>")]


def test_a_callout_is_a_quote_with_a_label() -> None:
    html = prose("> [!WARNING]\n> Mind the *gap*.\n\n> A quote.")
    assert '<blockquote class="callout warning"><p class="callout-label">Warning</p>' in html
    assert "<blockquote>\n<p>A quote." in html
    assert "[!" not in html


def test_an_address_that_stands_alone_is_a_link_but_not_in_code_or_in_a_link() -> None:
    html = prose(
        "See https://a.example/x_(y)?a=1&b=2, (https://b.example/). `https://c.example/` [https://d.example](/e/)"
    )
    assert 'href="https://a.example/x_(y)?a=1&amp;b=2"' in html
    assert '<a href="https://b.example/" rel="external">https://b.example/</a>).' in html
    assert "c.example" not in "".join(html.split("<code>")[0])
    assert html.count("<a ") == 3


def test_the_id_that_an_author_gives_a_heading_is_its_anchor() -> None:
    html = prose("## One {#own}\n\n## Two {#own}\n\n## GET /posts/{slug}\n")
    assert '<h2 id="own">One</h2>' in html
    assert '<h2 id="own-2">Two</h2>' in html
    assert ">GET /posts/{slug}</h2>" in html


def test_a_definition_list_is_one() -> None:
    assert "<dl>\n<dt>Term</dt>\n<dd>What it means.</dd>\n</dl>" in prose("Term\n: What it means.\n")


def test_the_words_that_open_a_text_hold_no_marks() -> None:
    text = "# T {#t}\n\n![a picture](p.png)\n\n|a|\n|-|\n|b|\n\nWords[^1] ~~gone~~ *here*.\n\n[^1]: A note.\n"
    heading, paragraph, _ = opening(text)
    assert (heading, paragraph) == ("T", "Words gone here.")
