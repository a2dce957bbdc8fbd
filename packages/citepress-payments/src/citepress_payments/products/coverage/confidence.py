"""Confidence of a verdict: how often the same verdict was right on the archive's own calibration questions.

Off-topic questions are left out: they are easy to recognise, and buyers ask questions in the archive's field.
"""

import math
from typing import Annotated, Literal

from pydantic import Field

from citepress.contract.model import Model
from citepress_payments.products.coverage.thresholds import Calibration, ErrorRates

CONFIDENCE_DECIMALS = 4
NEVER, EVER = 0.001, 0.999
"""Bounds of a probability before its logit is taken, and of a confidence that was not measured."""
NOT_COVERED_KINDS = 3
"""Kinds of questions that are not covered: their record is missing, or they are of its subject, or of another field."""
SHIFT, ABOVE, BETWEEN, BELOW = 1.04, 1.77, 0.34, 0.72
"""Logit of the share that is covered at the upper threshold, and what each step of the logit of a probability adds
above it or takes away below it, and takes away further below the threshold of material. Between the two, questions
whose answer is missing are rated much like those that have one. ``bench/retrieval/verdicts.py`` fits them."""


class VerdictConfidence(Model):
    """How far the verdict can be trusted."""

    value: Annotated[float, Field(ge=0, le=1)]
    """Chance that the verdict is right, if as many of the topics that are asked are covered as are not."""
    basis: Literal["measured", "model"]
    """``measured`` on the archive's own calibration questions (none of a foreign field), or the probability of the
    ``model`` where the archive has too few of them."""
    right: int
    """Calibration questions that this verdict would have been right about."""
    called: int
    """Calibration questions that would have been given this verdict; with none of them the value is 0.5."""


def positive(probability: float, thresholds: Calibration) -> VerdictConfidence:
    """Confidence of a positive verdict: the share of the archive's questions from ``hi`` up whose records exist."""
    errors = _errors(thresholds)
    if errors is None:
        return _of_model(stated(probability, thresholds))
    right = round(thresholds.present * errors.present_covered)
    return _measured(right, right + round(thresholds.absent * errors.absent_called_covered))


def negative(probability: float, thresholds: Calibration) -> VerdictConfidence:
    """Confidence of a negative verdict: the share of the archive's questions up to ``lo`` without records."""
    errors = _errors(thresholds)
    if errors is None:
        return _of_model(1 - stated(probability, thresholds))
    right = round(thresholds.absent * errors.absent_called_not_covered)
    return _measured(right, right + round(thresholds.present * errors.present_missed))


def material(probability: float, thresholds: Calibration) -> VerdictConfidence:
    """Confidence that the archive has material: of the questions not covered, a third are of another field."""
    if _errors(thresholds):
        return positive(probability, thresholds)
    return _of_model(1 - (1 - stated(probability, thresholds)) / NOT_COVERED_KINDS)


def stated(probability: float, thresholds: Calibration) -> float:
    """The share of questions of this probability that are covered, corrected by the archive's thresholds."""
    if thresholds.basis != "off_topic":
        return probability
    lead, depth = (logit(probability) - logit(line) for line in (thresholds.hi, thresholds.material))
    return 1 / (1 + math.exp(-SHIFT - ABOVE * max(lead, 0.0) - BETWEEN * min(lead, 0.0) - BELOW * min(depth, 0.0)))


def logit(probability: float) -> float:
    """The logit of a probability, bounded away from 0 and 1."""
    bounded = min(max(probability, NEVER), EVER)
    return math.log(bounded / (1 - bounded))


def _errors(thresholds: Calibration) -> ErrorRates | None:
    return thresholds.errors if thresholds.basis == "archive" else None


def _measured(right: int, called: int) -> VerdictConfidence:
    """Laplace's rule of succession: a verdict that was never wrong is still not certain."""
    return VerdictConfidence(
        value=round((right + 1) / (called + 2), CONFIDENCE_DECIMALS), basis="measured", right=right, called=called
    )


def _of_model(chance: float) -> VerdictConfidence:
    value = round(min(max(chance, NEVER), EVER), CONFIDENCE_DECIMALS)
    return VerdictConfidence(value=value, basis="model", right=0, called=0)
