"""The index as every worker uses it: searching, explaining, related records, near words."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import orjson
from pydantic import ValidationError

from citepress.base.text import nearest
from citepress.search import ranking
from citepress.search.analyzer import Term
from citepress.search.engine import TEXT, Address, Engine, EngineError, IndexRow, Match, StoredDocument, some_of, times
from citepress.search.models import LIMIT, OFFSET, Calibration, Hit, Query, Results, SearchExplanation, Stats, TermWeight
from citepress.search.ranking import WeightedQuery

FACTS = "facts.json"
INDEX = "index"
VERSION = 3
"""Of what lies in the folder; another version is built anew."""
DIGITS = 4
"""Decimal places of a published score."""
UNKNOWN_WORDS = 4
"""Unknown words of a query for which near ones are looked up."""
NEAR = 3
PREFIX_WORDS = 5_000
"""Known words with the same first letter that are compared with an unknown one."""
SPARE = 20
"""Matches looked at beyond those asked for, so that a few near-duplicates cost no second search."""
DEPTH = 40_000
"""Matches looked at in one search, however many of them are near-duplicates of each other."""
COMPARED = 200
"""Of these, how many are compared letter by letter."""


@dataclass(frozen=True, slots=True)
class SearchResult:
    """A match with its record."""

    score: float
    stored: StoredDocument


class SearchIndex:
    """A search index, read only: mapped into memory, shared by threads, the same answers for the same content."""

    def __init__(self, folder: Path) -> None:
        try:
            facts = orjson.loads((folder / FACTS).read_bytes())
            if facts["version"] != VERSION:
                raise EngineError(f"{folder.name} holds a search index of version {facts['version']}, not {VERSION}")
            self.stats = Stats.model_validate(facts["stats"])
            self.calibration = Calibration.model_validate(facts["calibration"])
        except (OSError, KeyError, TypeError, orjson.JSONDecodeError, ValidationError) as error:
            raise EngineError(f"{folder.name} holds no search index of this version: {error}") from error
        self.engine = Engine(folder / INDEX)

    @cached_property
    def languages(self) -> tuple[str, ...]:
        """Languages in which queries are read, the archive's main one first."""
        return self.stats.languages or ("en",)

    def search(self, asked: Query) -> Results:
        """A page of hits. Never raises, whatever the text: what is out of bounds is brought within them."""
        weighed = self.weigh(asked.text)
        match = ranking.match_of(self.engine, asked, weighed, self.languages)
        if match is None:
            return Results(total=0, hits=())
        limit, offset = min(max(asked.limit, 1), LIMIT), min(max(asked.offset, 0), OFFSET)
        total, rows = self._distinct(match, offset + limit + 1, by_date=not weighed.terms)
        shown = rows[offset : offset + limit]
        return Results(
            total=total,
            hits=tuple(self._hit(row, weighed) for row in shown),
            more=len(rows) > offset + limit,
            suggestions=() if total else self.suggestions(weighed),
        )

    def _distinct(self, match: Match, count: int, *, by_date: bool = False, without: Collection[str] = ()) -> tuple[int, list[IndexRow]]:
        """The number of matches, and the best of them, one of each cluster; ``without`` some records and their clusters.

        A further search leaves out the clusters that are known by now, so that however large one is, it is met once.
        """
        find = self.engine.newest if by_date else self.engine.search
        places, clusters = self._left_out(without)
        fetch, total = count + SPARE + len(places), -1
        kept: dict[int, IndexRow] = {}
        while True:
            whole, rows = find(self.engine.outside(match, sorted(clusters | kept.keys())), fetch)
            total = max(total, whole)
            alone, first = self._one_each(row for row in rows if row.address.doc not in places)
            kept = first | kept
            distinct = sorted([*alone, *kept.values()], key=lambda row: (-row.score, row.address.doc))
            if len(distinct) >= count or len(rows) < fetch or fetch >= DEPTH:
                return total, distinct[:count]
            fetch = min(2 * fetch, DEPTH)

    def _one_each(self, found: Iterable[IndexRow]) -> tuple[list[IndexRow], dict[int, IndexRow]]:
        """The matches without near-duplicates, and the first of each cluster by its number."""
        rows = list(found)
        alone: list[IndexRow] = []
        first: dict[int, IndexRow] = {}
        for row, cluster in zip(rows, self.engine.clusters(rows), strict=True):
            if cluster:
                first.setdefault(cluster, row)
            else:
                alone.append(row)
        return alone, first

    def _left_out(self, ids: Collection[str]) -> tuple[set[int], set[int]]:
        """Where these records lie, and the numbers of their clusters."""
        rows = [IndexRow(0.0, address) for id_ in ids if (address := self.engine.find(ranking.clean(id_)))]
        return {row.address.doc for row in rows}, {cluster for cluster in self.engine.clusters(rows) if cluster}

    def _hit(self, row: IndexRow, weighed: WeightedQuery) -> Hit:
        return hit_of(SearchResult(row.score, self.engine.stored(row.address)), weighed)

    def weigh(self, text: str) -> WeightedQuery:
        """The words of a question with their worth in this archive."""
        return ranking.weighted_query(self.engine, text, self.languages)

    def top(
        self, weighed: WeightedQuery, count: int, *, without: Collection[str] = (), widening: Mapping[str, float] | None = None
    ) -> list[SearchResult]:
        """The best matches of a question's words alone, one of each cluster.

        ``without`` names records that are left out with their clusters; ``widening`` adds index terms with a weight and prefers words that
        stand together as asked.
        """
        if not weighed.terms:
            return []
        match = ranking.text_match(self.engine, weighed)
        if widening is not None:
            nearby = ranking.with_pairs(self.engine, match, weighed)
            match = some_of([nearby, *(times(self.engine.term(TEXT, stem), weight) for stem, weight in widening.items())])
        _, rows = self._distinct(match, count, without=without)
        return [SearchResult(row.score, self.engine.stored(row.address)) for row in rows]

    def record(self, id_: str) -> StoredDocument | None:
        """A record as the index keeps it, or ``None``."""
        address = self.engine.find(ranking.clean(id_))
        return self.engine.stored(address) if address else None

    def related(self, id_: str, limit: int = 5) -> tuple[Hit, ...]:
        """Records most like this one, one of each cluster, without itself and its near-duplicates."""
        stored = self.record(id_)
        if stored is None or not stored.shown["keys"]:
            return ()
        match = some_of([self.engine.term(TEXT, key) for key in stored.shown["keys"]])
        _, rows = self._distinct(match, min(max(limit, 1), LIMIT), without=[id_])
        nothing = self.weigh("")
        return tuple(self._hit(row, nothing) for row in rows)

    def explain(self, text: str, id_: str) -> SearchExplanation | None:
        """Why a record has its score for a text; ``None`` when there is no such record."""
        address = self.engine.find(ranking.clean(id_))
        if address is None:
            return None
        weighed = self.weigh(text)
        match = ranking.match_of(self.engine, Query(text), weighed, self.languages) if weighed.terms else None
        whole = self.engine.worth(match, address) if match else 0.0
        return SearchExplanation(
            id=id_, score=round(whole, DIGITS), terms=tuple(self._weight(term, weighed, address) for term in weighed.terms)
        )

    def _weight(self, term: Term, weighed: WeightedQuery, address: Address) -> TermWeight:
        match = ranking.term_match(self.engine, term, weighed.counts[term])
        score = round(self.engine.worth(match, address), DIGITS)
        return TermWeight(word=term.word, stems=term.stems, document_frequency=weighed.frequencies[term], score=score)

    def document_frequency(self, word: str) -> int:
        """Records that hold a word in any of its forms; of several words, those that hold the rarest."""
        weighed = self.weigh(word)
        return min(weighed.frequencies.values(), default=0)

    def near_terms(self, words: Iterable[str]) -> dict[str, tuple[str, ...]]:
        """For each word that the archive does not hold up to three that it does, best first; at most four words are looked up."""
        unknown = [word for word in dict.fromkeys(words) if word and not self.document_frequency(word)]
        near = {word: self._near(word.lower()) for word in unknown[:UNKNOWN_WORDS]}
        return {word: found for word, found in near.items() if found}

    def _near(self, word: str) -> tuple[str, ...]:
        word = ranking.clean(word)
        alike = [one for one in self.engine.words(word[:1], PREFIX_WORDS) if abs(len(one) - len(word)) <= 2]  # noqa: PLR2004
        letters = set(word)
        alike.sort(key=lambda one: (-len(letters & set(one)) / max(len(one), len(word)), one))
        return nearest(word, alike[:COMPARED], NEAR)

    def suggestions(self, weighed: WeightedQuery) -> tuple[str, ...]:
        """The question with its unknown words replaced by near ones, best first."""
        asked = ranking.asked_words(weighed.terms)
        near = self.near_terms(asked)
        most = max((len(found) for found in near.values()), default=0)
        texts = (" ".join(near[word][min(place, len(near[word]) - 1)] if word in near else word for word in asked) for place in range(most))
        return tuple(dict.fromkeys(texts))


def hit_of(found: SearchResult, weighed: WeightedQuery) -> Hit:
    """A match as it is shown."""
    stored, shown = found.stored, found.stored.shown
    having, lacking = ranking.holds(stored, weighed.counted)
    return Hit(
        id=stored.id,
        kind=shown["kind"],
        title=shown["title"],
        path=shown["path"],
        summary=shown["summary"],
        snippet=ranking.passage(stored, weighed),
        score=round(found.score, DIGITS),
        published_at=shown["published"],
        updated_at=shown["updated"],
        topics=tuple(shown["topics"]),
        matched=ranking.asked_words(having),
        missing=ranking.asked_words(lacking),
        cluster=shown["cluster"],
        more_in_cluster=tuple(shown["others"]),
    )
