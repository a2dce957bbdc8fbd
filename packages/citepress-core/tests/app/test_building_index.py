"""The search index beside an edition: made once for it, and made again where it is gone or would be another one."""

from pathlib import Path

from citepress.admin.build import Builder
from citepress.base import clock
from citepress.edition.edition import open_edition
from citepress.search import state as search_state
from citepress.search.state import INDEX_FOLDER as INDEX
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
    assert search_state.indexed_edition(tmp_path / "state" / INDEX)


def test_an_index_that_other_code_made_is_made_again_for_the_same_edition(tmp_path: Path) -> None:
    builder = Builder(Settings(folder(tmp_path / "content", {"content/posts/one.md": post()}), tmp_path / "state"))
    built, facts = builder.build(clock.now()), tmp_path / "state" / INDEX / FACTS
    builder.index(built, clock.now())
    former = facts.read_bytes().replace(b'"code":"', b'"code":"of-another-release-')
    facts.write_bytes(former)
    builder.index(built, clock.now())
    assert b"of-another-release" not in facts.read_bytes()


def test_an_index_gets_the_keys_of_vectors_when_meaning_is_switched_on(tmp_path: Path) -> None:
    content = folder(tmp_path / "content", {"content/posts/one.md": post()})
    builder = Builder(Settings(content, tmp_path / "state"))
    built, index = builder.build(clock.now()), tmp_path / "state" / INDEX
    builder.index(built, clock.now())
    site = content / "site.toml"
    words_alone = site.read_text()
    for written, is_keyed in ((f"{words_alone}\n[search]\nsemantic = true\n", True), (words_alone, False)):
        site.write_text(written)
        again = Builder(Settings(content, tmp_path / "state")).ensure(clock.now())
        assert search_state.indexed_edition(index) == open_edition(again.pointer).digest, "the edition is the same"
        builder.index(again, clock.now())
        assert search_state.open_index(index).engine.is_keyed == is_keyed
