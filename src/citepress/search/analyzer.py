"""The one analyser: text to index terms, the same for records and for queries, whatever engine holds the index.

A text is normalised (NFKC) and cut into words. An identifier gives its parts and the parts joined
(``research-bundle-v2``: research, bundle, v2, researchbundlev2; ``getRecord``: get, record, getrecord), a number stays
whole (``1.0.77``), and a run of a script without spaces gives its pairs of characters. Every term is lower-cased and
stemmed by the Snowball stemmer of the record's language.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from tantivy import Filter, TextAnalyzer, TextAnalyzerBuilder, Tokenizer

from citepress.search.stopwords import ASKING, ENGLISH

QUERY_LENGTH = 500
"""Characters of a query that are read."""
QUERY_TERMS = 64
"""Words of a query that are looked up."""
PHRASES, PHRASE_TERMS = 4, 8
"""Quoted passages of a query that are looked up, and words of each: their places are compared in every record that holds them all."""
WORD_LENGTH = 64
"""Characters of a word that are told apart."""
STEMMERS = {
    "ar": "arabic", "da": "danish", "de": "german", "el": "greek", "en": "english", "es": "spanish", "fi": "finnish", "fr": "french",
    "hu": "hungarian", "it": "italian", "nb": "norwegian", "nl": "dutch", "nn": "norwegian", "no": "norwegian", "pt": "portuguese",
    "ro": "romanian", "ru": "russian", "sv": "swedish", "ta": "tamil", "tr": "turkish",
}  # fmt: skip
"""Stemmer by primary language subtag; words of other languages are only lower-cased."""
STOPPED = frozenset(("da", "de", "es", "fi", "fr", "hu", "it", "nb", "nl", "nn", "no", "pt", "ru", "sv"))
"""Languages whose stop words the engine knows; English has our own list."""
CHUNK = re.compile(r"[^\W_]+(?:['’._-]+[^\W_]+)*(?:\+\+|#)?")  # noqa: RUF001  (the typographic apostrophe is meant)
"""A word with whatever joins its parts."""
_JOINT = re.compile(r"['._-]+")
_NUMBER = re.compile(r"\d+(?:\.\d+)+")
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_ACRONYMS = re.compile(r"[A-Z0-9]+s?")
_UNSPACED = re.compile(r"[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]")
_QUOTED = re.compile(r'["“”]([^"“”]+)["“”]')


@dataclass(frozen=True, slots=True)
class Term:
    """A word of a query."""

    word: str
    """As it was asked, in lower case."""
    stems: tuple[str, ...]
    """Its forms in the index, one for each language of the archive that makes a difference; the first is the main one."""
    joined: bool = False
    """Whether it is the parts of an identifier joined: welcome where found, never missed where not."""
    asking: bool = False
    """Whether it only puts the question (``versus``): likewise."""


def normal(text: str) -> str:
    """The text in one Unicode form (NFKC), its typographic apostrophes made plain."""
    return text if text.isascii() else unicodedata.normalize("NFKC", text).replace("’", "'")  # noqa: RUF001


def language_of(tag: str) -> str:
    """The primary subtag of a BCP 47 tag: ``en`` for ``en-GB``."""
    return tag.partition("-")[0].lower()


def chunks(text: str) -> list[str]:
    """The words of a normalised text as they stand, identifiers whole."""
    return CHUNK.findall(text)


def words(chunk: str) -> tuple[tuple[str, ...], str]:
    """The parts of a word and, when there are several, the parts joined; in lower case.

    A single letter is no part: whoever asks for ``x`` does not mean every ``X-Payment``.
    """
    if _UNSPACED.search(chunk):
        return _pairs(chunk), ""
    if _NUMBER.fullmatch(chunk):
        return (chunk[:WORD_LENGTH],), ""
    if "'" in chunk and not _JOINT.search(chunk.replace("'", "")):
        return (chunk.lower()[:WORD_LENGTH],), ""
    parts = tuple(
        part.lower()[:WORD_LENGTH]
        for piece in _JOINT.split(chunk)
        for part in ([piece] if _ACRONYMS.fullmatch(piece) else _HUMP.split(piece))
        if part
    )
    if len(parts) < 2:  # noqa: PLR2004
        return parts, ""
    joined = "".join(parts)[:WORD_LENGTH]
    return tuple(part for part in parts if len(part) > 1 or not part.isalpha()), joined


def _pairs(chunk: str) -> tuple[str, ...]:
    """Overlapping pairs of characters of a run without spaces; a single character stands for itself."""
    run = chunk.lower()
    return tuple(run[at : at + 2] for at in range(len(run) - 1)) or (run,)


def name_key(text: str, language: str) -> str:
    """A title, a slug or a query as one term, so that ``Agent memory`` and ``agent-memory`` are the same; empty where there is no word."""
    spaced = normal(text[:QUERY_LENGTH]).replace("-", " ").replace("_", " ")
    found = (words(chunk) for chunk in chunks(spaced))
    return " ".join(stem(part, language) for parts, joined in found for part in ((joined,) if joined else parts))


def index_line(text: str, language: str) -> str:
    """The terms of a text in order, joined by spaces: what the index reads with its whitespace tokenizer."""
    return " ".join([_index_terms(chunk, language) for chunk in chunks(normal(text))])


@lru_cache(maxsize=32768)
def _index_terms(chunk: str, language: str) -> str:
    parts, joined = words(chunk)
    return " ".join(stem(part, language) for part in (*parts, joined) if part)


def stem(word: str, language: str) -> str:
    """The stem of a lower-case word; the word itself where its language has no stemmer."""
    analyzer = _stemmer(language)
    found = analyzer.analyze(word) if analyzer else ()
    return found[0] if found else word


@lru_cache(maxsize=64)
def _stemmer(language: str) -> TextAnalyzer | None:
    if language not in STEMMERS:
        return None
    return TextAnalyzerBuilder(Tokenizer.whitespace()).filter(Filter.stemmer(STEMMERS[language])).build()


@lru_cache(maxsize=64)
def _stopper(language: str) -> TextAnalyzer:
    return TextAnalyzerBuilder(Tokenizer.whitespace()).filter(Filter.stopword(STEMMERS[language])).build()


def is_stop(word: str, language: str) -> bool:
    """Whether a lower-case word carries no topic in a language."""
    if language == "en":
        return word in ENGLISH
    return language in STOPPED and not _stopper(language).analyze(word)


def is_telling(term: Term, languages: Sequence[str]) -> bool:
    """Whether a word is no stop word in any of these languages."""
    return not any(is_stop(term.word, language) for language in languages)


def query_terms(text: str, languages: Sequence[str]) -> tuple[Term, ...]:
    """The words of a query, repeats kept, stop words left out unless nothing else was asked; bounded, never raises."""
    found = list(_query_terms(normal(text[:QUERY_LENGTH]), languages or ("en",)))
    telling = [term for term in found if is_telling(term, languages or ("en",))]
    return tuple((telling or found)[:QUERY_TERMS])


def _query_terms(text: str, languages: Sequence[str]) -> Iterator[Term]:
    for chunk in chunks(text):
        parts, joined = words(chunk)
        for part in parts:
            yield Term(part, _stems(part, languages), asking=part in ASKING)
        if joined:
            yield Term(joined, _stems(joined, languages), joined=True)


def _stems(word: str, languages: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(stem(word, language) for language in languages))


def phrases(text: str, language: str) -> tuple[tuple[str, ...], ...]:
    """The quoted passages of a query as index terms, those of at least two words; the first few, each as far as its first words."""
    found = (tuple(index_line(quoted, language).split()[:PHRASE_TERMS]) for quoted in _QUOTED.findall(text[:QUERY_LENGTH]))
    return tuple(dict.fromkeys(terms for terms in found if len(terms) > 1))[:PHRASES]
