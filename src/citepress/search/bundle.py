"""Research bundles: a few independent records on a question, with passages, sourced statements, and how they agree or conflict."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from citepress.base.text import bounded
from citepress.contract.model import Model, Moment
from citepress.search import ranking
from citepress.search.answer import AnswerSentence, answer
from citepress.search.coverage import DIGITS, HALF, NAMED, TOP, fault_of, looked
from citepress.search.freshness import age_days, day_of, evidence_at
from citepress.search.index import SearchIndex, SearchResult
from citepress.search.ranking import WeightedQuery
from citepress.search.stances import COUNTER, Objection, Point, objections, points

CANDIDATES = 100
MAX_SOURCES = 20
KNOWN = 200
"""Known ids that are read."""
INDEPENDENT = 2
"""Groups of records that have to reach the lower threshold."""
NEARLY = 0.75
"""Share of the best remaining relevance from which a record of another origin may come before it."""
FEEDBACK = 5
"""Best matches whose common terms widen the question."""
WIDENING = 10
WIDENING_WEIGHT = 0.2
PASSAGES = 3
STATEMENTS = 5
LEAST_STATEMENTS = 3
"""Statements that are quoted even where the question's words are in fewer of them."""
AGAINST = 3
"""Counter-evidence that is quoted, whatever its words."""
FURTHER = 20
STATEMENT_LENGTH = 600
CITATIONS = 10


class RecordCitation(Model):
    """A source that a record stands on."""

    url: str
    """Its normalised address."""
    title: str
    """Its title, or its host."""
    origin: str
    """Its source origin."""
    role: str
    """``primary`` or ``secondary``."""


class Statement(Model):
    """A sourced statement of a record that bears on the question."""

    role: str
    """The member it comes from: claims, evidence, counter_evidence."""
    text: str
    """The statement."""
    sources: tuple[str, ...]
    """Addresses of its own sources."""


class BundleSource(Model):
    """A record of the bundle."""

    id: str
    """Stable identifier."""
    kind: str
    """Its collection."""
    title: str
    """Its headline."""
    path: str
    """Its canonical path."""
    url: str
    """The address to cite."""
    revision: int
    """Revision that was read."""
    published_at: Moment
    """First publication."""
    updated_at: Moment
    """Last change."""
    evidence_at: Moment
    """The day of its newest evidence."""
    age_days: int
    """Days from then to the day of the question."""
    summary: str
    """One or two sentences that stand alone."""
    passages: tuple[str, ...]
    """Up to three passages that match best and repeat neither the summary nor the statements."""
    share: float
    """The part of the question's worth that it holds."""
    matched: tuple[str, ...]
    """Words of the question that it holds."""
    missing: tuple[str, ...]
    """Words of the question that it does not hold."""
    confidence: dict[str, Any] | None
    """The editors' confidence, where the record states one."""
    statements: tuple[Statement, ...]
    """Its sourced statements, those that bear on the question first chosen, in its own order."""
    against: tuple[Statement, ...]
    """The counter-evidence that it holds itself."""
    citations: tuple[RecordCitation, ...]
    """What it stands on."""
    near_duplicates: tuple[str, ...]
    """Ids of records that say nearly the same."""


class Bundle(Model):
    """Independent records on a question. The same index and question give the same bytes."""

    query: str
    """The question as asked."""
    answer: tuple[AnswerSentence, ...]
    """Sentences of the records that answer it; none where no sentence holds enough of it."""
    sufficient: bool
    """Whether there is enough to sell: two independent groups of records reach the lower threshold, or a record answers the question by itself
    (it is called so, or the archive covers the question) and another bears on it."""
    reason: str
    """Why it is sufficient or not."""
    sources: tuple[BundleSource, ...]
    """The records, best first; among those that match nearly as well, other origins come before one that has a third of the places."""
    further: tuple[str, ...]
    """Ids of the next records that bear on the question and had no place."""
    points: tuple[Point, ...]
    """What they speak for and against."""
    objections: tuple[Objection, ...]
    """Counter-evidence of one that rests on a source of another."""
    missing: tuple[str, ...]
    """Words of the question that none of them holds."""
    known_excluded: tuple[str, ...]
    """Known ids whose groups were left out."""
    independent: int
    """Independent groups of records that reach the lower threshold."""
    asked_at: Moment
    """The day of the question: what every age is measured from."""
    as_of: Moment
    """The newest record date of the archive."""
    digest: str
    """Digest of the indexed content."""


