"""A revision in the list of its record, and the links that lead to it in time (RFC 7089)."""

import re
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import NamedTuple

from citepress.base.ids import twin
from citepress.base.media import LINK_FORMAT
from citepress.base.timestamps import http_date

TIMEGATE = 'rel="original timegate"'
"""How the link to a page ends that answers by ``Accept-Datetime``."""

_COMPARISON = re.compile(r"/@([0-9]{1,7})\.\.([0-9]{1,7})(?:/|\.[a-z]{2,4})?")


class ListedRevision(NamedTuple):
    """A revision in the list of its record."""

    number: int
    seconds: int
    """Unix seconds since when it was published."""
    title: str
    notes: list[str]
    credits: list[str]
    digest: str
    """SHA-256 of what it said, as documents write it."""

    @property
    def moment(self) -> datetime:
        """Since when it was published."""
        return datetime.fromtimestamp(self.seconds, UTC)


def timegate_links(page: str, url: Callable[[str], str]) -> Iterator[str]:
    """What every answer about a record or one of its revisions says (RFC 7089 section 2.2)."""
    yield f"<{url(page)}>; {TIMEGATE}"
    yield f'<{url(timemap_path(page))}>; rel="timemap"; type="{LINK_FORMAT.type}"'


def timemap_path(page: str) -> str:
    """The path of the TimeMap of a record."""
    return twin(f"{page}history/", ".link")


def memento_link(url: str, row: ListedRevision, relation: str = "memento") -> str:
    """A revision and since when it was published."""
    return f'<{url}>; rel="{relation}"; datetime="{http_date(row.moment)}"'


def order_note(path: str) -> str:
    """What a path says that compares revisions in an order in which none are compared; empty for any other path."""
    numbers = _COMPARISON.search(path)
    if numbers is None or int(numbers[1]) < int(numbers[2]):
        return ""
    return " Two different revisions are compared, and the lower number comes first."
