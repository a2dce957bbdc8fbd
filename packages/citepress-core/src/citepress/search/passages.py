"""Where a record contains the words of a question: which words, in which sentences, and the passage to show.

A record may have a thousand sentences and a page a hundred records, so only the sentences that can still be the best
are looked at word by word.
"""

from collections.abc import Mapping, Sequence
from math import fsum
from typing import NamedTuple

from citepress.base.text import bounded
from citepress.search.analyzer import CHUNK, UNSPACED, Term, index_line, normal
from citepress.search.ranking import WeightedQuery, WordForm
from citepress.search.stored_document import StoredDocument, first_sentence

SNIPPET = 240
"""Characters of a passage."""
SENTENCE = 60
"""Minimum length of a passage without a word of the question; shorter lines are usually names and labels."""
SECOND = 0.5
"""Share of the best sentence's score that a further passage needs."""
MANY_FORMS = 24
"""Forms of words from which looking them up in a set of terms is faster than searching the text for each."""
SUM_TOLERANCE = 1e-9
"""What sums of weights may differ by, because they are added in different orders."""


class BestSentence(NamedTuple):
    """What a record contains of a question."""

    held: Sequence[Term]
    """The words that it contains, joined identifiers included; one in several forms is named as often."""
    line: int
    """The number of the line that contains the most weight, the first of equal ones; -1 where no sentence has any."""


def passage(stored: StoredDocument, best: BestSentence) -> str:
    """The best sentence and the next ones that fit; the summary when no sentence has a word."""
    if best.line < 0:
        return bounded(stored.shown["summary"], SNIPPET)
    return _window(_block(stored, best.line), best.held, stored.shown["language"])


def passages(stored: StoredDocument, weighted: WeightedQuery, count: int, quoted: Sequence[str]) -> list[str]:
    """The passages with the highest scores, best first; none repeats a sentence of another or of the ``quoted`` texts.

    If no sentence has a word of the question, the first passage may be any sentence. The others need at least half the
    score of the best sentence.
    """
    held, scores = sentence_scores(stored, weighted)
    least = SECOND * max(scores.values(), default=0.0)
    shown: list[str] = []
    used: set[int] = set()
    sentences = range(first_sentence(stored.shown), len(stored.shown["begins"]))
    for place in sorted(sentences, key=lambda at: (-scores.get(at, 0.0), at)):
        if len(shown) == count or (shown and scores.get(place, 0.0) < (least or 1.0)):
            break
        block = _block(stored, place)
        places = range(place, place + len(block))
        is_quoted = not used.isdisjoint(places) or any(line in text for line in block for text in quoted)
        if not is_quoted and (place in scores or len(block[0]) >= SENTENCE):
            used.update(places)
            shown.append(_window(block, held, stored.shown["language"]))
    return shown


def sentence_scores(stored: StoredDocument, weighted: WeightedQuery) -> tuple[list[Term], Mapping[int, float]]:
    """The words of a question that a record contains, and the summed weights of the words in each sentence.

    Sentences are known by the numbers of their lines; those without a word are left out.
    """
    weights, first, forms = weighted.form_weights, first_sentence(stored.shown), frozenset(weighted.form_weights)
    shared = [forms.intersection(line.split(" ")) for line in stored.terms.split("\n")]
    held = frozenset[str]().union(*shared)
    # The sum must not depend on the order of a set.
    scores = {line: fsum(map(weights.__getitem__, shared[line])) for line in range(first, len(shared)) if shared[line]}
    return [form.term for form in weighted.forms if form.stem in held], scores


def best_sentence(stored: StoredDocument, weighted: WeightedQuery) -> BestSentence:
    """Which words of a question a record contains, and which of its sentences contains the most of their weight."""
    held, scores = (sentence_scores if len(weighted.forms) >= MANY_FORMS else _best_scores)(stored, weighted)
    return BestSentence(held, max(scores, key=lambda line: (scores[line], -line), default=-1))


def _best_scores(stored: StoredDocument, weighted: WeightedQuery) -> tuple[list[Term], Mapping[int, float]]:
    """The words of a question that a record contains, and the scores of those sentences that may be the best."""
    text, first = spaced(stored), first_sentence(stored.shown)
    held = [form for form in weighted.forms if form.spaced in text]
    # The rarest words come first: soon the others cannot lift another sentence above the best ones.
    most = sum([form.weight for form in held]) + SUM_TOLERANCE
    scores: dict[int, float] = {}
    lines: list[str] = []
    for form in held:
        most -= form.weight
        if lines:
            for line in scores:
                if form.spaced in lines[line]:
                    scores[line] += form.weight
        else:
            _add(scores, text, first, form)
        best = max(scores.values(), default=0.0)
        if best > most:
            if len(scores) > 1:
                scores = {line: score for line, score in scores.items() if score + most >= best}
            if len(scores) == 1:
                break
            lines = lines or text.split("\n")
    return [form.term for form in held], scores


def spaced(stored: StoredDocument) -> str:
    """The terms of a record with a space on either side of each, and its lines apart."""
    return f" {stored.terms} ".replace("\n", " \n ")


def _add(scores: dict[int, float], text: str, first: int, form: WordForm) -> None:
    """Add the weight of a form to each line that has it, from the line ``first`` on."""
    line, counted, at = 0, 0, text.find(form.spaced)
    while at >= 0:
        line, counted = line + text.count("\n", counted, at), at
        if line >= first:
            scores[line] = scores.get(line, 0.0) + form.weight
        end = text.find("\n", at)
        at = text.find(form.spaced, end) if end >= 0 else -1


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
    if UNSPACED.search(line):  # CHUNK matches whole lines in these scripts
        plain, shown = line.lower(), SNIPPET // 3
        # Most passages have a word near their beginning, from where they are shown then.
        if any(plain.find(stem, 0, shown + len(stem)) >= 0 for stem in stems):
            return bounded(line, SNIPPET - 1)
        starts = sorted(at for stem in stems if (at := plain.find(stem)) >= 0)
    else:
        words = CHUNK.finditer(normal(line))
        starts = [word.start() for word in words if stems.intersection(index_line(word[0], language).split())]
    start = _word_start(line, starts[0] - SNIPPET // 3) if starts and starts[-1] > SNIPPET - 20 else 0
    return ("…" if start else "") + bounded(line[start:], SNIPPET - 1)


def _word_start(line: str, place: int) -> int:
    """The start of the next word after a position."""
    return 0 if place <= 0 else line.find(" ", place) + 1 or place
