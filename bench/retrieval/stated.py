"""Fits the confidence of verdicts without labels: four numbers, chosen for each kind of archive on the others.

``verdicts.py`` prints the calibration error with these numbers and the numbers that all archives together give, which
are those of ``products/coverage/confidence.py``.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from fit import Row, fitted, logistic
from reliability import Rated, calibration_error

from citepress_payments.products.coverage.confidence import logit
from citepress_payments.products.coverage.thresholds import Calibration


@dataclass(frozen=True)
class Measured:
    """The questions of an archive with the thresholds by which it answers them."""

    field: str
    calibration: Calibration
    rated: Sequence[Rated]
    """(probability, 1 where covered, weight)."""


def pieces(probability: float, calibration: Calibration) -> list[float]:
    """What the confidence weighs: a constant, and the steps above, between and below the thresholds."""
    lead, depth = (logit(probability) - logit(line) for line in (calibration.hi, calibration.material))
    return [1.0, max(lead, 0.0), min(lead, 0.0), min(depth, 0.0)]


def curve(archives: Sequence[Measured]) -> list[float]:
    """The numbers with the least logarithmic loss; a kind with many archives counts by the root of their number."""
    fields = [archive.field for archive in archives]
    rows: list[Row] = [
        (pieces(probability, archive.calibration), int(covered), weight / fields.count(archive.field) ** 0.5)
        for archive in archives
        for probability, covered, weight in archive.rated
    ]
    return fitted(rows)


def errors_kept_back(archives: Sequence[Measured]) -> list[float]:
    """The calibration error of each archive with the numbers that the other kinds give."""
    fields = dict.fromkeys(archive.field for archive in archives)
    curves = {field: curve([other for other in archives if other.field != field]) for field in fields}
    return [
        calibration_error(
            [(logistic(pieces(p, archive.calibration), curves[archive.field]), *rest) for p, *rest in archive.rated]
        )
        for archive in archives
    ]


def report(archives: Sequence[Measured], bar: float) -> None:
    """Print the errors with each kind kept back, and the numbers that all kinds give."""
    if len({archive.field for archive in archives}) > 1:
        errors = errors_kept_back(archives)
        within = sum(error <= bar for error in errors)
        print(f"  each kind kept back: error {fmean(errors):.3f} (≤ {bar}: {within}), at most {max(errors):.2f}")
        print("  numbers of all kinds:", *(f"{number:.2f}" for number in curve(archives)), flush=True)
