"""The answer of a research bundle: sentences quoted from its records that cover most of the question, with sources."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from citepress.contract.model import Model
from citepress.search.analyzer import Term, index_line
from citepress.search.ranking import WeightedQuery
from citepress.search.stored_document import StoredDocument, first_sentence
from citepress_payments.products.bundle.stances import COUNTER

SENTENCES = 5
MIN_SENTENCE_WEIGHT = 0.25
"""Share of the question's weight that a sentence has to add."""
REPEATED_WORD_FACTOR = 0.5
"""Factor for a word that an earlier sentence already contains."""
IMPLIED = 0.6
"""Factor for a word that is not in the sentence but in a name of its record."""
SOURCED = 1.2
"""Factor for a statement that has its own sources."""
BESIDE = 0.25
"""Factor for the sentences of a record that bears least on the question; those of the most relevant one count whole."""
LEANING = 0.7
"""Factor for an English sentence whose first word points back to another sentence."""
_BACK = "both but either he here it its neither she so such that their then there these they this those"
POINTING_BACK = frozenset(_BACK.split())
MIN_SENTENCE_CHARS, MAX_SENTENCE_CHARS = 30, 400
"""Characters of a sentence."""
OF_ONE_RECORD = 2
SIMILAR = 0.7
"""Share of common terms from which two sentences are treated as the same."""
ENDS = (".", "!", "…", "。", "！")  # noqa: RUF001  (sentences of other scripts end so)
"""Endings of a sentence that can be quoted; questions and headings are left out."""


class AnswerSentence(Model):
    """A sentence of an answer."""

    record: str
    """The record that it is quoted from."""
    text: str
    """The sentence."""
    sources: tuple[str, ...]
    """Addresses of its own sources; empty where the record gives none."""


@dataclass(frozen=True, slots=True)
class _Sentence:
    record: str
    text: str
    sources: tuple[str, ...]
    terms: frozenset[str]
    weights: dict[Term, float]
    """The weight of each word of the question in this sentence."""
    factor: float


def answer(records: Sequence[tuple[StoredDocument, float]], weighted: WeightedQuery) -> tuple[AnswerSentence, ...]:
    """The sentences of these records that answer best, in the order of what they add.

    ``records`` are records with their relevance.
    """
    most = max((relevance for _, relevance in records), default=0.0)
    left: list[_Sentence] = []
    for stored, relevance in records:
        left += _sentences(stored, weighted, BESIDE + (1 - BESIDE) * relevance / (most or 1.0))
    chosen: list[_Sentence] = []
    covered: set[Term] = set()
    while len(chosen) < SENTENCES and left:
        best = max(left, key=lambda sentence: _gain(sentence, covered))  # the first of equals
        if _gain(best, covered) < MIN_SENTENCE_WEIGHT * weighted.total_weight:
            break
        chosen.append(best)
        covered.update(best.weights)
        left = [sentence for sentence in left if not _is_similar(sentence, best)]
        if sum(sentence.record == best.record for sentence in chosen) == OF_ONE_RECORD:
            left = [sentence for sentence in left if sentence.record != best.record]
    return tuple(
        AnswerSentence(record=sentence.record, text=sentence.text, sources=sentence.sources) for sentence in chosen
    )


def _gain(sentence: _Sentence, covered: set[Term]) -> float:
    """The weight that a sentence adds to the words that are already covered."""
    return sentence.factor * sum(
        weight * (REPEATED_WORD_FACTOR if term in covered else 1.0) for term, weight in sentence.weights.items()
    )


def _is_similar(sentence: _Sentence, other: _Sentence) -> bool:
    both = len(sentence.terms & other.terms)
    return both >= SIMILAR * min(len(sentence.terms), len(other.terms))


def _sentences(stored: StoredDocument, weighted: WeightedQuery, factor: float) -> Iterator[_Sentence]:
    """The sentences of a record that contain a word of the question, and its statements with their sources.

    Counter-evidence is left out.
    """
    language, named = stored.shown["language"], frozenset(" ".join(stored.shown["names"]).split())
    statements = [statement for statement in stored.detail.get("statements", ()) if statement["member"] != COUNTER]
    for statement in statements:
        terms = frozenset(index_line(statement["text"], language).split())
        yield from _sentence(
            stored,
            statement["text"],
            tuple(statement["sources"]),
            terms,
            named,
            weighted,
            factor * (SOURCED if statement["sources"] else 1.0),
        )
    statement_texts = {" ".join(statement["text"].split()) for statement in statements}
    lines, texts = stored.terms.split("\n"), stored.shown["text"].split("\n")
    for place in range(first_sentence(stored.shown), len(lines)):
        if texts[place] not in statement_texts and texts[place].endswith(ENDS):
            yield from _sentence(stored, texts[place], (), frozenset(lines[place].split()), named, weighted, factor)


def _sentence(
    stored: StoredDocument,
    text: str,
    sources: tuple[str, ...],
    terms: frozenset[str],
    named: frozenset[str],
    weighted: WeightedQuery,
    factor: float,
) -> Iterator[_Sentence]:
    """The sentence, provided that its length is within bounds and it contains a word of the question."""
    if not MIN_SENTENCE_CHARS <= len(text) <= MAX_SENTENCE_CHARS:
        return
    matched = {term: weighted.idf[term] for term in weighted.counted if not terms.isdisjoint(term.stems)}
    if matched:
        implied = {
            term: IMPLIED * weighted.idf[term]
            for term in weighted.counted
            if term not in matched and not named.isdisjoint(term.stems)
        }
        factor *= LEANING if _leans(text, stored.shown["language"]) else 1.0
        yield _Sentence(stored.id, " ".join(text.split()), sources, terms, {**implied, **matched}, factor)


def _leans(text: str, language: str) -> bool:
    """Whether a sentence begins with a word that points back, so that it says little by itself."""
    return language == "en" and text.split(maxsplit=1)[0].lower() in POINTING_BACK
