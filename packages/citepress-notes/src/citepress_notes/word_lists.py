"""Words of other tools, by what they mean there: ``word_lists.json``."""

from citepress.base import word_lists


def word_list(name: str) -> frozenset[str]:
    """The words of a list."""
    return frozenset(word_lists.word_list("citepress_notes", name))
