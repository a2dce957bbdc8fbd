"""The analyser turns text into index terms, in the same way for records and for queries.

A text is normalised (NFKC) and split into words. An identifier gives its parts and the joined parts
(``research-bundle-v2``: research, bundle, v2, researchbundlev2; ``getRecord``: get, record, getrecord), a number stays
whole and is the same with a v (``1.0.77``, ``v1.0.77``), and text in a script without spaces gives overlapping pairs of
characters. Every term is lower-cased and stemmed by the Snowball stemmer of the record's language.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import islice
from sys import intern

from tantivy import Filter, TextAnalyzer, TextAnalyzerBuilder, Tokenizer

from citepress.base.word_lists import word_list
from citepress.content.text_language import FREQUENT, OTHER_SCRIPT
from citepress.search.remembered import MAX_REMEMBERED_TEXTS, Remembered
from citepress.search.stopwords import ASKING, ENGLISH

QUERY_LENGTH = 500
"""Upper limit of the characters of a query."""
QUERY_TERMS = 64
"""Upper limit of the words of a query."""
PHRASES, PHRASE_TERMS = 4, 8
"""Upper limits of the quoted passages of a query and of the words of each. Their positions are compared in every record
that contains them all."""
WORD_LENGTH = 64
"""Characters after which a word is cut off."""
STEMMERS = dict(row.split() for row in word_list("citepress", "stemmers by language"))
"""Stemmer by primary language subtag."""
STEM_PREFIX = 5
"""Letters that stand for a word in inflected languages without a stemmer; other languages keep whole words."""
COMMON_LANGUAGES = 3
"""Commonest languages in Latin script whose stop words are always left out of a question. Each further language would
take away content words of the others (``man`` is a stop word in Danish)."""
JOINED, JOINED_WEIGHT = 0.5, 0.25
"""Weight of the joined form beside the words of ``get-record``, and of the parts beside the word ``getRecord``."""
STOPPED = frozenset(("da", "de", "es", "fi", "fr", "hu", "it", "nb", "nl", "nn", "no", "pt", "ru", "sv"))
"""Languages with a stop-word list in the engine; English has its own (``stopwords.py``)."""
_FREQUENT_WORDS = {language: frozenset(line.split()) for language, line in FREQUENT.items()}
"""The stop words of the other languages."""
BREAK = "\0"
"""What stands between the lines of a text that are looked up at once."""
AROUND = ".,;:!?()[]\"'"
"""Characters around a word that are no part of it."""
_MARKS = (
    r"[\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0900-\u0963\u0966-\u0dff\u0e31\u0e34-\u0ece\u102b-\u109f\u17b4-\u17d3]"
)
"""Vowel signs and other marks: parts of a word that ``\\w`` does not match."""
_LETTERS = rf"(?:[^\W_]++|{_MARKS}++)++"
CHUNK = re.compile(rf"{_LETTERS}(?:['’._-]+{_LETTERS})*(?:\+\+|#)?")  # noqa: RUF001  (the apostrophe is meant)
"""A word including the characters that join its parts."""
_JOINT = re.compile(r"['._-]+")
_BESIDE_DOTS = re.compile(r"['_-]+")
_VERSION = re.compile(r"[vV]?(\d+(?:\.\d+)+)")
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_ACRONYMS = re.compile(r"[A-Z0-9]+s?")
UNSPACED = re.compile(
    r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff]"
)
_QUOTED = re.compile(r'["“”]([^"“”]+)["“”]')


@dataclass(frozen=True, slots=True)
class Term:
    """A word of a query."""

    word: str
    """The word as asked, in lower case."""
    stems: tuple[str, ...]
    """Its stems, one for each language of the archive that gives a different one; the main language comes first."""
    weight: float = 1.0
    """Its part of the vote of a word: an identifier votes once, with its joined form or with its parts."""
    joined: bool = False
    """Whether it is the joined form of an identifier, which a match may lack."""
    asking: bool = False
    """Whether it only phrases the question (``versus``), so that a match may lack it."""

    def __hash__(self) -> int:
        """Of the word alone: every hit looks its words up, and a text remembers its own hash."""
        return hash(self.word)


def normal(text: str) -> str:
    """The text in the Unicode form NFKC, with plain apostrophes."""
    return text if text.isascii() else unicodedata.normalize("NFKC", text).replace("’", "'")  # noqa: RUF001


def language_of(tag: str) -> str:
    """The primary subtag of a BCP 47 tag: ``en`` for ``en-GB``."""
    return tag.partition("-")[0].lower()


def chunks(text: str) -> list[str]:
    """The words of a normalised text in order, with identifiers undivided."""
    return CHUNK.findall(text)


def words(chunk: str) -> tuple[tuple[str, ...], str]:
    """The parts of a word and, when there are several, their joined form; in lower case.

    A single letter does not count as a part: a query for ``x`` should not match every ``X-Payment``.
    """
    # Most words are plain: nothing divides them.
    if chunk.isascii() and chunk.isalnum() and chunk[1:] == (lower := chunk.lower())[1:]:
        return (lower[:WORD_LENGTH],), ""
    # Scripts without spaces give no words to split at; overlapping pairs find any run of two characters or more.
    if UNSPACED.search(chunk):
        return _pairs(chunk), ""
    if "'" in chunk and not _JOINT.search(chunk.replace("'", "")):
        return (chunk.lower()[:WORD_LENGTH],), ""
    parts = tuple(
        part.lower()[:WORD_LENGTH]
        for piece in _pieces(chunk)
        for part in ([piece] if _ACRONYMS.fullmatch(piece) else _HUMP.split(piece))
        if part
    )
    if len(parts) < 2:  # noqa: PLR2004
        return parts, ""
    joined = "".join(parts).replace(".", "")[:WORD_LENGTH]
    return tuple(part for part in parts if len(part) > 1 or not part.isalpha()), joined


def _pieces(chunk: str) -> Iterator[str]:
    """What stands between the joints of a word. A version is one piece: its numbers would match every other number."""
    for piece in _BESIDE_DOTS.split(chunk):
        version = _VERSION.fullmatch(piece)
        yield from (version[1],) if version else piece.split(".")


def _pairs(chunk: str) -> tuple[str, ...]:
    """Overlapping pairs of characters of text without spaces; a single character is kept as it is."""
    run = chunk.lower()
    return tuple(run[at : at + 2] for at in range(len(run) - 1)) or (run,)


def findable(stem: str) -> str:
    """A term as it is looked for among others, with spaces unless it is a pair, which no longer term contains."""
    return stem if len(stem) == 2 and UNSPACED.search(stem) else f" {stem} "  # noqa: PLR2004


def name_key(text: str, language: str) -> str:
    """A title, a slug or a query as one term, so that ``Agent memory`` and ``agent-memory`` are the same.

    It is empty when there is no word.
    """
    spaced = normal(text[:QUERY_LENGTH]).replace("-", " ").replace("_", " ").replace("/", " ")
    return " ".join(filter(None, map(_keys(language).__getitem__, spaced.split())))


@lru_cache(maxsize=32)
def _keys(language: str) -> Remembered[str]:
    """The keys of texts without spaces."""
    return Remembered(lambda text: " ".join([key for chunk in chunks(text) for key in _key_stems(chunk, language)]))


def _key_stems(chunk: str, language: str) -> Sequence[str]:
    parts, joined = words(chunk)
    return [stem(part, language) for part in ((joined,) if joined else parts)]


def index_line(text: str, language: str) -> str:
    """The terms of a text in order, joined by spaces for the whitespace tokenizer of the index.

    Stop words are left out unless there is nothing else.
    """
    return index_lines((text,), language)[0][0]


def split_lines(texts: Sequence[str]) -> tuple[Sequence[str], list[str]]:
    """The texts with single spaces, and the parts of all between spaces, with ``BREAK`` between those of two texts."""
    joined = f" {BREAK} ".join(texts)
    parts = joined.split()
    # Most texts have single spaces already.
    return (texts if " ".join(parts) == joined else [" ".join(text.split()) for text in texts]), parts


def index_lines(lines: Sequence[str], language: str, parts: Sequence[str] | None = None) -> tuple[list[str], set[str]]:
    """``index_line`` of each line, and the distinct terms of all; ``parts`` are those of ``split_lines`` if at hand."""
    remembered, text = _remembered(language), f" {BREAK} ".join(lines)
    if parts is None or normal(text) is not text:
        parts = normal(text).split()
    # Most of the time of a build is spent here, so all lines are looked up at once.
    values = list(filter(None, map(remembered.__getitem__, parts)))
    together = " ".join(values)
    indexed = list(map(str.strip, together.split("\n")))
    if len(indexed) != len(lines):
        return index_lines([line.replace(BREAK, " ") for line in lines], language) if lines else ([], set())
    distinct = set(values)
    distinct.discard("\n")
    if together.count(" ") >= len(values):  # identifiers have several terms
        several = {terms for terms in distinct if " " in terms}
        distinct.difference_update(several)
        distinct.update(*map(str.split, several))
    for place in [place for place, terms in enumerate(indexed) if not terms and lines[place]]:
        unfiltered = [stem(part, language) for text in normal(lines[place]).split() for part in _parts(text)]
        distinct.update(unfiltered)
        indexed[place] = " ".join(unfiltered)
    return indexed, distinct


@lru_cache(maxsize=32)
def _remembered(language: str) -> Remembered[str]:
    """The index terms of texts without spaces, without stop words; a line break for ``BREAK``."""
    return Remembered(partial(_terms, language))


def _terms(language: str, text: str) -> str:
    if text == BREAK:
        return "\n"
    # Equal terms are the same object, so that each takes memory once and is found sooner.
    return intern(" ".join([stem(part, language) for part in _parts(text) if not is_stop(part, language)]))


def _parts(text: str) -> list[str]:
    """The words of a text without spaces, with the joined forms of identifiers."""
    word = text.strip(AROUND)
    # Most texts are one plain word, which nothing divides.
    if word.isascii() and word.isalpha() and (word[1:].islower() or len(word) == 1):
        return [word.lower()[:WORD_LENGTH]]
    return [part for chunk in chunks(text) for part in _with_joined(chunk)]


def _with_joined(chunk: str) -> tuple[str, ...]:
    """The parts of a word, and their joined form behind them."""
    parts, joined = words(chunk)
    return (*parts, joined) if joined else parts


@lru_cache(maxsize=MAX_REMEMBERED_TEXTS)
def stem(word: str, language: str) -> str:
    """The stem of a lower-case word, its beginning where its language has no stemmer, or the word itself."""
    if analyzer := _stemmer(language):
        stems = analyzer.analyze(word)
        return stems[0] if stems else word
    return word[:STEM_PREFIX] if language in FREQUENT and not any(map(str.isdigit, word)) else word


@lru_cache(maxsize=64)
def _stemmer(language: str) -> TextAnalyzer | None:
    if language not in STEMMERS:
        return None
    return TextAnalyzerBuilder(Tokenizer.whitespace()).filter(Filter.stemmer(STEMMERS[language])).build()


@lru_cache(maxsize=64)
def _stopper(language: str) -> TextAnalyzer:
    return TextAnalyzerBuilder(Tokenizer.whitespace()).filter(Filter.stopword(STEMMERS[language])).build()


def is_stop(word: str, language: str) -> bool:
    """Whether a lower-case word is a stop word of a language."""
    if language == "en":
        return word in ENGLISH
    return not _stopper(language).analyze(word) if language in STOPPED else word in _FREQUENT_WORDS.get(language, ())


def reading_languages(languages: Iterable[str]) -> tuple[str, ...]:
    """The languages in which a question is read: of an archive's languages, the first with each stemmer or with none.

    The others would give the same stems. A stemmer leaves words in another script as they are, so the script of a word
    decides which of them count.
    """
    first: dict[str, str] = {}
    for language in languages:
        first.setdefault(STEMMERS.get(language, ""), language)
    return tuple(first.values())


def _stopping(languages: Sequence[str]) -> Sequence[str]:
    """The languages whose stop words are left out of a question, whether records hold them or not."""
    if len(languages) <= COMMON_LANGUAGES:
        return languages
    latin = [language for language in languages if language not in OTHER_SCRIPT]
    return [language for language in languages if language in OTHER_SCRIPT or language in latin[:COMMON_LANGUAGES]]


def is_content_word(term: Term, languages: Sequence[str]) -> bool:
    """Whether a word is not a stop word in any of these languages; of those in Latin script, in the commonest."""
    return not is_stop_in(term.word, tuple(languages))


@lru_cache(maxsize=MAX_REMEMBERED_TEXTS)
def is_stop_in(word: str, languages: tuple[str, ...]) -> bool:
    """Whether a lower-case word is a stop word in any of these languages; of those in Latin script, the commonest."""
    return any(is_stop(word, language) for language in _stopping(languages))


def is_rare_stop(word: str, languages: Sequence[str]) -> bool:
    """Whether a lower-case word is a stop word in one of the less common of these languages alone."""
    stopping = _stopping(languages)
    rare = [language for language in languages if language not in stopping]
    return any(is_stop(word, language) for language in rare)


def query_terms(text: str, languages: Sequence[str]) -> tuple[Term, ...]:
    """The words of a query with repetitions, without stop words unless there is nothing else; bounded, never raises."""
    terms = _query_terms(normal(text[:QUERY_LENGTH]), languages or ("en",))
    # A question of stop words alone is still a question ("to be or not to be").
    content_words = [term for term in terms if is_content_word(term, languages or ("en",))]
    return tuple((content_words or terms)[:QUERY_TERMS])


def _query_terms(text: str, languages: Sequence[str]) -> list[Term]:
    read_in = tuple(languages)
    return [term for chunk in chunks(text) for term in _terms_of(chunk, read_in)]


def _terms_of(chunk: str, languages: tuple[str, ...]) -> Sequence[Term]:
    """The parts of a word of a query, and their joined form behind them."""
    # Words are remembered, not what they make up: an identifier may have hundreds of parts, and hardly returns.
    parts, joined = words(chunk)
    if not joined:
        return [_term(part, languages) for part in parts]
    whole, share = (1.0, JOINED_WEIGHT) if _is_humped(chunk) else (JOINED, 1.0)
    return [*(_term(part, languages, share) for part in parts), _term(joined, languages, whole, joined=True)]


@lru_cache(maxsize=MAX_REMEMBERED_TEXTS)
def _term(word: str, languages: tuple[str, ...], weight: float = 1.0, *, joined: bool = False) -> Term:
    stems = tuple(dict.fromkeys(stem(word, language) for language in languages))
    return Term(word, stems, weight, joined, asking=word in ASKING and not joined)


def _is_humped(chunk: str) -> bool:
    """Whether an identifier is written as one word (``getRecord``), and not as several (``get-record``)."""
    return not _JOINT.search(chunk)


def quoted_passages(text: str, languages: Sequence[str]) -> dict[str, tuple[tuple[str, ...], ...]]:
    """The quoted passages of a query, each with its index terms in the languages that give different ones.

    Both the number of passages and their length are bounded; passages of stop words alone are left out.
    """
    passages = dict.fromkeys(_QUOTED.findall(text[:QUERY_LENGTH]))
    terms = {passage: _content_terms(passage, languages or ("en",)) for passage in passages}
    return dict(islice(((passage, forms) for passage, forms in terms.items() if forms), PHRASES))


def has_words_beside_quotes(text: str, languages: Sequence[str]) -> bool:
    """Whether a query has content words that are not quoted."""
    return any(is_content_word(term, languages) for term in query_terms(_QUOTED.sub(" ", text), languages))


def _content_terms(text: str, languages: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    """The distinct forms of a text as index terms; none where it has only stop words of a common language."""
    parts = normal(text).split()
    lines = {language: " ".join(map(_remembered(language).__getitem__, parts)) for language in languages}
    if not all(lines[language].strip() for language in _stopping(languages)):
        return ()
    forms = dict.fromkeys(tuple(line.split()[:PHRASE_TERMS]) for line in lines.values())
    return tuple(form for form in forms if form)
