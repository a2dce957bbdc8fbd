"""Recognises a question in a language that the archive does not hold, by its script or its stop words."""

import re
from collections.abc import Sequence

from citepress.search.analyzer import chunks, is_stop, normal

_NAMES = """
cs=Czech da=Danish de=German es=Spanish fi=Finnish fr=French hu=Hungarian it=Italian nl=Dutch no=Norwegian pl=Polish
pt=Portuguese ro=Romanian ru=Russian sv=Swedish tr=Turkish uk=Ukrainian
"""
LANGUAGE_NAMES = dict(pair.split("=") for pair in _NAMES.split())
"""The languages that stop words tell apart."""
SCRIPTS = (
    ("ja", "Japanese", re.compile("[\u3040-\u30ff]")),
    ("zh", "Chinese", re.compile("[\u3400-\u4dbf\u4e00-\u9fff]")),
    ("ko", "Korean", re.compile("[\uac00-\ud7af]")),
    ("th", "Thai", re.compile("[\u0e00-\u0e7f]")),
    ("ar", "Arabic", re.compile("[\u0600-\u06ff]")),
    ("he", "Hebrew", re.compile("[\u0590-\u05ff]")),
    ("el", "Greek", re.compile("[\u0370-\u03ff]{2}")),
    ("hi", "Hindi", re.compile("[\u0900-\u097f]")),
)
"""Scripts that are written in one language, or by which it can be named."""
ANOTHER = "another language"
MIN_STOP_WORD_SHARE = 0.25
"""Share of the words that are stop words of the other language and of none of the archive's."""


def foreign_language(text: str, languages: Sequence[str]) -> str:
    """The name of the language of a text if it is none of ``languages``, or that it is another; empty if it may be."""
    for code, name, script in SCRIPTS:
        if code not in languages and script.search(text) and not (code == "zh" and "ja" in languages):
            return name
    words = [word.lower() for word in chunks(normal(text))]
    rest = [word for word in words if not any(is_stop(word, language) for language in languages)]
    counts = {code: sum(is_stop(word, code) for word in rest) for code in LANGUAGE_NAMES}
    best = max(counts, key=counts.__getitem__)
    if best in languages or not counts[best] or counts[best] < MIN_STOP_WORD_SHARE * len(words):
        return ""
    return LANGUAGE_NAMES[best] if list(counts.values()).count(counts[best]) == 1 else ANOTHER
