"""Field notes: dated editorial notes with claims that can be checked, and a nugget to quote."""

from collections import Counter
from collections.abc import Mapping
from datetime import datetime
from hashlib import blake2b
from typing import Annotated

from pydantic import Field

from citepress.archive.model import Archive
from citepress.contract.citation import one_line
from citepress.contract.kind import Kind
from citepress.contract.page import Block, Nugget
from citepress.contract.record import Claim, Fields, Record, RecordClaim
from citepress.kinds.parts import claims, opens_with

Quotable = Annotated[str, Field(min_length=1, max_length=600)]


class FieldNoteFields(Fields):
    """What a field note adds."""

    retrieval_nugget: Quotable | None = None
    """One to three sentences to quote that make sense on their own; the summary where it is left out."""
    claims: list[Claim] = Field(default_factory=list, max_length=100)
    """Statements that can be checked, each with its sources."""


class FieldNoteRecord(FieldNoteFields, Record):
    """A dated editorial note."""

    retrieval_nugget: Quotable
    """One to three sentences to quote that make sense on their own."""
    retrieval_nugget_is_summary: bool = False
    """Whether the author wrote no such sentences, and the summary stands in for them."""
    claims: list[RecordClaim] = Field(default_factory=list)  # type: ignore[assignment]  # nobody appends to it
    """Statements that can be checked, each with its anchor and its sources."""


def _derive(fields: FieldNoteFields, _published: datetime) -> Mapping[str, object]:
    """The claims with their anchors, with a number where one is made twice; and whether a nugget was written."""
    anchors: Counter[str] = Counter()
    named: list[RecordClaim] = []
    for claim in fields.claims:
        anchor = f"claim-{blake2b(one_line(claim.text).encode(), digest_size=4).hexdigest()}"
        anchors[anchor] += 1
        id_ = anchor if anchors[anchor] == 1 else f"{anchor}-{anchors[anchor]}"
        named.append(RecordClaim(text=claim.text, source_refs=claim.source_refs, quote=claim.quote, id=id_))
    return {"claims": named, "retrieval_nugget_is_summary": fields.retrieval_nugget is None}


def _blocks(record: FieldNoteRecord, _archive: Archive) -> tuple[Block, ...]:
    # The summary is shown above every block already, and the text below them.
    words = record.retrieval_nugget
    repeated = words.split() == record.summary.split() or opens_with(record.body_markdown, words)
    nugget = () if repeated else (Nugget("nugget", "In short", words),)
    return (*nugget, *claims(record, record.claims))


KIND = Kind(
    name="posts",
    schema="FieldNoteRecord",
    index="PostIndex",
    singular="Field note",
    plural="Field notes",
    about="Dated notes; claims are numbered and lead to their sources.",
    fields=FieldNoteFields,
    record=FieldNoteRecord,
    blocks=_blocks,
    derive=_derive,
    promised_forms=("html", "markdown", "json"),
    deciding=("retrieval_nugget",),
    nugget="retrieval_nugget",
    takes_notes=True,
    in_header=True,
)
