"""Semantic search: records that mean the same without the same words, and words alone where it cannot be had."""

import importlib
import logging
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from citepress.archive.model import Archive
from citepress.search.build import build
from citepress.search.index import SearchIndex
from citepress.search.models import Query
from citepress.search.state import open_index
from citepress_semantic.files import TABLE, VECTORS
from citepress_semantic.settings import SearchSettings
from citepress_semantic.source import SemanticVectors
from support.archive import archive_of, entry
from support.search import AS_OF, SUBJECTS, note, notes
from support.tiny_model import tiny_model

pytest.importorskip("onnxruntime", reason="citepress[semantic] is not installed")

JAIL = "how do we jail a bot"
"""Means the notes on sandboxes and on crawlers, and has no word of either."""


def archive(*more: str, without: str = "") -> Archive:
    return archive_of(
        *(n for n in (*notes(), *map(note, more)) if not n.record.id.endswith(without or "-")), as_of=AS_OF
    )


@pytest.fixture
def settings(tmp_path: Path) -> SearchSettings:
    return tiny_model(tmp_path / "model")


@pytest.fixture
def folder(tmp_path: Path, settings: SearchSettings) -> Path:
    build(archive(), tmp_path / "search", "", SemanticVectors(settings))
    return tmp_path / "search"


def ids(index: SearchIndex, text: str, **filters: tuple[str, ...]) -> list[str]:
    return [hit.id for hit in index.search(Query(text, **filters)).hits]


def test_a_question_finds_what_means_the_same(folder: Path, settings: SearchSettings) -> None:
    assert ids(open_index(folder), "containment") == []
    results = open_index(folder, SemanticVectors(settings)).search(Query("containment"))
    assert (results.total, [hit.id for hit in results.hits]) == (1, ["posts/sandbox"])
    assert (results.hits[0].matched, results.hits[0].missing) == ((), ("containment",))


def test_the_table_knows_the_words_of_the_archive(tmp_path: Path, settings: SearchSettings) -> None:
    build(archive("jail-containment"), tmp_path / "search", "", SemanticVectors(settings))
    index = SearchIndex(tmp_path / "search", SemanticVectors(settings), "table")
    assert index.meaning
    assert index.meaning.mode.name == "table"
    assert set(ids(index, "containment")) == {"posts/jail-containment", "posts/sandbox"}
    assert ids(index, "isolation") == [], "no record has this word"


def test_words_and_meaning_make_one_order(folder: Path, settings: SearchSettings) -> None:
    index = open_index(folder, SemanticVectors(settings))
    assert set(ids(index, JAIL)[:2]) == {"posts/sandbox", "posts/crawlers"}
    assert ids(index, "billing seccomp")[:1] == ["posts/sandbox"]
    scores = [hit.score for hit in index.search(Query("billing of a confined bot")).hits]
    assert scores == sorted(scores, reverse=True)
    assert ids(index, "containment", kinds=("signals",)) == []


def test_near_duplicates_found_by_meaning_alone_are_counted(tmp_path: Path, settings: SearchSettings) -> None:
    copies = [note(f"sandbox-{n}", f"{SUBJECTS['sandbox']} Seen {n}.", title="A copy") for n in range(3)]
    build(archive_of(*notes(), *copies, as_of=AS_OF), tmp_path / "search", "", SemanticVectors(settings))
    results = open_index(tmp_path / "search", SemanticVectors(settings)).search(Query("containment"))
    assert len(results.hits) + results.unlisted == results.total == 4
    assert results.unlisted == 3


