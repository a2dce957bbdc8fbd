"""Research bundles: independent records on a question, with passages and sourced statements.

A bundle also shows where its records agree and where they conflict.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from citepress.base.text import bounded
from citepress.contract.model import Model, Moment
from citepress.search import passages, ranking
from citepress.search.analyzer import Term, index_line
from citepress.search.clusters import SIMILAR, jaccard
from citepress.search.index import SearchIndex, SearchResult
from citepress.search.ranking import WeightedQuery
from citepress.search.sheet import stored_content
from citepress.search.stored_document import StoredDocument
from citepress_payments.products.bundle.answer import AnswerSentence, answer
from citepress_payments.products.bundle.stances import COUNTER, Objection, Point, objections, points
from citepress_payments.products.coverage.freshness import age_days, dated_at, day_of
from citepress_payments.products.coverage.query_run import (
    DECIMALS,
    HALF,
    TOP_HITS,
    fault_of,
    held_terms,
    name_similarity,
    run_from_results,
    share_of,
)
from citepress_payments.products.coverage.thresholds import judge_of
from citepress_payments.products.coverage.verdict import MIN_NAMED

MAX_BUNDLE_CANDIDATES = 100
MAX_SOURCES = 20
KNOWN = 200
"""Upper limit of the known ids that are read."""
INDEPENDENT = 2
"""Groups of records that have to reach the lower threshold."""
NEARLY = 0.75
"""Share of the best remaining relevance from which a record of another origin may be preferred."""
FEEDBACK = 5
"""Best matches whose common terms expand the query (pseudo-relevance feedback)."""
EXPANSION = 10
EXPANSION_WEIGHT = 0.2
ALIKE = 0.37
"""Share of common terms from which a record restates another, though it was rewritten too much to be a near-duplicate.
Of two rewritten copies in which every fourth word differs, two in five terms are common; of two records on one subject,
seldom one in five."""
ENOUGH = 12
"""Common terms from which so small a share tells; of fewer, it takes the share that makes near-duplicates."""
COMPARED = 2 * MAX_SOURCES
"""Best candidates that are compared with each other."""
PASSAGES = 3
STATEMENTS = 5
MIN_STATEMENTS = 3
"""Statements that are quoted even if fewer of them contain words of the question."""
AGAINST = 3
"""Counter-evidence that is quoted, with or without words of the question."""
FURTHER = 20
STATEMENT_LENGTH = 600


class Statement(Model):
    """A sourced statement of a record that is relevant to the question."""

    role: str
    """The field it comes from: claims, evidence, counter_evidence."""
    text: str
    """The statement."""
    sources: tuple[str, ...]
    """Addresses of its own sources."""


class BundleSource(Model):
    """A record of the bundle: what the question makes of it. What it is called and says is in the record itself."""

    id: str
    """Stable identifier."""
    evidence_at: Moment
    """The day that dates its evidence."""
    age_days: int
    """Days from then to the day of the question."""
    passages: tuple[str, ...]
    """Up to three passages that match best and repeat neither the summary nor the statements."""
    share: float
    """The share of the question's weight that it contains."""
    matched: tuple[str, ...]
    """Words of the question that it contains."""
    missing: tuple[str, ...]
    """Words of the question that it does not contain."""
    statements: tuple[Statement, ...]
    """Its sourced statements in its own order; those relevant to the question are chosen first."""
    against: tuple[Statement, ...]
    """The counter-evidence in the record itself."""
    near_duplicates: tuple[str, ...]
    """Ids of its near-duplicates."""


class Bundle(Model):
    """Independent records on a question. The same index and question give the same bytes."""

    query: str
    """The question as asked."""
    answer: tuple[AnswerSentence, ...]
    """Sentences of the records that answer it; empty where no sentence covers enough of it."""
    sufficient: bool
    """Whether there is enough to sell: two independent groups of records reach the lower threshold, or a record answers
    the question by itself (it is called so, or the archive covers the question) and another bears on it."""
    reason: str
    """Why it is sufficient or not."""
    sources: tuple[BundleSource, ...]
    """The records, best first; among those that match nearly as well, other origins come before one that has a third of
    the places."""
    further: tuple[str, ...]
    """Ids of the next relevant records, for which there was no place."""
    points: tuple[Point, ...]
    """The points that they support or contradict."""
    objections: tuple[Objection, ...]
    """Counter-evidence of one that rests on a source of another."""
    missing: tuple[str, ...]
    """Words of the question that none of them contains."""
    known_excluded: tuple[str, ...]
    """Known ids whose groups were left out."""
    independent: int
    """Independent groups of records that reach the lower threshold."""
    asked_at: Moment
    """The day of the question: every age is measured from it."""
    as_of: Moment
    """The newest record date of the archive."""
    digest: str
    """Digest of the indexed content."""


