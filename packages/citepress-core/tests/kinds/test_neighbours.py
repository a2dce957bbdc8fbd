"""Each record leads to the next newer and older one of its kind, and an edit renders those beside it anew."""

from pathlib import Path

import pytest

from citepress.archive.edit import edit_between
from citepress.archive.model import Archive
from citepress.contract.page import Siblings
from citepress.kinds.neighbours import neighbours_block
from citepress.kinds.record_page import record_inputs, records_to_render
from support.folder import assembled, folder, post, signal

DAYS = {"a": "2026-01-01", "b": "2026-02-01", "c": "2026-03-01", "d": "2026-04-01"}
FILES = {f"content/posts/{slug}.md": post(title=slug.upper(), date=day) for slug, day in DAYS.items()}


def beside(archive: Archive, id_: str) -> tuple[str, str]:
    (block,) = neighbours_block(archive.entries[id_], archive)
    assert isinstance(block, Siblings)
    return block.newer.text if block.newer else "", block.older.text if block.older else ""


def test_a_record_leads_to_the_newer_and_the_older_one_of_its_kind(tmp_path: Path) -> None:
    archive = assembled(folder(tmp_path, {**FILES, "content/signals/x.md": signal(date="2026-02-02")}))
    assert [beside(archive, f"posts/{slug}") for slug in DAYS] == [("B", ""), ("C", "A"), ("D", "B"), ("", "C")]
    assert list(neighbours_block(archive.entries["signals/x"], archive)) == []


@pytest.mark.parametrize(
    ("name", "content", "affected"),
    [
        ("content/posts/c.md", post(title="Other words", date=DAYS["c"]), {"b", "c", "d"}),
        ("content/posts/c.md", post(title="C", date="2025-12-01"), {"a", "b", "c", "d"}),
        ("content/posts/e.md", post(title="E", date="2026-05-01"), {"d", "e"}),
        ("content/posts/c.md", post("Another text.", title="C", date=DAYS["c"]), {"c"}),
        ("content/posts/c.md", "", {"b", "c", "d"}),
    ],
)
def test_an_edit_renders_the_records_beside_it_anew(
    tmp_path: Path, name: str, content: str, affected: set[str]
) -> None:
    root = folder(tmp_path, FILES)
    before = assembled(root)
    folder(root, {name: content}, site=None)
    if not content:
        (root / name).unlink()
    after, edit = edit_between(before, assembled(root))
    assert edit is not None
    rendered = {id_.removeprefix("posts/") for id_ in records_to_render(edit)}
    assert affected <= rendered
    differ = {
        id_.removeprefix("posts/")
        for id_ in after.entries
        if id_ not in before.entries
        or record_inputs(before.entries[id_], before) != record_inputs(after.entries[id_], after)
    }
    assert differ == affected & {id_.removeprefix("posts/") for id_ in after.entries}
