"""Research bundles: a few independent records on a question, with passages, sourced statements, and how they agree or conflict."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from citepress.base.text import bounded
from citepress.contract.shape import Moment, Shape
from citepress.search import ranking
from citepress.search.coverage import DIGITS, HALF, TOP, Look, distinct, fault_of
from citepress.search.index import Found, Index
from citepress.search.ranking import Weighed

CANDIDATES = 100
MAX_SOURCES = 20
KNOWN = 200
"""Known ids that are read."""
INDEPENDENT = 2
"""Groups of records that have to reach the lower threshold."""
FEEDBACK = 5
"""Best matches whose common terms widen the question."""
WIDENING = 10
WIDENING_WEIGHT = 0.2
STATEMENTS = 5
STATEMENT_LENGTH = 600
CITATIONS = 10


class Citation(Shape):
    """A source that a record stands on."""

    url: str
    """Its normalised address."""
    title: str
    """Its title, or its host."""
    origin: str
    """Its source origin."""
    role: str
    """``primary`` or ``secondary``."""


class Statement(Shape):
    """A sourced statement of a record that bears on the question."""

    role: str
    """The member it comes from: claims, evidence, counter_evidence."""
    text: str
    """The statement."""
    sources: tuple[str, ...]
    """Addresses of its own sources."""


class Relation(Shape):
    """How two records of the bundle stand to each other."""

    one: str
    """Id of the first record."""
    other: str
    """Id of the second."""
    relation: str
    """``agrees`` or ``conflicts``."""
    ground: str
    """What says so."""


class BundleSource(Shape):
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
    age_days: int
    """Days from its last change to the newest record of the archive."""
    passage: str
    """The passage that matches best."""
    share: float
    """The part of the question's worth that it holds."""
    matched: tuple[str, ...]
    """Words of the question that it holds."""
    missing: tuple[str, ...]
    """Words of the question that it does not hold."""
    confidence: dict[str, Any] | None
    """The editors' confidence, where the record states one."""
    statements: tuple[Statement, ...]
    """Its sourced statements that bear on the question."""
    citations: tuple[Citation, ...]
    """What it stands on."""
    near_duplicates: tuple[str, ...]
    """Ids of records that say nearly the same."""


class Bundle(Shape):
    """Independent records on a question. The same index and question give the same bytes."""

    query: str
    """The question as asked."""
    sufficient: bool
    """Whether there is enough to sell: at least two independent groups of records reach the lower threshold."""
    reason: str
    """Why it is sufficient or not."""
    sources: tuple[BundleSource, ...]
    """The records, best first; no origin stands for more than a third of those asked for."""
    relations: tuple[Relation, ...]
    """Agreement and conflict among them."""
    missing: tuple[str, ...]
    """Words of the question that none of them holds."""
    known_excluded: tuple[str, ...]
    """Known ids whose groups were left out."""
    as_of: Moment
    """The newest record date of the archive."""
    digest: str
    """Digest of the indexed content."""


@dataclass(frozen=True, slots=True)
class _Candidate:
    found: Found
    share: float
    reaches: bool
    """Whether its own probability reaches the lower threshold."""


def bundle(index: Index, query: str, max_sources: int = 8, known: Sequence[str] = ()) -> Bundle:
    """The bundle on a question, without what the reader knows (specification, research-bundle-v2). Never raises."""
    weighed = index.weigh(query)
    excluded, without = _known(index, known)
    fault = fault_of(weighed)
    candidates = [] if fault else _candidates(index, weighed, without)
    chosen = _chosen(candidates, min(max(max_sources, 1), MAX_SOURCES))
    independent = sum(one.reaches for one in candidates)
    sufficient = independent >= INDEPENDENT and len(chosen) >= INDEPENDENT
    reason = fault or f"{independent} independent groups of records reach the lower threshold; {INDEPENDENT} are needed."
    held = {term for one in chosen for term in ranking.holds(one.found.stored, weighed.counted)[0]}
    return Bundle(
        query=query,
        sufficient=sufficient,
        reason=reason,
        sources=tuple(_source(index, one, weighed) for one in chosen),
        relations=tuple(_relations([one.found for one in chosen])),
        missing=ranking.asked_words(term for term in weighed.counted if term not in held),
        known_excluded=excluded,
        as_of=index.stats.as_of,
        digest=index.stats.digest,
    )


def _known(index: Index, known: Sequence[str]) -> tuple[tuple[str, ...], frozenset[str]]:
    """The known ids that exist, and every id of their groups."""
    stored = {id_: one for id_ in dict.fromkeys(known[:KNOWN]) if (one := index.record(id_))}
    others = (other for one in stored.values() for other in one.shown["others"])
    groups = (one.shown["cluster"] for one in stored.values() if one.shown["cluster"])
    return tuple(stored), frozenset((*stored, *others, *groups))


