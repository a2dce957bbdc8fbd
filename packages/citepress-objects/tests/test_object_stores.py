"""What every object store does, in a folder and in a real S3 service."""

import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from pathlib import Path

import pytest

from citepress_objects import open_objects
from citepress_objects.port import ObjectMissingError, ObjectStore, ObjectStoreError
from support.s3 import BUCKET, faulty_link

PREFIXES = count(1)


@pytest.fixture(params=["file", "s3"])
def objects(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ObjectStore]:
    """An empty store of each sort."""
    if request.param == "file":
        yield open_objects((tmp_path / "bucket").as_uri())
        return
    with faulty_link() as link:
        for name, value in link.environment.items():
            monkeypatch.setenv(name, value)
        yield open_objects(f"s3://{BUCKET}/{tmp_path.name}-{next(PREFIXES)}")


def test_an_object_is_created_once(objects: ObjectStore) -> None:
    assert objects.create("editions/1.json", b"first")
    assert not objects.create("editions/1.json", b"second")
    stored = objects.get("editions/1.json", 100)
    assert stored
    assert stored.data == b"first"


def test_an_object_is_replaced_only_over_the_state_that_was_read(objects: ObjectStore) -> None:
    assert objects.replace("current", b"1", None)
    assert not objects.replace("current", b"other", None)
    first = objects.get("current", 100)
    assert first
    assert objects.get("current", 100, first.tag) is None
    assert objects.replace("current", b"2", first.tag)
    assert not objects.replace("current", b"3", first.tag)
    second = objects.get("current", 100, first.tag)
    assert second
    assert second.data == b"2"


def test_of_many_publishers_at_once_one_replaces(objects: ObjectStore) -> None:
    assert objects.replace("current", b"0", None)
    state = objects.get("current", 100)
    assert state
    with ThreadPoolExecutor(8) as threads:
        won = list(threads.map(lambda number: objects.replace("current", b"%d" % number, state.tag), range(1, 9)))
    assert won.count(True) == 1
    stored = objects.get("current", 100)
    assert stored
    assert stored.data == b"%d" % (won.index(True) + 1)


def test_a_file_comes_back_as_it_was(objects: ObjectStore, tmp_path: Path) -> None:
    data = bytes(range(256)) * 12_000
    file = tmp_path / "file"
    file.write_bytes(data)
    assert objects.size("packs/aa") is None
    objects.upload("packs/aa", file)
    objects.upload("packs/aa", file)
    assert objects.size("packs/aa") == len(data)
    assert b"".join(objects.download("packs/aa", len(data))) == data
    listed = {row.name: row.size for row in objects.listing("packs")}
    assert listed == {"packs/aa": len(data)}
    objects.delete("packs/aa")
    objects.delete("packs/aa")
    assert list(objects.listing("packs")) == []


def test_what_is_missing_or_too_large_is_said(objects: ObjectStore) -> None:
    with pytest.raises(ObjectMissingError, match="has no current"):
        objects.get("current", 100)
    with pytest.raises(ObjectMissingError, match="has no packs/aa"):
        list(objects.download("packs/aa", 10))
    objects.create("large", b"1" * 101)
    with pytest.raises(ObjectStoreError, match="larger than 100 bytes"):
        objects.get("large", 100)


@pytest.mark.parametrize(
    "target", ["", "bucket", "http://bucket/a", "s3://", "s3://bucket?x=1", "file://host/a", "file:", "s3://[", "gs:/x"]
)
def test_an_address_that_is_none_is_one_sentence(target: str) -> None:
    with pytest.raises(ObjectStoreError, match="is not the address of an object store"):
        open_objects(target)


def test_a_bucket_that_cannot_be_reached_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    with faulty_link() as link:
        for name, value in link.environment.items():
            monkeypatch.setenv(name, value)
        objects = open_objects(f"s3://{BUCKET}/away")
        for mode in ("away", "failing"):
            link.mode = mode
            with pytest.raises(ObjectStoreError, match=f"current of s3://{BUCKET}/away: ") as refused:
                objects.get("current", 100)
            assert "\n" not in str(refused.value)


def test_a_pipe_in_a_folder_is_no_object_and_nothing_waits_for_it(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "current")
    with pytest.raises(ObjectStoreError, match="not a regular file"):
        open_objects(tmp_path.as_uri()).get("current", 100)
