"""The numbers of records by value and part, which an edit brings up to date as a whole build does."""

from pathlib import Path

import pytest

from citepress.admin.build import Builder
from citepress.edition.edition import Edition, open_edition
from citepress.edition.pages import collections, facets, index_counts
from citepress.edition.pages.index_counts import COUNTS_PREFIX, SHARDS, matching_parts
from citepress.kinds import ALL
from citepress.settings import Settings
from support.compared_editions import MOMENT, assert_same, with_history
from support.folder import folder, post

POSTS = next(kind for kind in ALL if kind.name == "posts")


def numbered(number: int, *tags: str) -> dict[str, str]:
    text = post("Some text.", title=f"Note {number}", date=f"2021-01-{number:02d}", tags=list(tags))
    return {f"content/posts/n{number}.md": text}


def test_an_edit_counts_as_a_whole_build_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (collections, facets, index_counts):
        monkeypatch.setattr(module, "INDEX_ITEMS", 2)
    root = folder(tmp_path / "site", numbered(1, "kept") | numbered(2, "kept"))
    builder = Builder(Settings(root, tmp_path / "state"))

    def edition(name: str) -> Edition:
        grown = open_edition(builder.build(MOMENT).pointer)
        fresh = Settings(root, with_history(tmp_path / "state", tmp_path / name))
        whole = open_edition(Builder(fresh).build(MOMENT).pointer)
        assert_same(grown, whole)
        for shard in range(SHARDS):
            path = f"{COUNTS_PREFIX}/posts/{shard}"
            assert grown.body(path) == whole.body(path)
        return grown

    assert matching_parts(edition("one").body, POSTS, {"tag": "kept"}) == []
    folder(root, numbered(3), None)
    assert matching_parts(edition("two").body, POSTS, {"tag": "Kept"}) == [("tag", {1: 1, 2: 1})]
    folder(root, numbered(2), None)
    assert matching_parts(edition("three").body, POSTS, {"tag": "kept", "year": "2021"}) == [
        ("tag", {2: 1}),
        ("year", {1: 2, 2: 1}),
    ]
    (root / "content/posts/n3.md").unlink()
    assert matching_parts(edition("four").body, POSTS, {"tag": "kept"}) == []
