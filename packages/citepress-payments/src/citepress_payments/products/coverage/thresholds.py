"""The judge of coverage in an index: its thresholds, and the weights by which it rates questions."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, NamedTuple

from pydantic import Field, ValidationError

from citepress.base.memo import memoized
from citepress.contract.model import Model
from citepress.search.index import SearchIndex
from citepress.search.storage import WORDS

COVERAGE_MEASUREMENT = "coverage"
"""The name of what is measured of an index."""
MIN_CALIBRATED_RECORDS = 100
"""Number of records from which off-topic questions set the upper threshold; no smaller archive was measured."""
HI, LO = 0.6, 0.25
"""Default thresholds of the package."""
Basis = Literal["archive", "off_topic", "package"]


class ErrorRates(Model):
    """How often the verdict errs on the calibration questions."""

    absent_called_covered: float = Field(ge=0, le=1)
    """Share of questions called covered although their records were taken away."""
    off_topic_called_covered: float = Field(ge=0, le=1)
    """Share of questions of foreign fields called covered."""
    absent_called_not_covered: float = Field(ge=0, le=1)
    """Share of questions rightly called not covered once their records were taken away; the rest is left open."""
    off_topic_called_not_covered: float = Field(ge=0, le=1)
    """Share of questions of foreign fields rightly called not covered."""
    present_missed: float = Field(ge=0, le=1)
    """Share of questions called not covered although their records are there."""
    present_covered: float = Field(ge=0, le=1)
    """Share of questions called covered whose records are there; the rest is left open."""
    absent_auc: float = Field(ge=0, le=1)
    """Chance that a question whose records are there is rated above one whose records were taken away."""
    off_topic_auc: float = Field(ge=0, le=1)
    """Likewise for questions of foreign fields."""


class Calibration(Model):
    """Where the verdict draws its lines in this archive."""

    basis: Basis
    """What set the thresholds: questions of the ``archive`` whose answers are known; where there are too few of these,
    ``off_topic`` questions; the ``package`` in a small archive."""
    hi: float
    """Covered from this probability, if a passage holds the rare words of the topic together."""
    partly: float | None = None
    """Partially covered from this probability, because the archive has material on the subject: what few questions of
    foreign fields reach. Null where it is ``hi``."""
    lo: float
    """Not covered up to this probability."""
    floor: float | None = None
    """Nor is a topic not covered whose best record scores a higher share of the best possible score than this: what
    most questions reach that are made of single words of different records of this archive. Null where questions of
    the archive set ``lo``, and where it is small."""
    present: int
    """Calibration questions whose records are there."""
    absent: int
    """The same questions with their records and their near-duplicates taken away."""
    off_topic: int
    """Questions of foreign fields."""
    errors: ErrorRates | None
    """Measured on these questions; null when there are none."""

    @property
    def material(self) -> float:
        """The probability from which the archive has material on a subject."""
        return self.hi if self.partly is None else self.partly

    def is_low(self, probability: float, norm: float) -> bool:
        """Whether a question is rated so low that nothing seems to cover it."""
        return probability <= self.lo and (self.floor is None or norm <= self.floor)


class Weights(NamedTuple):
    """The weights of the features, fitted on public collections; that of names, on the demo archive."""

    bias: float
    norm: float
    share: float
    gap: float
    length: float
    name: float
    cosine: float = 0.0


@dataclass(frozen=True, slots=True)
class Numbers:
    """What was fitted to one way to compare questions (``bench/retrieval/fit.py``, ``lines.py``)."""

    weights: Weights
    line: tuple[float, float]
    """Slope and shift from the mean logit of the long off-topic questions to that of the upper threshold: questions of
    a neighbouring field share more with an archive than questions about cooking do, and by words alone the more so the
    more even these share with it (``bench/retrieval/README.md``)."""
    min_records: int = 0
    """Size of an archive from which the cosine counts."""


WORD_NUMBERS = Numbers(Weights(-5.49, 3.39, 2.27, 1.66, 1.20, 3.0), (3.0, 6.75))
"""Where words alone are compared."""
MODE_NUMBERS: Mapping[str, Numbers] = {
    "encoder": Numbers(Weights(-4.30, 0.94, 1.61, 0.0, 0.0, 2.0, 6.68), (1.0, 3.15)),
    # A table that is fitted to a handful of records finds all of them alike.
    "table": Numbers(Weights(-5.72, 2.08, 2.78, 0.0, 0.79, 2.0, 3.54), (1.5, 3.0), MIN_CALIBRATED_RECORDS),
}
"""By mode; in one that is not named here, verdicts compare words alone."""


@dataclass(frozen=True, slots=True)
class Judge:
    """How verdicts are given in an index."""

    calibration: Calibration
    numbers: Numbers = WORD_NUMBERS

    @property
    def by_meaning(self) -> bool:
        """Whether verdicts use the cosine, which takes thresholds that were measured with it."""
        return self.numbers is not WORD_NUMBERS


def judge_of(index: SearchIndex) -> Judge:
    """The judge of an index: as measured with it, or by the thresholds of the package."""
    return memoized(index.memo, COVERAGE_MEASUREMENT, None, partial(_measured, index))


def appoint(index: SearchIndex, judge: Judge) -> None:
    """Let this judge give the verdicts in an index from now on."""
    index.memo[COVERAGE_MEASUREMENT] = (None, judge)


def packaged() -> Calibration:
    """The thresholds of the package, before anything is measured."""
    return Calibration(basis="package", hi=HI, lo=LO, present=0, absent=0, off_topic=0, errors=None)


def _measured(index: SearchIndex) -> Judge:
    for mode, numbers in ((index.mode, MODE_NUMBERS.get(index.mode)), (WORDS, WORD_NUMBERS)):
        stored: Any = index.measured.get(mode, {}).get(COVERAGE_MEASUREMENT)
        with suppress(ValidationError):  # of another version of this package, until the index is measured anew
            if numbers and stored:
                return Judge(Calibration.model_validate(stored), numbers)
    return Judge(packaged())
