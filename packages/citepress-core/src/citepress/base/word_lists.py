"""Lists of words that packages keep as data: ``word_lists.json`` at the top of each."""

from functools import cache
from importlib.resources import files

from citepress.base import fast_json

WORD_LISTS_FILE = "word_lists.json"


@cache
def _lists(package: str) -> dict[str, list[str]]:
    lists: dict[str, list[str]] = fast_json.loads(files(package).joinpath(WORD_LISTS_FILE).read_bytes())
    return lists


def word_list(package: str, name: str) -> tuple[str, ...]:
    """The words of a list of a package, in their order."""
    return tuple(_lists(package)[name])
