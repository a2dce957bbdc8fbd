"""The index as every worker uses it: search, score explanations, related records and spelling suggestions."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from heapq import nsmallest
from pathlib import Path

from citepress.base.text import nearest
from citepress.search import ranking
from citepress.search.analyzer import Term
from citepress.search.engine import (
    DEPTH,
    TEXT,
    Address,
    Engine,
    EngineError,
    IndexRow,
    Match,
    StoredDocument,
    place_of,
    some_of,
    times,
)
from citepress.search.models import (
    LIMIT,
    OFFSET,
    Calibration,
    Hit,
    Query,
    Results,
    SearchExplanation,
    Stats,
    TermWeight,
)
from citepress.search.ranking import WeightedQuery
from citepress.search.sheet import stored_content
from citepress.search.storage import ENGINE, read_facts, read_leftovers

DIGITS = 4
"""Decimal places of a published score."""
UNKNOWN_WORDS = 4
"""Unknown words of a query that get spelling suggestions."""
NEAR = 3
LENGTH_DIFFERENCE = 2
"""Characters by which a suggested word may be longer or shorter than the unknown one."""
PREFIX_WORDS = 5_000
"""Indexed words with the same first letter that are considered for an unknown one."""
SPARE = 20
"""Matches fetched beyond those asked for, so that a few near-duplicates do not need a second search."""
RAREST = 25
"""Rarest terms of a record by which related ones are looked up."""
COMPARED = 200
"""Suggested words that are compared letter by letter."""


@dataclass(frozen=True, slots=True)
class SearchResult:
    """A match with its record."""

    score: float
    stored: StoredDocument


class SearchIndex:
    """A search index, read only: mapped into memory, shared by threads, the same answers for the same content."""

    def __init__(self, folder: Path) -> None:
        """Open the current version of the index in a folder. Raises ``EngineError`` where there is none."""
        facts = read_facts(folder)
        while True:
            try:
                self.engine = Engine(folder / facts.current / ENGINE, read_leftovers(folder / facts.current))
                break
            except EngineError:
                former, facts = facts, read_facts(folder)
                if facts.current == former.current:  # else it was replaced in this moment
                    raise
        self.stats: Stats = facts.stats
        self.calibration: Calibration = facts.calibration

    @cached_property
    def languages(self) -> tuple[str, ...]:
        """Languages in which queries are read, the archive's main one first."""
        return self.stats.languages or ("en",)

    def search(self, asked: Query) -> Results:
        """A page of hits. Never raises, whatever the text; values out of bounds are clamped."""
        weighted = self.weigh(asked.text)
        match = ranking.match_of(self.engine, asked, weighted, self.languages)
        if match is None:
            return Results(total=0, hits=())
        # Clamped rather than refused: whoever calls has checked its own bounds.
        limit, offset = min(max(asked.limit, 1), LIMIT), min(max(asked.offset, 0), OFFSET)
        total, rows = self._distinct(match, offset + limit + 1, by_date=not weighted.terms)
        shown = rows[offset : offset + limit]
        return Results(
            total=total,
            hits=tuple(self._hit(row, weighted) for row in shown),
            more=len(rows) > offset + limit,
            suggestions=self.suggestions(weighted),
            unknown=ranking.asked_words(weighted.unknown_terms),
        )

    def _distinct(
        self, match: Match, count: int, *, by_date: bool = False, without: Collection[str] = ()
    ) -> tuple[int, list[IndexRow]]:
        """The number of matches, and the best of them, one of each cluster.

        The records in ``without`` and their clusters are left out.
        """
        # Each further search excludes the clusters that already gave a match, so even a large cluster is read once.
        find = self.engine.newest if by_date else self.engine.search
        places, clusters = self._left_out(without)
        fetch, total = count + SPARE + len(places), -1
        first: dict[int, IndexRow] = {}
        while True:
            whole, rows = find(self.engine.outside(match, sorted(clusters | first.keys())), fetch)
            total = max(total, whole)
            former = list(first.values())
            distinct = self._one_each((row for row in rows if not places or row.place not in places), first)
            if former:
                distinct = self.engine.in_order([*former, *distinct])
            # Near-duplicates may fill a whole page, so more is fetched until enough distinct records are there.
            if len(distinct) >= count or len(rows) < fetch or fetch >= DEPTH:
                return total, distinct[:count]
            fetch = min(2 * fetch, DEPTH)

    def _one_each(self, matches: Iterable[IndexRow], first: dict[int, IndexRow]) -> list[IndexRow]:
        """The matches without near-duplicates and the first of each cluster, in order.

        ``first`` gathers the latter by the number of the cluster.
        """
        rows, distinct = list(matches), list[IndexRow]()
        for row, cluster in zip(rows, self.engine.clusters([row.address for row in rows]), strict=True):
            if not cluster or cluster not in first:
                distinct.append(row)
            if cluster:
                first.setdefault(cluster, row)
        return distinct

    def _left_out(self, ids: Collection[str]) -> tuple[set[tuple[int, int]], set[int]]:
        """The places of these records, and the numbers of their clusters."""
        addresses = [address for id_ in ids if (address := self.engine.find(ranking.clean(id_)))]
        clusters = {cluster for cluster in self.engine.clusters(addresses) if cluster}
        return {place_of(address) for address in addresses}, clusters

    def _hit(self, row: IndexRow, weighted: WeightedQuery) -> Hit:
        return hit_of(SearchResult(row.score, self.engine.stored(row.address)), weighted)

    def weigh(self, text: str) -> WeightedQuery:
        """The words of a question with their weights (IDF) in this archive."""
        return ranking.weighted_query(self.engine, text, self.languages)

    def top(
        self,
        weighted: WeightedQuery,
        count: int,
        *,
        without: Collection[str] = (),
        expansion: Mapping[str, float] | None = None,
    ) -> list[SearchResult]:
        """The best matches of a question's words alone, one of each cluster.

        ``without`` names records that are left out with their clusters; ``expansion`` adds index terms with a weight
        and prefers records in which adjacent words of the question are adjacent too.
        """
        if not weighted.terms:
            return []
        match = ranking.text_match(self.engine, weighted)
        if expansion is not None:
            nearby = ranking.text_match(self.engine, weighted, ranking.pair_matches(self.engine, weighted))
            match = some_of(
                [nearby, *(times(self.engine.term(TEXT, stem), weight) for stem, weight in expansion.items())]
            )
        _, rows = self._distinct(match, count, without=without)
        return [SearchResult(row.score, self.engine.stored(row.address)) for row in rows]

    def record(self, id_: str) -> StoredDocument | None:
        """A record as the index keeps it, or ``None``."""
        address = self.engine.find(ranking.clean(id_))
        return self.engine.stored(address) if address else None

    def related(self, id_: str, limit: int = 5) -> tuple[Hit, ...]:
        """Records most like this one, one of each cluster, without itself and its near-duplicates."""
        stored = self.record(id_)
        terms = self.rarest_terms(stored) if stored else []
        if not terms:
            return ()
        match = some_of([self.engine.term(TEXT, term) for term in terms])
        _, rows = self._distinct(match, min(max(limit, 1), LIMIT), without=[id_])
        nothing = self.weigh("")
        return tuple(self._hit(row, nothing) for row in rows)

    def rarest_terms(self, stored: StoredDocument) -> list[str]:
        """The rarest terms of a record among those that at least one other record contains."""
        counted = ((self.engine.frequency(term), term) for term in set(stored_content(stored)))
        return [term for _, term in nsmallest(RAREST, (pair for pair in counted if pair[0] > 1))]

    def explain(self, text: str, id_: str) -> SearchExplanation | None:
        """The score of a record for a text, word by word; ``None`` when there is no such record."""
        address = self.engine.find(ranking.clean(id_))
        if address is None:
            return None
        weighted = self.weigh(text)
        match = ranking.match_of(self.engine, Query(text), weighted, self.languages) if weighted.terms else None
        whole = self.engine.score(match, address) if match else 0.0
        return SearchExplanation(
            id=id_,
            score=round(whole, DIGITS),
            terms=tuple(self._weight(term, weighted, address) for term in weighted.terms),
        )

    def _weight(self, term: Term, weighted: WeightedQuery, address: Address) -> TermWeight:
        match = ranking.term_match(self.engine, term, weighted.counts[term])
        score = round(self.engine.score(match, address), DIGITS)
        return TermWeight(word=term.word, stems=term.stems, document_frequency=weighted.frequencies[term], score=score)

    def document_frequency(self, word: str) -> int:
        """Records that hold a word in any of its forms; of several words, those that hold the rarest."""
        weighted = self.weigh(word)
        return min(weighted.frequencies.values(), default=0)

    def near_terms(self, words: Iterable[str]) -> dict[str, tuple[str, ...]]:
        """For each word that is not in the archive, up to three similar words that are, best first.

        At most four words are looked up.
        """
        unknown = [word for word in dict.fromkeys(words) if word and not self.document_frequency(word)]
        near = {word: self._near(word.lower()) for word in unknown[:UNKNOWN_WORDS]}
        return {word: similar for word, similar in near.items() if similar}

    def _near(self, word: str) -> tuple[str, ...]:
        word = ranking.clean(word)
        words = self.engine.words(word[:1], PREFIX_WORDS)
        # Comparing a word with all others is slow; length and letters rule most of them out first.
        candidates = [candidate for candidate in words if abs(len(candidate) - len(word)) <= LENGTH_DIFFERENCE]
        letters = set(word)
        candidates.sort(
            key=lambda candidate: (-len(letters & set(candidate)) / max(len(candidate), len(word)), candidate)
        )
        similar = nearest(word, candidates[:COMPARED], 2 * NEAR)
        return tuple(word for word in similar if self.engine.holds_word(word))[:NEAR]

    def suggestions(self, weighted: WeightedQuery) -> tuple[str, ...]:
        """The question with its unknown words replaced by similar ones, best first; none where all are known."""
        if not weighted.unknown_terms:
            return ()
        asked = ranking.asked_words(weighted.terms)
        near = self.near_terms(asked)
        most = max((len(similar) for similar in near.values()), default=0)
        texts = (
            " ".join(near[word][min(place, len(near[word]) - 1)] if word in near else word for word in asked)
            for place in range(most)
        )
        return tuple(dict.fromkeys(texts))


def hit_of(result: SearchResult, weighted: WeightedQuery) -> Hit:
    """The public form of a match."""
    stored, shown = result.stored, result.stored.shown
    matches = ranking.sentence_matches(stored, weighted)
    held = frozenset(ranking.asked_words(matches.held))
    return Hit(
        id=stored.id,
        kind=shown["kind"],
        title=shown["title"],
        path=shown["path"],
        summary=shown["summary"],
        snippet=ranking.best_passage(stored, matches),
        score=round(result.score, DIGITS),
        published_at=shown["published"],
        updated_at=shown["updated"],
        observed_at=shown["observed"],
        topics=tuple(shown["topics"]),
        matched=tuple(word for word in weighted.asked if word in held),
        missing=tuple(word for word in weighted.asked if word not in held),
        cluster=stored.cluster,
        more_in_cluster=stored.others,
    )
