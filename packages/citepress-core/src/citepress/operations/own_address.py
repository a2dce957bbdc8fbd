"""Addresses of the archive itself: the record, with its inbound links and sources, or why there is no record."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from citepress.contract.model import Model
from citepress.contract.operation import Refusal
from citepress.contract.record import SourceRole
from citepress.edition.pages.search_page import SEARCH_PATH as SEARCH_PAGE
from citepress.operations.context import OperationContext
from citepress.operations.models import RecordHit
from citepress.operations.records import MOVED_STATUS, OK, RecordJson, hit, left_out, look_up, near, record

MAX_SHOWN_SOURCES = 10
"""Sources of a record that are shown with it."""


class LinkingRecord(RecordHit):
    """A record that links to the requested record."""

    relation: str
    """Type of the edge: related, cites, supports, contradicts, about-topic, supersedes, links-to."""


class OwnRecordSource(Model):
    """A source of the requested record."""

    url: str
    """The address as its author wrote it: the one to open."""
    title: str
    """Its title, or its host."""
    role: SourceRole
    """Whether the source is the thing itself or a report about it."""


class OwnRecord(RecordHit):
    """The record at an address of the archive itself."""

    backlinks: list[LinkingRecord]
    """Records that point at it, at most as many as ``limit``."""
    sources: list[OwnRecordSource]
    """Its sources; the first ten."""


@dataclass(frozen=True, slots=True)
class Own:
    """What is at an address of the archive itself."""

    match: str
    """``record``, ``page`` or ``withdrawn``; empty where nothing is published."""
    record_json: RecordJson | None = None
    """The record, as in its JSON form."""
    url: str = ""
    """The public address of a page, as redirects lead to it."""
    notes: tuple[str, ...] = ()
    """Sentences about what was corrected."""
    steps: tuple[str, ...] = ()
    """What to do next when there is no such record."""
    linking: dict[str, str] = field(default_factory=dict)
    """Id and relation of each record that points at it."""


def at(context: OperationContext, path: str) -> Own:
    """Look up a path of the archive: a record in any of its forms or former addresses, another page, or nothing."""
    try:
        there = look_up(context, path)
        return _record(there.record, there.notes)
    except Refusal as refusal:
        if refusal.code == "gone":
            return Own("withdrawn", steps=(f"This archive withdrew what it published here: {refusal.message}",))
    if page := _page_path(context, path):
        step = "This is a page of this archive, not a record; request the records that it lists by their own addresses."
        return Own("page", url=context.url(page), steps=(step,))
    alike = near(context, path)
    hint = f" Nearest: {', '.join(alike)}." if alike else ""
    return Own("", steps=(f"This archive has no record at this address.{hint}",))


def _page_path(context: OperationContext, path: str) -> str:
    """Where a client that follows redirects ends: the path of a page; empty where nothing is published.

    A path without its closing slash is redirected to the page, as over HTTP.
    """
    for candidate in (path,) if path.endswith("/") else (path, path + "/"):
        if candidate == SEARCH_PAGE:  # written when it is requested, so the edition has no leaf for it
            return candidate
        served = context.edition.find(candidate)
        page = served.leaf.location if served and served.leaf.status == MOVED_STATUS else candidate
        target = context.edition.find(page)
        if target is not None and target.leaf.status == OK:
            return page
    return ""


def _record(record_json: RecordJson, notes: tuple[str, ...]) -> Own:
    linking: dict[str, str] = {}
    for backlink in record_json.get("backlinks", ()):
        linking.setdefault(backlink["id"], backlink["relation"])
    return Own("record", record_json, notes=notes, linking=linking)


def shown(context: OperationContext, own: Own, most: int) -> tuple[OwnRecord | None, tuple[str, ...]]:
    """The record as an answer holds it, and notes on what is left out."""
    if own.record_json is None:
        return None, ()
    backlinks = [
        LinkingRecord(**hit(context, other), relation=relation)
        for id_, relation in list(own.linking.items())[:most]
        if (other := record(context, id_))
    ]
    cited = own.record_json.get("sources", ())
    sources = [
        OwnRecordSource(url=source["url"], title=source["title"], role=source["role"])
        for source in cited[:MAX_SHOWN_SOURCES]
    ]
    notes = (*left_out("backlinks", len(own.linking), most), *left_out("sources", len(cited), MAX_SHOWN_SOURCES))
    return OwnRecord(**hit(context, own.record_json), backlinks=backlinks, sources=sources), notes


def steps(context: OperationContext, own: Own) -> Iterator[str]:
    """Suggested next steps, worded for every interface."""
    yield from own.steps
    if own.record_json is None:
        return
    id_ = own.record_json["id"]
    yield f"This address is the record {id_} of this archive; read it at {context.url(f'/{id_}.md')}."
    if taken := context.submissions:
        yield f"If it errs, report it with {taken.correction}."
