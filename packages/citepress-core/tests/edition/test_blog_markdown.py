"""Markdown that bloggers write, as pages show it."""

import re
from html import escape, unescape

import lxml.html
import pytest

from citepress.content.headings import headings
from citepress.content.links import inspect
from citepress.content.opening import opening
from citepress.contract.page import Page, Prose
from citepress.edition.prose.highlighting import EMPTY_LINES, LANGUAGES, MAX_BLOCK_CHARS, MAX_LINE_CHARS, RUN, highlight
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


def test_an_address_that_begins_with_www_is_a_link_too() -> None:
    html = prose("See www.a.example/x_(y), and `www.b.example`; www. is none, nor awww.c.example or www.")
    assert '<a href="http://www.a.example/x_(y)" rel="external">www.a.example/x_(y)</a>, and' in html
    assert html.count("<a ") == 1
    assert [link.href for link in inspect("at www.a.example/x.").external] == ["http://www.a.example/x"]


def test_the_number_of_a_footnote_leads_back_to_its_first_mention() -> None:
    html = prose("One[^a] and two[^a].\n\n[^a]: The note.\n\n[^b]: Nobody refers to it.\n")
    back = re.findall(r'<a href="#([^"]+)" role="doc-backlink">', html)
    assert len(back) == 1
    assert html.count(f'id="{back[0]}"') == 1
    assert html.index(f'id="{back[0]}"') < html.index("and two")


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


def test_code_has_the_colours_of_its_language_and_the_same_words() -> None:
    html = prose('```rust\nfn main() { let x = "a<b"; } // &\n```\n')
    assert '<code class="language-rust"><span class="k">fn</span> <span class="nf">main</span>()' in html
    assert '<span class="s">"a&lt;b"</span>' in html
    assert (
        lxml.html.fromstring(html[html.index("<pre") :])
        .text_content()
        .startswith('fn main() { let x = "a<b"; } // &\n')
    )


@pytest.mark.parametrize(
    "code",
    [
        "x = 1\n" * (MAX_BLOCK_CHARS // 6 + 1),
        "x = 1;" * (MAX_LINE_CHARS // 6 + 1),
        "class A {" + "\n" * (EMPTY_LINES + 2) + "}",
        "word " * (RUN // 5) + "\n" + "word " * 9,
    ],
)
def test_code_that_might_take_long_is_plain(code: str) -> None:
    assert highlight(code, "java") == code
    assert "<span" in highlight("class A {}", "java")


def test_unknown_languages_and_code_in_raw_html_are_plain() -> None:
    html = prose("```nolang\nif <b> & c\n```\n\n<pre><code>if <b>x</b></code></pre>\n\n```rs,ignore\nfn x() {}\n```\n")
    assert '<code class="language-nolang">if &lt;b&gt; &amp; c\n</code>' in html
    assert "<code>if <b>x</b></code>" in html
    assert '<code class="language-rs"><span class="k">fn</span>' in html


@pytest.mark.parametrize("language", sorted(LANGUAGES))
def test_every_language_keeps_the_words_of_any_code(language: str) -> None:
    for code in (
        "a 'b' \"c <d> &e; {f} // g\n# h\n<i j='k'>\n\n  l: 1.5e3 @m $n `o` \\p\r\n\u2028q",
        "'''\n\"\"\"\n{{{",
    ):
        assert unescape(re.sub("</?span[^>]*>", "", highlight(code, language))) == code
        assert re.sub('<span class="[a-z]{1,2}">|</span>', "", highlight(code, language)) == escape(code, quote=False)


def test_formulas_are_mathml() -> None:
    html = prose("Say $a^2 < b$ and\n\n$$\n\\frac{1}{2}\n$$\n")
    assert '<math alttext="a^2 &lt; b" display="inline"><mrow><msup><mi>a</mi><mn>2</mn></msup><mo>&lt;</mo>' in html
    assert 'display="block"><mrow><mfrac><mrow><mn>1</mn></mrow><mrow><mn>2</mn></mrow></mfrac>' in html
    assert "$" not in html


def test_prices_and_names_of_variables_are_no_formulas() -> None:
    text = "It costs $5/$10, between $5 and $10, A$5$ or $HOME/$USER, `$a$` and \\$5$."
    html = prose(text)
    assert "<math" not in html
    assert "It costs $5/$10, between $5 and $10, A$5$ or $HOME/$USER, <code>$a$</code> and $5$." in html


@pytest.mark.parametrize(
    "formula",
    [
        r"\unknown{x}",
        r"\newcommand{\a}{\b\b}\a",
        "a" * 3_000,
        "{" * 900 + "}" * 900,
        "x" + "_" * 900,
        "x^x^x",
    ],
)
def test_what_is_no_formula_is_shown_as_it_is_written(formula: str) -> None:
    html = prose(f"Say $${formula}$$.")
    assert "<math" not in html
    assert f"<code>$${escape(formula, quote=False)}$$</code>" in html


def test_a_formula_brings_no_addresses_styles_or_foreign_elements() -> None:
    html = prose(r"$$\href{javascript:alert(1)}{x} \style{color:red}{y} \text{<b onclick=x>z</b>}$$ $\text{a & b}$")
    assert {"href", "style", "onclick"}.isdisjoint(re.findall(r' ([a-z]+)="', html))
    assert "<mtext>a\N{NO-BREAK SPACE}&amp;\N{NO-BREAK SPACE}b</mtext>" in html
    assert "<b" not in html.replace("<body", "")


def test_a_heading_with_a_formula_has_one_anchor_everywhere() -> None:
    text = "## Energy $E=mc^2$ now\n"
    (heading,) = headings(text)
    assert f'<h2 id="{heading.anchor}">Energy <math' in prose(text)


def test_derived_words_keep_formulas_as_written() -> None:
    assert opening("The sum $a+b$ of $$c$$.\n")[1] == "The sum $a+b$ of $$c$$."
