"""Whether a text still holds the words that a claim quotes: verbatim, nearly, or not."""

import re
from collections import Counter
from collections.abc import Iterator
from itertools import islice

from rapidfuzz import fuzz

from citepress.base.quotation import plain_words
from citepress.contract.observation import QuoteObservation

DRIFTED = 85
"""Likeness, of 100, of the nearest passage from which on a quote has drifted; below it is not found. It is the
normalised Indel similarity of the quote and the passage of its length that is nearest to it."""
MAX_SEARCHED_CHARS = 1_000_000
"""Characters of a text in which quotes are searched verbatim."""
MAX_COMPARED_CHARS = 400_000
"""Characters of a text in which the nearest passage is searched."""
MAX_MISSING_PARTS = 12
"""Parts of a quote that the text lacks, from which on it is not found; the longest are compared."""
MAX_WHOLE_PART_CHARS = 64
"""Characters of a part that is compared with the whole text; a longer one with stretches that share pieces of it."""
PIECE_CHARS, PIECES = 6, 32
"""Characters of such a piece, and how many of them are looked up."""
MAX_PIECE_PLACES = 50
"""Places of a piece that are read; the more it has, the less each tells."""
STRETCHES = 5
"""Stretches, of three times its length, that a part is compared with."""
VERIFIED = QuoteObservation(state="verified")
UNVERIFIABLE = QuoteObservation(state="unverifiable")
_OMISSION = re.compile(r"\s*[\[(](?:\u2026|\.\.\.)[\])]\s*")


class Passages:
    """A text in which quotes are searched."""

    def __init__(self, text: str) -> None:
        self._words = plain_words(text[:MAX_SEARCHED_CHARS])

    def search(self, quote: str) -> QuoteObservation:
        """What the text holds of a quote, whose omissions are written ``[…]``."""
        parts = [part for part in _OMISSION.split(plain_words(quote)) if part]
        if not parts or not self._words:
            return UNVERIFIABLE
        if self._holds(parts):
            return VERIFIED
        # Parts that stand in the text in another order are as like as anything but the quote itself.
        lacking = sorted({part for part in parts if part not in self._words}, key=lambda part: (-len(part), part))
        likeness = min((self._likeness(part) for part in lacking[:MAX_MISSING_PARTS]), default=99)
        if len(lacking) > MAX_MISSING_PARTS:
            likeness = min(likeness, DRIFTED - 1)
        return QuoteObservation(state="drifted" if likeness >= DRIFTED else "not_found", likeness=likeness)

    def _holds(self, parts: list[str]) -> bool:
        """Whether the text holds all parts, one after the other."""
        at = 0
        for part in parts:
            at = self._words.find(part, at)
            if at < 0:
                return False
            at += len(part)
        return True

    def _likeness(self, part: str) -> int:
        """How like the nearest passage is; never 100, which only the same words in their order would be."""
        text = self._words[:MAX_COMPARED_CHARS]
        if len(part) > len(text):
            return min(int(fuzz.ratio(part, text)), 99)
        stretches = [text] if len(part) <= MAX_WHOLE_PART_CHARS else _stretches(part, text)
        return min(max(int(fuzz.partial_ratio(part, stretch)) for stretch in stretches), 99)


def _stretches(part: str, text: str) -> list[str]:
    """The stretches of a text that share most with a part; its beginning where none shares anything."""
    size, shared = len(part), Counter[int]()
    for start in range(0, size - PIECE_CHARS + 1, max(1, size // PIECES)):
        places = list(islice(_places(text, part[start : start + PIECE_CHARS]), MAX_PIECE_PLACES))
        for place in places:
            shared[max(place - start, 0) // size] += 1_000_000 // len(places)
    best = sorted(shared, key=lambda number: (-shared[number], number))[:STRETCHES] or [0]
    return [text[max(number - 1, 0) * size : (number + 2) * size] for number in best]


def _places(text: str, piece: str) -> Iterator[int]:
    at = text.find(piece)
    while at >= 0:
        yield at
        at = text.find(piece, at + 1)
