"""From a question to a query of the engine, and from a match to the words it holds and the passage to show."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, pairwise, takewhile

from citepress.base.text import bounded
from citepress.base.timestamps import as_moment
from citepress.kinds.topics import KIND as TOPICS
from citepress.search.analyzer import CHUNK, Term, index_line, is_telling, name_key, normal, phrases, query_terms
from citepress.search.engine import (
    KIND,
    NAME,
    ORIGIN,
    TEXT,
    TOPIC,
    Engine,
    Match,
    StoredDocument,
    all_of,
    best_of,
    everything,
    preferring,
    some_of,
    times,
)
from citepress.search.models import Query

PHRASE_BOOST = 2.0
PAIR_BOOST = 0.5
"""Of two words that stand together; measured on the demo archive's own labels, 0.25 to 2 differ little."""
PAIRS = 16
"""Pairs of a question that are looked up."""
JOINED = 0.5
"""What the joined parts of an identifier count beside the parts themselves."""
SLOP = 1
"""Places that may lie between the words of a quoted passage: an identifier stands with its parts."""
SNIPPET = 240
"""Characters of a passage."""
SENTENCE = 60
"""Characters from which a line without a word of the question is worth showing; shorter ones are names and labels."""
SECOND = 0.5
"""Share of the best sentence's worth that a further passage has to hold."""
NAMED = 1000.0
"""Score of a record that is called what was asked for: above any score of words."""
HUB = TOPICS.name
FILTERS = 50
"""Values of one filter."""


@dataclass(frozen=True)
class WeightedQuery:
    """The words of a question with what each is worth in this archive."""

    terms: tuple[Term, ...]
    """Distinct, in order."""
    counts: Mapping[Term, int]
    """How often each was asked."""
    frequencies: Mapping[Term, int]
    """Records that hold each."""
    idf: Mapping[Term, float]
    """The engine's inverse document frequency; an unknown word has the highest."""
    telling: bool
    """Whether any of them carries a topic; stop words alone are looked up, but say nothing."""

    @cached_property
    def counted(self) -> tuple[Term, ...]:
        """Those that a reader would miss: joined identifiers and words that only put the question are a bonus, where there are others."""
        plain = tuple(term for term in self.terms if not term.joined)
        return tuple(term for term in plain if not term.asking) or plain

    @property
    def known(self) -> tuple[Term, ...]:
        """Those of them that the archive holds."""
        return tuple(term for term in self.counted if self.frequencies[term])

    @cached_property
    def mass(self) -> float:
        """The sum of their worth."""
        return sum(self.idf[term] for term in self.counted)

    @cached_property
    def most(self) -> float:
        """The sum of their worth, as often as each was asked: what bounds a score."""
        return sum(self.idf[term] * self.counts[term] for term in self.counted)


def weighted_query(engine: Engine, text: str, languages: Sequence[str]) -> WeightedQuery:
    """The words of a question; bounded, never raises."""
    counts = Counter(query_terms(text, languages))
    frequencies = {term: max(engine.frequency(stem) for stem in term.stems) for term in counts}
    worth = {term: idf(engine.size, n) for term, n in frequencies.items()}
    return WeightedQuery(tuple(counts), counts, frequencies, worth, any(is_telling(term, languages) for term in counts))


def idf(size: int, frequency: int) -> float:
    """BM25's inverse document frequency, as the engine reckons it."""
    return math.log(1 + (size - frequency + 0.5) / (frequency + 0.5))


def text_match(engine: Engine, weighed: WeightedQuery) -> Match:
    """Records that hold any of the words."""
    return some_of([term_match(engine, term, weighed.counts[term]) for term in weighed.terms])


def term_match(engine: Engine, term: Term, count: int) -> Match:
    """Records that hold a word in any of its forms, worth as much as often as it was asked."""
    return times(best_of([engine.term(TEXT, stem) for stem in term.stems]), count * (JOINED if term.joined else 1.0))


