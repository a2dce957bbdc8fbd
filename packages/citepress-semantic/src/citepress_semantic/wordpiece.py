"""The tokens of a text as BERT models read them: words, punctuation and the pieces of a vocabulary (WordPiece)."""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache

BEGIN, END, UNKNOWN, PADDING = "[CLS]", "[SEP]", "[UNK]", "[PAD]"
SPECIAL = (BEGIN, END, UNKNOWN)
MAX_WORD_CHARS = 100
"""Characters of a word; a longer one is unknown."""
CHARS_PER_TOKEN = 40
"""Characters read for each token that is wanted, so that a long text costs no more than its beginning."""
IDEOGRAPHS = ((0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xF900, 0xFAFF), (0x20000, 0x2CEAF), (0x2F800, 0x2FA1F))
"""Ranges of characters that are words by themselves."""
ASCII_MARKS = frozenset("$+<=>^`|~")
"""Symbols of ASCII that BERT takes for punctuation."""
MAX_REMEMBERED_CHARS = 10_000
"""Characters that are remembered."""
ASCII_WORDS = re.compile(r"[A-Za-z0-9]+|.")
"""In a word of ASCII: words without marks, and marks."""


class WordPieces:
    """A vocabulary of word pieces; the number of a piece is its line."""

    def __init__(self, pieces: Sequence[str]) -> None:
        """Raises ``ValueError`` if the pieces that frame a text are not among them."""
        self.size, self.lines = len(pieces), "\n".join(pieces)
        self._numbers = {piece: number for number, piece in enumerate(pieces)}
        missing = [piece for piece in SPECIAL if piece not in self._numbers]
        if missing:
            raise ValueError(f"the vocabulary has no {', '.join(missing)}, so it is none of word pieces")
        self._begin, self._end, self._unknown = (self._numbers[piece] for piece in SPECIAL)
        # Vocabularies of models that tell capitals apart have pieces with capitals.
        self._folds = not any(piece != piece.lower() for piece in pieces if not piece.startswith("["))
        self._pieces = lru_cache(maxsize=65_536)(self._split)

    def numbers(self, text: str, most: int) -> list[int]:
        """The numbers of at most ``most`` tokens of a text, with those that frame it."""
        numbers = [self._begin]
        for word in _words(text[: most * CHARS_PER_TOKEN], folds=self._folds):
            numbers += self._pieces(word)
            if len(numbers) >= most:
                break
        return [*numbers[: most - 1], self._end]

    def _split(self, word: str) -> tuple[int, ...]:
        """The longest pieces of a word from the left; it is unknown as a whole if a part of it is."""
        numbers: list[int] = []
        start = 0
        while start < len(word) <= MAX_WORD_CHARS:
            stop, mark = len(word), "##" if start else ""
            while stop > start and mark + word[start:stop] not in self._numbers:
                stop -= 1
            if stop == start:
                return (self._unknown,)
            numbers.append(self._numbers[mark + word[start:stop]])
            start = stop
        return tuple(numbers) or (self._unknown,)


def _words(text: str, *, folds: bool) -> Iterator[str]:
    """The words of a text; marks of punctuation and ideographs are words of their own."""
    for word in unicodedata.normalize("NFC", text.translate(_SPACES)).split():
        if word.isascii():
            yield from ASCII_WORDS.findall(word.lower() if folds else word)
            continue
        folded = _folded(word) if folds else word
        start = 0
        for place, character in enumerate(folded):
            if _is_mark(character):
                if place > start:
                    yield folded[start:place]
                yield character
                start = place + 1
        if start < len(folded):
            yield folded[start:]


class _Spaced(dict[int, str]):
    """Each character as it is read, once it was met: control characters disappear, ideographs stand alone."""

    def __missing__(self, code: int) -> str:
        if len(self) >= MAX_REMEMBERED_CHARS:
            self.clear()
        character = self[code] = _spaced(chr(code))
        return character


_SPACES = _Spaced()


def _spaced(character: str) -> str:
    if character in "\t\n\r":
        return " "
    category = unicodedata.category(character)
    if category.startswith("C") or character == "\ufffd":
        return ""
    if category == "Zs":
        return " "
    return f" {character} " if any(first <= ord(character) <= last for first, last in IDEOGRAPHS) else character


def _folded(word: str) -> str:
    """A word in small letters without accents."""
    decomposed = unicodedata.normalize("NFD", word.lower())
    return "".join(character for character in decomposed if unicodedata.category(character) != "Mn")


def _is_mark(character: str) -> bool:
    return character in ASCII_MARKS or unicodedata.category(character).startswith("P")
