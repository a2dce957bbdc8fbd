"""The names of a record: as keys that a question may be as a whole, and as the words that a question has."""

from collections.abc import Iterable
from functools import lru_cache
from itertools import chain
from typing import NamedTuple

from citepress.search.analyzer import QUERY_LENGTH, QUERY_TERMS, chunks, is_stop, name_key, normal, stem, words
from citepress.search.remembered import Remembered


class _AskedPart(NamedTuple):
    stem: str
    is_stop: bool
    is_joined: bool


def name_keys(title: str, id_: str, language: str) -> tuple[str, ...]:
    """The names of a record as keys: title, slug, id."""
    keys = dict.fromkeys(name_key(text, language) for text in (title, id_.partition("/")[2], id_))
    return tuple(key for key in keys if key)


def name_lines(names: Iterable[str], language: str) -> list[str]:
    """The content words of each name as space-separated index terms."""
    lines = (" ".join(dict.fromkeys(asked_stems(name.replace("-", " "), language))) for name in names)
    return [line for line in dict.fromkeys(lines) if line]


def asked_stems(text: str, language: str) -> list[str]:
    """The stems that ``query_terms`` gives a text in one language, without joined identifiers."""
    parts = normal(text[:QUERY_LENGTH]).split()
    asked = list(chain.from_iterable(map(_asked(language).__getitem__, parts)))
    counted = ([part for part in asked if not part.is_stop] or asked)[:QUERY_TERMS]
    return [part.stem for part in counted if not part.is_joined]


@lru_cache(maxsize=32)
def _asked(language: str) -> Remembered[tuple[_AskedPart, ...]]:
    """The parts of the words of texts without spaces, as a question has them."""
    return Remembered(lambda text: tuple(part for chunk in chunks(text) for part in _asked_parts(chunk, language)))


def _asked_parts(chunk: str, language: str) -> Iterable[_AskedPart]:
    """The parts of a word of a question, and their joined form."""
    parts, joined = words(chunk)
    marked = [(part, False) for part in parts] + ([(joined, True)] if joined else [])
    return [_AskedPart(stem(part, language), is_stop(part, language), is_joined) for part, is_joined in marked]
