"""An address of the archive itself: the record it is, with what points at it and what it stands on, or why it is none."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from citepress.contract.model import Model
from citepress.contract.operation import Refusal
from citepress.contract.record import Role
from citepress.operations.context import OperationContext
from citepress.operations.models import RecordHit
from citepress.operations.records import Told, hit, left_out, look_up, near, record

MOST_SOURCES = 10
"""Sources of a record that are shown beside it."""


class LinkingRecord(RecordHit):
    """A record that points at the record asked for."""

    relation: str
    """Type of the edge: related, cites, supports, contradicts, about-topic, supersedes, links-to."""


class OwnRecordSource(Model):
    """A source of the record asked for."""

    url: str
    """Its normalised address."""
    title: str
    """Its title, or its host."""
    role: Role
    """Whether the source is the thing itself or a report about it."""


class OwnRecord(RecordHit):
    """The record at an address of the archive itself."""

    backlinks: list[LinkingRecord]
    """Records that point at it, at most as many as ``limit``."""
    sources: list[OwnRecordSource]
    """What it stands on; the first ten."""


@dataclass(frozen=True, slots=True)
class Own:
    """What is at an address of the archive itself."""

    match: str
    """``record``, ``page`` or ``withdrawn``; empty where nothing is published."""
    told: Told | None = None
    """The record as its JSON form says it."""
    notes: tuple[str, ...] = ()
    """Sentences on what was mended."""
    steps: tuple[str, ...] = ()
    """What to do next where there is no record."""
    linking: dict[str, str] = field(default_factory=dict)
    """Id and relation of each record that points at it."""


def at(world: OperationContext, path: str) -> Own:
    """What is at a path of the archive: a record under any of its forms or former addresses, another page, or nothing."""
    try:
        there = look_up(world, path)
        return _record(there.record, there.notes)
    except Refusal as refusal:
        if refusal.code == "gone":
            return Own("withdrawn", steps=(f"This archive withdrew what it published here: {refusal.message}",))
    if world.edition.find(path) is None and world.edition.find(path.rstrip("/") + "/") is None:
        alike = near(world, path)
        hint = f" Nearest: {', '.join(alike)}." if alike else ""
        return Own("", steps=(f"This archive has no record at this address.{hint}",))
    return Own("page", steps=("This is a page of this archive and no record; the records it lists have addresses of their own.",))


def _record(told: Told, notes: tuple[str, ...]) -> Own:
    linking: dict[str, str] = {}
    for one in told.get("backlinks", ()):
        linking.setdefault(one["id"], one["relation"])
    return Own("record", told, notes, linking=linking)


def shown(world: OperationContext, own: Own, most: int) -> tuple[OwnRecord | None, tuple[str, ...]]:
    """The record as an answer holds it, and notes on what is left out."""
    if own.told is None:
        return None, ()
    backlinks = [
        LinkingRecord(**hit(world, other), relation=relation)
        for id_, relation in list(own.linking.items())[:most]
        if (other := record(world, id_))
    ]
    cited = own.told.get("sources", ())
    sources = [OwnRecordSource(url=one["url"], title=one["title"], role=one["role"]) for one in cited[:MOST_SOURCES]]
    notes = (*left_out("backlinks", len(own.linking), most), *left_out("sources", len(cited), MOST_SOURCES))
    return OwnRecord(**hit(world, own.told), backlinks=backlinks, sources=sources), notes


def steps(world: OperationContext, own: Own) -> Iterator[str]:
    """Sentences that hold at either door."""
    yield from own.steps
    if own.told is None:
        return
    id_ = own.told["id"]
    yield f"This address is the record {id_} of this archive; read it at {world.url(f'/{id_}.md')}."
    if world.inbox:
        yield "If it errs, report it with submit_correction (POST /agent-inbox/correction)."
