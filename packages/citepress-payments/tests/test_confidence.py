"""How far a verdict can be trusted: measured where the archive has its own questions, the model's word otherwise."""

from typing import Literal

import pytest

from citepress_payments.products.coverage.confidence import material, negative, positive
from citepress_payments.products.coverage.thresholds import Calibration, ErrorRates

ERRORS = ErrorRates(
    absent_called_covered=0.1,
    off_topic_called_covered=0.0,
    absent_called_not_covered=0.5,
    off_topic_called_not_covered=1.0,
    present_missed=0.1,
    present_covered=0.75,
    absent_auc=0.9,
    off_topic_auc=1.0,
)


def lines(
    basis: Literal["archive", "off_topic", "package"] = "archive", errors: ErrorRates | None = ERRORS
) -> Calibration:
    return Calibration(basis=basis, hi=0.8, lo=0.5, present=40, absent=40, off_topic=60, errors=errors)


def test_a_positive_verdict_is_as_good_as_its_likes_were() -> None:
    verdict = positive(0.95, lines())
    assert (verdict.basis, verdict.right, verdict.called) == ("measured", 30, 34)
    assert verdict.value == round(31 / 36, 4)


def test_a_negative_verdict_is_as_good_as_its_likes_were() -> None:
    verdict = negative(0.1, lines())
    assert (verdict.basis, verdict.right, verdict.called) == ("measured", 20, 24)
    assert verdict.value == round(21 / 26, 4)


def test_questions_of_foreign_fields_make_no_verdict_surer() -> None:
    easy = lines().model_copy(update={"off_topic": 6000})
    assert (positive(0.95, easy), negative(0.1, easy)) == (positive(0.95, lines()), negative(0.1, lines()))


def test_a_verdict_that_was_never_wrong_is_not_certain() -> None:
    never = ERRORS.model_copy(update={"absent_called_covered": 0.0, "present_missed": 0.0})
    assert 0.9 < positive(0.9, lines(errors=never)).value < 1
    assert 0.9 < negative(0.1, lines(errors=never)).value < 1


@pytest.mark.parametrize("calibration", [lines("package"), lines("package", None)])
def test_without_questions_of_the_archive_the_model_speaks(calibration: Calibration) -> None:
    assert (positive(0.7, calibration).value, positive(0.7, calibration).basis) == (0.7, "model")
    assert (negative(0.2, calibration).value, negative(0.2, calibration).called) == (0.8, 0)


def test_an_archive_whose_missing_answers_are_rated_low_is_surer_of_what_it_rates_the_same() -> None:
    low, high = (lines("off_topic").model_copy(update={"hi": hi}) for hi in (0.3, 0.9))
    assert positive(0.4, low).value > 0.5 > negative(0.4, low).value
    assert positive(0.4, low).value > positive(0.4, high).value
    assert positive(0.4, low).value < positive(0.6, low).value


def test_material_is_surer_than_coverage() -> None:
    calibration = lines("off_topic")
    assert positive(0.6, calibration).value < material(0.6, calibration).value < 1
    assert material(0.9, lines()) == positive(0.9, lines())


def test_no_question_is_certain_without_labels() -> None:
    assert 0.5 < positive(1.0, lines("off_topic")).value < 1
    assert 0.5 < negative(0.0, lines("off_topic")).value < 1


def test_nothing_that_is_not_measured_is_certain() -> None:
    assert negative(0.0, lines(basis="package")).value < 1
    assert positive(1.0, lines(basis="package")).value < 1
