"""Query building and match analysis: from a question to an engine query, from a match to its words and passage."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from itertools import pairwise
from operator import attrgetter
from typing import NamedTuple

from citepress.base.timestamps import as_moment
from citepress.kinds.topics import KIND as TOPICS
from citepress.search.analyzer import (
    Term,
    findable,
    has_words_beside_quotes,
    is_content_word,
    is_rare_stop,
    name_key,
    query_terms,
    quoted_passages,
)
from citepress.search.engine import KIND, NAME, ORIGIN_FIELD, TEXT_FIELD, TITLE_FIELD, TOPIC, Engine
from citepress.search.matches import Match, all_of, best_of, preferring, some_of, times
from citepress.search.models import Query

QUOTED_PASSAGE_SCORE = 100.0
"""Added for each quoted passage that a record contains; higher than any BM25 score."""
PAIR_BOOST = 0.1
"""Boost of adjacent words. It settles between records that match alike; 0.5 costs as much as 0.1 gains."""
MAX_PAIR_RECORDS = 1_000
"""Records that contain the rarer word of a pair, at most."""
PAIRS = 16
"""Upper limit of the adjacent pairs of a question that are looked up."""
SLOP = 1
"""Positions allowed in a quoted passage of more than two words that no record has without: identifiers are indexed
together with their parts."""
TITLE_BOOST = 0.4
"""Boost of words in titles, a field with its own length. They stand in the text too, where they count twice."""
TITLE_WORDS = 16
"""Words of a question from which no titles are compared: which of so many a title has is chance."""
TITLED = 100.0
"""Score of a title that has every word of the query, less than that of a name and more than BM25 gives."""
NAMED_WEIGHT = 1000.0
"""Score of a record whose name is the query, higher than any BM25 score."""
HUB = TOPICS.name
FILTERS = 50
"""Upper limit of the values of one filter."""


class WordForm(NamedTuple):
    """A word of a question in one of its forms."""

    spaced: str
    """The form as it is found in the terms of a record: between spaces, but for pairs, which no other term holds."""
    weight: float
    """The weight of the word."""
    term: Term
    stem: str
    """The form alone."""


@dataclass(frozen=True)
class WeightedQuery:
    """The words of a question with their weights in this archive."""

    terms: tuple[Term, ...]
    """Distinct, in order."""
    counts: Mapping[Term, int]
    """How often each occurs in the question."""
    frequencies: Mapping[Term, int]
    """Document frequency of each."""
    idf: Mapping[Term, float]
    """The engine's inverse document frequency; an unknown word has the highest."""
    has_content: bool
    """Whether any of them is a content word; a query of stop words alone is searched but has no verdict."""
    text: str = ""
    """The question as asked."""

    @cached_property
    def counted(self) -> tuple[Term, ...]:
        """The words that a match is expected to contain; joined identifiers and question words count only if alone."""
        plain = tuple(term for term in self.terms if not term.joined) or self.terms
        return tuple(term for term in plain if not term.asking) or plain

    @cached_property
    def asked(self) -> tuple[str, ...]:
        """The counted words as asked, without joined identifiers."""
        return asked_words(self.counted)

    @cached_property
    def forms(self) -> Sequence[WordForm]:
        """Each form of each word, the rarest first."""
        forms = [WordForm(findable(stem), self.idf[term], term, stem) for term in self.terms for stem in term.stems]
        return sorted(forms, key=attrgetter("weight"), reverse=True)

    @cached_property
    def form_weights(self) -> Mapping[str, float]:
        """The weight of each form, summed where several words have it."""
        weights: dict[str, float] = {}
        for form in self.forms:
            weights[form.stem] = weights.get(form.stem, 0.0) + form.weight
        return weights

    @cached_property
    def unknown_terms(self) -> tuple[Term, ...]:
        """The counted words that no record contains; stop words are nothing to be known."""
        return tuple(term for term in self.counted if not self.frequencies[term]) if self.has_content else ()

    @cached_property
    def total_weight(self) -> float:
        """The sum of their IDF."""
        return sum(self.idf[term] for term in self.counted)


