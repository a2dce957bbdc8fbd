"""Texts as revisions are compared by them: what a page shows, without marks, and where links lead."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citepress.archive.model import Archive
from citepress.edition.revisions.plain_text import plain_text
from citepress.edition.revisions.record import as_published
from support.folder import assembled, folder, post

TEXTS = {
    "# A *heading*\n\nOne\ntwo.": "A heading\n\nOne two.",
    "1. one\n2. two\n   - deep": "1. one\n2. two\n• deep",
    "- [x] done\n- [ ] open": "• [x] done\n• [ ] open",
    "| a | b |\n|---|---|\n| 1 | 2 |": "a | b\n1 | 2",
    "```python\nx = 1\n```": "x = 1",
    "See [this](/a) ![alt](/b.png).": "See this (/a) alt (/b.png).",
    "Text[^n]\n\n[^n]: Note.": "Text[n]\n\n[n] Note.",
    "$x^2$ and `code` and ~~gone~~": "$x^2$ and code and gone",
    "": "",
}


@pytest.mark.parametrize(("markdown", "words"), TEXTS.items())
def test_a_text_in_words(markdown: str, words: str) -> None:
    assert plain_text(markdown) == words


@given(st.text(alphabet="ab*_[]()#>|-`~!<&1. \n$^:\\", max_size=200))
def test_no_text_is_too_odd(markdown: str) -> None:
    assert "\n\n\n" not in plain_text(markdown)


@pytest.fixture
def archive(tmp_path) -> Archive:
    return assembled(folder(tmp_path / "archive", {"content/posts/x.md": post()}))


WRITTEN = {
    "title": "A note",
    "summary": "What it says.",
    "published_at": "2026-05-01T00:00:00Z",
    "updated_at": "2026-05-01T00:00:00Z",
    "sources": ["gone-key", "https://one.example/", {"url": "https://one.example/", "id": "twice"}],
    "claims": [{"text": "It holds.", "source_refs": ["gone-key", "no-such-source"]}],
    "related": ["posts/gone"],
    "updates": [{"id": "u", "date": "2026-05-02T00:00:00Z", "note": None, "credit": None}],
    "body_markdown": "Text.",
}


def test_what_a_revision_names_and_nobody_has_any_more_is_shown_as_far_as_it_is_known(archive: Archive) -> None:
    version = as_published(archive, "/posts/x/", WRITTEN, lambda _path: b"taken back")
    assert version is not None
    entry, around = version
    assert [(source.id, source.title, source.url) for source in entry.record.sources] == [
        ("gone-key", "gone-key", ""),
        ("s2", "one.example", "https://one.example/"),
    ]
    assert entry.record.claims[0].source_refs == ["gone-key"]
    assert around.entry("posts/gone") is None
    assert around.entry("posts/x") is entry
    assert entry.record.updates == []


def test_a_revision_that_the_kind_cannot_read_today_is_none(archive: Archive) -> None:
    assert as_published(archive, "/posts/x/", WRITTEN | {"title": ""}, lambda _path: None) is None
    assert as_published(archive, "/posts/x/", WRITTEN | {"published_at": "some day"}, lambda _path: None) is None
