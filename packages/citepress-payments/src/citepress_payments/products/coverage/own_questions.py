"""Questions that an archive asks itself, without labels: titles and sentences without their record, and mere words.

A title that is asked without its record shows how much the others resemble an answer that is missing. Words of
different records, put together, ask for nothing that any record treats.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from citepress.search.analyzer import UNSPACED, chunks, name_key, normal
from citepress.search.engine import NAME
from citepress.search.index import SearchIndex
from citepress.search.stored_document import StoredDocument

MAX_ASKED_RECORDS = 120
"""Upper limit of the records that are asked for their titles, sentences and words."""
MIN_OF_LANGUAGE = 20
"""Records in one language among them from which its words make questions."""
MIN_SENTENCE_WORDS, MAX_QUESTION_CHARS = 5, 300
UNSPACED_WORD = 4
"""Characters that stand for a word in scripts without spaces."""
MAX_WORDS_CHARS = 3_000
"""Characters of a record whose words make questions."""
MAX_WORD_SHARE = 0.2
"""Share of the records that hold a word, up to which it says something of any of them."""
STRIDES = (7, 31, 17)
"""What the choice of records and words proceeds by: the same for the same archive, and spread over it."""


class OwnQuestion(NamedTuple):
    """A question that is asked without the record which it was taken from."""

    text: str
    record: str


class OwnQuestions(NamedTuple):
    """The questions of an archive about itself."""

    titles: Sequence[OwnQuestion]
    unique: int
    """Titles that no other record has."""
    sentences: Sequence[OwnQuestion]


def sampled(index: SearchIndex, ids: Iterable[str]) -> list[StoredDocument]:
    """Records, evenly taken."""
    ordered = sorted(ids)
    step = -(-len(ordered) // MAX_ASKED_RECORDS) or 1
    return [stored for id_ in ordered[::step] if (stored := index.record(id_))]


def own_questions(index: SearchIndex, records: Sequence[StoredDocument]) -> OwnQuestions:
    """The titles of records, and of each that has any a sentence of some length."""
    titles = [OwnQuestion(title, stored.id) for stored in records if (title := stored.shown["title"].strip())]
    return OwnQuestions(
        titles,
        sum(_is_unique(index, title.text) for title in titles),
        [
            OwnQuestion(long[place * STRIDES[1] % len(long)][:MAX_QUESTION_CHARS], stored.id)
            for place, stored in enumerate(records)
            if (long := [line for line in stored.shown["text"].split("\n")[1:] if _is_long(line)])
        ],
    )


def _is_unique(index: SearchIndex, title: str) -> bool:
    keys = dict.fromkeys(key for language in index.languages if (key := name_key(title, language)))
    return index.engine.count(index.engine.any_of(NAME, list(keys))) == 1 if keys else False


def _is_long(line: str) -> bool:
    return len(line.split()) >= MIN_SENTENCE_WORDS or (
        bool(UNSPACED.search(line)) and len(line) >= MIN_SENTENCE_WORDS * UNSPACED_WORD
    )


def chance_questions(index: SearchIndex, records: Sequence[StoredDocument], length: int) -> list[list[str]]:
    """For each language that enough of these records are in, questions of so many words, each of another record."""
    ordered = sorted(records, key=lambda stored: stored.shown["language"])
    groups = [list(group) for _, group in groupby(ordered, key=lambda stored: stored.shown["language"])]
    pools = [
        [words for stored in group if len(words := list(_words(index, stored))) >= length]
        for group in groups
        if len(group) >= MIN_OF_LANGUAGE
    ]
    return [[_drawn(pool, place, length) for place in range(len(pool))] for pool in pools if len(pool) >= length]


def _drawn(pool: Sequence[Sequence[str]], place: int, length: int) -> str:
    records = [pool[(place + STRIDES[0] * nth) % len(pool)] for nth in range(length)]
    return " ".join(words[(place * STRIDES[1] + nth * STRIDES[2]) % len(words)] for nth, words in enumerate(records))


def _words(index: SearchIndex, stored: StoredDocument) -> Iterator[str]:
    """The words of a record that few others hold, as they are written."""
    for chunk in chunks(normal(stored.shown["text"][:MAX_WORDS_CHARS])):
        if UNSPACED.search(chunk):
            yield from (
                chunk[at : at + UNSPACED_WORD] for at in range(0, len(chunk) - UNSPACED_WORD + 1, UNSPACED_WORD)
            )
        elif any(0 < n <= MAX_WORD_SHARE * index.engine.size for n in index.weigh(chunk).frequencies.values()):
            yield chunk
