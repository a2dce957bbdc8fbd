"""Presence: where the archive was published, listed and cited, from the publisher's files."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from functools import partial
from typing import Any, TypeAlias, TypeVar

from citepress.base.canonical import json_bytes
from citepress.base.ids import twin
from citepress.base.media import SCHEMA
from citepress.base.timestamps import day
from citepress.contract.cache import Cache
from citepress.contract.document import Document, Output, Pages, Section
from citepress.contract.model import Model
from citepress.contract.page import Block, Chart, Fact, Facts, Item, Items, Link, Page, Series, Table
from citepress.edition.render_context import RenderContext, single
from citepress.edition.schemas import schema_of
from citepress.kinds.parts import words
from citepress_research.kinds.presence import (
    REGISTRY,
    AttentionPacket,
    AuthorityAsset,
    Capture,
    PresenceEntry,
    PresenceEvent,
    ReturnSignal,
    SyndicationReceipt,
)
from citepress_research.pages.file_report import (
    ContentHead,
    absolute,
    empty_notice,
    entries,
    files_head,
    method,
    subject_link,
)

PATH, PRESENCE_SCHEMA_PATH = REGISTRY.page, "/presence-schema.json"
MAX_SHOWN_EVENTS = 100
"""Entries of one sort on the page for people; the JSON twin has all."""
CAVEATS = {
    "assurance": (
        "assurance tells how an entry is known: self_reported is the publisher's own word, observed and verified carry"
        " evidence."
    ),
    "verified_names_method": "Verified always names a method and a date; it speaks of that day, not of today.",
    "not_probed": "The service probes nothing over the network: every entry was written by the publisher.",
    "zero_is_counted": "A zero here means that no file tells of such a thing, not that it never happened.",
}
PRESENCE_METHOD = (
    "Every entry is a file of the publisher's: what happened to a page elsewhere, a packet that was handed on, the"
    " receipt for it, a stable asset, or what came back. An entry that claims more than the publisher's word has to"
    " carry evidence: an address, a time and the SHA-256 of what was kept. The service adds nothing."
)
Shaped = TypeVar("Shaped", bound=Model)
Assured: TypeAlias = PresenceEvent | SyndicationReceipt | ReturnSignal


class PresenceSummary(Model):
    """Entries by sort, and by what became of them."""

    entries: int
    """Entries in all."""
    by_kind: dict[str, int]
    """Entries of each of the five sorts."""
    events_by_type: dict[str, int]
    """Presence events by what happened."""
    receipts_by_status: dict[str, int]
    """Syndication receipts by what became of them."""
    assets_by_status: dict[str, int]
    """Authority assets by how their check came out."""
    signals_by_kind: dict[str, int]
    """Return signals by what came back."""
    by_assurance: dict[str, int]
    """Entries by their assurance, if they state one."""


class PresenceReport(ContentHead):
    """Where the archive is present, and what came of it."""

    summary: PresenceSummary
    """Entries by sort, and by what became of them."""
    presence_events: list[PresenceEvent]
    """What happened to pages of the archive elsewhere, newest first."""
    attention_packets: list[AttentionPacket]
    """Short notices for others to carry, by id."""
    syndication_receipts: list[SyndicationReceipt]
    """Answers of places that a packet was handed to, newest first."""
    authority_assets: list[AuthorityAsset]
    """Stable things that others can point at, by id."""
    return_signals: list[ReturnSignal]
    """What came back from elsewhere, newest first."""


def _of(registered: Iterable[Model], model: type[Shaped]) -> list[Shaped]:
    return [entry for entry in registered if isinstance(entry, model)]


def _counts(values: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(values).items()))


def _moments(entry: PresenceEntry) -> tuple[datetime | None, ...]:
    """The moments of an entry that have passed."""
    match entry:
        case PresenceEvent():
            return (entry.observed_at,)
        case SyndicationReceipt():
            return entry.submitted_at, entry.verified_at
        case AuthorityAsset():
            return entry.first_published, entry.last_verified_at
        case ReturnSignal():
            return (entry.window.start,)
    return ()


def _totals(registered: Sequence[PresenceEntry]) -> PresenceSummary:
    return PresenceSummary(
        entries=len(registered),
        by_kind={name: len(_of(registered, model)) for name, model in REGISTRY.models.items()},
        events_by_type=_counts(event.type for event in _of(registered, PresenceEvent)),
        receipts_by_status=_counts(receipt.status for receipt in _of(registered, SyndicationReceipt)),
        assets_by_status=_counts(asset.verification.status for asset in _of(registered, AuthorityAsset)),
        signals_by_kind=_counts(signal.kind for signal in _of(registered, ReturnSignal)),
        by_assurance=_counts(entry.assurance for entry in registered if isinstance(entry, Assured)),
    )


def report(context: RenderContext) -> PresenceReport:
    """The whole report."""
    registered = tuple(absolute(context, entry) for entry in entries(context, REGISTRY))
    events = sorted(_of(registered, PresenceEvent), key=lambda event: event.occurred_at, reverse=True)
    receipts = sorted(_of(registered, SyndicationReceipt), key=lambda receipt: receipt.submitted_at, reverse=True)
    signals = sorted(_of(registered, ReturnSignal), key=lambda signal: signal.window.end, reverse=True)
    moments = (moment for entry in registered for moment in _moments(entry))
    head = files_head(context, REGISTRY, PRESENCE_SCHEMA_PATH, CAVEATS, moments)
    return PresenceReport.model_validate(
        head
        | {
            "summary": _totals(registered),
            "presence_events": events,
            "attention_packets": _of(registered, AttentionPacket),
            "syndication_receipts": receipts,
            "authority_assets": _of(registered, AuthorityAsset),
            "return_signals": signals,
        }
    )


def _page(context: RenderContext) -> Page:
    document = report(context)
    sorts: tuple[tuple[str, str, Callable[[Any], Item], Sequence[Model]], ...] = (
        ("events", "Events", partial(_event, context), document.presence_events),
        ("packets", "Attention packets", partial(_packet, context), document.attention_packets),
        ("receipts", "Syndication receipts", _receipt, document.syndication_receipts),
        ("assets", "Authority assets", _asset, document.authority_assets),
        ("signals", "Return signals", partial(_signal, context), document.return_signals),
    )
    blocks = (
        Items(anchor, title, tuple(map(item, shown[:MAX_SHOWN_EVENTS])), timeline=anchor == "events")
        for anchor, title, item, shown in sorts
        if shown
    )
    return Page(
        PATH,
        "Presence",
        f"Where {context.site.title} was published, listed and cited, each entry with its evidence.",
        (*empty_notice(context, REGISTRY), *_summary(document.summary), *blocks, *method(PRESENCE_METHOD, CAVEATS)),
        label="Presence",
        updated=document.as_of,
        crumbs=(Link("Home", "/"),),
        data=document,
    )


def _summary(summary: PresenceSummary) -> tuple[Block, ...]:
    """Entries of each sort as bars, and what became of them."""
    if not summary.entries:
        return ()
    names = tuple(words(name) for name in summary.by_kind)
    rows = tuple((Link(name), Link(str(count))) for name, count in zip(names, summary.by_kind.values(), strict=True))
    table = Table("", "Entries by type", ("Type", "Entries"), rows)
    bars = Series("Entries", tuple(summary.by_kind.values()))
    outcomes = {
        "Events": summary.events_by_type,
        "Receipts": summary.receipts_by_status,
        "Assets": summary.assets_by_status,
        "Signals": summary.signals_by_kind,
        "Assurance": summary.by_assurance,
    }
    facts = (
        Fact(label, tuple(Link(f"{words(name)}: {count}") for name, count in counts.items()))
        for label, counts in outcomes.items()
    )
    return (
        Chart(
            "summary",
            "Summary",
            "bars",
            f"{summary.entries} entries in all, by type.",
            names,
            (bars,),
            table,
            twin(PATH, ".json"),
        ),
        Facts("outcomes", "What became of them", tuple(row for row in facts if row.values)),
    )


def _evidence(captures: Iterable[Capture]) -> tuple[Link, ...]:
    return tuple(Link("evidence", capture.url) for capture in captures)


def _event(context: RenderContext, event: PresenceEvent) -> Item:
    text = f"{words(event.type)} at {event.surface.name} ({words(event.surface.kind)}); {words(event.assurance)}"
    links = (Link(event.surface.name, event.surface.url), *_evidence(event.evidence))
    subject = subject_link(context, event.subject)
    return Item(text, event.occurred_at, subject.href, subject.text, links)


def _packet(context: RenderContext, packet: AttentionPacket) -> Item:
    links = (
        subject_link(context, packet.subject),
        *(Link(representation.type, representation.url) for representation in packet.representations),
    )
    until = f" Valid until {day(packet.valid_until)}." if packet.valid_until else ""
    return Item(f"{packet.abstract}{until}", title=packet.headline, links=links)


def _receipt(receipt: SyndicationReceipt) -> Item:
    links = (*((Link("seen here", receipt.remote_url),) if receipt.remote_url else ()), *_evidence(receipt.evidence))
    return Item(
        f"{words(receipt.protocol)}: {receipt.status}; {words(receipt.assurance)}",
        receipt.submitted_at,
        title=receipt.target,
        links=links,
    )


def _asset(asset: AuthorityAsset) -> Item:
    text = (
        f"{words(asset.kind)}{f', version {asset.version}' if asset.version else ''}; {asset.verification.status}:"
        f" {asset.verification.method}"
    )
    return Item(text, asset.last_verified_at or asset.first_published, asset.url, asset.url, _evidence(asset.evidence))


def _signal(context: RenderContext, signal: ReturnSignal) -> Item:
    text = f"{signal.count} {words(signal.kind)} from {signal.source_host}; {words(signal.assurance)}"
    subject = subject_link(context, signal.subject)
    return Item(text, signal.window.end, subject.href, subject.text, _evidence(signal.evidence))


def _schema(context: RenderContext) -> Iterable[Output]:
    """The schema of the report; the five types of entry are in ``$defs`` under their names."""
    return [Output(json_bytes(schema_of(PresenceReport, context.url(PRESENCE_SCHEMA_PATH))))]


ALL = (
    Pages[RenderContext](
        REGISTRY.name,
        PATH,
        Section.DATASETS,
        "Where the archive was published, listed and cited, each entry with its evidence.",
        single(_page),
        "PresenceReport",
        PresenceReport,
        cache=Cache.LIVE,
        described_by=PRESENCE_SCHEMA_PATH,
        promised=("html", "json"),
        resource=0.3,
        before="datasets",
    ),
    Document[RenderContext](
        "presence_schema",
        PRESENCE_SCHEMA_PATH,
        SCHEMA,
        Section.DATASETS,
        "The JSON Schema of the presence report: PresenceEvent, AttentionPacket, SyndicationReceipt, AuthorityAsset,"
        " ReturnSignal.",
        _schema,
        "JsonSchemaDocument",
        before="datasets",
    ),
)
