"""contextualize_url: what the archive says about a page elsewhere, and never a verdict about it."""

from collections.abc import Iterator
from typing import Annotated, Literal
from urllib.parse import quote, urlsplit

from pydantic import Field

from citepress.base.urls import normalise, own_path, variants
from citepress.contract.document import Section
from citepress.contract.model import Model
from citepress.contract.operation import Answer, Get, Operation, Paged, Refusal, Tool
from citepress.edition.private_index import Cited, Citing
from citepress.inbox.submissions import Web
from citepress.operations import own_address
from citepress.operations.context import OperationContext
from citepress.operations.models import RecordHit
from citepress.operations.records import hit, record
from citepress.operations.related_records import LED, STEERED, RelatedRecord, RelatedRecords, places, words_of

Match = Literal["exact", "alias", "variant", "record", "page", "withdrawn"]


class ContextAsk(Paged):
    """An address, and what the reader is doing with it."""

    url: Web
    """The https address to look up."""
    task: Annotated[str, Field(max_length=500)] | None = None
    """What the reader is doing, in a few words; results closest to it come first."""
    limit: Annotated[int, Field(ge=1, le=20)] = 5
    """Citing records of one answer."""


class CitingRecord(RecordHit):
    """A record that cites the address."""

    role: str
    """primary or secondary: how the record uses it."""
    claims: list[str] = Field(default_factory=list)
    """What the record says on the strength of it, each at most 240 characters; the first five."""


class OriginHub(Model):
    """Where the address belongs."""

    id: str
    """Id of the origin."""
    title: str
    """Its name."""
    url: str
    """Its hub in this archive."""
    evidence_count: int
    """Sources of this origin that the archive cites."""


class ContextAnswer(Answer):
    """What the archive holds on an address; no verdict about it."""

    url: str
    """The address in normal form, or the one that the archive knows it by."""
    match: Match | None = None
    """How the archive knows the address; absent where it does not.

    ``exact``: cited in this form; ``alias``: cited at an address that it leads to; ``variant``: cited with the other of http and https, or
    with or without ``www.``; ``record``, ``page``, ``withdrawn``: an address of this archive itself.
    """
    record: own_address.OwnRecord | None = None
    """The record that the address is, where it is an address of this archive itself."""
    cited_by: list[CitingRecord]
    """Records that cite it."""
    origin: OriginHub | None = None
    """The hub of its origin, where the archive cites any page of it."""
    next_steps: list[str]
    """What to do next."""
    patterns: list[RelatedRecord]
    """Patterns that bear on it; at most five."""
    related: list[RelatedRecord]
    """Records that bear on it; at most five. Where a budget is small, the last members are left out first."""


def run(ask: ContextAsk, world: OperationContext) -> ContextAnswer:
    """Look an address up in the source ledger, or in the archive itself (specification, "Free agent actions and inbox").

    Raises ``Refusal``: invalid_argument, for an address elsewhere that is not https.
    """
    path = own_path(ask.url, world.base_url)
    if path is None and not ask.url.lower().startswith("https:"):
        raise Refusal("invalid_argument", "url must be an https URL.", member="url")
    own = None if path is None else own_address.at(world, path)
    url = normalise(str(own.told["canonical_url"]) if own and own.told else ask.url)
    cited, match = _cited(world, url)
    task = (ask.task or "").strip()
    citing = _ordered(world, cited, task)
    origin = cited.origin if cited else "" if own else world.lookup.origin_of(url)
    related, patterns = _bearing(world, url, own, origin, task, [one.id for one in citing])
    hub = _hub(world, origin)
    its_record, left_out = own_address.shown(world, own, ask.limit) if own else (None, ())
    shown = citing[ask.start : ask.start + ask.limit]
    return ContextAnswer(
        as_of=world.as_of,
        url=its_record.url if its_record else cited.url if cited else url,
        match=own.match or match if own else match,
        record=its_record,
        cited_by=[CitingRecord(**hit(world, told), role=one.role, claims=one.claims) for one in shown if (told := record(world, one.id))],
        origin=hub,
        next_steps=list(_steps(world, url, citing, hub) if own is None else own_address.steps(world, own)),
        patterns=patterns,
        related=related,
        more=len(citing) > ask.start + ask.limit,
        notes=(*(own.notes if own else ()), *left_out, *_unseen(cited)),
    )