def test_counts_by_collection_and_year_hold_what_is_found_by_meaning(tmp_path: Path, settings: SearchSettings) -> None:
    former = note("sandbox-of-old", SUBJECTS["sandbox"], published_at=AS_OF.replace(year=2024))
    topic = entry("topics/sandboxing", body_markdown=SUBJECTS["sandbox"])
    build(archive_of(*notes(), former, topic, as_of=AS_OF), tmp_path / "search", "", SemanticVectors(settings))
    index = open_index(tmp_path / "search", SemanticVectors(settings))
    for text in ("containment", JAIL, "agent containment"):
        counts, total = index.facets(Query(text)), index.search(Query(text)).total
        assert sum(counts.kinds.values()) == sum(counts.years.values()) == total > 0
        for kind, count in counts.kinds.items():
            assert index.search(Query(text, kinds=(kind,))).total == count
        for year, count in counts.years.items():
            assert index.search(Query(text, year=year)).total == count
    assert index.facets(Query("containment")).kinds == {"posts": 2, "topics": 1}
    assert index.facets(Query("containment", kinds=("posts",))).years == {2026: 1, 2024: 1}


def test_the_name_of_a_record_still_comes_first(folder: Path, settings: SearchSettings) -> None:
    assert ids(open_index(folder, SemanticVectors(settings)), "benchmarks")[0] == "posts/benchmarks"


def test_pages_are_cut_from_one_list(folder: Path, settings: SearchSettings) -> None:
    index = open_index(folder, SemanticVectors(settings))
    text = "agent files containment payment"
    pages = [hit.id for at in range(0, 6, 2) for hit in index.search(Query(text, limit=2, offset=at)).hits]
    assert pages == ids(index, text)


def test_a_change_makes_vectors_for_what_changed_alone(
    folder: Path, settings: SearchSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    from citepress_semantic.encoder import Encoder  # noqa: PLC0415  (needs the extra)

    read: list[str] = []
    numbers: Callable[..., object] = Encoder.texts

    def texts(self: Encoder, parts: list[str]) -> object:
        each = list(parts)
        read.extend(each)
        return numbers(self, each)

    monkeypatch.setattr(Encoder, "texts", texts)
    build(archive("a-jail", without="memory"), folder, "", SemanticVectors(settings))
    assert [text.split(".")[0] for text in read] == ["A jail"]
    fresh = folder.with_name("fresh")
    build(archive("a-jail", without="memory"), fresh, "", SemanticVectors(settings))
    for text in (JAIL, "notes", "agent sandbox"):
        grown, made_anew = (open_index(place, SemanticVectors(settings)) for place in (folder, fresh))
        assert grown.search(Query(text)) == made_anew.search(Query(text))


def test_switched_off_it_leaves_nothing(folder: Path) -> None:
    assert (folder / VECTORS).exists()
    build(archive("another"), folder, "")
    assert not (folder / VECTORS).exists()
    assert not (folder / TABLE).exists()
    assert ids(open_index(folder), "another") == ["posts/another"]


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        (lambda file: file.unlink(), "cannot be used"),
        (lambda file: file.write_bytes(file.read_bytes()[:-3]), "cannot be used"),
        (lambda file: file.write_bytes(b"{}"), "cannot be used"),
        (lambda file: file.write_bytes(file.read_bytes().replace(b'"|i1"', b'"<i8"')), "damaged"),
    ],
)
def test_damaged_vectors_leave_search_by_words(
    folder: Path,
    settings: SearchSettings,
    damage: Callable[[Path], object],
    words: str,
    caplog: pytest.LogCaptureFixture,
) -> None:
    damage(folder / VECTORS)
    with caplog.at_level(logging.WARNING):
        index = open_index(folder, SemanticVectors(settings))
    assert words in caplog.text
    assert ids(index, "seccomp") == ["posts/sandbox"]
    build(archive("another"), folder, "", SemanticVectors(settings))
    assert "posts/sandbox" in ids(open_index(folder, SemanticVectors(settings)), "containment")