@dataclass(frozen=True, slots=True)
class _Candidate:
    result: SearchResult
    share: float
    reaches: bool
    """Whether its own probability reaches the lower threshold."""
    relevance: float
    """Its score, up to doubled where its name matches the question."""
    restating: tuple[str, ...] = ()
    """Ids of less relevant candidates that restate it."""

    def is_relevant(self, least: float) -> bool:
        """Whether it has any word of the question, and reaches the lower threshold or this share."""
        return self.share > 0 and (self.reaches or self.share >= least)


def bundle(
    index: SearchIndex, query: str, asked_at: datetime, max_sources: int = 8, known_ids: Sequence[str] = ()
) -> Bundle:
    """The bundle on a question on the day of ``asked_at`` (specification, "Paid compute products"). Never raises.

    Records in ``known_ids``, and their near-duplicates, are left out.
    """
    asked = day_of(asked_at)
    weighted = index.weigh(query)
    excluded = tuple(id_ for id_ in dict.fromkeys(known_ids[:KNOWN]) if index.record(id_))
    fault = fault_of(index, weighted)
    matches, answered = ([], False) if fault else _candidates(index, weighted, excluded)
    candidates = _once(matches, [stored for id_ in excluded if (stored := index.record(id_))])
    most = min(max(max_sources, 1), MAX_SOURCES)
    chosen = _chosen(candidates, most)
    independent = sum(candidate.reaches for candidate in candidates)
    enough = len(chosen) >= min(INDEPENDENT, most)
    sufficient = enough and (answered or independent >= INDEPENDENT)
    reason = fault or _reason(independent, answered=answered, enough=enough)
    records = [candidate.result.stored for candidate in chosen]
    details = [(stored.id, stored.detail) for stored in records]
    relevances = [candidate.relevance for candidate in chosen]
    held: set[Term] = set()
    for stored in records:
        held.update(held_terms(stored, weighted))
    return Bundle(
        query=query,
        answer=answer(list(zip(records, relevances, strict=True)), weighted),
        sufficient=sufficient,
        reason=reason,
        sources=tuple(_source(candidate, weighted, asked) for candidate in chosen),
        further=tuple(candidate.result.stored.id for candidate in candidates if candidate not in chosen)[:FURTHER],
        points=tuple(points(details)),
        objections=tuple(objections(details)),
        missing=ranking.asked_words(term for term in weighted.counted if term not in held),
        known_excluded=excluded,
        independent=independent,
        asked_at=asked,
        as_of=index.stats.as_of,
        digest=index.stats.digest,
    )


def _candidates(index: SearchIndex, weighted: WeightedQuery, without: Sequence[str]) -> tuple[list[_Candidate], bool]:
    """The relevant matches, best first, one of each cluster, and whether the question is answered.

    It is answered when a record has the name asked for, or when the whole question reaches the threshold of material.
    Terms that the best matches share expand the query slightly.
    """
    narrow = index.top(weighted, TOP_HITS, without=without)
    first = run_from_results(index, weighted, narrow, without)
    thresholds = judge_of(index).calibration
    probabilities = {result.stored.id: first.probability_of(place) for place, result in enumerate(first.results)}
    answered = bool(narrow) and (first.named >= MIN_NAMED or first.features.probability >= thresholds.material)
    widened = index.top(weighted, MAX_BUNDLE_CANDIDATES, without=without, expansion=_expansion_terms(index, narrow))
    scored = [(result, share_of(result.stored, weighted)) for result in widened]
    least = HALF * max((share for _, share in scored), default=0.0)
    judged = [
        _Candidate(
            result,
            share,
            probabilities.get(result.stored.id, 0.0) >= thresholds.lo,
            result.score * (1 + name_similarity(index.engine, result.stored, weighted)),
        )
        for result, share in scored
    ]
    relevant = [candidate for candidate in judged if candidate.is_relevant(least)]
    return sorted(relevant, key=lambda candidate: -candidate.relevance), answered


def _once(candidates: Sequence[_Candidate], excluded: Sequence[StoredDocument]) -> list[_Candidate]:
    """The candidates without those that restate one that is excluded or more relevant, however rewritten."""
    former = [_terms(stored) for stored in excluded]
    terms: list[frozenset[str]] = []
    first: list[_Candidate] = []
    for candidate in candidates[:COMPARED]:
        own = _terms(candidate.result.stored)
        if any(_restates(own, other) for other in former):
            continue
        place = next((place for place, other in enumerate(terms) if _restates(own, other)), None)
        if place is None:
            terms.append(own)
            first.append(candidate)
        else:
            restating = (*first[place].restating, candidate.result.stored.id)
            first[place] = replace(first[place], restating=restating)
    return [*first, *candidates[COMPARED:]]