def _cited(world: OperationContext, url: str) -> tuple[Cited | None, Match | None]:
    """The source of this address, of one that it is an alias of, or of one that differs in scheme or ``www.`` alone, and which it is."""
    if cited := world.lookup.source(url):
        return cited, "exact" if cited.url == url else "alias"
    cited = next((found for other in variants(url) if (found := world.lookup.source(other))), None)
    return cited, "variant" if cited else None


def _bearing(
    world: OperationContext, url: str, own: own_address.Own | None, origin: str, task: str, citing: list[str]
) -> tuple[list[RelatedRecord], list[RelatedRecord]]:  # fmt: skip
    """Records and patterns that bear on the address."""
    if own is None or own.told is None:
        bearing = RelatedRecords(world, origin, task, citing)
        bearing.gather(citing, url)
    else:
        id_ = str(own.told["id"])
        bearing = RelatedRecords(world, "", task, [id_, *own.linking, *citing], tail="")
        bearing.gather([id_], url)
    return bearing.shown()


def _ordered(world: OperationContext, cited: Cited | None, task: str) -> list[Citing]:
    """Citing records: closest to the task, then primary use before secondary, then the newest."""
    if cited is None:
        return []
    keyed = sorted([(one.role != "primary", -one.updated, one.id, one) for one in cited.citing])
    found = [one for _, _, _, one in keyed]
    rank = places(world.index, task, [one.id for one in found[:STEERED]])
    return sorted(found, key=lambda one: rank.get(one.id, STEERED)) if rank else found


def _unseen(cited: Cited | None) -> tuple[str, ...]:
    more = cited.count - len(cited.citing) if cited else 0
    return (f"cited_by: {more} older records cite it too; the source ledger names them.",) if more else ()


def _hub(world: OperationContext, origin: str) -> OriginHub | None:
    found = world.lookup.origin(origin) if origin else None
    return OriginHub(id=origin, title=found[0], url=world.url(f"/sources/{origin}/"), evidence_count=found[1]) if found else None


def _steps(world: OperationContext, url: str, citing: list[Citing], hub: OriginHub | None) -> Iterator[str]:
    """Sentences that hold at either door."""
    for one in citing[:LED]:
        yield f"Read {one.id} ({world.url(f'/{one.id}.md')}) and compare its date with that of the page."
    if not citing:
        words = quote(words_of(url) or urlsplit(url).netloc)
        yield f"No record cites this address, which says nothing about it; search for its subject: {world.url('/search.json')}?query={words}"
    if hub:
        yield f"See what the archive cites from {hub.title}: {hub.url}"
    if world.inbox and citing:
        yield "If the page shows an error in one of these records, report it with submit_correction (POST /agent-inbox/correction)."
    elif world.inbox:
        yield "If a record should cite it, propose it with submit_source (POST /agent-inbox/source); a person reviews proposals weekly."


OPERATION = Operation(
    name="contextualize_url",
    title="What the archive says about a URL",
    description=(
        "Look up an https URL: which records cite it, related records and patterns, the hub of its origin, what to do next; for own pages "
        "the record. Empty lists mean nothing cites it; no verdict. Optional task sorts results."
    ),
    ask=ContextAsk,
    answer=ContextAnswer,
    run=run,
    beside=True,
    section=Section.ACTIONS,
    rest=Get("/agent-actions/contextualize.json"),
    tool=Tool(tokens=2000, cut="cited_by"),
    example={"url": "https://modelcontextprotocol.io/specification", "task": "check a claim"},
)
