"""Spelling suggestions: words of the archive that are almost the same as an unknown one."""

from collections.abc import Mapping, Sequence
from difflib import SequenceMatcher

from citepress.base.text import nearest
from citepress.search.analyzer import is_stop_in
from citepress.search.engine import Engine

NEAR = 3
"""Suggested words for an unknown one."""
LENGTH_DIFFERENCE = 2
"""Characters by which a suggested word may be longer or shorter than the unknown one."""
PREFIX_WORDS = 5_000
"""Indexed words with the same first letter that are considered for an unknown one."""
COMPARED = 200
"""Suggested words that are compared letter by letter."""
MISSPELT = 5
"""Letters of an unknown word that may be misspelt; too many others are like a shorter one."""
ALMOST, ALIKE = 0.85, 0.75
"""Similarity of an unknown word to a known one from which it is read as that, and from which it may be meant."""


def near(engine: Engine, word: str, languages: tuple[str, ...]) -> tuple[str, ...]:
    """The words of titles, summaries and tags that are most like a lower-case word, best first; no stop words.

    Another number is no other spelling of a number.
    """
    if not any(map(str.isalpha, word)):
        return ()
    words = (other for other in engine.words(word[:1], PREFIX_WORDS) if not is_stop_in(other, languages))
    # Comparing a word with all others is slow; length and letters rule most of them out first.
    candidates = [candidate for candidate in words if abs(len(candidate) - len(word)) <= LENGTH_DIFFERENCE]
    letters = set(word)
    candidates.sort(key=lambda candidate: (-len(letters & set(candidate)) / max(len(candidate), len(word)), candidate))
    similar = nearest(word, candidates[:COMPARED], 2 * NEAR)
    return tuple(word for word in similar if engine.holds_word(word))[:NEAR]


def is_alike(word: str, other: str, least: float) -> bool:
    """Whether an unknown word may be another one misspelt, by their similarity."""
    return len(word) >= MISSPELT and SequenceMatcher(None, word, other).ratio() >= least


def respelt(asked: Sequence[str], near_words: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    """A question with its unknown words replaced by similar ones, best first."""
    most = max((len(similar) for similar in near_words.values()), default=0)
    texts = (
        " ".join(
            near_words[word][min(place, len(near_words[word]) - 1)] if word in near_words else word for word in asked
        )
        for place in range(most)
    )
    return tuple(dict.fromkeys(texts))