def _candidates(index: Index, weighed: Weighed, without: frozenset[str]) -> list[_Candidate]:
    """Matches that bear on the question, best first, one of each group; their terms in common widen the search a little."""
    narrow = list(distinct(index.top(weighed, CANDIDATES), without))
    looked = Look(weighed, tuple(narrow[:TOP]), tuple(ranking.share(one.stored, weighed) for one in narrow[:TOP]))
    chances = {one.stored.id: looked.features_of(place).probability for place, one in enumerate(looked.found)}
    widened = distinct(index.top(weighed, CANDIDATES, _widening(narrow)), without)
    found = [(one, ranking.share(one.stored, weighed)) for one in widened]
    least = HALF * max((share for _, share in found), default=0.0)
    judged = [_Candidate(one, share, round(chances.get(one.stored.id, 0.0), DIGITS) >= index.calibration.lo) for one, share in found]
    return [one for one in judged if one.share > 0 and (one.reaches or one.share >= least)]


def _widening(found: Sequence[Found]) -> Mapping[str, float]:
    """Rare terms that at least two of the best matches share."""
    counts = Counter(key for one in found[:FEEDBACK] for key in one.stored.shown["keys"])
    shared = sorted((term for term, count in counts.items() if count > 1), key=lambda term: (-counts[term], term))
    return dict.fromkeys(shared[:WIDENING], WIDENING_WEIGHT)


def _chosen(candidates: Sequence[_Candidate], count: int) -> list[_Candidate]:
    """The best candidates with no origin in front of more than a third of the places."""
    most, places = -(-count // 3), Counter[str]()
    chosen: list[_Candidate] = []
    for one in candidates:
        origin = next(iter(one.found.stored.shown["origins"]), "")
        if len(chosen) < count and (not origin or places[origin] < most):
            chosen.append(one)
            places[origin] += 1
    return chosen


def _source(index: Index, one: _Candidate, weighed: Weighed) -> BundleSource:
    stored = one.found.stored
    shown, detail = stored.shown, stored.detail
    having, lacking = ranking.holds(stored, weighed.counted)
    source = BundleSource(
        id=stored.id,
        kind=shown["kind"],
        title=shown["title"],
        path=shown["path"],
        url=detail.get("url", ""),
        revision=detail.get("revision", 1),
        published_at=shown["published"],
        updated_at=shown["updated"],
        age_days=0,
        passage=ranking.passage(stored, weighed),
        share=round(one.share, DIGITS),
        matched=ranking.asked_words(having),
        missing=ranking.asked_words(lacking),
        confidence=detail.get("confidence"),
        statements=_statements(detail, weighed, shown["language"]),
        citations=tuple(Citation(**cited) for cited in detail.get("sources", ())[:CITATIONS]),
        near_duplicates=tuple(shown["others"]),
    )
    return source.model_copy(update={"age_days": max((index.stats.as_of - source.updated_at).days, 0)})


def _statements(detail: Mapping[str, Any], weighed: Weighed, language: str) -> tuple[Statement, ...]:
    """The statements that hold most of the question's worth, in the record's order."""
    found = detail.get("statements", ())
    worths = [ranking.worth_of(one["text"], weighed, language) for one in found]
    best = sorted((place for place, worth in enumerate(worths) if worth > 0), key=lambda place: (-worths[place], place))[:STATEMENTS]
    kept = [found[place] for place in sorted(best)]
    return tuple(Statement(role=one["member"], text=bounded(one["text"], STATEMENT_LENGTH), sources=one["sources"]) for one in kept)


def _relations(found: Sequence[Found]) -> Iterator[Relation]:
    """Agreement and conflict of each pair, every ground once."""
    details = [(one.stored.id, one.stored.detail) for one in found]
    for (one, first), (other, second) in combinations(details, 2):
        for relation, ground in dict.fromkeys((*_edges(one, first, other, second), *_counter(one, first, other, second))):
            yield Relation(one=one, other=other, relation=relation, ground=ground)


def _edges(one: str, first: Mapping[str, Any], other: str, second: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """What their links say: one supports or contradicts the other, or both take a side on a third."""
    names = {"supports": "agrees", "contradicts": "conflicts"}
    sides = {target: type_ for type_, target in first.get("edges", ())}
    others = {target: type_ for type_, target in second.get("edges", ())}
    if other in sides:
        yield names[sides[other]], f"{one} {sides[other]} {other}"
    if one in others:
        yield names[others[one]], f"{other} {others[one]} {one}"
    for target in sorted(sides.keys() & others.keys()):
        relation = "agrees" if sides[target] == others[target] else "conflicts"
        yield relation, f"{one} {sides[target]} {target}, {other} {others[target]} it"


def _counter(one: str, first: Mapping[str, Any], other: str, second: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Counter-evidence of one that rests on a source of the other."""
    for holder, held, citing, cited in ((one, first, other, second), (other, second, one, first)):
        addresses = {source["url"] for source in cited.get("sources", ())}
        against = [statement for statement in held.get("statements", ()) if statement["member"] == "counter_evidence"]
        if any(addresses.intersection(statement["sources"]) for statement in against):
            yield "conflicts", f"counter-evidence of {holder} rests on a source of {citing}"
