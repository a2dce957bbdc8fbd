"""How far a verdict can be trusted: how often the same verdict was right on the archive's own calibration questions.

Questions of foreign fields are left out: they are easily told apart, and whoever pays for a verdict asks in the archive's field.
"""

from typing import Annotated, Literal

from pydantic import Field

from citepress.contract.model import Model
from citepress.search.models import Calibration, ErrorRates

DIGITS = 4


class VerdictConfidence(Model):
    """How far the verdict can be trusted."""

    value: Annotated[float, Field(ge=0, le=1)]
    """Chance that the verdict is right."""
    basis: Literal["measured", "model"]
    """``measured`` on the archive's own calibration questions (none of a foreign field), or the probability of the ``model`` where the archive has too few of them."""
    right: int
    """Calibration questions that this verdict would have been right about."""
    called: int
    """Calibration questions that would have been given this verdict; with none of them the value is 0.5."""


def positive(probability: float, lines: Calibration) -> VerdictConfidence:
    """Of a verdict that something is there: the share of the archive's own questions at or above the upper threshold whose records are there."""
    errors = _errors(lines)
    if errors is None:
        return _of_model(probability)
    right = round(lines.present * errors.present_covered)
    return _measured(right, right + round(lines.absent * errors.absent_called_covered))


def negative(probability: float, lines: Calibration) -> VerdictConfidence:
    """Of a verdict that nothing is there: the share of the archive's own questions at or below the lower threshold whose records are not there."""
    errors = _errors(lines)
    if errors is None:
        return _of_model(1 - probability)
    right = round(lines.absent * errors.absent_called_not_covered)
    return _measured(right, right + round(lines.present * errors.present_missed))


def _errors(lines: Calibration) -> ErrorRates | None:
    return lines.errors if lines.basis == "archive" else None


def _measured(right: int, called: int) -> VerdictConfidence:
    """The rule of succession: a verdict that was never wrong is not certain for that."""
    return VerdictConfidence(value=round((right + 1) / (called + 2), DIGITS), basis="measured", right=right, called=called)


def _of_model(chance: float) -> VerdictConfidence:
    return VerdictConfidence(value=round(chance, DIGITS), basis="model", right=0, called=0)
