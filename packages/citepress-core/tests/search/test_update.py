"""An index that follows its archive: after any changes it answers like one that is built anew, whatever was killed."""

import multiprocessing
import random
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from hashlib import blake2b
from pathlib import Path
from typing import Any

import pytest

from citepress.archive.model import Archive, Entry
from citepress.search import build as building
from citepress.search.build import build
from citepress.search.index import SearchIndex
from citepress.search.measuring import measure
from citepress.search.models import Query
from citepress.search.state import open_index
from citepress.search.storage import read_facts, read_state
from citepress_payments.products.bundle.bundle import bundle
from citepress_payments.products.coverage.judge import judge_of
from citepress_payments.products.coverage.verdict import coverage
from support.archive import archive_of
from support.search import AS_OF, note
from support.waiting import PATIENCE_S

pytestmark = pytest.mark.long

DAY = datetime(2026, 5, 1, tzinfo=UTC)
VOCABULARY = [
    f"{letter}{ending}" for letter in "bdfgklmnprstvz" for ending in ("alo", "emi", "ine", "oru", "una", "ist", "ard")
]
TOLERANCE = 0.002
"""Difference in a probability, which rests on scores that the engine computes with seven digits."""


class Writer:
    """An author who adds, changes, copies and removes notes at random."""

    def __init__(self, seed: int, count: int) -> None:
        self.chance = random.Random(seed)  # noqa: S311  (the same edits in every run)
        self.notes: dict[str, Entry] = {}
        self.texts: dict[str, list[str]] = {}
        for _ in range(count):
            self.add()

    def words(self, count: int) -> list[str]:
        weights = [1 / (rank + 2) for rank in range(len(VOCABULARY))]
        common = self.chance.choices(VOCABULARY, weights, k=count)
        return [f"{word}{self.chance.randrange(30)}" if self.chance.random() < 0.4 else word for word in common]

    def add(self) -> None:
        self.put(f"n{len(self.texts)}-{self.chance.randrange(10**6)}", self.words(self.chance.randint(5, 60)))

    def put(self, slug: str, words: list[str]) -> None:
        self.texts[slug] = words
        sentences = [" ".join(words[at : at + 9]).capitalize() + "." for at in range(0, len(words), 9)]
        draft = note(
            slug,
            " ".join(sentences),
            title=" ".join(words[:3]).capitalize(),
            updated_at=DAY + timedelta(self.chance.randrange(6)),
            published_at=DAY - timedelta(self.chance.randrange(6)),
        )
        digest = blake2b(draft.record.model_dump_json().encode(), digest_size=16).digest()
        self.notes[slug] = replace(draft, digest=digest)

    def edit(self) -> None:
        """One change of a kind that happens: a new note, a near copy, a changed sentence, another text, a removal."""
        slug = self.chance.choice(sorted(self.notes))
        words = self.texts[slug]
        kind = self.chance.random()
        if kind < 0.2:
            self.add()
        elif kind < 0.4:
            self.put(f"{slug.partition('-')[0]}-{self.chance.randrange(10**6)}", [*words[:-2], *self.words(2)])
        elif kind < 0.6:
            self.put(slug, [*words, *self.words(4)])
        elif kind < 0.8:
            self.put(slug, self.words(40))
        elif len(self.notes) > 20:
            del self.notes[slug]

    def archive(self) -> Archive:
        return archive_of(*self.notes.values(), as_of=AS_OF)

    def questions(self, count: int) -> list[str]:
        picked = [self.texts[self.chance.choice(sorted(self.notes))] for _ in range(count)]
        return [" ".join(self.chance.sample(words, min(len(words), self.chance.randint(1, 6)))) for words in picked]


def hits(index: SearchIndex, text: str) -> list[tuple[object, ...]]:
    results = index.search(Query(text, limit=10))
    shown = [(hit.id, hit.snippet, hit.cluster, hit.more_in_cluster, hit.matched) for hit in results.hits]
    return [(results.total, results.more, results.suggestions), *shown]


def assert_same(followed: SearchIndex, fresh: SearchIndex, questions: list[str]) -> None:
    assert followed.stats.model_dump() == fresh.stats.model_dump()
    assert judge_of(followed).calibration.errors == judge_of(fresh).calibration.errors
    assert hits(followed, "") == hits(fresh, "")
    for text in questions:
        assert hits(followed, text) == hits(fresh, text), text
        verdict, expected = coverage(followed, text, AS_OF), coverage(fresh, text, AS_OF)
        assert verdict.probability == pytest.approx(expected.probability, abs=TOLERANCE)
        assert verdict.verdict == expected.verdict
        assert [record.id for record in bundle(followed, text, AS_OF).sources] == [
            record.id for record in bundle(fresh, text, AS_OF).sources
        ]
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