def with_names(engine: Engine, match: Match, text: str, languages: Sequence[str]) -> Match:
    """The same records, those first that are called so; a topic hub before the others."""
    keys = [key for key in dict.fromkeys(name_key(text, language) for language in languages) if key]
    if not keys:
        return match
    called = engine.any_of(NAME, keys, NAMED)
    return preferring(match, [called, all_of([engine.any_of(NAME, keys, NAMED), engine.any_of(KIND, [HUB])])])


def with_phrases(engine: Engine, match: Match, text: str, language: str) -> Match:
    """The same records, those with a quoted passage of the question first."""
    return preferring(match, [times(engine.phrase(terms, SLOP), PHRASE_BOOST) for terms in phrases(text, language)])


def with_pairs(engine: Engine, match: Match, weighed: WeightedQuery) -> Match:
    """The same records, those first in which two words stand next to each other as asked."""
    pairs = [(one.stems[0], other.stems[0]) for one, other in pairwise(weighed.counted[: PAIRS + 1])]
    return preferring(match, [times(engine.phrase(pair, SLOP), PAIR_BOOST) for pair in pairs])


def filters(engine: Engine, asked: Query) -> list[Match]:
    """The conditions of a search beside its words."""
    found = [engine.any_of(KIND, [clean(kind) for kind in asked.kinds[:FILTERS]])] if asked.kinds else []
    found += [engine.any_of(field, [clean(value)]) for field, value in ((TOPIC, asked.topic), (ORIGIN, asked.origin)) if value]
    if asked.since or asked.until:
        since, until = ((int(as_moment(moment).timestamp()) if moment else None) for moment in (asked.since, asked.until))
        found.append(engine.between(since, until))
    return found


def match_of(engine: Engine, asked: Query, weighed: WeightedQuery, languages: Sequence[str]) -> Match | None:
    """The whole query, or ``None`` where a text was asked that holds no word."""
    conditions = filters(engine, asked)
    if weighed.terms:
        phrased = with_phrases(engine, text_match(engine, weighed), asked.text, languages[0])
        return all_of([with_names(engine, phrased, asked.text, languages), *conditions])
    return None if asked.text.strip() else all_of(conditions or [everything()])


def clean(text: str) -> str:
    """Text that the engine takes: lone surrogates replaced, length bounded."""
    return text[:300].encode("utf-8", "replace").decode()


def holds(stored: StoredDocument, terms: Iterable[Term]) -> tuple[list[Term], list[Term]]:
    """Those of the words that a record holds, and those that it does not."""
    spaced = f" {stored.terms} ".replace("\n", " ")
    found: list[Term] = []
    lacking: list[Term] = []
    for term in terms:
        (found if any(f" {stem} " in spaced for stem in term.stems) else lacking).append(term)
    return found, lacking


def share(stored: StoredDocument, weighed: WeightedQuery) -> float:
    """The part of a question's worth that a record holds, from 0 to 1."""
    found, _ = holds(stored, weighed.counted)
    return sum(weighed.idf[term] for term in found) / weighed.mass if weighed.mass else 0.0


def naming(engine: Engine, stored: StoredDocument, weighed: WeightedQuery) -> float:
    """How far a name of a record and a question are the same, from 0 to 1: what they share of what both hold (Dice, by worth)."""
    return max((_alike(engine, frozenset(line.split()), weighed) for line in stored.shown["names"]), default=0.0)


def _alike(engine: Engine, named: frozenset[str], weighed: WeightedQuery) -> float:
    both = sum(weighed.idf[term] for term in weighed.counted if not named.isdisjoint(term.stems))
    if not both:
        return 0.0
    whole = weighed.mass + sum(idf(engine.size, engine.frequency(stem)) for stem in sorted(named))
    return min(2 * both / whole, 1.0)


