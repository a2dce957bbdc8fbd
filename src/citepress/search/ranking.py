"""Query building and match analysis: from a question to an engine query, from a match to its words and passage."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from itertools import pairwise

from citepress.base.text import bounded
from citepress.base.timestamps import as_moment
from citepress.kinds.topics import KIND as TOPICS
from citepress.search.analyzer import (
    CHUNK,
    Term,
    index_line,
    is_content_word,
    is_rare_stop,
    name_key,
    normal,
    query_terms,
    quoted_passages,
)
from citepress.search.engine import (
    KIND,
    NAME,
    ORIGIN,
    TEXT,
    TITLE,
    TOPIC,
    Engine,
    Match,
    StoredDocument,
    all_of,
    best_of,
    constant,
    everything,
    preferring,
    some_of,
    times,
)
from citepress.search.frequencies import idf
from citepress.search.models import Query

PHRASE_BOOST = 2.0
PAIR_BOOST = 0.1
"""Boost of adjacent words. It settles between records that match alike; 0.5 costs as much as 0.1 gains."""
COMMON = 1_000
"""Records that contain the rarer word of a pair, at most."""
PAIRS = 16
"""Upper limit of the adjacent pairs of a question that are looked up."""
SLOP = 1
"""Positions allowed in a quoted passage of more than two words; identifiers are indexed together with their parts."""
SNIPPET = 240
"""Characters of a passage."""
SENTENCE = 60
"""Minimum length of a passage without a word of the question; shorter lines are usually names and labels."""
SECOND = 0.5
"""Share of the best sentence's score that a further passage needs."""
TITLED = 100.0
"""Score of a title that has every word of the query, less than that of a name and more than BM25 gives."""
NAMED = 1000.0
"""Score of a record whose name is the query, higher than any BM25 score."""
HUB = TOPICS.name
FILTERS = 50
"""Upper limit of the values of one filter."""


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
        plain = tuple(term for term in self.terms if not term.joined)
        return tuple(term for term in plain if not term.asking) or plain

    @cached_property
    def asked(self) -> tuple[str, ...]:
        """The counted words as asked, without joined identifiers."""
        return asked_words(self.counted)

    @cached_property
    def sought(self) -> tuple[tuple[Term, float, tuple[str, ...]], ...]:
        """Each word with its weight, and its stems as they stand between spaces in the terms of a record."""
        return tuple((term, self.idf[term], tuple(f" {stem} " for stem in term.stems)) for term in self.terms)

    @property
    def known_terms(self) -> tuple[Term, ...]:
        """The counted words that the archive contains."""
        return tuple(term for term in self.counted if self.frequencies[term])

    @property
    def unknown_terms(self) -> tuple[Term, ...]:
        """The counted words that no record contains; stop words are nothing to be known."""
        return tuple(term for term in self.counted if not self.frequencies[term]) if self.has_content else ()

    @cached_property
    def total_weight(self) -> float:
        """The sum of their IDF."""
        return sum(self.idf[term] for term in self.counted)

    @cached_property
    def score_bound(self) -> float:
        """The sum of their IDF times their count in the question, which bounds a score."""
        return sum(self.idf[term] * self.counts[term] * term.weight for term in self._bounding)

    @property
    def _bounding(self) -> tuple[Term, ...]:
        joined = (term for term in self.terms if term.joined and self.frequencies[term] and term not in self.counted)
        return (*self.counted, *joined)


@dataclass(frozen=True, slots=True)
class SentenceMatches:
    """Where a record contains the words of a question."""

    held: tuple[Term, ...]
    """The words that it contains, joined identifiers included."""
    scores: Mapping[int, float]
    """The summed weights of the words in each sentence that has any, by its line number."""


def weighted_query(engine: Engine, text: str, languages: Sequence[str]) -> WeightedQuery:
    """The words of a question; bounded, never raises."""
    counts = Counter(query_terms(text, languages))
    # A word has a stem for each language of the archive; the commonest of them says how rare the word is.
    frequencies = {term: max(engine.frequency(stem) for stem in term.stems) for term in counts}
    # Records leave out the stop words of their own language, so a question in it lacks nothing without them.
    absent = {term for term, n in frequencies.items() if not n and is_rare_stop(term.word, languages)}
    has_content = any(is_content_word(term, languages) for term in counts if term not in absent)
    if len(absent) < len(counts):
        for term in absent:
            del counts[term], frequencies[term]
    weights = {term: idf(engine.size, n) for term, n in frequencies.items()}
    return WeightedQuery(tuple(counts), counts, frequencies, weights, has_content, text)


def text_match(engine: Engine, weighted: WeightedQuery) -> Match:
    """Records that contain any of the words."""
    return some_of([term_match(engine, term, weighted.counts[term]) for term in weighted.terms])


