"""Building an index: the same content gives the same answers, in place of what stood there, and damage is told."""

from collections.abc import Callable
from pathlib import Path

import pytest

from citepress.archive.model import Archive
from citepress.search.build import build
from citepress.search.fields import MAX_RECORD_PASSAGES, index_entry, prose, sentences_of
from citepress.search.index import SearchIndex
from citepress.search.models import Query
from citepress.search.state import indexed_edition, open_index
from citepress.search.storage import FACTS, LEFTOVERS, RECORDS_FILE, is_damaged
from citepress.search.wholeness import EngineError
from support.archive import archive_of, entry
from support.search import SUBJECTS, indexed, note, notes


def test_the_same_records_in_any_order_give_the_same_content(tmp_path: Path) -> None:
    first = indexed(tmp_path / "one", *notes())
    other = indexed(tmp_path / "other", *reversed(notes()))
    assert (tmp_path / "one/search" / FACTS).read_bytes() == (tmp_path / "other/search" / FACTS).read_bytes()
    queries = [Query("agent files model instruction", limit=3, offset=offset) for offset in (0, 3)]
    assert [first.search(query) for query in queries] == [other.search(query) for query in queries]


def test_other_content_has_another_digest(tmp_path: Path) -> None:
    first = indexed(tmp_path / "one", note("a", "One text."))
    other = indexed(tmp_path / "other", note("a", "Another text."))
    assert first.stats.digest != other.stats.digest


def test_the_index_is_one_segment_and_small(tmp_path: Path) -> None:
    indexed(tmp_path, *notes())
    assert len(list((tmp_path / "search").rglob("*.store"))) == 1
    assert not list((tmp_path / "search").rglob("*.part"))
    assert sum(file.stat().st_size for file in (tmp_path / "search").rglob("*") if file.is_file()) < 50_000


def test_a_rebuild_takes_the_place_of_the_index_while_readers_keep_theirs(tmp_path: Path) -> None:
    before = indexed(tmp_path, note("old", SUBJECTS["memory"]))
    after = indexed(tmp_path, note("new", SUBJECTS["memory"]))
    assert [hit.id for hit in before.search(Query("memory")).hits] == ["posts/old"]
    assert [hit.id for hit in after.search(Query("memory")).hits] == ["posts/new"]
    assert [path.name for path in tmp_path.iterdir()] == ["search"]


def test_what_a_broken_build_left_behind_is_no_obstacle(tmp_path: Path) -> None:
    for name in ("000001/engine", "000002", "index"):
        (tmp_path / "search" / name).mkdir(parents=True)
    (tmp_path / "search/facts.part").write_text("{")
    indexed(tmp_path, *notes())
    assert sorted(path.name for path in (tmp_path / "search").iterdir()) == ["000001", FACTS]


def test_an_empty_archive_has_an_index_that_finds_nothing(tmp_path: Path) -> None:
    index = indexed(tmp_path)
    assert (index.stats.records, index.search(Query("anything")).total, index.search(Query("")).hits) == (0, 0, ())


def test_an_index_of_another_version_does_not_stand(tmp_path: Path) -> None:
    indexed(tmp_path, *notes())
    facts = tmp_path / "search/facts.json"
    assert indexed_edition(tmp_path / "search") == ""
    facts.write_bytes(facts.read_bytes().replace(b'"version":', b'"version":1'))
    assert indexed_edition(tmp_path / "search") is None
    assert indexed_edition(tmp_path / "none") is None


@pytest.mark.parametrize(
    "damage", [b"", b"{", b"[]", b"null", b'{"version":5}', b'{"version":0,"stats":{},"measured":{}}']
)
def test_a_damaged_index_is_told(tmp_path: Path, damage: bytes) -> None:
    indexed(tmp_path, *notes())
    (tmp_path / "search" / FACTS).write_bytes(damage)
    with pytest.raises(EngineError, match="search index"):
        open_index(tmp_path / "search")


def garbled(content: bytes) -> bytes:
    return bytes(byte ^ 0xA5 for byte in content)


def cut(content: bytes) -> bytes:
    return content[: len(content) // 2]


def emptied(_content: bytes) -> bytes:
    return b""


def with_a_byte_changed(content: bytes) -> bytes:
    place = len(content) // 3
    return content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :]


def of_another_shape(_content: bytes) -> bytes:
    return b'{"records":[],"documents":0,"frequencies":[1]}'


def damage_to(folder: Path, name: str, damage: Callable[[bytes], bytes]) -> None:
    """Put another file in the place of one, because readers have mapped that one."""
    (file,) = folder.rglob(name)
    content = file.read_bytes()
    file.unlink()
    file.write_bytes(damage(content))


