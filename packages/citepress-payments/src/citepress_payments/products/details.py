"""What the index keeps with each record for the products: sourced statements, sources, stances and days of evidence."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from citepress.archive.model import Entry
from citepress.base.text import without_emphasis
from citepress_payments.products.coverage.freshness import DATED, evidence_days

STATEMENTS = 40
"""Sourced statements of one record that a bundle can quote."""


def details(entry: Entry) -> Mapping[str, Any]:
    """What a bundle compares of a record; what it shows of it is read from the published record."""
    return {
        "statements": list(islice(_statements(entry), STATEMENTS)),
        "sources": [source.normalized_url for source in entry.record.sources],
        "edges": [(edge.type, edge.target) for edge in entry.edges if edge.type in ("supports", "contradicts")],
        DATED: [day.isoformat() for day in evidence_days(entry.record)],
    }


def _statements(entry: Entry) -> Iterator[dict[str, Any]]:
    """Statements that have their own sources: claims, evidence and counter-evidence, with the name of their field."""
    addresses = {source.id: source.normalized_url for source in entry.record.sources}
    for name in entry.kind.fields.model_fields:
        members = getattr(entry.record, name, None)
        for member in members if isinstance(members, Sequence) and not isinstance(members, str) else ():
            refs = getattr(member, "source_refs", None)
            text = getattr(member, "text", "") or getattr(member, "summary", "")
            if refs is not None and text:
                yield {
                    "member": name,
                    "text": without_emphasis(text),
                    "sources": [addresses[ref] for ref in refs if ref in addresses],
                }


RECORD_DETAILS = (details,)
