"""A builder that no edit follows makes the edition that others make, and holds nothing of it."""

import gc
from pathlib import Path

import pytest

from citepress.admin.build import Builder
from citepress.archive.model import Archive
from citepress.base import clock
from citepress.content.source_record import SourceRecord
from citepress.contract.model import compact
from citepress.contract.record import Author
from citepress.edition.edition import open_edition
from citepress.settings import Settings
from support.folder import folder, post, topic

FILES = {"content/posts/one.md": post(), "content/posts/two.md": post(), "content/topics/moves.md": topic()}


@pytest.mark.parametrize("again", [False, True])
def test_both_make_the_same_edition(tmp_path: Path, again: bool) -> None:
    root = folder(tmp_path / "site", FILES)
    once = Builder(Settings(root, tmp_path / "once"), lasting=False)
    lasting = Builder(Settings(root, tmp_path / "once"), tmp_path / "lasting")
    for builder in (once, lasting) if again else ():
        builder.build(clock.now())
    folder(root, {"content/posts/two.md": post("Another text.")})
    pointers = [builder.build(clock.now()).pointer for builder in (once, lasting)]
    first, second = map(open_edition, pointers)
    assert first.digest == second.digest
    assert list(first.paths()) == list(second.paths())
    if not again:
        assert first.layers[0].path.read_bytes() == second.layers[0].path.read_bytes()


def test_what_was_read_is_let_go_of(tmp_path: Path) -> None:
    root = folder(tmp_path / "site", FILES)
    builder = Builder(Settings(root, tmp_path / "state"), lasting=False)
    before = _drafts()
    result = builder.build(clock.now())
    assert result.archive
    assert len(result.archive.entries) == len(FILES)
    assert _drafts() == before


def test_what_pages_are_made_of_is_let_go_of_when_they_are_written(tmp_path: Path) -> None:
    root = folder(tmp_path / "site", FILES)
    once = Builder(Settings(root, tmp_path / "once"), lasting=False).build(clock.now())
    lasting = Builder(Settings(root, tmp_path / "lasting")).build(clock.now())

    assert once.printed
    assert once.printed.published is None
    assert "graph" not in _names_in_memos(once.archive)
    assert "graph" in _names_in_memos(lasting.archive)


def _names_in_memos(archive: Archive | None) -> set[str]:
    assert archive
    return {name for entry in archive.entries.values() for name in entry.memo}


def _drafts() -> int:
    gc.unfreeze()
    gc.collect()  # what other tests left
    return sum(issubclass(type(thing), SourceRecord) for thing in gc.get_objects())  # a dead proxy has no class


def test_models_with_the_same_members_share_the_set_of_their_names() -> None:
    first, second, third = (compact(Author(name=name)) for name in "abc")
    assert first.model_fields_set is second.model_fields_set
    copy = third.model_copy(update={"url": "https://one.example/"})
    assert copy.model_fields_set == {"name", "url"}
    assert first.model_fields_set == {"name"}