@pytest.mark.parametrize(
    "name", ["*.idx", "*.term", "*.pos", "*.store", "*.fast", "*.fieldnorm", "meta.json", RECORDS_FILE, LEFTOVERS]
)
@pytest.mark.parametrize("damage", [garbled, cut, emptied, with_a_byte_changed, of_another_shape])
def test_a_damaged_index_is_written_anew(tmp_path: Path, name: str, damage: Callable[[bytes], bytes]) -> None:
    indexed(tmp_path / "damaged", *notes())
    damage_to(tmp_path / "damaged/search", name, damage)
    changed = [*notes(), note("more", SUBJECTS["memory"])]
    healed, other = indexed(tmp_path / "damaged", *changed), indexed(tmp_path / "other", *changed)
    for text in SUBJECTS.values():
        assert healed.search(Query(text)) == other.search(Query(text))


@pytest.mark.parametrize("name", ["*.idx", "*.term", "*.store", "*.fast"])
def test_an_index_with_a_damaged_file_is_none(tmp_path: Path, name: str) -> None:
    indexed(tmp_path, *notes())
    assert indexed_edition(tmp_path / "search") == ""
    damage_to(tmp_path / "search", name, with_a_byte_changed)
    assert indexed_edition(tmp_path / "search") is None


@pytest.mark.parametrize("name", ["*.term", "meta.json", LEFTOVERS])
def test_an_index_that_cannot_be_opened_is_marked_until_it_is_made_anew(tmp_path: Path, name: str) -> None:
    indexed(tmp_path, *notes())
    assert not is_damaged(tmp_path / "search")
    damage_to(tmp_path / "search", name, emptied)
    with pytest.raises(EngineError):
        open_index(tmp_path / "search")
    assert is_damaged(tmp_path / "search")
    indexed(tmp_path, *notes())
    assert not is_damaged(tmp_path / "search")


def test_a_folder_without_an_index_is_told(tmp_path: Path) -> None:
    with pytest.raises(EngineError):
        open_index(tmp_path)
    indexed(tmp_path, *notes())
    next((tmp_path / "search").rglob("meta.json")).unlink()
    with pytest.raises(EngineError):
        open_index(tmp_path / "search")


def test_every_kind_of_record_is_filed(tmp_path: Path) -> None:
    entries = [
        entry(f"{kind}/one", title=f"Title {kind}")
        for kind in ("posts", "signals", "patterns", "topics", "forecasts", "learn", "metadox")
    ]
    index = indexed(tmp_path, *entries)
    assert {hit.kind for hit in index.search(Query("title")).hits} == {entry.kind.name for entry in entries}


def test_addresses_and_references_are_no_passages() -> None:
    signal = entry("signals/seen", supports=["moving"], excerpt="A passage of the source.")
    archive: Archive = archive_of(signal, entry("patterns/moving"))
    filed = index_entry(archive.entries["signals/seen"], archive)
    texts = [sentence for block in filed.blocks for sentence in block]
    assert "A passage of the source." in texts
    assert not [text for text in texts if "://" in text or "patterns/" in text]


def test_the_first_primary_origin_stands_for_a_record() -> None:
    primary_record = entry("posts/one")
    primary, secondary = (
        primary_record.record.sources[0],
        primary_record.record.sources[0].model_copy(update={"origin": "press.example", "role": "secondary"}),
    )
    record = primary_record.record.model_copy(update={"sources": [secondary, primary]})
    archive = archive_of(entry("posts/one", sources=record.sources))
    assert index_entry(archive.entries["posts/one"], archive).origins == ("spec.example", "press.example")


def test_a_very_long_record_has_a_bounded_number_of_passages(tmp_path: Path) -> None:
    text = " ".join(f"Sentence number{n} stands here." for n in range(3 * MAX_RECORD_PASSAGES))
    index = indexed(tmp_path, note("long", text))
    stored = index.record("posts/long")
    assert stored is not None
    assert len(stored.shown["text"].split("\n")) < MAX_RECORD_PASSAGES + 10
    assert [hit.id for hit in index.search(Query(f"number{3 * MAX_RECORD_PASSAGES - 1}")).hits] == ["posts/long"]


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("One. Two? Three!", ["One.", "Two?", "Three!"]),
        ("See e.g. Chapter 2. Then stop.", ["See e.g. Chapter 2.", "Then stop."]),
        ("Version 1.2 of x.y is out.", ["Version 1.2 of x.y is out."]),
        ("He said “no.” She left.", ["He said “no.” She left."]),
        ("一。二。", ["一。", "二。"]),
        ("   ", []),
        ("x" * 1300, ["x" * 600, "x" * 600, "x" * 100]),
    ],
)
def test_paragraphs_are_cut_into_sentences(text: str, sentences: list[str]) -> None:
    assert list(sentences_of(text)) == sentences


def test_markdown_is_read_as_blocks_of_plain_text() -> None:
    text = "# Head\n\nA *b* `c`\nd.\n\n- one\n- two\n\n```py\ncode()\n```\n\n<b>raw</b>\n"
    assert list(prose(text)) == ["Head", "A b c d.", "one", "two", "code()", "raw"]


def test_two_workers_read_one_index(tmp_path: Path) -> None:
    build(archive_of(*notes()), tmp_path / "search")
    first, second = SearchIndex(tmp_path / "search"), SearchIndex(tmp_path / "search")
    assert first.search(Query("memory")) == second.search(Query("memory"))
