"""Field notes: dated editorial notes with claims that can be checked, and a nugget to quote."""

from typing import Annotated

from pydantic import Field

from citepress.archive.model import Archive
from citepress.contract.kind import Kind
from citepress.contract.page import Block, Nugget
from citepress.contract.record import Claim, Fields, Record
from citepress.kinds.parts import claims


class FieldNoteFields(Fields):
    """What a field note adds."""

    retrieval_nugget: Annotated[str, Field(min_length=1, max_length=600)]
    """One to three sentences to quote that make sense on their own."""
    claims: list[Claim] = Field(default_factory=list, max_length=100)
    """Statements that can be checked, each with its sources."""


class FieldNoteRecord(FieldNoteFields, Record):
    """A dated editorial note."""


def _blocks(record: FieldNoteRecord, _archive: Archive) -> tuple[Block, ...]:
    # A plain note's passage is its summary, which is shown above every block already.
    repeated = record.retrieval_nugget.split() == record.summary.split()
    nugget = () if repeated else (Nugget("nugget", "In short", record.retrieval_nugget),)
    return (*nugget, *claims(record, record.claims))


KIND = Kind(
    name="posts",
    schema="FieldNoteRecord",
    index="PostIndex",
    singular="Field note",
    plural="Field notes",
    about="Dated editorial notes with checkable claims and one passage to quote.",
    fields=FieldNoteFields,
    record=FieldNoteRecord,
    blocks=_blocks,
    promised_forms=("html", "markdown", "json"),
    deciding=("retrieval_nugget",),
)
