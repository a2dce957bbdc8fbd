"""A folder of Markdown without settings is served too: every file is a field note."""

import os
from datetime import UTC, datetime
from pathlib import Path

import pytest

from support.folder import assembled, folder, reading, told


def plain(path: Path, files: dict[str, str]) -> Path:
    return folder(path, files, site=None)


def test_title_summary_and_date_are_worked_out(tmp_path: Path) -> None:
    root = plain(tmp_path, {"My Notes/First One.md": "# Hello *world*\n\nA `first`\nparagraph.\n\nMore.\n"})
    os.utime(root / "My Notes/First One.md", (1_700_000_000, 1_700_000_000))
    entry = assembled(root).entries["posts/my-notes-first-one"]
    record = entry.record
    assert (record.title, record.summary) == ("Hello world", "A first paragraph.")
    assert record.published_at == datetime(2023, 11, 14, tzinfo=UTC)
    assert record.body_markdown == "A `first`\nparagraph.\n\nMore."
    assert entry.fields.retrieval_nugget == record.summary


def test_an_empty_file_has_the_title_of_its_name(tmp_path: Path) -> None:
    record = assembled(plain(tmp_path, {"to-do_list.md": ""})).entries["posts/to-do-list"].record
    assert (record.title, record.summary) == ("to do list", "to do list")


def test_what_does_not_fit_its_key_is_set_aside(tmp_path: Path) -> None:
    text = "---\ntitle: Kept\ntags: word\nlayout: post\ndate: sometime\nslug: Other\n---\n# Heading\n\nText\n"
    draft = reading(plain(tmp_path, {"a.md": text})).drafts[0]
    assert (draft.front.title, draft.front.tags, draft.slug) == ("Kept", [], "a")
    assert draft.body.startswith("# Heading")


def test_a_rule_at_the_top_is_no_front_matter(tmp_path: Path) -> None:
    assert reading(plain(tmp_path, {"a.md": "---\n\nA text below a rule.\n"})).drafts[0].front.summary == "A text below a rule."


def test_links_between_files_lead_to_their_pages(tmp_path: Path) -> None:
    files = {
        "a.md": "See [b](sub/B%20x.md#part), [c](https://a.example/c.md) and [d](missing.png).",
        "sub/B x.md": "Back to [a](../a.md 'A').",
    }
    archive = assembled(plain(tmp_path, files))
    assert (
        archive.entries["posts/a"].record.body_markdown
        == "See [b](/posts/sub-b-x/#part), [c](https://a.example/c.md) and [d](missing.png)."
    )
    assert [(edge.target, edge.type) for edge in archive.entries["posts/a"].edges] == [("posts/sub-b-x", "links-to")]
    assert archive.entries["posts/a"].record.backlinks[0].id == "posts/sub-b-x"


def test_two_files_of_one_slug_are_told(tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match=r"a b\.md:0:0 CP020|a-b\.md:0:0 CP020|CP020"):
        assembled(plain(tmp_path, {"a b.md": "x", "a-b.md": "y"}))


def test_yaml_that_cannot_be_read_is_still_a_fault(tmp_path: Path) -> None:
    assert told(reading(plain(tmp_path, {"a.md": "---\na: b: c\n---\n", "日本.md": "x"})).faults) == ["a.md:2:5 CP011", "日本.md:0:0 CP003"]


def test_the_folders_name_is_the_title(tmp_path: Path) -> None:
    root = plain(tmp_path / "my-garden", {"a.md": "x"})
    assert reading(root).site.title == "My garden"
    assert reading(root).plain
