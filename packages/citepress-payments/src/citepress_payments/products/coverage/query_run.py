"""One search for one question, and the features by which it shows whether the archive covers the question."""

import math
from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import partial

from citepress.base.memo import memoized
from citepress.search import passages
from citepress.search.analyzer import Term
from citepress.search.datasets import DATASETS
from citepress.search.engine import KIND, MAX_FETCHED_MATCHES, Engine
from citepress.search.index import SearchIndex, SearchResult
from citepress.search.ranking import WeightedQuery
from citepress.search.sheet import vector_key
from citepress.search.stored_document import StoredDocument, first_sentence
from citepress_payments.products.coverage.thresholds import WORD_NUMBERS, Weights, judge_of

SATURATION = 2.2
"""The engine's k1 + 1: the most that one word can add, in units of its idf."""
TOP_HITS = 10
MAX_EVIDENCE = 5
HALF = 0.5
"""Share of the best match's weight from which another record counts as evidence, and share of a question's weight from
which a passage holds its rare words together."""
DECIMALS = 4
UNNAMED = 0.25
"""The average name similarity by chance (measured on the demo archive: ``tests/demo/questions.toml``)."""
PASSAGE_SENTENCES = 3
"""Adjacent sentences that make a passage."""


@dataclass(frozen=True, slots=True)
class Closeness:
    """Cosines of a question with records."""

    best: float
    """The highest with any record."""
    each: tuple[float, ...]
    """That with each of the records that were named."""
    closest: SearchResult | None
    """The record that has the highest."""


@dataclass(frozen=True, slots=True)
class Features:
    """The features of a search, independent of the length of the question."""

    norm: float
    """Best score divided by the highest possible one."""
    share: float
    """Largest share of the question's weight in one record."""
    gap: float
    """Lead of the best score over the tenth."""
    length: float
    """Natural logarithm of 1 plus the number of words."""
    name: float = 0.0
    """Highest name similarity of the best ten: how closely a title, slug or question matches the topic."""
    cosine: float = 0.0
    """Highest cosine of the question with a record, where they are compared by meaning."""
    weights: Weights = WORD_NUMBERS.weights

    @property
    def probability(self) -> float:
        """Probability of coverage."""
        values = (1.0, self.norm, self.share, self.gap, self.length, self.name - UNNAMED, self.cosine)
        return 1 / (1 + math.exp(-sum(weight * value for weight, value in zip(self.weights, values, strict=True))))


@dataclass(frozen=True, slots=True)
class QueryRun:
    """One search for one question."""

    weighted: WeightedQuery
    results: tuple[SearchResult, ...]
    """The best ten, one of each cluster."""
    shares: tuple[float, ...]
    """The share of the question's weight in each of them."""
    names: tuple[float, ...]
    """The name similarity of each of them."""
    closeness: Closeness | None = None
    """The cosines with all records and with these; ``None`` where words alone are compared."""
    weights: Weights = WORD_NUMBERS.weights

    @property
    def named(self) -> float:
        """The highest name similarity of any match."""
        return max(self.names, default=0.0)

    @property
    def is_answered(self) -> bool:
        """Whether any record has a word of the question, or a vector to compare with it."""
        return bool(self.results or (self.closeness and self.closeness.closest))

    @property
    def probability(self) -> float:
        """The probability that the archive covers the question; 0 where nothing answers."""
        return round(self.features.probability, DECIMALS) if self.is_answered else 0.0

    @property
    def features(self) -> Features:
        """The features of the best match."""
        best = self.closeness.best if self.closeness else 0.0
        return replace(self.features_of(0, max(self.shares, default=0.0)), name=self.named, cosine=best)

    def features_of(self, place: int, share: float | None = None) -> Features:
        """The features of one match relative to the tenth; names are not considered."""
        whole = SATURATION * score_bound(self.weighted) or 1.0
        score = self.results[place].score if place < len(self.results) else 0.0
        last = self.results[TOP_HITS - 1].score if len(self.results) >= TOP_HITS else 0.0
        own = self.shares[place] if share is None and place < len(self.shares) else share or 0.0
        near = self.closeness.each[place] if self.closeness and place < len(self.closeness.each) else 0.0
        length = math.log1p(len(self.weighted.counted))
        return Features(score / whole, own, max(score - last, 0.0) / whole, length, UNNAMED, near, self.weights)

    def probability_of(self, place: int) -> float:
        """The probability that one match alone is relevant; a title without words of the question does not lower it."""
        return round(replace(self.features_of(place), name=max(self.names[place], UNNAMED)).probability, DECIMALS)

    def count_from(self, threshold: float) -> int:
        """The number of matches that reach a probability by themselves."""
        return sum(self.probability_of(place) >= threshold for place in range(len(self.results)))


def run_from_results(
    index: SearchIndex, weighted: WeightedQuery, results: Sequence[SearchResult], without: Collection[str] = ()
) -> QueryRun:
    """The run of a question with these matches, found without some records."""
    shares = tuple(share_of(result.stored, weighted) for result in results)
    names = tuple(name_similarity(index.engine, result.stored, weighted) for result in results)
    close = closeness_of(index, weighted, results, without)
    numbers = judge_of(index).numbers if close else WORD_NUMBERS
    return QueryRun(weighted, tuple(results), shares, names, close, numbers.weights)


def run_query(index: SearchIndex, text: str, without: frozenset[str] = frozenset(), count: int = TOP_HITS) -> QueryRun:
    """Search for a question, leaving out the records in ``without`` and their near-duplicates."""
    weighted = index.weigh(text)
    return run_from_results(index, weighted, index.top(weighted, count, without=without), without)