@dataclass(frozen=True, slots=True)
class _Candidate:
    found: SearchResult
    share: float
    reaches: bool
    """Whether its own probability reaches the lower threshold."""
    relevance: float
    """Its score, up to twice as much where it is called what was asked."""


def bundle(index: SearchIndex, query: str, asked_at: datetime, max_sources: int = 8, known: Sequence[str] = ()) -> Bundle:
    """The bundle on a question on the day of ``asked_at``, without what the reader knows (specification, research-bundle-v2). Never raises."""
    asked = day_of(asked_at)
    weighed = index.weigh(query)
    excluded = tuple(id_ for id_ in dict.fromkeys(known[:KNOWN]) if index.record(id_))
    fault = fault_of(weighed)
    candidates, answered = ([], False) if fault else _candidates(index, weighed, excluded)
    most = min(max(max_sources, 1), MAX_SOURCES)
    chosen = _chosen(candidates, most)
    independent = sum(one.reaches for one in candidates)
    enough = len(chosen) >= min(INDEPENDENT, most)
    sufficient = enough and (answered or independent >= INDEPENDENT)
    reason = fault or _reason(independent, answered=answered, enough=enough)
    held = {term for one in chosen for term in ranking.holds(one.found.stored, weighed.counted)[0]}
    details = [(one.found.stored.id, one.found.stored.detail) for one in chosen]
    return Bundle(
        query=query,
        answer=answer([(one.found.stored, one.relevance) for one in chosen], weighed),
        sufficient=sufficient,
        reason=reason,
        sources=tuple(_source(one, weighed, asked) for one in chosen),
        further=tuple(one.found.stored.id for one in candidates if one not in chosen)[:FURTHER],
        points=tuple(points(details)),
        objections=tuple(objections(details)),
        missing=ranking.asked_words(term for term in weighed.counted if term not in held),
        known_excluded=excluded,
        independent=independent,
        asked_at=asked,
        as_of=index.stats.as_of,
        digest=index.stats.digest,
    )


def _candidates(index: SearchIndex, weighed: WeightedQuery, without: Sequence[str]) -> tuple[list[_Candidate], bool]:
    """Matches that bear on the question, best first, one of each group; their terms in common widen the search a little.

    Also whether the question is answered: a record is called so, or the whole reaches the upper threshold.
    """
    narrow = index.top(weighed, TOP, without=without)
    first = looked(index, weighed, narrow)
    lines = index.calibration
    chances = {one.stored.id: first.bears(place) for place, one in enumerate(first.found)}
    answered = bool(narrow) and (first.named >= NAMED or first.features.probability >= lines.hi)
    widened = index.top(weighed, CANDIDATES, without=without, widening=_widening(narrow))
    found = [(one, ranking.share(one.stored, weighed)) for one in widened]
    least = HALF * max((share for _, share in found), default=0.0)
    judged = [
        _Candidate(
            one, share, chances.get(one.stored.id, 0.0) >= lines.lo, one.score * (1 + ranking.naming(index.engine, one.stored, weighed))
        )
        for one, share in found
    ]
    kept = [one for one in judged if one.share > 0 and (one.reaches or one.share >= least)]
    return sorted(kept, key=lambda one: -one.relevance), answered


