"""get_record: one record whole, its body by sections, by id or by any of its addresses."""

from operator import itemgetter
from typing import Annotated, Any

import orjson
from pydantic import Field

from citepress.base.text import bounded
from citepress.contract.model import Model, Moment
from citepress.contract.operation import Answer, Operation, Tool
from citepress.operations import sections as parts
from citepress.operations.context import OperationContext
from citepress.operations.models import RecordSection
from citepress.operations.records import SECONDARY, SHARED, RecordJson, fragment, left_out, look_up, short

MAX_SOURCES = 20
"""Evidence in the kind's own members names sources by their ids, so few may be missing."""
MAX_FIELD_BYTES = 8000
"""Bytes that the kind's own members may take; longer lists among them are cut, and long texts after that."""
CUTS = (50, 20, 10, SECONDARY)
FIELD_TEXT = 400


class RecordAsk(Model):
    """Which record, and which parts of it."""

    id: Annotated[str, Field(min_length=3, max_length=2048)]
    """<collection>/<slug>, or any URL of the record."""
    sections: Annotated[list[Annotated[str, Field(max_length=120)]], Field(max_length=20)] = Field(default_factory=list)
    """Ids of sections of the body; all of it when empty."""


class RecordSource(Model):
    """A source of the record."""

    id: str
    """What ``source_refs`` among the kind's own members call it."""
    url: str
    """The address as its author wrote it: the one to open."""
    title: str
    """Its title, or its host."""
    origin: str
    """Id of its origin."""
    role: str
    """primary or secondary."""
    accessed_at: Moment | None = None
    """When it was read for this record."""
    status: str = "never_checked"
    """unchanged, changed, gone, blocked, unreachable or never_checked: what the last check of it found."""


CITED = tuple(RecordSource.model_fields)
cited = itemgetter(*CITED)


class RecordAnswer(Answer):
    """A record."""

    citation: str
    """A line ready to print: authors, date of publication, title, revision, publication, address."""
    id: str
    """Stable identifier, ``<collection>/<slug>``."""
    kind: str
    """Its collection."""
    title: str
    """Its headline."""
    url: str
    """The address to cite."""
    summary: str | None = None
    """One or two sentences."""
    updated_at: Moment
    """Last change."""
    published_at: Moment
    """First publication."""
    revision: int
    """Revision number, counted from 1."""
    topics: list[str]
    """Slugs of its topic hubs."""
    fields: dict[str, Any]
    """The members that its kind adds."""
    sections: list[RecordSection]
    """Sections of the body that can be requested by id."""
    paragraphs: list[str] | None = None
    """Ids of the paragraphs of the requested sections, or of a body without any, which ``sections`` takes too; the
    first twenty. Absent where a whole body with sections is returned."""
    sources: list[RecordSource]
    """Sources of the record; the first twenty."""
    related: list[str]
    """Ids of related records; the first five."""
    body_markdown: str
    """The text, as Markdown."""


def run(ask: RecordAsk, context: OperationContext) -> RecordAnswer:
    """Read a record's JSON form. Raises ``Refusal``: not_found (record, section), gone."""
    lookup = look_up(context, ask.id, datasets=True)
    record_json, part = lookup.record, fragment(ask.id) if "#" in ask.id and not ask.sections else ""
    claims = [claim for claim in record_json.get("claims") or () if claim.get("id") == part] if part else []
    is_passage = bool(part) and not claims and parts.has(record_json, part)
    chosen = parts.chosen(record_json, [part] if is_passage else ask.sections)
    body = chosen.body
    if claims:
        record_json, body = {**record_json, "claims": claims}, ""
    own, cut = _own(record_json)
    sources: list[Any] = [
        dict(zip(CITED, cited(source), strict=True)) for source in record_json["sources"][:MAX_SOURCES]
    ]
    return RecordAnswer(
        as_of=context.as_of,
        citation=context.citation(record_json),
        **short(context, record_json),
        updated_at=record_json["updated_at"],
        published_at=record_json["published_at"],
        revision=record_json["revision"],
        topics=record_json["topics"],
        fields=own,
        sections=chosen.sections,
        paragraphs=chosen.paragraphs,
        sources=sources,
        related=record_json["related"][:SECONDARY],
        body_markdown=body,
        notes=(
            *lookup.notes,
            *([_about_part(part, str(record_json["id"]), is_shown=bool(claims) or is_passage)] if part else ()),
            *cut,
            *left_out("sources", len(record_json["sources"]), MAX_SOURCES),
            *left_out("related", len(record_json["related"]), SECONDARY),
        ),
    )


def _about_part(part: str, id_: str, *, is_shown: bool) -> str:
    """What is shown for an address that names a part of the page."""
    if is_shown:
        return f"Only #{part} is shown, as the address says; {id_} is the whole record."
    return f"#{bounded(part, 60)} is not a section, paragraph or claim of {id_}, so this is the whole record."


def _own(record_json: RecordJson) -> tuple[dict[str, Any], tuple[str, ...]]:
    """The kind's own members, cut to their bound, and notes on what was cut."""
    own = {name: value for name, value in record_json.items() if name not in SHARED and value is not None}
    if len(orjson.dumps(own)) <= MAX_FIELD_BYTES:
        return own, ()
    lists = {name: value for name, value in own.items() if isinstance(value, list)}
    members = own
    for most in CUTS:
        members = {**own, **{name: value[:most] for name, value in lists.items()}}
        if len(orjson.dumps(members)) <= MAX_FIELD_BYTES:
            break
    else:
        members = {name: _shortened(value) for name, value in members.items()}
    notes = (
        note for name, value in lists.items() for note in left_out(f"fields.{name}", len(value), len(members[name]))
    )
    return members, tuple(notes)


def _shortened(value: Any) -> Any:  # noqa: ANN401  (JSON is any shape)
    if isinstance(value, str):
        return bounded(value, FIELD_TEXT)
    if isinstance(value, list):
        return [_shortened(item) for item in value]
    return {name: _shortened(item) for name, item in value.items()} if isinstance(value, dict) else value


OPERATION = Operation(
    name="get_record",
    before="contextualize_url",
    title="Read one record",
    description=(
        "Read a record or dataset by id (posts/some-slug) or URL: summary, kind-specific fields, body as Markdown,"
        " sources with dates, related ids. Long bodies are cut: pass sections (ids from the answer) or cursor to read"
        " on. Cite by its citation."
    ),
    ask=RecordAsk,
    answer=RecordAnswer,
    run=run,
    beside=True,
    tool=Tool(tokens=4000, cut="body_markdown", link=True),
)