def weighted_query(engine: Engine, text: str, languages: Sequence[str]) -> WeightedQuery:
    """The words of a question; bounded, never raises."""
    counts = Counter(query_terms(text, languages))
    # A word has a stem for each language of the archive; the commonest of them says how rare the word is.
    of_stem = engine.frequencies.__getitem__
    statistics = {term: max(map(of_stem, term.stems)) for term in counts}
    # Records leave out the stop words of their own language, so a question in it lacks nothing without them.
    absent = {term for term, word in statistics.items() if not word.frequency and is_rare_stop(term.word, languages)}
    has_content = any(is_content_word(term, languages) for term in counts if term not in absent)
    if len(absent) < len(counts):
        for term in absent:
            del counts[term], statistics[term]
    frequencies = {term: word.frequency for term, word in statistics.items()}
    weights = {term: word.weight for term, word in statistics.items()}
    return WeightedQuery(tuple(counts), counts, frequencies, weights, has_content, text)


def text_match(engine: Engine, weighted: WeightedQuery, *, titles: bool = True) -> Match:
    """Records that contain any of the words; ``titles`` count by themselves too, unless the question is long."""
    matches = [term_match(engine, term, weighted.counts[term]) for term in weighted.terms]
    return some_of(matches + title_matches(engine, weighted, weighted.terms) if titles else matches)


def term_match(engine: Engine, term: Term, count: int) -> Match:
    """Records that contain a word in any of its forms, boosted by its count in the question."""
    return best_of([engine.term(TEXT_FIELD, stem, count * term.weight) for stem in term.stems])


def title_matches(engine: Engine, weighted: WeightedQuery, terms: Iterable[Term]) -> list[Match]:
    """Records whose titles contain these words of a question, for each of them; none of a long question."""
    if len(weighted.terms) >= TITLE_WORDS:
        return []
    counts = weighted.counts
    forms = [
        [match for stem in term.stems if (match := engine.title_match(stem, TITLE_BOOST * counts[term] * term.weight))]
        for term in terms
    ]
    return [best_of(matches) for matches in forms if matches]


def with_names(engine: Engine, match: Match, text: str, languages: Sequence[str]) -> Match:
    """The same records, those with this name first, and a topic hub before the others."""
    named = dict.fromkeys(name_key(text, language) for language in languages)
    keys = [key for key in named if key and engine.is_name(key)]
    if not keys:
        return match
    # A boost beyond any text score: who types the name of a record wants that record first.
    called = engine.any_of(NAME, keys, NAMED_WEIGHT)
    return preferring(match, [called, all_of([engine.any_of(NAME, keys, NAMED_WEIGHT), engine.any_of(KIND, [HUB])])])


def with_titles(engine: Engine, match: Match, weighted: WeightedQuery) -> Match:
    """The same records, those first whose title has every word of the question."""
    words = [term.stems for term in sorted(weighted.counted, key=weighted.frequencies.__getitem__)]
    if not words or not any(map(engine.is_in_title, words[0])):
        return match
    # Hardly a title has the two rarest words, few have all, and a preference that is never met would still be tried on
    # every match.
    titled = [engine.any_of(TITLE_FIELD, stems) for stems in words]
    if not engine.matches(all_of(titled[:2])) or not engine.matches(all_of(titled)):
        return match
    return preferring(match, [Match.const_score_query(all_of(titled), TITLED)])


def quoted_matches(engine: Engine, text: str, languages: Sequence[str]) -> dict[str, Match]:
    """Each quoted passage of a question with the records that contain it."""
    return {
        passage: Match.const_score_query(_passage(engine, forms), QUOTED_PASSAGE_SCORE)
        for passage, forms in quoted_passages(text, languages).items()
    }


