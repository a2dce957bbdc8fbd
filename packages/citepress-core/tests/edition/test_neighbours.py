"""What lies near a missing path: found again without reading, and a flood of missing paths reads each place once."""

import gc
import weakref
from pathlib import Path

import pytest

from citepress.edition.edition import Edition
from citepress.edition.pack import RECORD, Pack
from citepress.edition.similar_paths import ANSWERS, SimilarPaths
from support.edition import edition, page

RECORDS = [leaf for at in range(120) for leaf in page(f"/posts/note-{at:03}/", f"Note {at}")]


@pytest.fixture
def read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Edition, list[int]]:
    """An edition, and the places that are read in it from now on."""
    opened, places, before = edition(tmp_path, RECORDS), list[int](), Pack.record_at

    def count(pack: Pack, place: int) -> dict[str, object]:
        places.append(place)
        return before(pack, place)

    monkeypatch.setattr(Pack, "record_at", count)
    return opened, places


def test_the_nearest_pages_come_first(read: tuple[Edition, list[int]]) -> None:
    opened, _ = read
    assert opened.near("/posts/note-007x/", 1) == (("/posts/note-007/", "Note 7"),)
    assert opened.near("/note-007/", 2)[0][0].startswith("/posts/note-")
    assert len(opened.near("/posts/note-", 5)) == 5


def test_the_same_missing_path_is_looked_up_once(read: tuple[Edition, list[int]]) -> None:
    opened, places = read
    first = opened.near("/posts/note-050x/")
    reads = len(places)
    assert opened.near("/posts/note-050x/") == first
    assert len(places) == reads > 0


def test_a_flood_of_missing_paths_reads_each_place_once(read: tuple[Edition, list[int]]) -> None:
    opened, places = read
    for number in range(3 * ANSWERS):
        opened.near(f"/posts/note-05{number % 10}-{number}/")
    assert len(places) == len(set(places)) <= len(RECORDS)


def test_an_edition_is_let_go_of_at_once(tmp_path: Path) -> None:
    """Its file stays mapped as long as anything holds it, so nothing may hold it in a circle."""
    neighbours = SimilarPaths(edition(tmp_path, RECORDS).layers, [()])
    neighbours.near("/posts/note-050x/", 5)
    held = weakref.ref(neighbours)
    gc.disable()
    try:
        del neighbours
        assert held() is None
    finally:
        gc.enable()


def test_a_damaged_record_leaves_a_missing_path_without_suggestions(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    whole = edition(tmp_path, RECORDS).layers[0]
    data = bytearray(whole.path.read_bytes())
    for record in range(len(whole)):
        start = whole._offset(record) + RECORD.size  # noqa: SLF001  (where it lies in the file)
        data[start : start + 4] = b"\xff" * 4
    whole.path.write_bytes(data)
    assert Edition((Pack(whole.path),)).near("/posts/note-050x/") == ()
    assert "is damaged" in caplog.text
