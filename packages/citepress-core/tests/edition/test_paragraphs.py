"""Ids of paragraphs: the same in every form and over MCP, and untouched by edits elsewhere in the text."""

import json
import re
from functools import cache
from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from citepress.edition.forms import html, markdown
from citepress.edition.forms import json as json_form
from citepress.edition.prose.paragraphs import MAX_PARAGRAPHS, letters_of, paragraphs, with_paragraph_ids
from citepress.edition.prose.renderer import clean_html
from citepress.edition.prose.sanitizer import whole
from citepress.kinds.record_page import record_page
from citepress.operations.sections import chosen
from support.archive import archive_of, entry
from support.demo import DEMO
from support.documents import desk

DESK = desk(archive_of())
IDS = re.compile(r'<p id="(p-[^"]*)"')
FORMER = """One paragraph, with a [link](https://a.example/x "Title") and `code`.

Another: *some* words.

One paragraph with a link and code!
"""
ODD = """A first one with $a^2$, ![a picture](x.png) and a note[^1]. &amp; <b>more</b>

- in a list

  and its second paragraph

> in a quote

| a | b |
|---|---|
| in | cells |

<div title="a > b">

in a block

</div>

Term
: and definition

[^1]: of a note

***

Setext heading
===

The last one.
"""
PIECES = st.sampled_from(
    """word|Two words.|- item|  more|> quote|1. one|[^1]|[^1]: note|# Head|```|<div>|</div>|<p>raw</p>|*x* **y**|![i](u)
[t](u 'v>w')|||&lt;|$x$|term|: def|- [ ] task|> [!NOTE]|***|—|<!-- c -->|    code|ß İ|same|same""".replace(
        "\n", "|"
    ).split("|")
)


def ids(text: str) -> list[str]:
    return [paragraph.id for paragraph in paragraphs(text)]


def in_html(text: str) -> list[str]:
    tame = whole(text, str)
    return IDS.findall(with_paragraph_ids(clean_html(tame, "text-note-"), tame))


def test_edits_elsewhere_leave_an_id_as_it_is() -> None:
    first, second, third = ids(FORMER)
    assert third == f"{first}-2"  # equal but for marks and punctuation
    assert re.fullmatch(r"p-[0-9a-f]{8}", first)
    edited = (
        "New beginning.\n\n## A heading\n\n- a list\n\n"
        + FORMER.replace("*some* words", "[some](/y/) words")
        + "\nNew end.\n"
    )
    assert ids(edited)[1:4] == [first, second, third]
    assert second not in ids(FORMER.replace("Another", "A further"))


def test_paragraphs_that_stand_by_themselves_have_ids_and_no_others() -> None:
    text = ODD
    words = [letters_of(text.encode()[each.start : each.end].decode()) for each in paragraphs(text)]
    assert [word[:7] for word in words] == ["afirsto", "inabloc", "thelast"]
    assert in_html(text) == ids(whole(text, str))


RAW = (
    ("<blockquote>\n\n{}\n\n</blockquote>", False),
    ("<table><tr><td>\n\n{}\n\n</td></tr></table>", False),
    ("<table><tr><td>\n\n{}\n\n</table>", False),
    ("<ul><li>\n\n{}\n\n</ul>", False),
    ("<div>\n\n{}\n\n</div>", True),
    ("<details>\n\n{}\n\n</details>", True),
    ("<table><tr><td>{}</td></tr></table>", False),
)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(st.sampled_from([*RAW, ("{}", True)]), st.sampled_from(["same", "one", "two words"]))))
def test_paragraphs_around_raw_html_have_ids_in_every_form(pieces: list[tuple[tuple[str, bool], str]]) -> None:
    text = "\n\n".join(frame.format(words) for (frame, _), words in pieces)
    assert in_html(text) == ids(whole(text, str))
    assert len(ids(text)) == sum(alone for (_, alone), _ in pieces)


def test_ids_are_bounded() -> None:
    text = "\n\n".join(f"Paragraph {number}." for number in range(MAX_PARAGRAPHS + 50))
    assert len(ids(text)) == len(in_html(text)) == MAX_PARAGRAPHS


def test_every_form_and_mcp_name_the_same_paragraphs() -> None:
    archive = archive_of(entry("posts/one", body_markdown=ODD))
    page = record_page(archive.entries["posts/one"], archive)
    document = json.loads(json_form.write(page, DESK))
    named = document["paragraphs"]
    assert len(named) == len(set(named)) == 3
    assert IDS.findall(html.write(page, DESK).decode()) == named
    front, _, rest = markdown.write(page, DESK).decode().removeprefix("---\n").partition("\n---\n")
    assert yaml.safe_load(front)["paragraphs"] == named
    assert not any(name in rest for name in named)
    body = chosen(document, [named[2], named[1]]).body
    assert body == "The last one.\n\nin a block"


def test_a_page_without_text_names_none() -> None:
    archive = archive_of(entry("posts/one", body_markdown=""))
    page = record_page(archive.entries["posts/one"], archive)
    assert json.loads(json_form.write(page, DESK))["paragraphs"] == []
    assert "paragraphs:" not in markdown.write(page, DESK).decode()


@cache
def demo_texts() -> tuple[str, ...]:
    return tuple(file.read_text().split("\n---\n", 1)[-1] for file in sorted(Path(DEMO).glob("content/*/*.md")))


def test_pages_of_the_demo_name_every_paragraph() -> None:
    texts = demo_texts()
    assert sum(len(ids(text)) for text in texts) > 500
    for text in texts:
        assert in_html(text) == ids(whole(text, str))


@settings(max_examples=300, deadline=None)
@given(st.lists(PIECES, max_size=25))
def test_a_page_names_only_paragraphs_that_its_json_names(pieces: list[str]) -> None:
    for glue in ("\n", "\n\n"):
        text = glue.join(pieces)
        named, shown = ids(whole(text, str)), in_html(text)
        assert len(set(named)) == len(named)
        remaining = iter(named)
        assert all(each in remaining for each in shown)  # in the same order


@pytest.mark.parametrize("text", ["", "***", "![alt](x.png)", "…"])
def test_what_holds_no_word_has_no_id(text: str) -> None:
    assert ids(text) == in_html(text) == []
