"""What counts as a change of a source: a labelled set of pages, the same site as it was and as it is."""

import gzip
from collections.abc import Callable

import brotli
import pytest

from citepress_sources.readable import readable
from citepress_sources.words import MAX_VOLATILE_CHARS, changed_share, lasting_words
from support.origin import STORY, page

HTML = {"content-type": "text/html; charset=utf-8"}
SAME: dict[str, tuple[bytes, bytes]] = {
    "a counter in the footer": (page(footer="1,204 visitors"), page(footer="1,377 visitors")),
    "another year of copyright": (page(footer="© 2025 The office"), page(footer="© 2026 The office")),
    "when it was looked at": (page(*STORY, "Updated 3 hours ago"), page(*STORY, "Updated 2 days ago")),
    "comments counted in the text": (page(*STORY, "12 comments"), page(*STORY, "31 comments")),
    "likes and shares": (page(*STORY, "1.2k likes 33 shares"), page(*STORY, "1.4k likes 58 shares")),
    "time to read": (page("4 min read", *STORY), page("5 min read", *STORY)),
    "a banner about cookies": (
        page(),
        page(around='<div class="cookie-banner"><p>We use cookies to make this site better. Accept all</p></div>'),
    ),
    "a list of other articles": (
        page(around='<aside><h2>Read more</h2><ul><li><a href="/1">Trains of June</a></li></ul></aside>'),
        page(around='<aside><h2>Read more</h2><ul><li><a href="/2">Buses of July</a></li></ul></aside>'),
    ),
    "a menu with a new entry": (page(), page().replace(b"About us</a>", b"About us</a> <a href=/jobs>Jobs</a>")),
    "a token in a form": (
        page(around="<form><input name=csrf value=a1b2c3></form>"),
        page(around="<form><input name=csrf value=d4e5f6></form>"),
    ),
    "a script with a build number": (
        page(head="<script>window.build = 'abc123'</script>"),
        page(head="<script>window.build = 'def456'</script>"),
    ),
    "an advertisement": (
        page(),
        page(around='<aside class="ad"><p>Advertisement</p><p>Buy our lamps today!</p></aside>'),
    ),
    "other markup and spaces": (
        page(),
        page().replace(b"<p>", b'<p class="text"  >\n   ').replace(b" a date ", b" a <em>date</em>\n "),
    ),
    "another style of quotation marks": (
        page(*STORY, 'They call it "the night table".'),
        page(*STORY, "They call it \u201cthe night table\u201d."),
    ),
    "the date of printing": (page(*STORY, "Retrieved on 2026-01-02"), page(*STORY, "Retrieved on 2026-11-20")),
    "the present time": (page(*STORY, "Current time: 10:31"), page(*STORY, "Current time: 18:02")),
}
CHANGED: dict[str, tuple[bytes, bytes, float]] = {
    "one number": (page(), page(STORY[0].replace("1931", "1941"), *STORY[1:]), 0.014),
    "a sentence that is gone": (page(), page(*STORY[:3]), 0.145),
    "a sentence that is new": (page(), page(*STORY, "The tables will be printed no more from next year on."), 0.065),
    "a negation": (page(), page(STORY[0], STORY[1].replace("cannot", "can"), *STORY[2:]), 0.014),
    "another text": (page(), page(*(paragraph.upper()[::-1] for paragraph in STORY)), 0.96),
}


def share(before: bytes, after: bytes) -> float:
    url = "https://office.example/tables"
    return changed_share(readable(HTML, before, url).text, readable(HTML, after, url).text)


@pytest.mark.parametrize("name", SAME)
def test_what_is_around_a_text_is_no_change_of_it(name: str) -> None:
    before, after = SAME[name]
    assert before != after
    assert share(before, after) == 0.0


@pytest.mark.parametrize("name", CHANGED)
def test_a_change_of_the_text_is_a_share_of_its_words(name: str) -> None:
    before, after, expected = CHANGED[name]
    assert share(before, after) == pytest.approx(expected, abs=0.02)
    assert share(before, after) > 0
    assert share(before, before) == 0.0


def test_a_page_says_its_title_date_and_language() -> None:
    extracted = readable(HTML, page(), "https://office.example/tables")
    assert (extracted.title, extracted.dated, extracted.language) == ("On tables", "2026-01-05", "en")
    assert all(paragraph in extracted.text for paragraph in STORY)


def test_a_year_that_a_text_speaks_of_is_no_date_of_its_page() -> None:
    body = b"<title>Log</title><main><p>In the winter of 2024 nothing was cancelled. In 2023 much was.</p></main>"
    assert readable(HTML, body, "https://office.example/log").dated == ""
    assert (
        readable(HTML, b"<time datetime=2024-05-06>6 May</time>" + body, "https://office.example/log").dated
        == "2024-05-06"
    )


@pytest.mark.parametrize(
    ("media", "body", "text"),
    [
        ("text/plain; charset=iso-8859-1", b"caf\xe9", "caf\u00e9"),
        ("text/plain; charset=unicode_escape", b"\\ud800", "\\ud800"),
        ("text/plain; charset=raw-unicode-escape", b"\\ud800", "\\ud800"),
        ("text/plain; charset=utf7", b"+2AA-", "+2AA-"),
        ("text/plain; charset=punycode", b"caf-dma", "caf-dma"),
        (
            "text/html",
            b"<?xml version='1.0' encoding='utf-16'?><html><body><p>caf\xc3\xa9</p></body></html>",
            "caf\u00e9",
        ),
        ("text/plain; charset=nonsense", b"caf\xc3\xa9", "caf\u00e9"),
        ("application/json", b'{"a": 1}', '{"a": 1}'),
        ("application/pdf", b"%PDF-1.7", ""),
        ("image/png", b"\x89PNG", ""),
        ("", b"\x00\x01", ""),
        ("text/html", b"", ""),
        ("text/html", b"x" * 3_000_000, ""),
    ],
)
def test_every_medium_has_its_text_or_none(media: str, body: bytes, text: str) -> None:
    assert readable({"content-type": media}, body, "https://office.example/x").text.strip() == text


@pytest.mark.parametrize(("coding", "pack"), [("gzip", gzip.compress), ("br", brotli.compress)])
def test_a_packed_body_has_its_text_unless_it_unpacks_to_more_than_is_read(
    coding: str, pack: Callable[[bytes], bytes]
) -> None:
    fields = {**HTML, "content-encoding": coding}
    assert readable(fields, pack(b"<p>" + b"x" * 5_000_000), "https://office.example/x").text == ""
    assert STORY[0] in readable(fields, pack(page()), "https://office.example/x").text
    assert readable(fields, b"in no such coding", "https://office.example/x").text == ""


def test_a_line_too_long_to_be_volatile_is_text() -> None:
    notice = "We use cookies "
    assert lasting_words(notice + "x" * 300) == []
    assert lasting_words("5 likes" + "!" * MAX_VOLATILE_CHARS) != []
    assert changed_share("a", "." * 20_000 + "x") == 1.0


def test_a_title_has_no_control_characters() -> None:
    body = b"<html><head><title>On\x9b tables\x7f</title></head><body><p>x</p></body></html>"
    title = readable({"content-type": "text/html; charset=iso-8859-1"}, body, "https://office.example/x").title
    assert title.isprintable()
