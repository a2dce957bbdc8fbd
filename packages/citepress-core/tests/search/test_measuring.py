"""What extensions measure of an index is kept with it, and measured anew when its content or they have changed."""

from pathlib import Path

import pytest

from citepress.archive.model import Archive
from citepress.search import measuring, state
from citepress.search.build import build
from citepress.search.index import SearchIndex
from citepress.search.measuring import Measurement, measure
from citepress.search.state import is_current, open_index
from support.archive import archive_of
from support.search import AS_OF, note


@pytest.fixture
def counts(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many records the index had whenever it was measured."""
    counts: list[int] = []

    def count(index: SearchIndex, archive: Archive) -> dict[str, int]:
        assert index.stats.records == len(archive.entries)
        counts.append(index.stats.records)
        return {"records": index.stats.records}

    parts = (Measurement("count", count), Measurement("nothing", lambda _index, _archive: None))
    monkeypatch.setattr(measuring, "measurements", lambda: parts)
    coded(monkeypatch, "1")
    return counts


def coded(monkeypatch: pytest.MonkeyPatch, code: str) -> None:
    for module in (measuring, state):
        monkeypatch.setattr(module, "measuring_code", lambda: code)


def archive(count: int) -> Archive:
    return archive_of(*(note(f"n{number}", f"Words of note {number}.") for number in range(count)), as_of=AS_OF)


def test_an_index_is_measured_when_its_content_changed(tmp_path: Path, counts: list[int]) -> None:
    for count in (3, 3, 4):
        build(archive(count), tmp_path)
    assert counts == [3, 4]
    assert open_index(tmp_path).measured == {"": {"count": {"records": 4}}}


def test_what_was_measured_stays_until_it_is_measured_again(tmp_path: Path, counts: list[int]) -> None:
    build(archive(3), tmp_path, measured=False)
    assert counts == [3], "an index is never without"
    build(archive(4), tmp_path, measured=False)
    assert open_index(tmp_path).measured[""]["count"] == {"records": 3}
    assert [measure(archive(4), tmp_path), measure(archive(4), tmp_path)] == [True, False]
    assert open_index(tmp_path).measured[""]["count"] == {"records": 4}


def test_other_code_of_an_extension_measures_anew(
    tmp_path: Path, counts: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    build(archive(3), tmp_path, "e")
    assert is_current(tmp_path, "e", None)
    coded(monkeypatch, "2")
    assert not is_current(tmp_path, "e", None)
    build(archive(3), tmp_path, "e")
    assert is_current(tmp_path, "e", None)
    assert counts == [3, 3]


def test_without_extensions_nothing_is_measured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measuring, "measurements", tuple)
    coded(monkeypatch, "")
    build(archive(3), tmp_path, "e")
    assert not measure(archive(3), tmp_path)
    assert open_index(tmp_path).measured == {}
    assert is_current(tmp_path, "e", None)
