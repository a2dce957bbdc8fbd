"""Small helpers on words: the nearest known name, a bounded line, a list in a sentence."""

import re
from collections.abc import Iterable, Sequence
from difflib import get_close_matches

_EMPHASIS = re.compile(r"(`[^`]*`)|(?<![\w*])(\*{1,3})(?=[^\s*])([^*]*[^\s*])\2(?![\w*])")
"""Code, or words between the marks of emphasis in Markdown."""
_ENDS = re.compile(r"[.!?…:][\"'\u201d\u2019\u00bb)\]]*$")


def nearest(word: str, candidates: Iterable[str], count: int = 3) -> tuple[str, ...]:
    """Up to ``count`` known names close to a misspelt one, best first."""
    return tuple(get_close_matches(word, list(candidates), count, 0.6))


def without_emphasis(text: str) -> str:
    """A short text as it is read: what authors write as Markdown elsewhere they also write here."""
    return _EMPHASIS.sub(r"\1\3", text) if "*" in text else text


def did_you_mean(word: str, candidates: Iterable[str]) -> str:
    """`` did you mean "x"?`` or nothing."""
    closest = nearest(word, candidates, 1)
    return f'did you mean "{closest[0]}"?' if closest else ""


def bounded(text: str, limit: int) -> str:
    """The text on one line, cut at a word with an ellipsis when longer than ``limit`` characters."""
    line = " ".join(text.split())
    if len(line) <= limit:
        return line
    return line[: limit - 1].rsplit(" ", 1)[0].rstrip(",;:.") + "…"


def sentence(text: str) -> str:
    """The text with a full stop, unless it ends as a sentence does already."""
    text = text.rstrip()
    return text if not text or _ENDS.search(text) else f"{text}."


def counted(count: int, word: str) -> str:
    """``1 record``, ``1,200 records`` or ``2 addresses``."""
    ending = "" if count == 1 else "es" if word.endswith("s") else "s"
    return f"{count:,} {word}{ending}"


def sentence_list(words: Sequence[str], last: str = "and") -> str:
    """``a, b and c``."""
    if len(words) < 2:  # noqa: PLR2004
        return "".join(words)
    return f"{', '.join(words[:-1])} {last} {words[-1]}"
