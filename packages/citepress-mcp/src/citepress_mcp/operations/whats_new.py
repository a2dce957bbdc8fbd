"""whats_new: records by their first publication."""

from datetime import UTC, datetime, timedelta
from typing import Annotated, Any

from pydantic import Field

from citepress.contract.model import Model, Moment
from citepress.contract.operation import Answer, Operation, Paged, Tool
from citepress.edition.lookup_shards import Row
from citepress.edition.private_index import PUBLISHED_ROLL
from citepress.operations.context import OperationContext
from citepress.operations.models import Date, Kinds, TopicSlug
from citepress.operations.records import span, unknown_topic

DAYS = timedelta(days=7)


class NewAsk(Paged):
    """Since when, and of what."""

    since: Date | None = None
    """First published on or after this date; default 7 days before as_of."""
    until: Date | None = None
    """And before this date."""
    kinds: Kinds = Field(default_factory=list)
    """Collections; all when empty."""
    topic: TopicSlug | None = None
    """Slug of a topic hub."""
    limit: Annotated[int, Field(ge=1, le=50)] = 10
    """Records of one answer."""


class NewRecord(Model):
    """A record that was published."""

    id: str
    """Stable identifier, ``<collection>/<slug>``."""
    kind: str
    """Its collection."""
    title: str
    """Its headline."""
    url: str
    """The address to cite."""
    summary: str
    """One or two sentences, at most 240 characters."""
    published_at: Moment
    """First publication."""
    topics: list[str]
    """Slugs of its topic hubs."""


class NewAnswer(Answer):
    """Records first published since a date."""

    since: Moment
    """The date."""
    total: int
    """Records in all."""
    items: list[NewRecord]
    """Newest first."""


def run(ask: NewAsk, context: OperationContext) -> NewAnswer:
    """List records by first publication (specification, "MCP endpoint")."""
    since = ask.since or context.as_of - DAYS
    total, rows = context.lookup.part(
        PUBLISHED_ROLL, span(since, ask.until), ask.kinds, ask.topic or "", ask.start, ask.limit
    )
    return NewAnswer(
        as_of=context.as_of,
        since=since,
        total=total,
        items=_items(context, rows),
        more=total > ask.start + len(rows),
        notes=unknown_topic(context, ask.topic or ""),
    )


def _items(context: OperationContext, rows: list[Row]) -> list[Any]:
    """The members of each ``NewRecord``; the roll holds its summaries as short as they are shown."""
    base = context.base_url
    return [
        {
            "id": id_,
            "kind": id_.partition("/")[0],
            "title": title,
            "url": f"{base}/{id_}/",
            "summary": summary,
            "published_at": datetime.fromtimestamp(seconds, UTC),
            "topics": topics,
        }
        for seconds, id_, title, summary, topics in rows
    ]


OPERATION = Operation(
    name="whats_new",
    title="New records",
    description=(
        "List records first published since a date, newest first, with one-line summaries. Without since: the last 7"
        " days of the archive. To poll, pass the as_of of the previous answer as since. For changes to existing records"
        " use what_changed."
    ),
    ask=NewAsk,
    answer=NewAnswer,
    run=run,
    tool=Tool(tokens=2000, cut="items"),
)
