"""The index as every worker uses it: search, related records and spelling suggestions."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from heapq import nsmallest
from pathlib import Path

from citepress.base.memo import Memo
from citepress.search import fusion, ranking, spelling
from citepress.search.analyzer import CHUNK, query_terms, reading_languages
from citepress.search.datasets import DATASETS
from citepress.search.engine import KIND, MAX_FETCHED_MATCHES, TEXT_FIELD, YEAR, Address, Engine, IndexRow, place_of
from citepress.search.foreign import foreign_language
from citepress.search.hits import hit_of
from citepress.search.matches import Match, all_of, preferring, some_of, times
from citepress.search.meaning import AskedMeaning, VectorSource, meaning_of
from citepress.search.models import LIMIT, OFFSET, Hit, MatchCounts, Query, Results, Stats
from citepress.search.ranking import WeightedQuery
from citepress.search.sheet import stored_content
from citepress.search.storage import ENGINE, WORDS, read_facts, read_leftovers
from citepress.search.stored_document import StoredDocument
from citepress.search.wholeness import EngineError, met_damage

UNKNOWN_WORDS = 4
"""Unknown words of a query that get spelling suggestions."""
SPARE = 20
"""Matches fetched beyond those asked for, so that a few near-duplicates do not need a second search."""
FOREIGN_SHARE = 0.5
"""Share of unknown words from which a question is checked for a language that no record has."""
RAREST = 25
"""Rarest terms of a record by which related ones are looked up."""


@dataclass(frozen=True, slots=True)
class SearchResult:
    """A match with its record."""

    score: float
    stored: StoredDocument


class SearchIndex:
    """A search index, read only: mapped into memory, shared by threads, the same answers for the same content."""

    def __init__(self, folder: Path, vectors: VectorSource | None = None, mode: str | None = None) -> None:
        """Open the current version of the index in a folder. Raises ``EngineError`` where there is none.

        Where ``vectors`` are to be had, questions are compared by meaning too; ``mode`` insists on what makes theirs.
        """
        facts = read_facts(folder)
        while True:
            try:
                self.engine = Engine(folder / facts.current / ENGINE, read_leftovers(folder / facts.current))
                break
            except EngineError as error:
                former, facts = facts, read_facts(folder)
                if facts.current == former.current:  # else it was replaced in this moment
                    raise met_damage(folder / facts.current, error) from error
        self.stats: Stats = facts.stats
        self._spare = SPARE if self.stats.clusters else 0
        self.meaning = meaning_of(folder, vectors, mode) if self.engine.is_keyed else None
        self.mode = self.meaning.mode.name if self.meaning else WORDS
        """How questions are compared."""
        self.measured = facts.measured
        """What extensions measured: by mode, then by the name of the measurement."""
        self.memo: Memo = {}
        """What extensions derive from this index."""

    @cached_property
    def languages(self) -> tuple[str, ...]:
        """Languages in which queries are read, the archive's main one first."""
        return reading_languages(self.stats.languages) or ("en",)

    def search(self, asked: Query) -> Results:
        """A page of hits. Never raises, whatever the text; values out of bounds are clamped."""
        weighted = self.weigh(asked.text)
        match = ranking.match_of(self.engine, asked, weighted, self.languages)
        if match is None:
            return Results(total=0, hits=())
        # Clamped rather than refused: whoever calls has checked its own bounds.
        limit, offset = min(max(asked.limit, 1), LIMIT), min(max(asked.offset, 0), OFFSET)
        count = offset + limit + 1
        by_meaning: Sequence[IndexRow] = ()
        if question := self._question(asked, weighted):
            total, rows, by_meaning = self._distinct_by_meaning(asked, weighted, match, question, count)
        else:
            pairs = ranking.pair_matches(self.engine, weighted)
            total, rows = self._distinct(match, count, by_date=not weighted.terms, preferred=pairs)
        shown = rows[offset : offset + limit]
        hits = tuple(hit_of(row.score, self.engine.stored(row.address), weighted) for row in shown)
        unquoted, parted = ranking.unquoted(self.engine, asked.text, self.languages)
        grouped = [row.address for row, hit in zip(shown, hits, strict=True) if hit.cluster]
        return Results(
            total=total,
            hits=hits,
            more=len(rows) > offset + limit,
            unlisted=self._repeats(match, by_meaning, grouped),
            suggestions=tuple(text for text in self.suggestions(weighted) if self._finds(replace(asked, text=text))),
            unknown=ranking.asked_words(weighted.unknown_terms),
            unquoted=unquoted,
            parted=parted,
        )

    def _repeats(self, match: Match, by_meaning: Sequence[IndexRow], shown: Sequence[Address]) -> int:
        """How many records besides those shown, which have near-duplicates, match by words or by meaning."""
        if not shown:
            return 0
        groups = self.engine.clusters(shown)
        by_words = self.engine.count(all_of([match, self.engine.inside(groups)]))
        others = self.engine.clusters([row.address for row in by_meaning])
        return by_words + sum(number in groups for number in others) - len(shown)

    def _finds(self, asked: Query) -> bool:
        """Whether a search has any match, with all its filters."""
        match = ranking.match_of(self.engine, asked, self.weigh(asked.text), self.languages)
        return match is not None and self.engine.matches(match)

    def facets(self, asked: Query) -> MatchCounts:
        """The numbers of matches by kind and by year: each without the search's own filter of that name."""
        weighted = self.weigh(asked.text)
        question = self._question(asked, weighted)

        def counts(query: Query, field: str) -> Mapping[str, int]:
            match = ranking.match_of(self.engine, query, weighted, self.languages)
            if match is None:
                return {}
            further = self._by_meaning(query, match, question, ())[0] if question else ()
            keys = self.engine.keys([row.address for row in further])
            return self.engine.counts(some_of([match, *([self.engine.with_keys(keys)] if keys else [])]), field)

        years = counts(replace(asked, year=None), YEAR)
        return MatchCounts(
            kinds=counts(replace(asked, kinds=()), KIND), years={int(year): count for year, count in years.items()}
        )

    def marked(self, text: str, weighted: WeightedQuery) -> list[tuple[str, bool]]:
        """A text in pieces, in order; each with whether it is a word of the question."""
        stems = {stem for term in weighted.terms for stem in term.stems}
        pieces, end = list[tuple[str, bool]](), 0
        for match in CHUNK.finditer(text):
            terms = query_terms(match.group(), self.languages)
            if any(not stems.isdisjoint(term.stems) for term in terms):
                pieces += [(text[end : match.start()], False), (match.group(), True)]
                end = match.end()
        return [piece for piece in (*pieces, (text[end:], False)) if piece[0]]

    def ranked(self, asked: Query, count: int) -> list[IndexRow]:
        """The best matches of a text, near-duplicates among them."""
        weighted = self.weigh(asked.text)
        match = ranking.match_of(self.engine, asked, weighted, self.languages)
        if match is None:
            return []
        pairs, question = ranking.pair_matches(self.engine, weighted), self._question(asked, weighted)
        _, rows = self.engine.search_preferring(match, pairs, max(count, fusion.MAX_FUSED_CANDIDATES))
        whole = preferring(match, pairs)
        return (self._by_meaning(asked, whole, question, rows)[1] if question else rows)[:count]

    def _question(self, asked: Query, weighted: WeightedQuery) -> AskedMeaning | None:
        """The vector of a search; ``None`` where words alone are compared. Who quotes asks for these very words."""
        if self.meaning is None or not weighted.terms:
            return None
        if ranking.quoted_matches(self.engine, asked.text, self.languages):
            return None
        return self.meaning.asked(self._respelt(asked.text, weighted))

    def _respelt(self, text: str, weighted: WeightedQuery) -> str:
        """A question with its unknown words as the archive spells them, where that is almost the same."""
        return fusion.respelt(text, self.near_terms(ranking.asked_words(weighted.unknown_terms)))

    def _by_meaning(
        self, asked: Query, match: Match, question: AskedMeaning, rows: Sequence[IndexRow]
    ) -> tuple[list[IndexRow], list[IndexRow]]:
        """The matches that words alone do not find, and all matches by words (``rows``) and by meaning in order."""
        share = self.meaning.mode.share if self.meaning else 0.0
        return fusion.fuse(self.engine, match, ranking.filters(self.engine, asked), rows, question, share)

    def _distinct_by_meaning(
        self, asked: Query, weighted: WeightedQuery, match: Match, question: AskedMeaning, count: int
    ) -> tuple[int, list[IndexRow], list[IndexRow]]:
        """The number of matches by words or meaning, the best, one of each cluster, and all by meaning alone."""
        pairs = ranking.pair_matches(self.engine, weighted)
        fetch = max(fusion.MAX_FUSED_CANDIDATES, count + self._spare)
        while True:
            total, rows = self.engine.search_preferring(match, pairs, fetch)
            further, ordered = self._by_meaning(asked, preferring(match, pairs), question, rows)
            distinct = self._one_each(ordered, {})
            if len(distinct) >= count or len(rows) < fetch or fetch >= MAX_FETCHED_MATCHES:
                return total + len(further), distinct[:count], further
            fetch = min(2 * fetch, MAX_FETCHED_MATCHES)

    def _distinct(
        self,
        match: Match,
        count: int,
        *,
        by_date: bool = False,
        without: Collection[str] = (),
        preferred: Sequence[Match] = (),
    ) -> tuple[int, list[IndexRow]]:
        """The number of matches, and the best of them, one of each cluster.

        The records in ``without`` and their clusters are left out; each part of ``preferred`` that a match also
        matches adds its score.
        """
        places, clusters = self.left_out(without)
        fetch, total = count + self._spare + len(places), -1
        first: dict[int, IndexRow] = {}
        while True:
            # Each further search excludes the clusters that gave a match, so even a large cluster is read once.
            rest = self.engine.outside(match, sorted(clusters | first.keys()))
            whole, rows = (
                self.engine.newest(rest, fetch) if by_date else self.engine.search_preferring(rest, preferred, fetch)
            )
            total = max(total, whole)
            former = list(first.values())
            distinct = self._one_each((row for row in rows if not places or row.place not in places), first)
            if former:
                distinct = self.engine.in_order([*former, *distinct])
            # Near-duplicates may fill a whole page, so more is fetched until enough distinct records are there.
            if len(distinct) >= count or len(rows) < fetch or fetch >= MAX_FETCHED_MATCHES:
                return total, distinct[:count]
            fetch = min(2 * fetch, MAX_FETCHED_MATCHES)

    def _one_each(self, matches: Iterable[IndexRow], first: dict[int, IndexRow]) -> list[IndexRow]:
        """The matches without near-duplicates and the first of each cluster, in order.

        ``first`` gathers the latter by the number of the cluster.
        """
        rows, distinct = list(matches), list[IndexRow]()
        clusters = self.engine.clusters([row.address for row in rows]) if self.stats.clusters else ()
        if not any(clusters):
            return rows
        for row, cluster in zip(rows, clusters, strict=True):
            if not cluster or cluster not in first:
                distinct.append(row)
            if cluster:
                first.setdefault(cluster, row)
        return distinct

    def left_out(self, ids: Collection[str]) -> tuple[set[tuple[int, int]], set[int]]:
        """The places of these records, and the numbers of their clusters."""
        addresses = [address for id_ in ids if (address := self.engine.find(ranking.clean(id_)))]
        clusters = {cluster for cluster in self.engine.clusters(addresses) if cluster}
        return {place_of(address) for address in addresses}, clusters

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
        """The best matches of a question's words alone among the records, one of each cluster.

        Datasets are left out. ``without`` names records that are left out with their clusters; ``expansion`` adds index
        terms with a weight and prefers records in which adjacent words of the question are adjacent too.
        """
        if not weighted.terms:
            return []
        match, pairs = ranking.text_match(self.engine, weighted, titles=False), list[Match]()
        if expansion is not None:
            further = (times(self.engine.term(TEXT_FIELD, stem), weight) for stem, weight in expansion.items())
            match, pairs = some_of([match, *further]), ranking.pair_matches(self.engine, weighted)
        _, rows = self._distinct(self.engine.beside(match, DATASETS), count, without=without, preferred=pairs)
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
        match = some_of([self.engine.term(TEXT_FIELD, term) for term in terms])
        _, rows = self._distinct(match, min(max(limit, 1), LIMIT), without=[id_])
        nothing = self.weigh("")
        return tuple(hit_of(row.score, self.engine.stored(row.address), nothing) for row in rows)

    def rarest_terms(self, stored: StoredDocument) -> list[str]:
        """The rarest terms of a record among those that at least one other record contains."""
        counted = ((self.engine.frequency(term), term) for term in set(stored_content(stored)))
        return [term for _, term in nsmallest(RAREST, (pair for pair in counted if pair[0] > 1))]

    def document_frequency(self, word: str) -> int:
        """Records that hold a word in any of its forms; of several words, those that hold the rarest."""
        return min(self.weigh(word).frequencies.values(), default=0)

    def near_terms(self, words: Iterable[str]) -> dict[str, tuple[str, ...]]:
        """For each word that is not in the archive, up to three similar words that are, best first.

        At most four words are looked up.
        """
        unknown = [word for word in dict.fromkeys(words) if word and not self.document_frequency(word)][:UNKNOWN_WORDS]
        near = {word: spelling.near(self.engine, ranking.clean(word.lower()), self.languages) for word in unknown}
        return {word: similar for word, similar in near.items() if similar}

    def foreign_language(self, weighted: WeightedQuery) -> str:
        """The language of a question with many unknown words, if no record has it; otherwise empty."""
        if len(weighted.unknown_terms) < FOREIGN_SHARE * len(weighted.counted):
            return ""
        return foreign_language(weighted.text, self.stats.languages or self.languages)

    def suggestions(self, weighted: WeightedQuery) -> tuple[str, ...]:
        """The question with its unknown words replaced by similar ones, best first; none where all are known."""
        if not weighted.unknown_terms or self.foreign_language(weighted):
            return ()
        asked = ranking.asked_words(weighted.terms)
        return spelling.respelt(asked, self.near_terms(asked))