def _passage(engine: Engine, forms: Sequence[Sequence[str]]) -> Match:
    """Records with a passage in one of its forms; where none has it, those in which something stands between."""
    exact = some_of([_sequence(engine, terms, 0) for terms in forms])
    if max(map(len, forms)) <= 2 or engine.matches(exact):  # noqa: PLR2004  (nothing stands between two words)
        return exact
    return some_of([_sequence(engine, terms, min(len(terms) - 2, SLOP)) for terms in forms])


def _sequence(engine: Engine, terms: Sequence[str], slop: int) -> Match:
    """Records with these terms in sequence."""
    return engine.phrase(terms, slop) if len(terms) > 1 else engine.term(TEXT_FIELD, terms[0])


def unquoted(engine: Engine, text: str, languages: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The quoted passages of a question that no record contains, and the others where no record has all of them."""
    quoted = quoted_matches(engine, text, languages)
    held = {passage: match for passage, match in quoted.items() if engine.matches(match)}
    parted = tuple(held) if len(held) > 1 and not engine.matches(all_of(list(held.values()))) else ()
    return tuple(passage for passage in quoted if passage not in held), parted


def pair_matches(engine: Engine, weighted: WeightedQuery) -> list[Match]:
    """Records in which two adjacent words of the question are adjacent too, which are preferred.

    Pairs of common words are left out: their places would have to be compared in most of the archive.
    """
    counted = [(term.stems[0], weighted.frequencies[term]) for term in weighted.counted[: PAIRS + 1]]
    pairs = {(stem, then) for (stem, n), (then, m) in pairwise(counted) if 0 < min(n, m) <= MAX_PAIR_RECORDS}
    return [times(engine.phrase(pair, 0), PAIR_BOOST) for pair in sorted(pairs)]


def filters(engine: Engine, asked: Query) -> list[Match]:
    """The filters of a search."""
    conditions = [engine.any_of(KIND, [clean(kind) for kind in asked.kinds[:FILTERS]])] if asked.kinds else []
    if asked.topic:
        conditions.append(engine.any_of(TOPIC, [clean(asked.topic)]))
    if asked.origin:
        conditions.append(engine.any_of(ORIGIN_FIELD, [clean(asked.origin)]))
    if asked.year is not None:
        conditions.append(engine.of_year(asked.year))
    if asked.since or asked.until:
        conditions.append(engine.between(_seconds(asked.since), _seconds(asked.until)))
    return conditions


def _seconds(moment: datetime | None) -> int | None:
    return int(as_moment(moment).timestamp()) if moment else None


def match_of(engine: Engine, asked: Query, weighted: WeightedQuery, languages: Sequence[str]) -> Match | None:
    """The whole query but for its pairs, or ``None`` when the text is not empty but has no word."""
    conditions = filters(engine, asked)
    if weighted.terms:
        match = text_match(engine, weighted)
        quoted = list(filter(engine.matches, quoted_matches(engine, asked.text, languages).values()))
        # Records with all passages come first, then those with any. A query of passages alone finds no other records.
        is_whole = bool(quoted) and not has_words_beside_quotes(asked.text, languages)
        phrased = all_of([match, some_of(quoted)]) if is_whole else preferring(match, quoted)
        titled = with_titles(engine, phrased, weighted)
        return all_of([with_names(engine, titled, asked.text, languages), *conditions])
    # Text without a single word is not a wish to see everything.
    return None if asked.text.strip() else all_of(conditions or [Match.all_query()])


def clean(text: str) -> str:
    """Text that the engine accepts: lone surrogates are replaced and the length is bounded."""
    return text[:300].encode("utf-8", "replace").decode()


def asked_words(terms: Iterable[Term]) -> tuple[str, ...]:
    """The words as asked, without joined identifiers."""
    return tuple(term.word for term in terms if not term.joined)
