"""search_archive: the records that match words and filters, each with the passage that matches best."""

from typing import Annotated

from pydantic import Field

from citepress.base.text import bounded
from citepress.base.urls import UrlError, normalise
from citepress.contract.document import Section
from citepress.contract.model import Model, Moment
from citepress.contract.operation import Answer, Get, Operation, Paged, Tool
from citepress.operations.context import OperationContext
from citepress.operations.models import Date, Kinds, TopicSlug
from citepress.operations.records import unknown_topic
from citepress.search import Query


class SearchAsk(Paged):
    """A search."""

    query: Annotated[str, Field(min_length=1, max_length=500)]
    """Words; passages in double quotes count more."""
    kinds: Kinds = Field(default_factory=list)
    """Collections to search; all when empty."""
    topic: TopicSlug | None = None
    """Slug of a topic hub."""
    origin: Annotated[str, Field(max_length=253)] | None = None
    """Id of a source origin."""
    since: Date | None = None
    """Updated on or after this date."""
    limit: Annotated[int, Field(ge=1, le=20)] = 5
    """Hits of one answer."""


class SearchHit(Model):
    """A record that matches."""

    id: str
    """Stable identifier, ``<collection>/<slug>``."""
    kind: str
    """Its collection."""
    title: str
    """Its headline."""
    url: str
    """The address to cite."""
    snippet: str
    """The passage that matches best, at most 240 characters."""
    updated_at: Moment
    """Last change."""
    topics: list[str]
    """Slugs of its topic hubs."""


class SearchAnswer(Answer):
    """Records that match a search."""

    total: int
    """Records that match, near-duplicates counted."""
    results: list[SearchHit]
    """Best first, one of each group of near-duplicates."""
    suggestions: list[str] = Field(default_factory=list)
    """Searches in words that the archive knows, when nothing matches."""


def run(ask: SearchAsk, world: OperationContext) -> SearchAnswer:
    """Search the index (specification, "MCP endpoint")."""
    query = Query(ask.query, tuple(ask.kinds), ask.topic or "", ask.origin or "", ask.since, limit=ask.limit, offset=ask.start)
    found = world.index.search(query)
    results = [
        SearchHit(
            id=hit.id, kind=hit.kind, title=hit.title, url=world.url(hit.path), snippet=hit.snippet, updated_at=hit.updated_at,
            topics=list(hit.topics),
        )
        for hit in found.hits
    ]  # fmt: skip
    return SearchAnswer(
        as_of=world.as_of, total=found.total, results=results, suggestions=list(found.suggestions), more=found.more,
        notes=(*unknown_topic(world, ask.topic or ""), *_unknown_origin(world, ask.origin or "")),
    )  # fmt: skip


def _unknown_origin(world: OperationContext, origin: str) -> tuple[str, ...]:
    """A note where the filter names no origin; where it is a host, with the id of the origin that the host belongs to."""
    if not origin or world.lookup.origin(origin):
        return ()
    try:
        meant = world.lookup.origin_of(normalise(f"https://{origin}/"))
    except UrlError:
        meant = ""
    shown = bounded(origin, 60)
    return (
        f'There is no origin "{shown}"; '
        + (f'pages there belong to "{meant}".' if meant else "contextualize_url names the origin of a page."),
    )


OPERATION = Operation(
    name="search_archive",
    title="Search the archive",
    description=(
        "Search every published record by words and filters. Returns ranked hits with id, title, URL, date and the best matching passage. "
        "Start here; then call get_record with a hit's id. Five short hits by default; page with next_cursor instead of raising limit."
    ),
    ask=SearchAsk,
    answer=SearchAnswer,
    run=run,
    beside=True,
    section=Section.EXTRAS,
    rest=Get(
        "/search.json",
        page="/search/",
        promised=False,
        about="Search every published record by words and filters: the best match first, each with its passage; start passes over hits.",
    ),
    tool=Tool(tokens=1500, cut="results"),
    example={"query": "agent memory", "limit": 3},
)
