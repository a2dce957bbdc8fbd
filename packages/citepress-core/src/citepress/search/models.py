"""Requests and responses of the search package."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, NamedTuple

from pydantic import Field

from citepress.contract.model import Model, Moment

LIMIT = 100
"""Upper limit of the hits of one page."""
OFFSET = 10_000
"""Upper limit of the offset."""


@dataclass(frozen=True, slots=True)
class Query:
    """A search. Values out of bounds are clamped; nothing is rejected.

    Words are joined by OR; a passage in double quotes is required where any record holds it. Without text the
    records of the filters are listed, newest first.
    """

    text: str = ""
    """At most 500 characters and 64 words are read."""
    kinds: tuple[str, ...] = ()
    """Any of these kinds; all when empty."""
    topic: str = ""
    """Slug of a topic hub."""
    origin: str = ""
    """Id of a source origin."""
    since: datetime | None = None
    """Updated at this moment or later."""
    until: datetime | None = None
    """Updated at this moment or earlier."""
    year: int | None = None
    """Published in this year, UTC."""
    limit: int = 10
    offset: int = 0


@dataclass(frozen=True)
class Hit:
    """A record found. It has no slots, because operations read its members by ``vars``."""

    id: str
    """Stable identifier, ``<collection>/<slug>``."""
    kind: str
    """Its collection."""
    title: str
    """Its headline."""
    path: str
    """Its canonical path."""
    summary: str
    """One or two sentences that can be quoted on their own."""
    snippet: str
    """The passage that matches best, at most 240 characters; the summary where only the title or a tag matches."""
    score: float
    """BM25 with boosts: comparable within one answer only."""
    published_at: datetime
    """First publication."""
    updated_at: datetime
    """Last change."""
    observed_at: datetime | None
    """When what it reports was seen; null where its kind has no such date."""
    topics: tuple[str, ...]
    """Slugs of its topic hubs."""
    matched: tuple[str, ...]
    """Words of the query that it holds."""
    missing: tuple[str, ...]
    """Words of the query that it does not hold."""
    cluster: str | None = None
    """Id of the oldest record of its near-duplicates; null when it has none."""
    more_in_cluster: tuple[str, ...] = ()
    """Ids of its near-duplicates, which are not listed themselves."""


@dataclass(frozen=True, slots=True)
class Results:
    """A page of hits."""

    total: int
    """Records that match, near-duplicates counted."""
    hits: tuple[Hit, ...]
    """Best first, one of each group of near-duplicates."""
    more: bool = False
    """Whether a further page has hits."""
    unlisted: int = 0
    """Further records that match, near-duplicates of these hits. Over all pages, hits and these are the total."""
    suggestions: tuple[str, ...] = ()
    """Queries in words that the archive knows, when it lacks a word of this one."""
    unknown: tuple[str, ...] = ()
    """Words of the query that no record holds."""
    unquoted: tuple[str, ...] = ()
    """Quoted passages of the query that no record holds; their words are searched instead."""


@dataclass(frozen=True, slots=True)
class MatchCounts:
    """How many records match by one filter, with all the other filters of the search."""

    kinds: Mapping[str, int]
    """By kind."""
    years: Mapping[int, int]
    """By year of publication."""


class TermWeight(Model):
    """What one word adds to a score."""

    word: str
    """The word as asked."""
    stems: tuple[str, ...]
    """Its forms in the index."""
    document_frequency: int
    """Records that hold it."""
    score: float
    """What it adds; 0 when the record does not hold it."""


class SearchExplanation(Model):
    """Why a record has its score."""

    id: str
    """The record."""
    score: float
    """The whole score, quoted passages included."""
    terms: tuple[TermWeight, ...]
    """What each word adds, as asked."""


class Stats(Model):
    """What an index holds."""

    records: int
    """Records."""
    datasets: int = 0
    """Datasets, which are found like records, and on which no verdict rests."""
    clusters: int
    """Groups of near-duplicates."""
    languages: tuple[str, ...]
    """Primary language subtags, the commonest first."""
    as_of: Moment
    """The newest record date."""
    digest: str
    """BLAKE2b of everything that is indexed: the same content has the same digest."""


Basis = Literal["archive", "off_topic", "package"]


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
class VectorMode:
    """What makes the vector of a question, with the numbers that were fitted to it."""

    name: str
    title: str
    """How a sentence calls it."""
    share: float
    """Weight of the cosine where words and meaning make one order."""
    line: tuple[float, float]
    """As ``LINE`` of ``calibration.py``."""
    weights: Weights
    """As ``WORDS`` of ``coverage.py``."""
    min_records: int = 0
    """Size of an archive from which verdicts use the cosine."""


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
    """Covered from this probability."""
    lo: float
    """Not covered up to this probability."""
    present: int
    """Calibration questions whose records are there."""
    absent: int
    """The same questions with their records and their near-duplicates taken away."""
    off_topic: int
    """Questions of foreign fields."""
    sentences: float | None = None
    """Mean logit of the probabilities of sentences of the archive, asked as questions; it corrects the confidence where
    ``off_topic`` questions set the thresholds by words alone."""
    errors: ErrorRates | None
    """Measured on these questions; null when there are none."""
