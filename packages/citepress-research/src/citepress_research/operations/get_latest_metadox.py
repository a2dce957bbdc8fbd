"""get_latest_metadox: the newest dated digest of what changed in the archive."""

from collections.abc import Sequence
from typing import Annotated, Any

from pydantic import Field

from citepress.contract.model import Model, Moment
from citepress.contract.operation import Answer, Operation, Refusal, Tool
from citepress.operations import sections as parts
from citepress.operations.context import OperationContext
from citepress.operations.models import RecordHit, RecordSection
from citepress.operations.records import RecordJson, hits, record, short
from citepress_research.kinds.metadox import KIND


class MetadoxAsk(Model):
    """Which parts of the digest."""

    sections: Annotated[list[Annotated[str, Field(max_length=120)]], Field(max_length=20)] = Field(default_factory=list)
    """Ids of sections of the body; all of it when empty."""


class MetadoxPeriod(Model):
    """The days that a digest covers."""

    start: Moment
    """First day."""
    end: Moment
    """Last day."""


class MetadoxAnswer(Answer):
    """The newest digest."""

    citation: str
    """A line ready to print: authors, date of publication, title, revision, publication, address."""
    id: str
    """Stable identifier, ``<collection>/<slug>``."""
    title: str
    """Its headline."""
    url: str
    """The address to cite."""
    summary: str
    """One or two sentences."""
    period: MetadoxPeriod
    """The days that it covers."""
    published_at: Moment
    """First publication."""
    sections: list[RecordSection]
    """Sections of the body that can be requested by id."""
    paragraphs: list[str] | None = None
    """Ids of the paragraphs of the requested sections, or of a body without any, which ``sections`` takes too; the
    first twenty. Absent where a whole body with sections is returned."""
    records: list[RecordHit]
    """Records that it covers; the first five."""
    body_markdown: str
    """The text, as Markdown."""


def run(ask: MetadoxAsk, context: OperationContext) -> MetadoxAnswer:
    """Read the newest digest (specification, "MCP endpoint"). Raises ``Refusal``: not_found (none yet, section)."""
    index = context.document(f"/{KIND.name}.json")
    newest = _newest(index["items"]) if index else None
    record_json = record(context, newest["id"]) if newest else None
    if record_json is None:
        raise Refusal("not_found", "There is no metadox yet; whats_new and what_changed list what happened.")
    chosen = parts.chosen(record_json, ask.sections)
    shown: Any
    shown, notes = hits(context, record_json["records"], "records")
    members = {name: value for name, value in short(context, record_json).items() if name != "kind"}
    return MetadoxAnswer(
        as_of=context.as_of,
        citation=context.citation(record_json),
        **members,
        period=record_json["period"],
        published_at=record_json["published_at"],
        sections=chosen.sections,
        paragraphs=chosen.paragraphs,
        records=shown,
        body_markdown=chosen.body,
        notes=notes,
    )


def _newest(items: Sequence[RecordJson]) -> RecordJson | None:
    """The digest whose period ends last."""
    ends = [(item["period"]["end"], item["published_at"], place) for place, item in enumerate(items)]
    return items[max(ends)[2]] if ends else None


OPERATION = Operation(
    name="get_latest_metadox",
    title="Latest digest of the archive",
    description=(
        "Read the newest metadox: the dated editorial digest of what changed in the archive over a period, with links"
        " to the records. Use it for an overview; use whats_new and what_changed for complete lists."
    ),
    ask=MetadoxAsk,
    answer=MetadoxAnswer,
    run=run,
    tool=Tool(tokens=3000, cut="body_markdown", link=True),
    before="get_topic_brief",
)