def _terms(stored: StoredDocument) -> frozenset[str]:
    return frozenset(stored_content(stored))


def _restates(terms: frozenset[str], others: frozenset[str]) -> bool:
    least = ALIKE if len(terms & others) >= ENOUGH else SIMILAR
    return bool(terms) and jaccard(terms, others) >= least


def _reason(independent: int, *, answered: bool, enough: bool) -> str:
    """Why the bundle is or is not sufficient."""
    if answered and enough:
        return "A record answers the question by itself, and others bear on it."
    if answered:
        return f"A record answers the question by itself, but no other bears on it; {INDEPENDENT} are needed."
    return f"{independent} independent groups of records reach the lower threshold; {INDEPENDENT} are needed."


def _expansion_terms(index: SearchIndex, results: Sequence[SearchResult]) -> Mapping[str, float]:
    """Rare terms that at least two of the best matches share."""
    counts = Counter(key for result in results[:FEEDBACK] for key in index.rarest_terms(result.stored))
    shared = sorted((term for term, count in counts.items() if count > 1), key=lambda term: (-counts[term], term))
    return dict.fromkeys(shared[:EXPANSION], EXPANSION_WEIGHT)


def _chosen(candidates: Sequence[_Candidate], count: int) -> list[_Candidate]:
    """The most relevant candidates; among nearly equal ones, no origin is preferred beyond a third of the places."""
    most, places = -(-count // 3), Counter[str]()
    rest, chosen = list(candidates), list[_Candidate]()
    while rest and len(chosen) < count:
        near = [candidate for candidate in rest if candidate.relevance >= NEARLY * rest[0].relevance]
        best = next((candidate for candidate in near if _has_room(candidate, places, most)), rest[0])
        rest.remove(best)
        chosen.append(best)
        places[_origin(best)] += 1
    return chosen


def _has_room(candidate: _Candidate, places: Counter[str], most: int) -> bool:
    """Whether the candidate's origin has fewer than ``most`` places; a record without an origin always has room."""
    origin = _origin(candidate)
    return not origin or places[origin] < most


def _origin(candidate: _Candidate) -> str:
    """The source origin that represents a record, or an empty string."""
    return str(next(iter(candidate.result.stored.shown["origins"]), ""))


def _source(candidate: _Candidate, weighted: WeightedQuery, asked: datetime) -> BundleSource:
    stored = candidate.result.stored
    shown, detail = stored.shown, stored.detail
    having = held_terms(stored, weighted)
    lacking = [term for term in weighted.counted if term not in having]
    statements, against = _statements(detail, weighted, shown["language"])
    quoted = [shown["summary"], *(statement.text for statement in (*statements, *against))]
    quoted = [" ".join(text.split()) for text in quoted]
    dated = dated_at(stored, asked)
    return BundleSource(
        id=stored.id,
        evidence_at=dated,
        age_days=age_days(dated, asked),
        passages=tuple(passages.passages(stored, weighted, PASSAGES, quoted)),
        share=round(candidate.share, DECIMALS),
        matched=ranking.asked_words(having),
        missing=ranking.asked_words(lacking),
        statements=statements,
        against=against,
        near_duplicates=tuple(dict.fromkeys((*stored.others, *candidate.restating))),
    )


def _statements(
    detail: Mapping[str, Any], weighted: WeightedQuery, language: str
) -> tuple[tuple[Statement, ...], tuple[Statement, ...]]:
    """The statements for the record and those against it that match the question best, each in the record's order."""
    statements = detail.get("statements", ())
    scores = [_score_of(statement["text"], weighted, language) for statement in statements]
    ranked = sorted(range(len(statements)), key=lambda place: (-scores[place], place))
    best = [place for place in ranked if statements[place]["member"] != COUNTER]
    least = max(MIN_STATEMENTS, sum(scores[place] > 0 for place in best))
    against = [place for place in ranked if statements[place]["member"] == COUNTER][:AGAINST]
    chosen = (sorted(best[: min(least, STATEMENTS)]), sorted(against))
    own, counter = (tuple(_statement(statements[place]) for place in places) for places in chosen)
    return own, counter


def _statement(statement: Mapping[str, Any]) -> Statement:
    return Statement(
        role=statement["member"], text=bounded(statement["text"], STATEMENT_LENGTH), sources=statement["sources"]
    )


def _score_of(text: str, weighted: WeightedQuery, language: str) -> float:
    """The summed weights of the words of a question that a text contains."""
    having = set(index_line(text, language).split())
    return sum(weighted.idf[term] for term in weighted.counted if having.intersection(term.stems))
