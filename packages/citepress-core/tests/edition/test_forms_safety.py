"""The forms: nothing unsafe in any of them."""

import re

import lxml.html
import orjson
import pytest

from citepress.content.commonmark import PARSER
from citepress.content.raw_html import canonical
from citepress.contract import page as blocks
from citepress.contract.page import Fact, Item, Link, Page
from citepress.edition.prose.sanitizer import safe, sanitize
from support.pages import FULL, as_html, as_markdown, prose


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>",
        "a <img src=x onerror=alert(1)> b",
        "<div onclick='x'>\n\n<script>y</script>\n\n</div>",
        "> <iframe src='https://e.example'></iframe>",
        "<svg><style>*{x}</style></svg>",
        "<b\nonmouseover=alert(1)>",
        "<!-- a --> <script>x</script>",
        "<style>body{}</style>",
        '<a href="javascript:alert(1)">x</a>',
        "[x]: <y>\n<math><mtext></mtext>",
        "| a |\n|---|\n| <script>x</script> |",
        "<" * 50 + "script>",
    ],
)
def test_nothing_that_runs_loads_or_asks_is_passed_through(text):
    document = lxml.html.fromstring(as_html(prose(text)))
    body = document.xpath("//section[@id='text']")[0]
    assert body.xpath(".//script|.//style|.//iframe|.//svg|.//math") == []
    assert [name for element in body.iter() for name in element.attrib if name.startswith("on")] == []
    assert "javascript" not in as_html(prose(text))
    for event in PARSER.events(as_markdown(prose(text)).partition("\n---\n")[2]):
        raw = (event.get("Html") or event.get("InlineHtml") or "") if isinstance(event, dict) else ""
        assert canonical(raw, safe) == raw
        assert "alert" not in raw


def test_a_comment_is_left_out():
    assert "unseen" not in as_html(prose("Seen.\n\n<!-- unseen -->\n\nalso <!-- unseen --> seen"))


@pytest.mark.parametrize(
    "target",
    [
        "javascript:alert(1)",
        "JaVaScRiPt:alert(1)",
        "&#106;avascript:alert(1)",
        "data:text/html,x",
        "vbscript:x",
        "</p>javascript:x",
        "<java\tscript:alert(1)>",
        "file:///etc/passwd",
    ],
)
def test_no_destination_of_an_unsafe_scheme_reaches_a_page(target):
    for text in (f"[a]({target})", f"![a]({target})", f"[a][r]\n\n[r]: {target}", f"<{target}>"):
        section = lxml.html.fromstring(as_html(prose(text))).xpath("//section[@id='text']")[0]
        for link in section.xpath(".//@href|.//@src"):
            assert not re.match(r"(?i)\s*(javascript|data|vbscript|file|java\s*script):", link)
        source = as_markdown(prose(text)).partition("\n---\n")[2]
        starts = [
            event["Start"]
            for event in PARSER.events(source)
            if isinstance(event, dict) and isinstance(event.get("Start"), dict)
        ]
        urls = [start[kind]["dest_url"] for start in starts for kind in ("Link", "Image") if kind in start]
        assert [url for url in urls if not url.startswith(("https://", "http://")) and url] == []


def test_plain_texts_are_escaped_in_both_forms():
    page = Page(
        "/x/",
        "<script>t</script>",
        "</p><b>",
        (blocks.Facts("f", "<i>", (Fact("<u>", (Link("<s>", "javascript:x"),)),)),),
    )
    document = lxml.html.fromstring(as_html(page))
    assert document.xpath("//main//b|//main//i|//main//u|//main//s|//main//script") == []
    assert not [
        event
        for event in PARSER.events(as_markdown(page).partition("\n---\n")[2])
        if isinstance(event, dict) and {"Html", "InlineHtml"} & set(event)
    ]


def test_an_unsafe_destination_of_a_block_is_no_link():
    page = Page(
        "/x/",
        "T",
        "",
        (blocks.Items("i", "I", (Item("text", href="javascript:alert(1)", title="t", links=(Link("l", "data:x"),)),)),),
    )
    assert "javascript:" not in as_html(page)
    assert "data:x" not in as_html(page)
    assert "javascript:" not in as_markdown(page)


def test_json_ld_cannot_end_its_element():
    document = lxml.html.fromstring(as_html(FULL))
    scripts = document.xpath("//script")
    assert {script.get("type") for script in scripts} == {"application/ld+json"}
    data = [orjson.loads(script.text) for script in scripts]
    assert data[0]["name"] == "</script><script>alert(1)</script>"
    assert [item["item"] for item in data[-1]["itemListElement"]] == [
        "https://archive.test/",
        "https://archive.test/crumbs/",
        "https://archive.test/x/",
    ]


def test_links_elsewhere_are_marked_and_our_own_are_not():
    text = as_html(
        prose("[a](https://e.example/) [b](https://archive.test/x/) [c](https://archive.test.evil.example/) [d](/d/)")
    )
    assert '<a href="https://e.example/" rel="external">' in text
    assert '<a href="https://archive.test/x/">' in text
    assert '<a href="https://archive.test.evil.example/" rel="external">' in text
    assert '<a href="/d/">' in text


def test_a_page_keeps_to_the_content_security_policy():
    document = lxml.html.fromstring(as_html(FULL))
    assert document.xpath("//@style|//style") == []
    assert [
        script
        for script in document.xpath("//script")
        if script.get("src") or script.get("type") != "application/ld+json"
    ] == []
    assert [name for element in document.iter() for name in element.attrib if str(name).startswith("on")] == []


@pytest.mark.parametrize(
    "text",
    [
        "",
        "# ",
        "[",
        "![](",
        "[^1]: ",
        "\\",
        "&",
        "<",
        "|",
        "```",
        "a\u0000b",
        "\r\nx\r\n===\r\n",
        "é" * 5 + "[a](/b)" + "ü",
    ],
)
def test_any_text_can_be_tamed(text):
    assert isinstance(sanitize(text, 2, lambda href: f"https://e.example{href}"), str)
    assert as_html(prose(text))
