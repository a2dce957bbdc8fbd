"""The pages of an edition are found by name in the shard that holds them, as all of them are read."""

from pathlib import Path

import pytest

from citepress.admin.build import Builder
from citepress.base import clock
from citepress.edition import page_catalog
from citepress.edition.edition import open_edition
from citepress.edition.page_catalog import find_page_entries, read_page_entries
from citepress.settings import from_environment
from support.folder import folder, post


@pytest.mark.parametrize("shard", [4, 500])
def test_pages_are_found_by_name_in_one_shard_or_many(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shard: int
) -> None:
    monkeypatch.setattr(page_catalog, "SHARD", shard)
    root = folder(tmp_path / "content", {f"content/posts/post-{number}.md": post() for number in range(3)})
    edition = open_edition(
        Builder(from_environment(root, state=tmp_path / "state", environ={})).ensure(clock.now()).pointer
    )
    entries = {entry.canonical: entry for entry in read_page_entries(edition)}
    assert len(entries) > 4 * shard if shard == 4 else entries
    requested = ["posts/post-1", "posts", "posts/never", "posts/post-2"]
    assert {entry.canonical: entry for entry in find_page_entries(edition, requested)} == {
        name: entries[name] for name in requested if name in entries
    }
    assert {entry.canonical for entry in find_page_entries(edition, entries)} == set(entries)
