"""What the rules of dates read of a record, and of the members that only some kinds have."""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol, runtime_checkable

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


# A rule of one kind reads members that only this kind has. Kinds are of a higher layer, so the members are named here.
@runtime_checkable
class HasOutcome(Protocol):
    """The front matter of a forecast, as far as a rule reads it."""

    status: str
    """Whether it has resolved, and how."""
    resolved_at: datetime | None
    """When it resolved."""
    retrospective: bool
    """Whether it was written when its outcome was known."""


@runtime_checkable
class ListsRecords(Protocol):
    """The front matter of a digest, as far as a rule reads it."""

    records: list[str]
    """Names of the records that it lists."""
