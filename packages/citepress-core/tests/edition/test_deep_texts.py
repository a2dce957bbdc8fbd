"""Markdown that is nested too deep, wherever it comes in: the cleaner never sees more than a bounded depth."""

import pytest

from citepress.content.nesting import too_deep
from citepress.edition.prose.renderer import clean_html
from citepress.edition.prose.sanitizer import sanitize


@pytest.mark.parametrize(
    "text",
    [">" * 20_000 + " x", "- " * 5_000 + "x", "<div>" * 20_000, "<kbd><div></kbd></div>" * 2_000, "<b>x\n\n" * 9_000],
)
def test_a_deep_text_is_shown_as_it_is_written(text: str) -> None:
    html = clean_html(sanitize(text, 2, str), "note-")
    assert html.startswith("<pre>")
    assert html.count("<") == 2


@pytest.mark.parametrize(
    "html",
    [
        "<p>x" * 500,
        "<ul>" + "<li>x" * 500 + "</ul>",
        "<table>" + "<tr><td>x" * 500 + "</table>",
        "<p><b>x</b></p>" * 500,
        "<dl>" + "<dt>x<dd>y" * 500,
        "x<br>" * 500,
    ],
)
def test_long_texts_are_not_deep(html: str) -> None:
    assert not too_deep(html)


@pytest.mark.parametrize(
    "html",
    ["<em>" * 101 + "<li>x</li>" * 500, "<p>x<em>y</em></p>" * 500 + "<ul><li>" * 60, "<div><p>x</p>" * 101],
)
def test_elements_that_stay_open_are_deep_whatever_else_stands_around_them(html: str) -> None:
    assert too_deep(html)
