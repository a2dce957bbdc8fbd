"""``citepress reading-list``."""

from pathlib import Path

from citepress.admin.content import read_content
from citepress.base import clock
from citepress.settings import from_environment
from citepress_reading_list.books import BookFields


def reading_list(folder: Path = Path(), /) -> None:
    """Print the books that are not read yet."""
    for draft in read_content(from_environment(folder), clock.now()).drafts:
        if isinstance(draft.fields, BookFields) and draft.fields.status != "read":
            print(draft.front.title)  # noqa: T201
