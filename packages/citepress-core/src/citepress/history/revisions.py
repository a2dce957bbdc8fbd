"""The revisions of a record that are published: their numbers, and since when each was published."""

from collections.abc import Callable
from dataclasses import field
from datetime import datetime

from citepress.base.values import value_type


@value_type
class PublishedRevision:
    """A revision that can be read again."""

    number: int
    moment: datetime
    """Since when it was published."""
    title: str
    notes: tuple[str, ...]
    """What its author says of the change that made it."""
    credits: tuple[str, ...]
    """Who is credited for that."""
    digest: str
    """SHA-256 of its document, as documents write it."""
    document: Callable[[], bytes] = field(compare=False)
    """Reads what it said, as JSON. Raises ``LookupError`` where that cannot be had any more."""


@value_type
class RecordRevisions:
    """The revisions of one record that readers may see."""

    number: int
    """The number of the record as it is now."""
    published: tuple[PublishedRevision, ...] = ()
    """Oldest first. Numbers are missing where nothing was published, and at first where nothing was kept yet."""

    @property
    def current(self) -> PublishedRevision | None:
        """The record as it is now, where that is kept."""
        return self.published[-1] if self.published and self.published[-1].number == self.number else None

    @property
    def predecessor(self) -> int:
        """The number of the newest revision before the present one; 0 where there is none."""
        return max((revision.number for revision in self.published if revision.number < self.number), default=0)
