"""Questions from an archive without labels: titles and sentences asked without their record, and chance questions.

A title asked without its record shows how high a question scores when its answer is missing. A chance question consists
of words from different records, so no record answers it.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from citepress.search.analyzer import UNSPACED, chunks, name_key, normal
from citepress.search.engine import NAME
from citepress.search.index import SearchIndex
from citepress.search.stored_document import StoredDocument

MAX_ASKED_RECORDS = 120
"""Upper limit of the records whose titles, sentences and words become questions."""
MIN_LANGUAGE_RECORDS = 20
"""Records of a language below which it has no chance questions."""
MIN_SENTENCE_WORDS, PASSAGE_WORDS = 5, 9
"""Words of a sentence that is long enough to be asked, and of the passage of it that is asked. Whole sentences have
more words than questions do, so what they reach without their record depends on how long an archive writes them."""
UNSPACED_WORD_CHARS = 4
"""Characters that count as a word in scripts without spaces."""
MAX_WORDS_CHARS = 3_000
"""Leading characters of a record that give words for chance questions."""
MAX_WORD_SHARE = 0.2
"""Share of the records up to which a word counts as specific; more frequent words are not used."""
STRIDES = (7, 31, 17)
"""Steps between the chosen records and words. Primes spread the choice evenly, and the same archive gives the same
questions."""


class OwnQuestion(NamedTuple):
    """A question, and the record that it was taken from and is asked without."""

    text: str
    record: str


class OwnQuestions(NamedTuple):
    """The questions of an archive about itself."""

    titles: Sequence[OwnQuestion]
    unique: int
    """Number of titles that no other record has."""
    sentences: Sequence[OwnQuestion]


def sample_records(index: SearchIndex, ids: Iterable[str]) -> list[StoredDocument]:
    """An evenly spaced sample of at most ``MAX_ASKED_RECORDS`` records."""
    ordered = sorted(ids)
    step = -(-len(ordered) // MAX_ASKED_RECORDS) or 1
    return [stored for id_ in ordered[::step] if (stored := index.record(id_))]


def own_questions(index: SearchIndex, records: Sequence[StoredDocument]) -> OwnQuestions:
    """The titles of the records, and a passage of one long sentence of each record that has one."""
    titles = [OwnQuestion(title, stored.id) for stored in records if (title := stored.shown["title"].strip())]
    return OwnQuestions(
        titles,
        sum(_is_unique(index, title.text) for title in titles),
        [
            OwnQuestion(_passage(long[place * STRIDES[1] % len(long)], place), stored.id)
            for place, stored in enumerate(records)
            if (long := [line for line in stored.shown["text"].split("\n")[1:] if _is_long(line)])
        ],
    )


def _passage(sentence: str, place: int) -> str:
    """Adjacent words of a sentence; from where on depends on the place of the record."""
    unspaced = UNSPACED.search(sentence)
    parts, size = (sentence, PASSAGE_WORDS * UNSPACED_WORD_CHARS) if unspaced else (sentence.split(), PASSAGE_WORDS)
    start = place * STRIDES[1] % max(len(parts) - size + 1, 1)
    return ("" if unspaced else " ").join(parts[start : start + size])


def _is_unique(index: SearchIndex, title: str) -> bool:
    keys = dict.fromkeys(key for language in index.languages if (key := name_key(title, language)))
    return index.engine.count(index.engine.any_of(NAME, list(keys))) == 1 if keys else False


def _is_long(line: str) -> bool:
    return len(line.split()) >= MIN_SENTENCE_WORDS or (
        bool(UNSPACED.search(line)) and len(line) >= MIN_SENTENCE_WORDS * UNSPACED_WORD_CHARS
    )


def chance_questions(index: SearchIndex, records: Sequence[StoredDocument], length: int) -> list[list[str]]:
    """The chance questions of each language with enough records; each has ``length`` words of different records."""
    ordered = sorted(records, key=lambda stored: stored.shown["language"])
    groups = [list(group) for _, group in groupby(ordered, key=lambda stored: stored.shown["language"])]
    pools = [
        [words for stored in group if len(words := list(_words(index, stored))) >= length]
        for group in groups
        if len(group) >= MIN_LANGUAGE_RECORDS
    ]
    return [[_draw(pool, place, length) for place in range(len(pool))] for pool in pools if len(pool) >= length]


def _draw(pool: Sequence[Sequence[str]], place: int, length: int) -> str:
    records = [pool[(place + STRIDES[0] * nth) % len(pool)] for nth in range(length)]
    return " ".join(words[(place * STRIDES[1] + nth * STRIDES[2]) % len(words)] for nth, words in enumerate(records))


def _words(index: SearchIndex, stored: StoredDocument) -> Iterator[str]:
    """The words of a record that few others contain, as written."""
    for chunk in chunks(normal(stored.shown["text"][:MAX_WORDS_CHARS])):
        if UNSPACED.search(chunk):
            yield from (
                chunk[at : at + UNSPACED_WORD_CHARS]
                for at in range(0, len(chunk) - UNSPACED_WORD_CHARS + 1, UNSPACED_WORD_CHARS)
            )
        elif any(0 < n <= MAX_WORD_SHARE * index.engine.size for n in index.weigh(chunk).frequencies.values()):
            yield chunk
