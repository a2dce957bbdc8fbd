"""search_archive: the records that match words and filters, each with the passage that matches best."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, ClassVar

from pydantic import Field

from citepress.base.text import bounded
from citepress.base.urls import UrlError, normalise
from citepress.contract.document import Section
from citepress.contract.model import Model, Moment
from citepress.contract.operation import Answer, Get, Operation, Paged, Tool
from citepress.operations.context import OperationContext
from citepress.operations.models import Date, SearchedKinds, TopicSlug
from citepress.operations.records import unknown_topic
from citepress.search.analyzer import QUERY_LENGTH
from citepress.search.foreign import foreign_language
from citepress.search.models import MatchCounts, Query

SEVERAL, MOSTLY = 2, 2 / 3
"""Unknown words, and their share of a question, from which it may be in a language that stop words do not tell."""
NEAR_REPEATS = 3
"""Records that nearly repeat a hit whose ids are given with it."""
CUT = f"The question is longer than {QUERY_LENGTH} characters; the rest of it was not read."
MAX_QUERY_CHARS = 2_000
"""Longer questions are refused; of accepted ones the first ``QUERY_LENGTH`` characters are read."""
SHOWN_LANGUAGES = 12
"""Languages of the records that a note names, the commonest first."""


class SearchAsk(Paged):
    """A search."""

    also_named: ClassVar[Mapping[str, str]] = {"q": "query"}
    """Other names of its parameters in an address."""

    query: Annotated[str, Field(min_length=1, max_length=MAX_QUERY_CHARS, pattern=r"\S")]
    """Words; passages in quotes are preferred."""
    kinds: SearchedKinds = Field(default_factory=list)
    """All when empty."""
    topic: TopicSlug | None = None
    """A topic slug."""
    origin: Annotated[str, Field(max_length=253)] | None = None
    """An origin id."""
    since: Date | None = None
    """Updated since."""
    year: Annotated[int, Field(ge=1, le=9999)] | None = None
    """Of publication."""
    limit: Annotated[int, Field(ge=1, le=20)] = 5
    """Hits of one answer."""


class SearchHit(Model):
    """A record that matches."""

    id: str
    """Stable identifier, ``<collection>/<slug>``: what it is, and its name there."""
    title: str
    """Its headline."""
    url: str
    """The address to cite."""
    snippet: str
    """The passage that matches best, at most 240 characters."""
    published_at: Moment
    """First publication."""
    observed_at: Moment | None = None
    """When what it reports was seen; only where its kind has such a date."""
    updated_at: Moment
    """Last change."""
    matched: list[str]
    """Words of the search that it holds."""
    near_repeats: list[str] | None = None
    """Ids of records that nearly repeat it and are not listed, which may say the opposite; the first three."""

    @property
    def kind(self) -> str:
        """Its collection, with which its id begins."""
        return self.id.partition("/")[0]


class SearchAnswer(Answer):
    """Records that match a search."""

    total: int
    """Records that match, near-duplicates counted."""
    results: list[SearchHit]
    """Best first, one of each group of near-duplicates."""
    unlisted: int = 0
    """Records that match but nearly repeat one of these results. Over all pages, results and these are the total."""
    suggestions: list[str] = Field(default_factory=list)
    """Suggested queries in words of the archive, when it lacks one of these."""
    unknown: list[str] = Field(default_factory=list)
    """Words of the query that no record holds."""


def run(ask: SearchAsk, context: OperationContext) -> SearchAnswer:
    """Search the index (specification, "MCP endpoint")."""
    matches = context.index.search(_query(ask))
    results = [
        SearchHit(
            id=hit.id,
            title=hit.title,
            url=context.url(hit.path),
            snippet=hit.snippet,
            published_at=hit.published_at,
            observed_at=hit.observed_at,
            updated_at=hit.updated_at,
            matched=list(hit.matched),
            near_repeats=list(hit.more_in_cluster[:NEAR_REPEATS]) or None,
        )
        for hit in matches.hits
    ]
    return SearchAnswer(
        as_of=context.as_of,
        total=matches.total,
        results=results,
        unlisted=matches.unlisted,
        suggestions=list(matches.suggestions),
        unknown=list(matches.unknown),
        more=matches.more,
        notes=(
            *([CUT] if len(ask.query) > QUERY_LENGTH else ()),
            *_unquoted(matches.unquoted, matches.parted),
            *_unknown_language(context, ask.query, matches.unknown),
            *unknown_topic(context, ask.topic or ""),
            *_unknown_origin(context, ask.origin or ""),
        ),
    )


def facets(ask: SearchAsk, context: OperationContext) -> MatchCounts:
    """How many records a search finds in each collection and each year."""
    return context.index.facets(_query(ask))


def _query(ask: SearchAsk) -> Query:
    return Query(
        ask.query,
        tuple(ask.kinds),
        ask.topic or "",
        ask.origin or "",
        ask.since,
        year=ask.year,
        limit=ask.limit,
        offset=ask.start,
    )


def _unquoted(unheld: Sequence[str], parted: Sequence[str]) -> Iterator[str]:
    """Notes on quoted passages that no record contains, and on those that no record contains together."""
    if unheld:
        yield f"No record has the passage {_listed(unheld)}; its words were searched."
    if parted:
        yield f"No record has all of {_listed(parted)}; those with one of them come first."


def _listed(passages: Sequence[str]) -> str:
    return ", ".join(f'"{bounded(passage, 60)}"' for passage in passages)


def _unknown_language(context: OperationContext, query: str, unknown: Sequence[str]) -> tuple[str, ...]:
    """A note where a question with unknown words is in a language that no record is written in, or may be."""
    if not unknown:
        return ()
    languages = context.index.stats.languages or context.index.languages
    further = ", ..." if len(languages) > SHOWN_LANGUAGES else ""
    records = f"the records are in: {', '.join(languages[:SHOWN_LANGUAGES])}{further}. Ask in one of these."
    if foreign := foreign_language(query, languages):
        return (f"The question seems to be in {foreign}; {records}",)
    if len(unknown) >= SEVERAL and len(unknown) >= MOSTLY * len(context.index.weigh(query).asked):
        return (f"No record has most of its words. If it is in another language: {records}",)
    return ()


def _unknown_origin(context: OperationContext, origin: str) -> tuple[str, ...]:
    """A note where the filter names no origin.

    Where it is a host, with the id of the origin that the host belongs to.
    """
    if not origin or context.lookup.origin(origin):
        return ()
    try:
        meant = context.lookup.origin_of(normalise(f"https://{origin}/"))
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
        "Search all records and datasets by words and filters. Returns ranked hits: id, title, URL, dates, best"
        " passage. Start here; then call get_record with a hit's id. Page with next_cursor, not limit."
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
        about=(
            "Search records and datasets by words and filters: the best match first, each with its passage; start"
            " passes over hits."
        ),
    ),
    tool=Tool(tokens=1500, cut="results"),
    example={"query": "agent memory", "limit": 3},
)
