"""Raw signals: single observations with their provenance, before anybody reads a pattern into them."""

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field

from citepress.archive.dates import Rule, at, noted
from citepress.archive.model import Archive
from citepress.base.languages import UNDETERMINED
from citepress.contract.kind import Kind
from citepress.contract.model import Model, Moment, OneLine
from citepress.contract.observation import QuoteCheck
from citepress.contract.page import INTERFACE, Block, Facts, Item, Items, Link, Nugget
from citepress.contract.record import Fields, Record, Url
from citepress.contract.refs import AddressMark
from citepress.kinds.parts import fact, facts, quote_state, record_links
from citepress_research.fault_codes import PUBLISHED_BEFORE_CAPTURED
from citepress_research.kinds.patterns import PATTERNS, ContradictsRef, PatternRef, SupportsRef

SignalType = Literal[
    "release",
    "specification",
    "announcement",
    "paper",
    "benchmark",
    "incident",
    "adoption",
    "policy",
    "repository",
    "data",
]


SourceAddress = Annotated[Url, AddressMark()]


class Provenance(Model):
    """How the observation was made, in terms of W3C PROV."""

    collected_by: OneLine
    """Who observed it."""
    method: OneLine
    """How it was observed."""
    source_url: SourceAddress
    """The address that was read; published in its normal form, as the source ledger has it."""
    captured_at: Moment
    """When it was last read; a reading after the publication is noted among the updates."""
    content_digest: Annotated[str, Field(min_length=1, max_length=200)] | None = None
    """Digest of what was read, where one was taken."""
    was_derived_from: list[SourceAddress] = Field(default_factory=list, max_length=50)
    """Further addresses that the observation was made from; published in their normal form."""


class RawSignalFields(Fields):
    """What a raw signal adds."""

    observed_at: Moment
    """When the event happened or was first seen."""
    signal_type: SignalType
    """What type of event it is."""
    excerpt: Annotated[str, Field(min_length=1, max_length=600)] | None = None
    """A short verbatim passage of the source at ``provenance.source_url``."""
    provenance: Provenance
    """How the observation was made."""
    supports: list[SupportsRef] = Field(default_factory=list, max_length=20)
    """Patterns that it supports."""
    contradicts: list[ContradictsRef] = Field(default_factory=list, max_length=20)
    """Patterns that it contradicts."""
    related_patterns: list[PatternRef] = Field(default_factory=list, max_length=60)
    """Every related pattern: those named here, supported or contradicted."""


class RawSignalRecord(RawSignalFields, Record):
    """One observation, with its provenance."""

    excerpt_check: QuoteCheck | None = None
    """Whether the newest copy of the source holds the excerpt; null where there is none, or its source is not among
    the sources of the record."""


def _derive(fields: RawSignalFields, _published: datetime) -> Mapping[str, object]:
    """Join the three lists of patterns, in order; a slug and the id of the same pattern count once."""
    joined: dict[str, str] = {}
    for name in (*fields.related_patterns, *fields.supports, *fields.contradicts):
        joined.setdefault(name.rpartition("/")[2], name)
    return {"related_patterns": list(joined.values())}


def _blocks(record: RawSignalRecord, archive: Archive) -> tuple[Block, ...]:
    provenance, entry = record.provenance, archive.entry(record.id)
    written: Mapping[str, str] = entry.written if entry else {}
    excerpt = (Nugget("excerpt", "From the source", record.excerpt),) if record.excerpt else ()
    return (
        *excerpt,
        *_patterns(record, archive),
        Facts(
            "provenance",
            "Provenance",
            facts(
                fact("Excerpt", _spoken_state(record.excerpt_check)),
                fact("Observed", record.observed_at),
                fact("Type", record.signal_type),
                fact("Collected by", provenance.collected_by),
                fact("Method", provenance.method),
                fact("Read at", _written(provenance.source_url, written)),
                fact("Captured", provenance.captured_at),
                fact("Digest", provenance.content_digest),
                fact("Derived from", *(_named(record, _written(url, written)) for url in provenance.was_derived_from)),
            ),
        ),
    )


def _spoken_state(check: QuoteCheck | None) -> Link | None:
    return Link(quote_state(check), language=INTERFACE, spoken=True) if check else None


def _written(url: str, written: Mapping[str, str]) -> Link:
    """A link to an address as its author wrote it."""
    return Link(written.get(url, url), written.get(url, url))


def _named(record: RawSignalRecord, link: Link) -> Link:
    """The same link with the title of the source at its address, where the record names that source."""
    title = next((source.title for source in record.sources if source.url == link.href), "")
    return Link(title, link.href, UNDETERMINED) if title else link


def _patterns(record: RawSignalRecord, archive: Archive) -> tuple[Block, ...]:
    """The related patterns, and whether this record supports or contradicts them."""
    sides = {
        **dict.fromkeys(record.contradicts, "contradicted by this record"),
        **dict.fromkeys(record.supports, "supported by this record"),
    }
    ways = {name.rpartition("/")[2]: way for name, way in sides.items()}
    rows = [
        (name.rpartition("/")[2], link)
        for name in record.related_patterns
        for link in record_links(archive, [_id(name)])
    ]
    items = tuple(
        Item(ways.get(slug, "related"), href=link.href, title=link.text, title_language=link.language)
        for slug, link in rows
    )
    return (Items("patterns", "Patterns", items, text_language=INTERFACE),) if items else ()


def _id(name: str) -> str:
    return name if "/" in name else f"{PATTERNS}/{name}"


CAPTURED_LATER = Rule(
    PUBLISHED_BEFORE_CAPTURED,
    at("provenance.captured_at"),
    noted,
    "{date} is after the publication, and no note explains it ({limit})",
    "add an entry under updates that says what was read again",
)
KIND = Kind(
    name="signals",
    schema="RawSignalRecord",
    index="SignalIndex",
    singular="Signal",
    plural="Signals",
    about="Single dated observations with provenance, and the patterns they support or contradict.",
    fields=RawSignalFields,
    record=RawSignalRecord,
    blocks=_blocks,
    promised_forms=("html", "markdown", "json"),
    deciding=("observed_at", "signal_type", "related_patterns"),
    derive=_derive,
    excerpt=("excerpt", ("provenance", "source_url")),
    page_size=20,
    date_rules=(CAPTURED_LATER,),
    relations=(
        ("supports", PATTERNS, "is supported by"),
        ("contradicts", PATTERNS, "is contradicted by"),
        ("related_patterns", PATTERNS, "is related to"),
    ),
    related_dates=("supports", "observed_at"),
    in_header=True,
    before="topics",
)
