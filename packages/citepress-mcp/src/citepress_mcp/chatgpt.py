"""search and fetch: the two tools that ChatGPT's deep research and company knowledge accept, over those of the archive.

Both names, arguments and answers are fixed by that client, which refuses a server with any other tool.
"""

import re
from typing import Annotated

from pydantic import Field

from citepress.base.timestamps import rfc3339
from citepress.contract.document import Section
from citepress.contract.model import Model
from citepress.contract.operation import Operation, Tool
from citepress.operations import search_archive
from citepress.operations.context import OperationContext
from citepress_mcp.operations import get_record

MAX_RESULTS = 10
"""Results of a search, which has no further page."""
_FRONT_MATTER = re.compile(r"\A---\n.*?\n---\n+", re.DOTALL)


class ChatSearchAsk(Model):
    """A search."""

    query: Annotated[str, Field(min_length=1, max_length=500)]
    """Words; passages in quotes are preferred."""


class ChatResult(Model):
    """A record that matches."""

    id: str
    """What fetch takes."""
    title: str
    """Its headline."""
    url: str
    """The address to cite."""


class ChatSearchAnswer(Model):
    """Records that match, best first."""

    results: list[ChatResult]
    """At most ten."""


class FetchAsk(Model):
    """Which record."""

    id: Annotated[str, Field(min_length=3, max_length=2048)]
    """The id of a search result, or any URL of the record."""


class FetchedRecord(Model):
    """A record."""

    id: str
    """Stable identifier, ``<collection>/<slug>``."""
    title: str
    """Its headline."""
    text: str
    """The whole record as Markdown, with its sources."""
    url: str
    """The address to cite."""
    metadata: dict[str, str]
    """Its citation, kind, topics, revision and dates."""


def search(ask: ChatSearchAsk, context: OperationContext) -> ChatSearchAnswer:
    """Search the archive."""
    hits = search_archive.run(search_archive.SearchAsk(query=ask.query, limit=MAX_RESULTS), context).results
    return ChatSearchAnswer(results=[ChatResult(id=hit.id, title=hit.title, url=hit.url) for hit in hits])


def fetch(ask: FetchAsk, context: OperationContext) -> FetchedRecord:
    """Read a record. Raises ``Refusal``: not_found, gone."""
    record = get_record.run(get_record.RecordAsk(id=ask.id.partition("#")[0]), context)
    page = context.edition.find(f"/{record.id}.md")
    text = _FRONT_MATTER.sub("", bytes(page.leaf.body).decode(), count=1) if page else record.body_markdown
    metadata = {
        "citation": record.citation,
        "kind": record.kind,
        "published_at": rfc3339(record.published_at),
        "updated_at": rfc3339(record.updated_at),
        "revision": str(record.revision),
        "topics": ", ".join(record.topics),
    }
    return FetchedRecord(
        id=record.id, title=record.title, text=text, url=record.url, metadata={k: v for k, v in metadata.items() if v}
    )


TOOLS = (
    Operation(
        name="search",
        title="Search the archive",
        description=(
            "Search all records and datasets. Returns the id, title and URL of the best matches; read them with fetch."
        ),
        ask=ChatSearchAsk,
        answer=ChatSearchAnswer,
        run=search,
        beside=True,
        section=Section.MCP,
        tool=Tool(as_json=True),
        example={"query": "agent memory"},
    ),
    Operation(
        name="fetch",
        title="Read one record",
        description=(
            "Read a record by the id that search returned, or by its URL: the whole text as Markdown, with sources."
        ),
        ask=FetchAsk,
        answer=FetchedRecord,
        run=fetch,
        beside=True,
        section=Section.MCP,
        tool=Tool(as_json=True, cut="text"),
    ),
)
