"""The language of a text by its script and its most frequent words: bounded, without a model, the same every time."""
# ruff: noqa: RUF001  (letters of many scripts)

import re
from bisect import bisect_right
from collections import Counter

from citepress.base.languages import is_in
from citepress.base.word_lists import word_list

MAX_SAMPLE_CHARS = 3_000
MIN_WORDS = 12
"""Words below which those of a text say nothing of its language."""
MIN_SHARE, MIN_LEAD = 0.12, 1.25
"""What part of a text the frequent words of its language are, and how often they are those of the next language."""
MIN_SCRIPT_SHARE = 0.3
"""What part of a text a script has whose language the text is in: names and code in Latin letters are in every one."""
_NO_PROSE = re.compile(r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)|`[^`\n]*`|\]\([^()\n]*\)|https?://\S+|<[^<>]*>", re.DOTALL)
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
_ASCII_WORD = re.compile(r"[a-z]+(?:'[a-z]+)?")
"""The same in small letters of ASCII, found in half the time."""
_RANGES = tuple(
    (int(first, 16), int(last, 16), name)
    for first, last, name in map(str.split, word_list("citepress", "scripts by first and last letter"))
)
"""First and last letter of a script, and the one language that is written in it, or the script (Unicode blocks)."""
_STARTS = [first for first, _, _ in _RANGES]
_WEIGHTS = {"Hani": 3, "ja": 2, "ko": 2}
"""One character of these says as much as so many letters."""
FREQUENT = {
    row.partition(" ")[0]: row.partition(" ")[2] for row in word_list("citepress", "frequent words by language")
}
"""The most frequent words of each language."""
_LANGUAGES: dict[str, list[str]] = {}
for _language, _words in FREQUENT.items():
    for _word in _words.split():
        _LANGUAGES.setdefault(_word, []).append(_language)
_IN_SCRIPT = {
    "Cyrl": (("uk", "їєґ"), ("sr", "јљњћђ"), ("be", "ў"), ("mk", "ѓќѕ"), ("ru", "ыэё")),
    "Arab": (("ur", "ٹڈڑں"), ("fa", "پچژگ")),
}
"""Letters that one language of a script has alone."""
OTHER_SCRIPTS = chr(_STARTS[0])
"""Letters from here on are none of Latin."""
LATIN_DEFAULT = "en"
"""What a text is taken for whose few words are Latin in a publication in another script."""
OTHER_SCRIPT = {
    "zh",
    *(name for _, _, name in _RANGES if name.islower()),
    *(language for language, frequent in FREQUENT.items() if frequent[0] >= OTHER_SCRIPTS),
} - {"sr"}
"""Languages that are never written in Latin letters."""
_DEFAULTS = {"Hani": "zh", "Cyrl": "ru", "Arab": "ar", "Deva": "hi"}


def guess_language(text: str) -> str:
    """The language of a text as its tag; empty where its script and words do not tell."""
    sample = _NO_PROSE.sub(" ", text[:MAX_SAMPLE_CHARS])
    script = "" if sample.isascii() else _script(sample)
    if script and script not in _DEFAULTS:
        return script
    if script == "Hani":
        return _DEFAULTS[script]
    by_words = _by_words(sample.lower())
    if not script:
        return by_words
    if by_words and _script(FREQUENT[by_words]) == script:
        return by_words
    counts = Counter(sample.lower())
    own = ((sum(counts[char] for char in letters), language) for language, letters in _IN_SCRIPT.get(script, ()))
    most, language = max(own, default=(0, ""))
    return language if most else _DEFAULTS[script]


def _script(sample: str) -> str:
    """The script of a text, or the language that is the only one in it; empty for Latin letters."""
    weights: Counter[str] = Counter()
    for char, count in Counter(sample).items():
        if not char.isalpha():
            continue
        code = ord(char)
        place = bisect_right(_STARTS, code) - 1
        name = _RANGES[place][2] if place >= 0 and code <= _RANGES[place][1] else ""
        weights[name] += count * _WEIGHTS.get(name, 1)
    total = weights.total()
    if weights["ja"] and weights["ja"] * 10 > weights["Hani"]:
        weights["ja"] += weights.pop("Hani", 0)
    others = [(weight, name) for name, weight in weights.items() if name]
    weight, name = max(others, default=(0, ""))
    return name if total and weight >= total * MIN_SCRIPT_SHARE else ""


def _by_words(sample: str) -> str:
    words = (_ASCII_WORD if sample.isascii() else _WORD).findall(sample)
    total = len(words)
    if total < MIN_WORDS:
        return ""
    # Every record of an archive comes here: a loop without calls takes a tenth of what counters take.
    scores = dict.fromkeys(FREQUENT, 0)
    for word in words:
        if word in _LANGUAGES:
            for language in _LANGUAGES[word]:
                scores[language] += 1
    first, best, second = "", 0, 0
    for language in FREQUENT:
        if scores[language] > best:
            first, best, second = language, scores[language], best
        elif scores[language] > second:
            second = scores[language]
    return first if best >= total * MIN_SHARE and best >= second * MIN_LEAD else ""


def _is_latin(text: str) -> bool:
    """Whether a text has letters, all of them Latin."""
    letters = [char for char in text[:MAX_SAMPLE_CHARS] if char.isalpha()]
    return bool(letters) and max(letters) < OTHER_SCRIPTS


def language_beside(text: str, usual: str) -> str:
    """The language of a text that says none in a publication in the ``usual`` one, which it has unless it tells.

    A language that no words tell apart looks like its neighbours: only another script says that a text is not in it.
    """
    guess = guess_language(text)
    # Most records come here with a language of Latin letters, for which nothing is called.
    if not guess and usual[:2] in OTHER_SCRIPT and usual[2:3] in {"", "-"} and _is_latin(text):
        return LATIN_DEFAULT
    if not guess or guess == usual or is_in(usual, guess):
        return usual
    told_apart = usual.partition("-")[0].lower() in FREQUENT
    return guess if told_apart or _script(FREQUENT.get(guess, "")) or guess not in FREQUENT else usual
