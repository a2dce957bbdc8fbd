"""After any changes, verdicts and bundles are those of an index that is built anew."""

from pathlib import Path

import pytest

from citepress.search.build import build
from citepress.search.index import SearchIndex
from citepress.search.measuring import measure
from citepress.search.state import open_index
from citepress_payments.products.bundle.bundle import bundle
from citepress_payments.products.coverage.thresholds import judge_of
from citepress_payments.products.coverage.verdict import coverage
from support.random_notes import Writer
from support.search import AS_OF

pytestmark = pytest.mark.long

TOLERANCE = 0.002
"""Difference in a probability, which rests on scores that the engine computes with seven digits."""


def assert_same(followed: SearchIndex, fresh: SearchIndex, questions: list[str]) -> None:
    assert judge_of(followed).calibration.errors == judge_of(fresh).calibration.errors
    for text in questions:
        verdict, expected = coverage(followed, text, AS_OF), coverage(fresh, text, AS_OF)
        assert verdict.probability == pytest.approx(expected.probability, abs=TOLERANCE)
        assert verdict.verdict == expected.verdict
        assert [record.id for record in bundle(followed, text, AS_OF).sources] == [
            record.id for record in bundle(fresh, text, AS_OF).sources
        ]


def test_after_500_random_changes_verdicts_and_bundles_are_those_of_a_fresh_index(tmp_path: Path) -> None:
    writer = Writer(5, 90)
    build(writer.archive(), tmp_path / "followed")
    for step in range(1, 501):
        writer.edit()
        if step % 25 == 0:
            build(writer.archive(), tmp_path / "followed", measured=False)
        if step % 250 == 0:
            measure(writer.archive(), tmp_path / "followed")
            build(writer.archive(), tmp_path / "fresh" / str(step))
            assert_same(
                open_index(tmp_path / "followed"), open_index(tmp_path / "fresh" / str(step)), writer.questions(25)
            )
