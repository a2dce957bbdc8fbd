"""what_changed: changes to records that were published before, of all or of one."""

from datetime import UTC, datetime, timedelta
from typing import Annotated

from pydantic import Field

from citepress.contract.document import Section
from citepress.contract.operation import Answer, Operation, Paged, Refusal, Tool
from citepress.contract.shape import Moment, Shape
from citepress.edition.lookup import CHANGES, Row
from citepress.operations.records import found, moment, short
from citepress.operations.shapes import Choice, Date, Kinds
from citepress.operations.world import World

DAYS = timedelta(days=30)
EVER = datetime(1, 1, 1, tzinfo=UTC)
ChangeName = Annotated[str, Choice("updated", "corrected", "revised", "resolved", "moved", "withdrawn")]


class ChangesAsk(Paged):
    """Since when, and of what."""

    since: Date | None = None
    """Changed on or after this date; 30 days before as_of when left out, from the beginning with an id."""
    id: Annotated[str, Field(max_length=300)] | None = None
    """One record, as <collection>/<slug>."""
    kinds: Kinds = Field(default_factory=list)
    """Collections; all when empty."""
    limit: Annotated[int, Field(ge=1, le=50)] = 10
    """Changes of one answer."""


class RecordChange(Shape):
    """A change to a record."""

    id: str
    """Stable identifier, ``<collection>/<slug>``."""
    kind: str
    """Its collection."""
    title: str
    """Its headline."""
    url: str
    """The address to cite."""
    change: ChangeName
    """What sort of change."""
    changed_at: Moment
    """When."""
    note: str | None = None
    """What changed."""
    credit: str | None = None
    """Who is to thank for it."""
    revision: int | None = None
    """The revision that the change made; given with the history of one record whose revisions are its changes."""


class ChangesAnswer(Answer):
    """Changes to existing records."""

    since: Moment | None = None
    """The date; left out where the whole history of a record was asked for."""
    total: int
    """Changes in all."""
    changes: list[RecordChange]
    """Newest first."""


def run(ask: ChangesAsk, world: World) -> ChangesAnswer:
    """List changes (specification, "MCP endpoint"). Raises ``Refusal``: not_found."""
    if ask.id:
        return _history(ask, ask.id, world)
    since = ask.since or world.as_of - DAYS
    total, rows = world.lookup.part(CHANGES, int(since.timestamp()), ask.kinds, "", ask.start, ask.limit)
    changes = [_change(world, row) for row in rows]
    return ChangesAnswer(as_of=world.as_of, since=since, total=total, changes=changes, more=total > ask.start + len(rows))


def _history(ask: ChangesAsk, name: str, world: World) -> ChangesAnswer:
    """The changes of one record, which may have been withdrawn."""
    notes: tuple[str, ...] = ()
    newest = 0
    try:
        one = found(world, name)
        id_, newest, notes = str(one.record["id"]), int(one.record["revision"]), one.notes
    except Refusal as refusal:
        id_ = name.strip("/")
        if refusal.code != "gone" or not world.lookup.history(id_):
            raise
    rows = world.lookup.history(id_)
    numbers = range(newest, 0, -1) if newest == len(rows) + 1 else [None] * len(rows)
    since = int((ask.since or EVER).timestamp())
    changes = [_change(world, row, number) for row, number in zip(rows, numbers, strict=False) if row[0] >= since]
    shown = changes[ask.start : ask.start + ask.limit]
    return ChangesAnswer(
        as_of=world.as_of, since=ask.since, total=len(changes), changes=shown, more=len(changes) > ask.start + len(shown), notes=notes
    )


def _change(world: World, row: Row, revision: int | None = None) -> RecordChange:
    seconds, id_, title, change, note, credit = row
    told = short(world, {"id": id_, "title": title}, summary=False)
    return RecordChange(**told, change=change, changed_at=moment(seconds), note=note or None, credit=credit, revision=revision)


OPERATION = Operation(
    name="what_changed",
    title="Changes to records",
    description=(
        "List changes to existing records since a date, newest first: updates, corrections, confidence revisions, resolved forecasts, moves, "
        "withdrawals, each with its note. Pass id for the history of one record. Default: the last 30 days of the archive."
    ),
    ask=ChangesAsk,
    answer=ChangesAnswer,
    run=run,
    section=Section.MCP,
    tool=Tool(tokens=2000, cut="changes"),
)
