"""The search index beside an edition: made once for it, and made again where it is gone or of another version."""

from pathlib import Path

from citepress import search
from citepress.admin.build import Builder
from citepress.base import clock
from citepress.search import INDEX_FOLDER as INDEX
from citepress.search.storage import FACTS
from citepress.settings import Settings
from support.folder import folder, post


def test_an_index_of_another_version_is_made_again_for_the_same_edition(tmp_path: Path) -> None:
    builder = Builder(Settings(folder(tmp_path / "content", {"content/posts/one.md": post()}), tmp_path / "state"))
    built, facts = builder.build(clock.now()), tmp_path / "state" / INDEX / FACTS
    builder.index(built, clock.now())
    before = facts.stat().st_ino
    builder.index(built, clock.now())
    assert facts.stat().st_ino == before
    facts.write_bytes(facts.read_bytes().replace(b'"version":', b'"version":1'))
    builder.index(built, clock.now())
    assert search.indexed_edition(tmp_path / "state" / INDEX)