def term_match(engine: Engine, term: Term, count: int) -> Match:
    """Records that contain a word in any of its forms, boosted by its count in the question."""
    return times(best_of([engine.term(TEXT, stem) for stem in term.stems]), count * term.weight)


def with_names(engine: Engine, match: Match, text: str, languages: Sequence[str]) -> Match:
    """The same records, those with this name first, and a topic hub before the others."""
    named = dict.fromkeys(name_key(text, language) for language in languages)
    keys = [key for key in named if key and engine.is_name(key)]
    if not keys:
        return match
    # A boost beyond any text score: who types the name of a record wants that record first.
    called = engine.any_of(NAME, keys, NAMED)
    return preferring(match, [called, all_of([engine.any_of(NAME, keys, NAMED), engine.any_of(KIND, [HUB])])])


def with_titles(engine: Engine, match: Match, weighted: WeightedQuery) -> Match:
    """The same records, those first whose title has every word of the question."""
    words = [[stem for stem in term.stems if engine.is_in_title(stem)] for term in weighted.counted]
    if not all(words):
        return match
    titled = all_of([engine.any_of(TITLE, stems) for stems in words])
    # Few titles have them all, and a preference that is never met would still be tried on every match.
    return preferring(match, [constant(titled, TITLED)]) if engine.matches(titled) else match


def quoted_matches(engine: Engine, text: str, languages: Sequence[str]) -> dict[str, Match]:
    """Each quoted passage of a question with the records that contain it."""
    return {
        passage: times(some_of([_sequence(engine, terms) for terms in forms]), PHRASE_BOOST)
        for passage, forms in quoted_passages(text, languages).items()
    }


def _sequence(engine: Engine, terms: Sequence[str]) -> Match:
    """Records with these terms in sequence."""
    return engine.phrase(terms, min(len(terms) - 2, SLOP)) if len(terms) > 1 else engine.term(TEXT, terms[0])


def unquoted(engine: Engine, text: str, languages: Sequence[str]) -> tuple[str, ...]:
    """The quoted passages of a question that no record contains."""
    quoted = quoted_matches(engine, text, languages)
    return tuple(passage for passage, match in quoted.items() if not engine.matches(match))


def pair_matches(engine: Engine, weighted: WeightedQuery) -> list[Match]:
    """Records in which two adjacent words of the question are adjacent too, which are preferred.

    Pairs of common words are left out: their places would have to be compared in most of the archive.
    """
    pairs = {
        (term.stems[0], next_term.stems[0])
        for term, next_term in pairwise(weighted.counted[: PAIRS + 1])
        if 0 < min(weighted.frequencies[term], weighted.frequencies[next_term]) <= COMMON
    }
    return [times(engine.phrase(pair, 0), PAIR_BOOST) for pair in sorted(pairs)]


def filters(engine: Engine, asked: Query) -> list[Match]:
    """The filters of a search."""
    conditions = [engine.any_of(KIND, [clean(kind) for kind in asked.kinds[:FILTERS]])] if asked.kinds else []
    if asked.topic:
        conditions.append(engine.any_of(TOPIC, [clean(asked.topic)]))
    if asked.origin:
        conditions.append(engine.any_of(ORIGIN, [clean(asked.origin)]))
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
        quoted = quoted_matches(engine, asked.text, languages).values()
        phrased = all_of([match, *filter(engine.matches, quoted)])
        titled = with_titles(engine, phrased, weighted)
        return all_of([with_names(engine, titled, asked.text, languages), *conditions])
    # Text without a single word is not a wish to see everything.
    return None if asked.text.strip() else all_of(conditions or [everything()])


def clean(text: str) -> str:
    """Text that the engine accepts: lone surrogates are replaced and the length is bounded."""
    return text[:300].encode("utf-8", "replace").decode()


def holds(stored: StoredDocument, terms: Iterable[Term]) -> tuple[list[Term], list[Term]]:
    """The words that a record contains, and those that it does not."""
    spaced = f" {stored.terms} ".replace("\n", " ")
    held: list[Term] = []
    lacking: list[Term] = []
    for term in terms:
        matches = any(f" {stem} " in spaced for stem in term.stems)
        (held if matches else lacking).append(term)
    return held, lacking


def share(stored: StoredDocument, weighted: WeightedQuery) -> float:
    """The share of a question's weight that a record contains, from 0 to 1."""
    held, _ = holds(stored, weighted.counted)
    return sum(weighted.idf[term] for term in held) / weighted.total_weight if weighted.total_weight else 0.0


def name_similarity(engine: Engine, stored: StoredDocument, weighted: WeightedQuery) -> float:
    """Similarity of a question and the closest name of a record, from 0 to 1 (Dice coefficient weighted by IDF)."""
    return max((_dice(engine, frozenset(line.split()), weighted) for line in stored.shown["names"]), default=0.0)


