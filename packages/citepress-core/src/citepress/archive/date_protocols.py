"""What the rules of dates read of a record."""

from collections.abc import Sequence
from typing import Protocol

from citepress.archive.model import Edge
from citepress.content.source_record import SourceRecord
from citepress.history.dated_changes import RecordHistory


class HasHistory(Protocol):
    """The facts of one record that the rules need."""

    @property
    def history(self) -> RecordHistory:
        """Its publication and changes."""
        ...


class HasDates(Protocol):
    """A published record (``archive.resolve.Resolved``)."""

    @property
    def draft(self) -> SourceRecord:
        """As its author wrote it."""
        ...

    @property
    def own(self) -> HasHistory:
        """Its own facts."""
        ...

    @property
    def edges(self) -> Sequence[Edge]:
        """Its links to other records."""
        ...
