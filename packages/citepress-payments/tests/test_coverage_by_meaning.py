"""Verdicts where meanings are compared too: the cosine counts, by thresholds that were measured with it."""

from math import exp
from pathlib import Path
from statistics import fmean

import pytest

from citepress.search.build import build
from citepress.search.index import SearchIndex
from citepress.search.models import VectorMode
from citepress.search.state import open_index
from citepress_payments.products.coverage.calibration import MIN_UPPER_THRESHOLD, foreign_questions
from citepress_payments.products.coverage.confidence import logit
from citepress_payments.products.coverage.query_run import run_query
from citepress_payments.products.coverage.thresholds import MIN_CALIBRATED_RECORDS, MODE_NUMBERS, judge_of
from citepress_payments.products.coverage.verdict import coverage
from citepress_semantic.files import VECTORS
from citepress_semantic.modes import MODES
from citepress_semantic.settings import SearchSettings
from citepress_semantic.source import SemanticVectors
from support.archive import archive_of
from support.search import AS_OF, note, notes
from support.tiny_model import tiny_model

pytest.importorskip("onnxruntime", reason="citepress[semantic] is not installed")


@pytest.fixture
def settings(tmp_path: Path) -> SearchSettings:
    return tiny_model(tmp_path / "model")


@pytest.fixture
def folder(tmp_path: Path, settings: SearchSettings) -> Path:
    build(archive_of(*notes(), as_of=AS_OF), tmp_path / "search", "", SemanticVectors(settings))
    return tmp_path / "search"


def test_verdicts_use_the_cosine_with_thresholds_of_their_own(folder: Path, settings: SearchSettings) -> None:
    by_words, by_meaning = open_index(folder), open_index(folder, SemanticVectors(settings))
    topic = "containment of a bot"
    assert judge_of(by_meaning).by_meaning
    assert coverage(by_meaning, topic, AS_OF).probability > coverage(by_words, topic, AS_OF).probability


def test_the_table_of_a_small_archive_judges_nothing(folder: Path, settings: SearchSettings) -> None:
    """A table that is fitted to a handful of records finds all of them alike."""
    by_words, by_table = open_index(folder), SearchIndex(folder, SemanticVectors(settings), "table")
    assert by_table.meaning
    assert not judge_of(by_table).by_meaning
    assert coverage(by_table, "how do we jail a bot", AS_OF) == coverage(by_words, "how do we jail a bot", AS_OF)


@pytest.mark.parametrize("mode", MODES, ids=[mode.name for mode in MODES])
def test_off_topic_questions_set_the_threshold_by_meaning_too(
    tmp_path: Path, settings: SearchSettings, mode: VectorMode
) -> None:
    """By the mean of the long ones."""
    many = archive_of(*notes(), *(note(f"jail-{n}") for n in range(MIN_CALIBRATED_RECORDS)), as_of=AS_OF)
    build(many, tmp_path / "search", "", SemanticVectors(settings))
    index = SearchIndex(tmp_path / "search", SemanticVectors(settings), mode.name)
    fields = [[run_query(index, text).probability for text in texts] for texts in foreign_questions()["long"].values()]
    long = [logit(probability) for field in sorted(fields, key=fmean)[:-1] for probability in field]
    slope, shift = MODE_NUMBERS[mode.name].line
    reach = slope * fmean(long) + shift
    calibration = judge_of(index).calibration
    assert (calibration.basis, calibration.off_topic) == ("off_topic", 120)
    assert calibration.material == pytest.approx(1 / (1 + exp(-reach)), abs=1e-3)
    assert calibration.hi >= calibration.material > MIN_UPPER_THRESHOLD


def test_damaged_vectors_leave_verdicts_by_words(folder: Path, settings: SearchSettings) -> None:
    (folder / VECTORS).unlink()
    by_words, damaged = open_index(folder), open_index(folder, SemanticVectors(settings))
    assert coverage(damaged, "seccomp filters", AS_OF) == coverage(by_words, "seccomp filters", AS_OF)
