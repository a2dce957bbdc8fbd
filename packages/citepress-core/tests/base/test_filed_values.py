"""Values in a file, by key and in lists."""

import os
from pathlib import Path

import pytest

from citepress.base.filed_values import MAX_OPEN_VALUES, FiledMapping
from citepress.base.packed_values import FrameFile

COUNT = MAX_OPEN_VALUES + 10


@pytest.fixture
def values(tmp_path: Path) -> FiledMapping[list[int]]:
    return FiledMapping(FrameFile(tmp_path), ((f"key {number}", [number]) for number in range(COUNT)))


def test_values_are_read_by_key_and_in_the_order_in_which_they_were_added(values: FiledMapping[list[int]]) -> None:
    assert len(values) == COUNT
    assert values["key 7"] == [7]
    assert values.get("key") is None
    assert "key" not in values
    assert list(values) == [f"key {number}" for number in range(COUNT)]
    assert list(values.values()) == [[number] for number in range(COUNT)]


def test_few_values_are_held_opened(values: FiledMapping[list[int]]) -> None:
    first = values["key 0"]
    assert values["key 0"] is first
    assert len(list(values.values())) == COUNT
    assert values["key 0"] is not first
    assert values["key 0"] == first


def test_a_list_of_values_is_cut_and_searched_like_any_other(values: FiledMapping[list[int]]) -> None:
    some = values.of(["key 2", "key 3", "key 5", "key 8"])
    assert (len(some), list(some), some[-1]) == (4, [[2], [3], [5], [8]], [8])
    assert list(some[1:3]) == [[3], [5]]
    assert [some.place(f"key {number}") for number in (2, 4, 8, 9)] == [0, 2, 3, 4]
    assert not values.of([])
    with pytest.raises(IndexError):
        some[4]
    with pytest.raises(KeyError):
        values.of(["key"])


def test_a_forked_process_reads_them_too(values: FiledMapping[list[int]]) -> None:
    if pid := os.fork():
        assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
        return
    os._exit(0 if [values["key 9"], values["key 1"]] == [[9], [1]] else 1)
