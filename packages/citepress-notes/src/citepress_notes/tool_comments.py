"""Words of a note that its author hid: comments of Markdown and of the tools that it may be written for."""

from citepress.content.hidden_text import HiddenRange, ranges_of, without_code, without_ranges
from citepress_notes.privacy_rules import TEXT_RULES

_SIGNS = ("<!--", "%%", "comment", "/*", "{#", "[//", "COMMENT", "template::")
"""What a text holds that has any comment: the others are not parsed."""


def hidden_ranges(text: str) -> tuple[HiddenRange, ...]:
    """The hidden parts of a text, in order; what is shown as code is no comment."""
    return ranges_of(without_code(text), TEXT_RULES) if any(sign in text for sign in _SIGNS) else ()


def without_hidden(text: str) -> str:
    """The text without its hidden parts."""
    return without_ranges(text, hidden_ranges(text))