def score_of(text: str, weighed: WeightedQuery, language: str) -> float:
    """What the words of a question that a text holds are worth."""
    having = set(index_line(text, language).split())
    return sum(weighed.idf[term] for term in weighed.counted if having.intersection(term.stems))


def passage(stored: StoredDocument, weighed: WeightedQuery) -> str:
    """The sentence with the most telling words, and the next where there is room; the summary when no sentence has one."""
    found, _ = holds(stored, weighed.terms)
    worths = _worths(stored, found, weighed)
    best = max(worths, key=worths.__getitem__, default=-1)
    if not worths.get(best):
        return bounded(stored.shown["summary"], SNIPPET)
    return _window(_block(stored, best), found, stored.shown["language"])


def passages(stored: StoredDocument, weighed: WeightedQuery, count: int, told: Sequence[str]) -> list[str]:
    """Passages with the most telling words, best first; none repeats a sentence of another or of the texts ``told``.

    The first may be any sentence where none holds a word of the question; the others have at least half the worth of the record's best sentence.
    """
    found, _ = holds(stored, weighed.terms)
    worths = _worths(stored, found, weighed)
    least = SECOND * max(worths.values(), default=0.0)
    shown: list[str] = []
    used: set[int] = set()
    for place in sorted(worths, key=lambda at: (-worths[at], at)):
        if len(shown) == count or (shown and worths[place] < (least or 1.0)):
            break
        block = _block(stored, place)
        places = range(place, place + len(block))
        told_already = not used.isdisjoint(places) or any(line in text for line in block for text in told)
        if not told_already and (worths[place] or len(block[0]) >= SENTENCE):
            used.update(places)
            shown.append(_window(block, found, stored.shown["language"]))
    return shown


def _worths(stored: StoredDocument, held: Sequence[Term], weighed: WeightedQuery) -> dict[int, float]:
    """What the words of a question that each sentence holds are worth, by its place among the lines."""
    forms = [(tuple(f" {stem} " for stem in term.stems), weighed.idf[term]) for term in held]
    begins: str = stored.shown["begins"]
    lines = f" {stored.terms} ".replace("\n", " \n ").split("\n")
    places = range(begins.find("1") if "1" in begins else len(begins), len(lines))
    return {at: sum([value for spaced, value in forms for form in spaced if form in lines[at]]) for at in places}


def _block(stored: StoredDocument, place: int) -> Sequence[str]:
    """A sentence, and the next ones of its paragraph where there is room."""
    stop = stored.shown["begins"].find("1", place + 1)
    return _fitting(stored.shown["text"].split("\n")[place : stop if stop > 0 else None])


def _fitting(block: Sequence[str]) -> Sequence[str]:
    """The first sentence, and the next ones where there is room."""
    sizes = accumulate(len(sentence) + 1 for sentence in block)
    return block[: max(1, sum(1 for _ in takewhile(lambda size: size <= SNIPPET + 1, sizes)))]


def _window(block: Sequence[str], held: Sequence[Term], language: str) -> str:
    """A passage of bounded length that begins at a sentence, or shortly before its first match when that lies too far in."""
    line = block[0]
    if len(line) <= SNIPPET:
        return " ".join(block)
    stems = {stem for term in held for stem in term.stems}
    starts = [found.start() for found in CHUNK.finditer(normal(line)) if stems.intersection(index_line(found[0], language).split())]
    start = _word_start(line, starts[0] - SNIPPET // 3) if starts and starts[-1] > SNIPPET - 20 else 0
    return ("…" if start else "") + bounded(line[start:], SNIPPET - 1)


def _word_start(line: str, place: int) -> int:
    """The beginning of the word after a place."""
    return 0 if place <= 0 else line.find(" ", place) + 1


def asked_words(terms: Iterable[Term]) -> tuple[str, ...]:
    """The words as asked, joined identifiers left out."""
    return tuple(term.word for term in terms if not term.joined)
