"""An index that follows its archive: after any changes it answers like one that is built anew, whatever was killed."""

import gc
import multiprocessing
import random
from pathlib import Path
from typing import Any
from weakref import ReferenceType, ref

import pytest

from citepress.search import build as building
from citepress.search import update
from citepress.search.build import build
from citepress.search.engine import Engine
from citepress.search.index import SearchIndex
from citepress.search.measuring import measure
from citepress.search.models import Query
from citepress.search.state import open_index
from citepress.search.storage import read_facts, read_state
from support.random_notes import Writer
from support.waiting import PATIENCE_S

pytestmark = pytest.mark.long


def hits(index: SearchIndex, text: str) -> list[tuple[object, ...]]:
    results = index.search(Query(text, limit=10))
    shown = [(hit.id, hit.snippet, hit.cluster, hit.more_in_cluster, hit.matched) for hit in results.hits]
    return [(results.total, results.more, results.suggestions), *shown]


def assert_same(followed: SearchIndex, fresh: SearchIndex, questions: list[str]) -> None:
    assert followed.stats.model_dump() == fresh.stats.model_dump()
    assert hits(followed, "") == hits(fresh, "")
    for text in questions:
        assert hits(followed, text) == hits(fresh, text), text
    for hit in fresh.search(Query(questions[0])).hits:
        assert [near.id for near in followed.related(hit.id)] == [near.id for near in fresh.related(hit.id)]


def test_after_500_random_changes_the_answers_are_those_of_a_fresh_index(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    writer = Writer(5, 90)
    build(writer.archive(), tmp_path / "followed")
    written = set()
    for step in range(1, 501):
        writer.edit()
        if step % 5 and step % 13:  # several changes at once as well as single ones
            continue
        build(writer.archive(), tmp_path / "followed", measured=False)
        written.add(min(record.level for record in read_state(current(tmp_path / "followed")).records.values()))
        if step % 250 == 0:
            measure(writer.archive(), tmp_path / "followed")
            build(writer.archive(), tmp_path / "fresh" / str(step))
            assert_same(
                open_index(tmp_path / "followed"), open_index(tmp_path / "fresh" / str(step)), writer.questions(25)
            )
    assert written >= {0, 1}
    assert not caplog.records  # no version was given up and written anew


def test_a_change_leaves_nothing_of_the_former_index_in_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[ReferenceType[Engine]] = []

    def open_engine(*arguments: Any) -> Engine:
        opened.append(ref(engine := Engine(*arguments)))
        return engine

    monkeypatch.setattr(update, "Engine", open_engine)
    writer = Writer(5, 30)
    build(writer.archive(), tmp_path)
    gc.disable()  # what is alive while an index is built is exempt from collection
    try:
        for _ in range(3):
            writer.edit()
            build(writer.archive(), tmp_path, measured=False)
        assert opened
        assert [engine() for engine in opened] == [None] * len(opened)
    finally:
        gc.enable()


def current(folder: Path) -> Path:
    return folder / read_facts(folder).current


class Killed(BaseException):
    """The process ends here."""


@pytest.mark.parametrize("step", ["next_version", "write_facts", "sweep"])
def test_a_build_that_ends_anywhere_leaves_the_former_index_or_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    writer = Writer(6, 30)
    build(writer.archive(), tmp_path / "search")
    before = open_index(tmp_path / "search").stats
    real = getattr(building, step)

    def killed(*arguments: object) -> object:
        if step != "write_facts":
            real(*arguments)
        raise Killed

    for _ in range(5):
        writer.edit()
    with monkeypatch.context() as patch:
        patch.setattr(building, step, killed)
        with pytest.raises(Killed):
            build(writer.archive(), tmp_path / "search", measured=False)
    left = open_index(tmp_path / "search").stats
    build(writer.archive(), tmp_path / "search", measured=False)
    after = open_index(tmp_path / "search").stats
    assert left in (before, after)
    assert (left == after) == (step == "sweep")
    build(writer.archive(), tmp_path / "fresh")
    assert after == open_index(tmp_path / "fresh").stats
    assert len(list((tmp_path / "search").iterdir())) == 2


def keep_changing(folder: Path, seed: int, begun: Any) -> None:
    """Change and build until this process is killed."""
    writer = Writer(7, 40)
    writer.chance.seed(seed)
    while True:
        writer.edit()
        build(writer.archive(), folder, measured=False)
        begun.set()


def test_an_index_whose_builder_is_killed_is_whole_and_can_be_built_on(tmp_path: Path) -> None:
    folder, chance = tmp_path / "search", random.Random(8)  # noqa: S311
    build(Writer(7, 40).archive(), folder)
    for seed in range(3):
        spawn = multiprocessing.get_context("spawn")
        begun = spawn.Event()
        process = spawn.Process(target=keep_changing, args=(folder, seed, begun), daemon=True)
        process.start()
        assert begun.wait(PATIENCE_S)
        process.join(chance.random() / 4)
        process.kill()
        process.join()
        assert open_index(folder).search(Query("")).total == open_index(folder).stats.records
    writer = Writer(7, 40)
    build(writer.archive(), folder)
    build(writer.archive(), tmp_path / "fresh")
    assert_same(open_index(folder), open_index(tmp_path / "fresh"), writer.questions(10))


def test_a_change_writes_only_what_changed(tmp_path: Path) -> None:
    writer = Writer(9, 60)
    build(writer.archive(), tmp_path)
    slug = min(writer.notes)
    base = {file.stat().st_ino for file in tmp_path.rglob("*.store")}
    writer.put(slug, writer.words(30))
    build(writer.archive(), tmp_path, measured=False)
    state = read_state(current(tmp_path))
    assert [id_ for id_, record in state.records.items() if record.level == 0] == [f"posts/{slug}"]
    assert base < {file.stat().st_ino for file in tmp_path.rglob("*.store")}


def test_a_damaged_index_is_built_anew(tmp_path: Path) -> None:
    writer = Writer(10, 30)
    build(writer.archive(), tmp_path / "search")
    for file in current(tmp_path / "search").rglob("*.store"):
        file.write_bytes(b"")
    writer.edit()
    build(writer.archive(), tmp_path / "search")
    build(writer.archive(), tmp_path / "fresh")
    assert_same(open_index(tmp_path / "search"), open_index(tmp_path / "fresh"), writer.questions(5))