def test_a_model_that_cannot_be_had_is_told_and_words_suffice(
    tmp_path: Path, settings: SearchSettings, caplog: pytest.LogCaptureFixture
) -> None:
    narrow = tiny_model(tmp_path / "narrow", dimensions=8)
    broken = Path(str(narrow.vocabulary))
    wrong = {
        "cannot be read": settings.model_copy(update={"model": str(tmp_path / "absent.onnx")}),
        "has the SHA-256": settings.model_copy(update={"model_sha256": "0" * 64}),
        "is not a model": settings.model_copy(update={"model": str(broken), "model_sha256": narrow.vocabulary_sha256}),
        "not vectors of texts": narrow,
        "no [CLS]": settings.model_copy(
            update={"vocabulary": settings.model, "vocabulary_sha256": settings.model_sha256}
        ),
    }
    for place, (words, faulty) in enumerate(wrong.items()):
        caplog.clear()
        build(archive(), tmp_path / f"search{place}", "", SemanticVectors(faulty))
        assert words in caplog.text or words == "no [CLS]", words
        assert ids(open_index(tmp_path / f"search{place}", SemanticVectors(faulty)), "seccomp") == ["posts/sandbox"]


def test_another_model_under_another_name_takes_over(folder: Path, settings: SearchSettings, tmp_path: Path) -> None:
    other = tiny_model(tmp_path / "other", dimensions=32)
    shutil.copy(str(other.model), tmp_path / "multilingual.onnx")
    other = other.model_copy(update={"model": str(tmp_path / "multilingual.onnx")})
    build(archive(), folder, "", SemanticVectors(other))
    index = open_index(folder, SemanticVectors(other))
    assert ids(index, "containment") == ["posts/sandbox"]
    assert index.meaning
    assert index.meaning.mode.name == "encoder"
    former = open_index(folder, SemanticVectors(settings))
    assert former.meaning
    assert former.meaning.mode.name == "table", "the model that is set is not that of the vectors"


def test_words_alone_need_no_library_of_the_extra(tmp_path: Path) -> None:
    script = """
import sys
sys.modules["numpy"] = sys.modules["onnxruntime"] = None
from pathlib import Path
from citepress_semantic.settings import SearchSettings
from citepress_semantic.source import SemanticVectors
from citepress.search.models import Query
from citepress.search.state import open_index
for vectors in (None, SemanticVectors(SearchSettings(semantic=True))):
    print([hit.id for hit in open_index(Path(sys.argv[1]), vectors).search(Query("seccomp")).hits])
"""
    build(archive(), tmp_path / "search", "", SemanticVectors(tiny_model(tmp_path / "model")))
    done = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path / "search")], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout.splitlines() == ["['posts/sandbox']"] * 2
    assert "numpy is not installed: pip install 'citepress[semantic]'" in done.stderr


def test_subjects_are_told_apart(folder: Path, settings: SearchSettings) -> None:
    """The tiny model knows a word of each subject that its note does not have."""
    index = open_index(folder, SemanticVectors(settings))
    words = ["isolation", "recollection", "billing", "attack", "spider", "leaderboard"]
    assert [ids(index, word)[:1] for word in words] == [[f"posts/{slug}"] for slug in SUBJECTS]


def test_a_misspelt_word_is_read_as_the_word_that_the_archive_has(folder: Path, settings: SearchSettings) -> None:
    index = open_index(folder, SemanticVectors(settings))
    results = index.search(Query("benchmakrs"))
    assert [hit.id for hit in results.hits] == ["posts/benchmarks"]
    assert (results.unknown, results.hits[0].matched) == (("benchmakrs",), ())


def test_a_quoted_passage_asks_for_these_very_words(folder: Path, settings: SearchSettings) -> None:
    index = open_index(folder, SemanticVectors(settings))
    assert ids(index, '"kernel namespaces" billing') == ["posts/sandbox"]


def test_without_principal_components_the_first_axes_make_the_shortlist(monkeypatch: pytest.MonkeyPatch) -> None:
    np = pytest.importorskip("numpy")
    vectors = importlib.import_module("citepress_semantic.vectors")

    def failing(_matrix: object) -> object:
        raise np.linalg.LinAlgError("Eigenvalues did not converge")

    monkeypatch.setattr(np.linalg, "eigh", failing)
    rows, scales = vectors.quantize(np.eye(96, dtype=np.float32))
    basis = vectors.principal(rows, scales)
    assert basis.shape == (vectors.COMPONENTS, 96)
    assert basis @ basis.T == pytest.approx(np.eye(vectors.COMPONENTS))
