"""The content of a record's file, packed while nobody asks for it."""

import tracemalloc
from pathlib import Path

import pytest

from citepress.base.packed_values import Codec
from citepress.content.source_content import PackedSource, SourceContent
from support.demo import DEMO
from support.folder import folder, markdown, reading

NOTE = "---\ntitle: One\n---\n\nSee [[Two]], <b>bold</b> and [a site](https://a.example/).\n"


@pytest.fixture(scope="module")
def contents(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[PackedSource, SourceContent]]:
    """The content of each record of the demo and of a plain folder, as it was read."""
    notes = folder(tmp_path_factory.mktemp("notes"), {"one.md": NOTE, "two.md": "# Two\n\nText.\n"}, site=None)
    drafts = (*reading(DEMO).drafts, *reading(notes).drafts)
    return [(draft.content, draft.content.opened()) for draft in drafts if isinstance(draft.content, PackedSource)]


def test_every_kind_of_record_is_held_packed(contents: list[tuple[PackedSource, SourceContent]]) -> None:
    assert len({packed.kind.name for packed, _ in contents}) > 10


def test_content_is_opened_as_it_was_packed(contents: list[tuple[PackedSource, SourceContent]]) -> None:
    sources = [PackedSource(packed.kind, content) for packed, content in contents]
    assert sources[-1].opened() is contents[-1][1], "what was packed last is still at hand"
    for source, (_, content) in zip(sources[:-1], contents, strict=False):
        again = source.opened()
        assert again is not content
        assert again == content
        assert again.front.model_fields_set == content.front.model_fields_set


def test_the_head_has_what_is_asked_of_every_record(tmp_path: Path) -> None:
    members = {"title": "T", "summary": "S", "date": "2026-05-01", "lastmod": "2026-05-04", "aliases": ["/old/"]}
    update = {"date": "2026-05-03", "note": "More."}
    text = markdown({**members, "tags": ["one"], "updates": [update]})
    (draft,) = reading(folder(tmp_path, {"content/posts/x.md": text})).drafts
    front, head = draft.front, draft.head
    assert (head.title, head.date, head.draft) == (front.title, front.date, front.draft)
    assert (list(head.aliases), list(head.tags)) == (front.aliases, front.tags)
    assert list(head.changed) == [front.updates[0].date, front.lastmod]
    assert head.newest == front.lastmod


def test_a_packed_value_takes_the_room_of_its_bytes() -> None:
    codec = Codec(b"the names of all members " * 100)
    data = [b"the names of all members %d " % number * 100 for number in range(500)]
    tracemalloc.start()
    frames = [codec.packed(value) for value in data]
    room, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert room < sum(map(len, frames)) + 200 * len(frames)
