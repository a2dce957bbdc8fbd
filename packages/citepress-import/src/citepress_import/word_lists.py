"""Words of other tools, by what they mean there: ``word_lists.json``."""

from functools import cache
from importlib.resources import files

from citepress.base import fast_json

WORD_LISTS_FILE = "word_lists.json"


@cache
def _lists() -> dict[str, list[str]]:
    lists: dict[str, list[str]] = fast_json.loads(files(__package__).joinpath(WORD_LISTS_FILE).read_bytes())
    return lists


def word_list(name: str) -> frozenset[str]:
    """The words of a list."""
    return frozenset(_lists()[name])
