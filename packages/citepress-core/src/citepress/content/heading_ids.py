"""The id that an author gives a heading: ``## Words {#id}``."""

import re

_ID = re.compile(r"\s*\{#([A-Za-z][A-Za-z0-9_:.-]{0,95})\}\s*$")


def without_id(words: str) -> tuple[str, str]:
    """The words of a heading, and the id that is written after them; empty where there is none."""
    match = _ID.search(words) if words.rstrip().endswith("}") else None
    return (words[: match.start()], match[1]) if match else (words, "")
