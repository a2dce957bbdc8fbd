"""The language of a note of a plain folder: what its path says, then the settings, then the words of its text."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from citepress.content.path_language import tags_in
from citepress.content.text_language import guess_language
from citepress_notes.lenient_values import items, lowered, table, words

_WORDS = frozenset("am as cs id is it la ml my no or pa ps sc si so st to ti ch ne of".split())  # noqa: SIM905
"""Codes that are words, or endings of code, as often as languages: the text has to agree."""


def note_language(path: str, text: str, spoken: str) -> str:
    """The tag of a note without a language of its own; empty where nothing tells.

    The suffix of its name (``name.de.md``) or a folder (``de/name.md``) counts unless the text is plainly in another
    language; ``spoken``, which settings say, counts before the text alone.
    """
    guess = guess_language(text)
    for tag in tags_in(path):
        base = tag.partition("-")[0].lower()
        if guess == base or (not guess and base not in _WORDS):
            return tag
    return spoken or guess


def most_frequent(languages: Iterable[str]) -> str:
    """The language that more than half of the texts have that tell theirs; empty where none is."""
    counts = Counter(filter(None, languages))
    language, count = max(counts.items(), key=lambda row: (row[1], row[0]), default=("", 0))
    return language if count * 2 > counts.total() else ""


def settings_language(tool: str, settings: Mapping[str, Any]) -> str:
    """The language that the settings of a tool give its site."""
    members = lowered(settings)
    theme = table(members.get("theme"))
    keys = ("languagecode", "defaultcontentlanguage", "default_language", "default_lang", "lang", "locale", "language")
    first = (next(iter(items(members.get(key))), "") for key in keys)  # of Hexo, the first of a list
    given = next((text for value in first if (text := words(value, 35))), "")
    if tool == "mkdocs":
        given = words(theme.get("language") or theme.get("locale"), 35)
    tag = given.partition(".")[0].replace("_", "-")
    return tag if re.fullmatch(r"[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*", tag) else ""
