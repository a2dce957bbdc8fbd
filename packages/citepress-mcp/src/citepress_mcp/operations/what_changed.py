"""what_changed: changes to records that were published before, of all or of one."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any

from pydantic import Field

from citepress.contract.model import Model, Moment
from citepress.contract.operation import Answer, Operation, Paged, Refusal, Tool
from citepress.edition.lookup_shards import Row
from citepress.edition.private_index import CHANGE_ROLL
from citepress.kinds import ALL as KINDS
from citepress.operations.context import OperationContext
from citepress.operations.models import Choice, Date, Kinds, TopicSlug
from citepress.operations.records import look_up, span, unknown_topic

DAYS = timedelta(days=30)
EVER = datetime(1, 1, 1, tzinfo=UTC)
ChangeName = Annotated[str, Choice("updated", "corrected", "revised", "resolved", "moved", "withdrawn")]


class ChangesAsk(Paged):
    """Since when, and of what."""

    since: Date | None = None
    """Changed on or after this date; default 30 days before as_of, none with id."""
    until: Date | None = None
    """And before this date."""
    id: Annotated[str, Field(max_length=300)] | None = None
    """One record, as <collection>/<slug>."""
    kinds: Kinds = Field(default_factory=list)
    """Collections; all when empty."""
    topic: TopicSlug | None = None
    """Slug of a topic hub."""
    limit: Annotated[int, Field(ge=1, le=50)] = 10
    """Changes of one answer."""


class RecordChange(Model):
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
    change_id: str
    """Its name among the changes of the record, as in the record's own ``updates``; it never moves."""
    changed_at: Moment
    """When."""
    note: str | None = None
    """What changed; omitted if the publisher gives no note."""
    credit: str | None = None
    """Who is credited for it."""
    revision: int | None = None
    """The revision that the change made; given with the history of one record whose revisions are its changes."""


class ChangesAnswer(Answer):
    """Changes to existing records."""

    since: Moment | None = None
    """The date; omitted when the whole history of a record was requested."""
    total: int
    """Changes in all."""
    changes: list[RecordChange]
    """Newest first."""


def run(ask: ChangesAsk, context: OperationContext) -> ChangesAnswer:
    """List changes (specification, "MCP endpoint"). Raises ``Refusal``: not_found."""
    if ask.id:
        return _history(ask, ask.id, context)
    since = ask.since or context.as_of - DAYS
    total, rows = context.lookup.part(
        CHANGE_ROLL, span(since, ask.until), ask.kinds, ask.topic or "", ask.start, ask.limit
    )
    changes = _changes(context, rows, [None] * len(rows))
    return ChangesAnswer(
        as_of=context.as_of,
        since=since,
        total=total,
        changes=changes,
        more=total > ask.start + len(rows),
        notes=unknown_topic(context, ask.topic or ""),
    )


def _history(ask: ChangesAsk, name: str, context: OperationContext) -> ChangesAnswer:
    """The changes of one record, which may have been withdrawn."""
    notes: tuple[str, ...] = ()
    newest = 0
    try:
        lookup = look_up(context, name, datasets=True)
        id_, newest, notes = str(lookup.record["id"]), int(lookup.record["revision"]), lookup.notes
    except Refusal as refusal:
        id_ = name.strip("/")
        if refusal.code != "gone" or not context.lookup.history(id_):
            raise
    rows = context.lookup.history(id_)
    numbers = range(newest, 0, -1) if newest == len(rows) + 1 else [None] * len(rows)
    since, until = span(ask.since or EVER, ask.until)
    within = [(row, number) for row, number in zip(rows, numbers, strict=False) if since <= row[0] < until]
    shown = within[ask.start : ask.start + ask.limit]
    changes = _changes(context, [row for row, _ in shown], [number for _, number in shown])
    return ChangesAnswer(
        as_of=context.as_of,
        since=ask.since,
        total=len(within),
        changes=changes,
        more=len(within) > ask.start + len(shown),
        notes=notes,
    )


def _changes(context: OperationContext, rows: Sequence[Row], revisions: Sequence[int | None]) -> list[Any]:
    """The members of each ``RecordChange``."""
    base = context.base_url
    return [
        {
            "id": id_,
            "kind": id_.partition("/")[0],
            "title": title,
            "url": f"{base}/{id_}/",
            "change": change,
            "change_id": name,
            "changed_at": datetime.fromtimestamp(seconds, UTC),
            "note": note or None,
            "credit": credit,
            "revision": revision,
        }
        for (seconds, id_, title, change, note, credit, name, _), revision in zip(rows, revisions, strict=True)
    ]


RESOLVING = "".join(
    f"confidence revisions, resolved {kind.noun()}, " for kind in KINDS if hasattr(kind.fields, "resolution")
)
OPERATION = Operation(
    name="what_changed",
    title="Changes to records",
    description=(
        "List changes to existing records since a date, newest first: updates, corrections,"
        f" {RESOLVING}moves, withdrawals, each with its note. Pass id for the history of one record. Default:"
        " the last 30 days of the archive."
    ),
    ask=ChangesAsk,
    answer=ChangesAnswer,
    run=run,
    tool=Tool(tokens=2000, cut="changes"),
)
