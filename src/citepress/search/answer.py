"""The answer of a bundle: sentences that its records hold word for word, those that hold most of the question, each with what it stands on."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from citepress.contract.model import Model
from citepress.search.analyzer import Term, index_line
from citepress.search.engine import StoredDocument
from citepress.search.ranking import WeightedQuery
from citepress.search.stances import COUNTER

SENTENCES = 5
LEAST = 0.25
"""Share of the question's worth that a sentence has to add."""
AGAIN = 0.5
"""What a word counts that an earlier sentence holds."""
IMPLIED = 0.6
"""What a word counts that the sentence lacks and a name of its record holds."""
SOURCED = 1.2
"""What a statement with sources of its own counts more."""
SHORTEST, LONGEST = 30, 400
"""Characters of a sentence."""
OF_ONE_RECORD = 2
ALIKE = 0.6
"""From which two sentences say the same."""
ENDS = (".", "!", "…", "。", "！")  # noqa: RUF001  (sentences of other scripts end so)
"""A question answers nothing, and a heading is no sentence."""


class AnswerSentence(Model):
    """A sentence of an answer."""

    record: str
    """The record that holds it, word for word."""
    text: str
    """The sentence."""
    sources: tuple[str, ...]
    """Addresses of its own sources; none where the record says it without one."""


@dataclass(frozen=True, slots=True)
class _Sentence:
    record: str
    text: str
    sources: tuple[str, ...]
    terms: frozenset[str]
    worths: dict[Term, float]
    """What each word of the question counts in it."""
    factor: float


def answer(found: Sequence[tuple[StoredDocument, float]], weighed: WeightedQuery) -> tuple[AnswerSentence, ...]:
    """The sentences of these records that answer best, in the order in which they add most; ``found`` are records with their relevance."""
    most = max((relevance for _, relevance in found), default=0.0)
    left = [one for stored, relevance in found for one in _sentences(stored, weighed, 0.5 + 0.5 * relevance / (most or 1.0))]
    chosen: list[_Sentence] = []
    told: set[Term] = set()
    while len(chosen) < SENTENCES and left:
        best = max(left, key=lambda one: _gain(one, told))  # the first of equals
        if _gain(best, told) < LEAST * weighed.mass:
            break
        chosen.append(best)
        told.update(best.worths)
        full = sum(one.record == best.record for one in chosen) == OF_ONE_RECORD
        left = [one for one in left if not _alike(one, best) and not (full and one.record == best.record)]
    return tuple(AnswerSentence(record=one.record, text=one.text, sources=one.sources) for one in chosen)


def _gain(one: _Sentence, told: set[Term]) -> float:
    """What a sentence adds to what was said."""
    return one.factor * sum(worth * (AGAIN if term in told else 1.0) for term, worth in one.worths.items())


def _alike(one: _Sentence, other: _Sentence) -> bool:
    both = len(one.terms & other.terms)
    return both >= ALIKE * min(len(one.terms), len(other.terms))


def _sentences(stored: StoredDocument, weighed: WeightedQuery, factor: float) -> Iterator[_Sentence]:
    """The sentences of a record that hold a word of the question; its statements with their sources, counter-evidence left out."""
    language, named = stored.shown["language"], frozenset(" ".join(stored.shown["names"]).split())
    statements = [one for one in stored.detail.get("statements", ()) if one["member"] != COUNTER]
    for said in statements:
        terms = frozenset(index_line(said["text"], language).split())
        yield from _sentence(
            stored, said["text"], tuple(said["sources"]), terms, named, weighed, factor * (SOURCED if said["sources"] else 1.0)
        )
    known = {" ".join(said["text"].split()) for said in statements}
    begins: str = stored.shown["begins"]
    lines, texts = stored.terms.split("\n"), stored.shown["text"].split("\n")
    for place in range(begins.find("1") if "1" in begins else len(begins), len(lines)):
        if texts[place] not in known and texts[place].endswith(ENDS):
            yield from _sentence(stored, texts[place], (), frozenset(lines[place].split()), named, weighed, factor)


def _sentence(
    stored: StoredDocument, text: str, sources: tuple[str, ...], terms: frozenset[str], named: frozenset[str], weighed: WeightedQuery, factor: float
) -> Iterator[_Sentence]:  # fmt: skip
    """The sentence, where it is neither too short nor too long and holds a word of the question."""
    if not SHORTEST <= len(text) <= LONGEST:
        return
    own = {term: weighed.idf[term] for term in weighed.counted if not terms.isdisjoint(term.stems)}
    if own:
        implied = {term: IMPLIED * weighed.idf[term] for term in weighed.counted if term not in own and not named.isdisjoint(term.stems)}
        yield _Sentence(stored.id, " ".join(text.split()), sources, terms, {**implied, **own}, factor)