def _dice(engine: Engine, named: frozenset[str], weighted: WeightedQuery) -> float:
    both = sum(weighted.idf[term] for term in weighted.counted if not named.isdisjoint(term.stems))
    if not both:
        return 0.0
    whole = weighted.total_weight + sum(engine.weight(stem) for stem in sorted(named))
    return min(2 * both / whole, 1.0)


def score_of(text: str, weighted: WeightedQuery, language: str) -> float:
    """The summed weights of the words of a question that a text contains."""
    having = set(index_line(text, language).split())
    return sum(weighted.idf[term] for term in weighted.counted if having.intersection(term.stems))


def passage(stored: StoredDocument, weighted: WeightedQuery) -> str:
    """The sentence with the highest score and the next ones that fit; the summary when no sentence has a word."""
    return best_passage(stored, sentence_matches(stored, weighted))


def best_passage(stored: StoredDocument, matches: SentenceMatches) -> str:
    """The sentence with the highest score and the next ones that fit; the summary when no sentence has a word."""
    best = max(matches.scores, key=lambda line: (matches.scores[line], -line), default=-1)
    if best < 0:
        return bounded(stored.shown["summary"], SNIPPET)
    return _window(_block(stored, best), matches.held, stored.shown["language"])


def passages(stored: StoredDocument, weighted: WeightedQuery, count: int, quoted: Sequence[str]) -> list[str]:
    """The passages with the highest scores, best first; none repeats a sentence of another or of the ``quoted`` texts.

    If no sentence has a word of the question, the first passage may be any sentence. The others need at least half the
    score of the best sentence.
    """
    matches = sentence_matches(stored, weighted)
    held, scores = matches.held, matches.scores
    least = SECOND * max(scores.values(), default=0.0)
    shown: list[str] = []
    used: set[int] = set()
    for place in sorted(_sentences(stored), key=lambda at: (-scores.get(at, 0.0), at)):
        if len(shown) == count or (shown and scores.get(place, 0.0) < (least or 1.0)):
            break
        block = _block(stored, place)
        places = range(place, place + len(block))
        is_quoted = not used.isdisjoint(places) or any(line in text for line in block for text in quoted)
        if not is_quoted and (place in scores or len(block[0]) >= SENTENCE):
            used.update(places)
            shown.append(_window(block, held, stored.shown["language"]))
    return shown


def sentence_matches(stored: StoredDocument, weighted: WeightedQuery) -> SentenceMatches:
    """Which words of a question a record contains, and the summed weights of the words in each sentence."""
    text = f" {stored.terms} ".replace("\n", " \n ")
    first = _sentences(stored).start
    scores: dict[int, float] = {}
    held: list[Term] = []
    for term, weight, forms in weighted.sought:
        is_held = False
        for form in forms:
            at = text.find(form)
            is_held = is_held or at >= 0
            line, counted = 0, 0
            while at >= 0:
                line, counted = line + text.count("\n", counted, at), at
                if line >= first:
                    scores[line] = scores.get(line, 0.0) + weight
                end = text.find("\n", at)
                at = text.find(form, end) if end >= 0 else -1
        if is_held:
            held.append(term)
    return SentenceMatches(tuple(held), scores)


def _sentences(stored: StoredDocument) -> range:
    """The numbers of the lines that are sentences; the title and the marks come before them."""
    begins: str = stored.shown["begins"]
    return range(begins.find("1") if "1" in begins else len(begins), len(begins))


def _block(stored: StoredDocument, place: int) -> Sequence[str]:
    """A sentence, and the next ones of its paragraph that fit."""
    stop = stored.shown["begins"].find("1", place + 1)
    return _fitting(stored.shown["text"].split("\n")[place : stop if stop > 0 else None])


def _fitting(block: Sequence[str]) -> Sequence[str]:
    """The first sentence, and the next ones that fit."""
    size, fitting = 0, 0
    for sentence in block:
        size += len(sentence) + 1
        if size > SNIPPET + 1:
            break
        fitting += 1
    return block[: max(1, fitting)]


def _window(block: Sequence[str], held: Sequence[Term], language: str) -> str:
    """A passage of bounded length; it begins at a sentence, or shortly before a first match too far into it."""
    line = block[0]
    if len(line) <= SNIPPET:
        return " ".join(block)
    stems = {stem for term in held for stem in term.stems}
    starts = [
        word.start()
        for word in CHUNK.finditer(normal(line))
        if stems.intersection(index_line(word[0], language).split())
    ]
    start = _word_start(line, starts[0] - SNIPPET // 3) if starts and starts[-1] > SNIPPET - 20 else 0
    return ("…" if start else "") + bounded(line[start:], SNIPPET - 1)


def _word_start(line: str, place: int) -> int:
    """The start of the next word after a position."""
    return 0 if place <= 0 else line.find(" ", place) + 1


def asked_words(terms: Iterable[Term]) -> tuple[str, ...]:
    """The words as asked, without joined identifiers."""
    return tuple(term.word for term in terms if not term.joined)
