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
from citepress.kinds.parts import claims


class FieldNoteFields(Fields):
    """What a field note adds."""

    retrieval_nugget: Annotated[str, Field(min_length=1, max_length=600)]
    """One to three sentences to quote that make sense on their own."""
    claims: list[Claim] = Field(default_factory=list, max_length=100)
    """Statements that can be checked, each with its sources."""


class FieldNoteRecord(FieldNoteFields, Record):
    """A dated editorial note."""

    claims: list[RecordClaim] = Field(default_factory=list)  # type: ignore[assignment]  # nobody appends to it
    """Statements that can be checked, each with its anchor and its sources."""


def _derive(fields: FieldNoteFields, _published: datetime) -> Mapping[str, object]:
    """The claims with their anchors; a claim that is made twice has a number at its second."""
    anchors: Counter[str] = Counter()
    named: list[RecordClaim] = []
    for claim in fields.claims:
        anchor = f"claim-{blake2b(one_line(claim.text).encode(), digest_size=4).hexdigest()}"
        anchors[anchor] += 1
        id_ = anchor if anchors[anchor] == 1 else f"{anchor}-{anchors[anchor]}"
        named.append(RecordClaim(text=claim.text, source_refs=claim.source_refs, id=id_))
    return {"claims": named}


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
    derive=_derive,
    promised_forms=("html", "markdown", "json"),
    deciding=("retrieval_nugget",),
)
