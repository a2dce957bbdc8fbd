"""Requests and responses of the search package."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from citepress.contract.model import Model, Moment

LIMIT = 100
"""Upper limit of the hits of one page."""
OFFSET = 10_000
"""Upper limit of the offset."""


@dataclass(frozen=True, slots=True)
class Query:
    """A search. Values out of bounds are clamped; nothing is rejected.

    Words are joined by OR; records with all passages in double quotes come first, then those with any of them. A query
    of such passages alone finds no others. Without text the records of the filters are listed, newest first.
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
    parted: tuple[str, ...] = ()
    """The other quoted passages, where no record holds all of them."""


@dataclass(frozen=True, slots=True)
class MatchCounts:
    """How many records match by one filter, with all the other filters of the search."""

    kinds: Mapping[str, int]
    """By kind."""
    years: Mapping[int, int]
    """By year of publication."""


class Stats(Model):
    """What an index holds."""

    records: int
    """Records."""
    datasets: int = 0
    """Datasets, which are found like records."""
    clusters: int
    """Groups of near-duplicates."""
    languages: tuple[str, ...]
    """Primary language subtags, the commonest first."""
    as_of: Moment
    """The newest record date."""
    digest: str
    """BLAKE2b of everything that is indexed: the same content has the same digest."""


@dataclass(frozen=True, slots=True)
class VectorMode:
    """What makes the vector of a question."""

    name: str
    title: str
    """How a sentence calls it."""
    share: float
    """Weight of the cosine where words and meaning make one order."""