def _reason(independent: int, *, answered: bool, enough: bool) -> str:
    """What there is to sell, or what is lacking."""
    if answered and enough:
        return "A record answers the question by itself, and others bear on it."
    if answered:
        return f"A record answers the question by itself, but no other bears on it; {INDEPENDENT} are needed."
    return f"{independent} independent groups of records reach the lower threshold; {INDEPENDENT} are needed."


def _widening(found: Sequence[SearchResult]) -> Mapping[str, float]:
    """Rare terms that at least two of the best matches share."""
    counts = Counter(key for one in found[:FEEDBACK] for key in one.stored.shown["keys"])
    shared = sorted((term for term, count in counts.items() if count > 1), key=lambda term: (-counts[term], term))
    return dict.fromkeys(shared[:WIDENING], WIDENING_WEIGHT)


def _chosen(candidates: Sequence[_Candidate], count: int) -> list[_Candidate]:
    """The best candidates: relevance first, and among those that are nearly as relevant no origin in front of more than a third of the places."""
    most, places = -(-count // 3), Counter[str]()
    rest, chosen = list(candidates), list[_Candidate]()
    while rest and len(chosen) < count:
        near = (one for one in rest if one.relevance >= NEARLY * rest[0].relevance)
        one = next((one for one in near if not _origin(one) or places[_origin(one)] < most), rest[0])
        rest.remove(one)
        chosen.append(one)
        places[_origin(one)] += 1
    return chosen


def _origin(one: _Candidate) -> str:
    """The source origin that stands for a record."""
    return str(next(iter(one.found.stored.shown["origins"]), ""))


def _source(one: _Candidate, weighed: WeightedQuery, asked: datetime) -> BundleSource:
    stored = one.found.stored
    shown, detail = stored.shown, stored.detail
    having, lacking = ranking.holds(stored, weighed.counted)
    statements, against = _statements(detail, weighed, shown["language"])
    told = [" ".join(text.split()) for text in (shown["summary"], *(said.text for said in (*statements, *against)))]
    dated = evidence_at(shown["dated"], asked)
    return BundleSource(
        id=stored.id,
        kind=shown["kind"],
        title=shown["title"],
        path=shown["path"],
        url=detail.get("url", ""),
        revision=detail.get("revision", 1),
        published_at=shown["published"],
        updated_at=shown["updated"],
        evidence_at=dated,
        age_days=age_days(dated, asked),
        summary=shown["summary"],
        passages=tuple(ranking.passages(stored, weighed, PASSAGES, told)),
        share=round(one.share, DIGITS),
        matched=ranking.asked_words(having),
        missing=ranking.asked_words(lacking),
        confidence=detail.get("confidence"),
        statements=statements,
        against=against,
        citations=tuple(RecordCitation(**cited) for cited in detail.get("sources", ())[:CITATIONS]),
        near_duplicates=tuple(shown["others"]),
    )


def _statements(detail: Mapping[str, Any], weighed: WeightedQuery, language: str) -> tuple[tuple[Statement, ...], tuple[Statement, ...]]:
    """The statements that hold most of the question's worth, in the record's order; those for the record, and those against it."""
    found = detail.get("statements", ())
    worths = [ranking.score_of(one["text"], weighed, language) for one in found]
    ranked = sorted(range(len(found)), key=lambda place: (-worths[place], place))
    best = [place for place in ranked if found[place]["member"] != COUNTER]
    least = max(LEAST_STATEMENTS, sum(worths[place] > 0 for place in best))
    against = [place for place in ranked if found[place]["member"] == COUNTER][:AGAINST]
    chosen = (sorted(best[: min(least, STATEMENTS)]), sorted(against))
    own, counter = (tuple(_statement(found[place]) for place in places) for places in chosen)
    return own, counter


def _statement(one: Mapping[str, Any]) -> Statement:
    return Statement(role=one["member"], text=bounded(one["text"], STATEMENT_LENGTH), sources=one["sources"])
