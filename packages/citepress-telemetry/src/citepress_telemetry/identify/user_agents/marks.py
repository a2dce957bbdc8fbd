"""Two matchers: whole tokens (Aho-Corasick), and long lists of patterns (in Rust, or in Python with equal results)."""

import re
from collections.abc import Iterable, Sequence

from ahocorasick_rs import AhoCorasick

try:
    from ua_parser_rs import UserAgentExtractor
except ImportError:  # a machine without the wheel: slower, with the same results
    UserAgentExtractor = None  # type: ignore[assignment,misc]

RUST = UserAgentExtractor is not None
"""Whether the Rust matcher is available."""
MAX_USER_AGENT_CHARS = 512
"""Characters of a User-Agent that are examined."""
CHUNK = 25
_ODD = re.compile(r"[^ -~]")


def plain(agent: str) -> str:
    """The User-Agent as it is matched: truncated, without surrounding quotes, ``?`` for all but printable ASCII."""
    text = agent[:MAX_USER_AGENT_CHARS]
    if not text.isascii() or not text.isprintable():
        text = _ODD.sub("?", text)
    return text.strip(" \"'")


class Tokens:
    """Finds tokens that are not part of a longer word."""

    __slots__ = ("_find", "_weights", "tokens")

    def __init__(self, tokens: Iterable[tuple[str, bool]]) -> None:
        """``tokens`` in lower case, each with whether it belongs to a library."""
        given = tuple(tokens)
        self.tokens = tuple(token for token, _ in given)
        self._weights = tuple((not library, len(token)) for token, library in given)
        self._find = AhoCorasick(self.tokens).find_matches_as_indexes

    def first(self, text: str) -> tuple[int, int] | None:
        """Index and position of the deciding token: the longest of a named client, else the longest of a library."""
        low = text.lower()
        best = None
        for place, start, end in self._find(low, overlapping=True):
            if not _runs_on(low, start, end) and (best is None or self._weights[place] > self._weights[best[0]]):
                best = (place, start)
        return best


def _runs_on(text: str, start: int, end: int) -> bool:
    """Whether the word continues beyond either end of a token."""
    return (start > 0 and text[start].isalnum() and text[start - 1].isalnum()) or (
        end < len(text) and text[end - 1].isalnum() and text[end].isalnum()
    )


class Patterns:
    """Finds the first pattern of a list, in list order, that matches anywhere in printable ASCII."""

    __slots__ = ("_chunks", "_extract", "patterns")

    def __init__(self, patterns: Sequence[str], *, fold: bool = False, rust: bool = RUST) -> None:
        """Compile the patterns; ``fold`` ignores case.

        Raises ``re.error`` on a pattern that cannot be compiled.
        """
        self.patterns = tuple(f"(?i){pattern}" if fold else pattern for pattern in patterns)
        self._extract = None
        self._chunks: tuple[tuple[int, re.Pattern[str], tuple[re.Pattern[str], ...]], ...] = ()
        if rust and UserAgentExtractor is not None:
            self._extract = UserAgentExtractor(
                (pattern, str(at), None, None, None, None) for at, pattern in enumerate(self.patterns)
            ).extract
            return
        flags = re.ASCII | (re.IGNORECASE if fold else re.NOFLAG)
        self._chunks = tuple(
            (
                at,
                re.compile("|".join(f"(?:{pattern})" for pattern in part), flags),
                tuple(re.compile(pattern, flags) for pattern in part),
            )
            for at in range(0, len(patterns), CHUNK)
            for part in [patterns[at : at + CHUNK]]
        )

    def first(self, text: str) -> int | None:
        """Index of the first pattern that matches."""
        if self._extract is not None:
            extracted = self._extract(text)
            return None if extracted is None else int(extracted.family)
        for at, together, alone in self._chunks:
            if together.search(text):
                return at + next(place for place, pattern in enumerate(alone) if pattern.search(text))
        return None
