"""Confidence of a verdict: how often the same verdict was right on the archive's own calibration questions.

Off-topic questions are left out: they are easy to recognise, and buyers ask questions in the archive's field.
"""

from typing import Annotated, Literal

from pydantic import Field

from citepress.contract.model import Model
from citepress.search.models import Calibration, ErrorRates

DIGITS = 4


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
        return _of_model(probability)
    right = round(thresholds.present * errors.present_covered)
    return _measured(right, right + round(thresholds.absent * errors.absent_called_covered))


def negative(probability: float, thresholds: Calibration) -> VerdictConfidence:
    """Confidence of a negative verdict: the share of the archive's questions up to ``lo`` without records."""
    errors = _errors(thresholds)
    if errors is None:
        return _of_model(1 - probability)
    right = round(thresholds.absent * errors.absent_called_not_covered)
    return _measured(right, right + round(thresholds.present * errors.present_missed))


def _errors(thresholds: Calibration) -> ErrorRates | None:
    return thresholds.errors if thresholds.basis == "archive" else None


def _measured(right: int, called: int) -> VerdictConfidence:
    """Laplace's rule of succession: a verdict that was never wrong is still not certain."""
    return VerdictConfidence(
        value=round((right + 1) / (called + 2), DIGITS), basis="measured", right=right, called=called
    )


def _of_model(chance: float) -> VerdictConfidence:
    return VerdictConfidence(value=round(chance, DIGITS), basis="model", right=0, called=0)