def closeness_of(
    index: SearchIndex, weighted: WeightedQuery, results: Sequence[SearchResult], without: Collection[str] = ()
) -> Closeness | None:
    """How close a question is to the archive and to these records; ``None`` where verdicts do without.

    The records in ``without`` and their clusters are left out.
    """
    if index.meaning is None or not judge_of(index).by_meaning or not weighted.text.strip():
        return None
    engine = index.engine
    places, clusters = index.left_out(without)
    members = engine.search(engine.inside(sorted(clusters)), MAX_FETCHED_MATCHES)[1] if clusters else []
    hidden = {*map(vector_key, without), *engine.keys([row.address for row in members])} if places else set()
    hidden |= memoized(index.memo, DATASETS, None, partial(_dataset_keys, index))
    question = index.meaning.asked(weighted.text)
    near = question.nearest(1, hidden)
    each = question.cosines([vector_key(result.stored.id) for result in results])
    rows = engine.search(engine.with_keys(near.keys), 1)[1] if near.keys else []
    closest = SearchResult(0.0, engine.stored(rows[0].address)) if rows else None
    return Closeness(near.cosines[0] if rows else 0.0, tuple(cosine or 0.0 for cosine in each), closest)


def _dataset_keys(index: SearchIndex) -> set[int]:
    """The keys of the vectors of datasets."""
    _, rows = index.engine.search(index.engine.any_of(KIND, [DATASETS]), MAX_FETCHED_MATCHES)
    return {*index.engine.keys([row.address for row in rows])}


def fault_of(index: SearchIndex, weighted: WeightedQuery) -> str:
    """Why a question is invalid, or an empty string."""
    if not weighted.has_content:
        return "The topic holds no word that carries a topic."
    # Words of another language match nothing, so "not covered" would be a guess.
    language = index.foreign_language(weighted)
    return f"The topic seems to be in {language}, and no record is." if language else ""


def meeting(stored: StoredDocument, weighted: WeightedQuery) -> float:
    """The highest weight of a question's words in one passage of a record; words of its title count too."""
    title, *lines = passages.spaced(stored).split("\n")
    sentences = lines[first_sentence(stored.shown) - 1 :]
    titled, sums = 0.0, defaultdict[int, float](float)
    for term in weighted.counted:
        forms, weight = [f" {stem} " for stem in term.stems], weighted.idf[term]
        if any(form in title for form in forms):
            titled += weight
            continue
        held = [place for place, line in enumerate(sentences) if any(form in line for form in forms)]
        for start in {place - back for place in held for back in range(PASSAGE_SENTENCES)}:
            sums[start] += weight
    return titled + max(sums.values(), default=0.0)


def evidence_of(query_run: QueryRun) -> list[SearchResult]:
    """The matches with at least half of the highest share, and the record that is closest in meaning."""
    least = HALF * max(query_run.shares, default=0.0)
    pairs = zip(query_run.results, query_run.shares, strict=True)
    evidence = [result for result, share in pairs if share > 0 and share >= least][:MAX_EVIDENCE]
    closest = query_run.closeness.closest if query_run.closeness else None
    if closest and closest.stored.id not in {result.stored.id for result in evidence}:
        evidence = [*evidence[: MAX_EVIDENCE - 1], closest]
    return evidence


def is_met(query_run: QueryRun, evidence: Sequence[SearchResult]) -> bool:
    """Whether one passage of a record contains at least half of a question, weighted by the rarity of its words."""
    needed = HALF * query_run.weighted.total_weight
    return any(meeting(result.stored, query_run.weighted) >= needed for result in evidence)


def may_be_covered(query_run: QueryRun, evidence: Sequence[SearchResult]) -> bool:
    """Whether a question is covered from the upper threshold up: its meaning counts, or its rare words meet."""
    return query_run.closeness is not None or is_met(query_run, evidence)


def share_of(stored: StoredDocument, weighted: WeightedQuery) -> float:
    """The share of a question's weight that a record contains, from 0 to 1."""
    held = held_terms(stored, weighted)
    return sum(weighted.idf[term] for term in held) / weighted.total_weight if weighted.total_weight else 0.0


def held_terms(stored: StoredDocument, weighted: WeightedQuery) -> list[Term]:
    """The words of a question that a record contains."""
    text = passages.spaced(stored)
    return [term for term in weighted.counted if any(f" {stem} " in text for stem in term.stems)]


def name_similarity(engine: Engine, stored: StoredDocument, weighted: WeightedQuery) -> float:
    """Similarity of a question and the closest name of a record, from 0 to 1 (Dice coefficient weighted by IDF)."""
    return max((_dice(engine, frozenset(line.split()), weighted) for line in stored.shown["names"]), default=0.0)


def _dice(engine: Engine, named: frozenset[str], weighted: WeightedQuery) -> float:
    both = sum(weighted.idf[term] for term in weighted.counted if not named.isdisjoint(term.stems))
    if not both:
        return 0.0
    whole = weighted.total_weight + sum(engine.weight(stem) for stem in sorted(named))
    return min(2 * both / whole, 1.0)


def score_bound(weighted: WeightedQuery) -> float:
    """The sum of the IDF of the counted words times their count in the question, which bounds a score."""
    joined = (term for term in weighted.terms if term.joined and weighted.frequencies[term])
    bounding = (*weighted.counted, *(term for term in joined if term not in weighted.counted))
    return sum(weighted.idf[term] * weighted.counts[term] * term.weight for term in bounding)
