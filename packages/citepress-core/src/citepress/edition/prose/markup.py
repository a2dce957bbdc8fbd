"""Text as HTML: escaped where it holds what HTML would read, and marked as HTML where it is."""

from collections.abc import Callable
from functools import partial
from html import escape

from markupsafe import Markup

as_markup: Callable[[str], Markup] = partial(str.__new__, Markup)
"""Text whose parts are escaped, as templates write it unchanged: ``Markup`` without its look at the type of the text,
which takes longer than the rest."""


def html_text(plain: str) -> str:
    """Text as HTML writes it, in elements and in attributes; most texts hold nothing to escape."""
    if "&" in plain or "<" in plain or ">" in plain or '"' in plain or "'" in plain:
        return escape(plain)
    return plain
