"""contextualize_url: what the archive holds about an external page, without judging it."""

from collections.abc import Iterator, Sequence
from functools import cache
from typing import Annotated, Literal, TypeAlias
from urllib.parse import quote, urlsplit

from pydantic import Field

from citepress.archive.model import MENTIONED
from citepress.base.urls import normalise, own_path
from citepress.contract.api import Api
from citepress.contract.document import Section
from citepress.contract.model import Model
from citepress.contract.operation import Answer, Get, Operation, Paged, Tool
from citepress.contract.web_address import Web
from citepress.edition.private_index import Cited, Citing
from citepress.extension import joined
from citepress.operations import own_address
from citepress.operations.context import OperationContext
from citepress.operations.models import RecordHit
from citepress.operations.records import hit, record
from citepress.operations.related_records import APART, LED, STEERED, RelatedRecord, RelatedRecords, places, words_of

ONWARD = "{more} more records cite it or link to it: ask again with start={start}{further}."
WEIGHT = {"primary": 0, "secondary": 1, MENTIONED: 2}
"""How a record may use a source, the weightiest first."""
SourceMatch = Literal["exact", "alias", "variant"]
Match = Literal["exact", "alias", "variant", "record", "page", "withdrawn"]


class ContextAsk(Paged):
    """An address, and what the reader is doing with it."""

    url: Web
    """The https address to look up, or its http twin."""
    task: Annotated[str, Field(max_length=500)] | None = None
    """What the reader is doing, in a few words; results closest to it come first."""
    limit: Annotated[int, Field(ge=1, le=20)] = 5
    """Citing records of one answer."""


class CitingRecord(RecordHit):
    """A record that cites the address, or whose text only links to it."""

    role: str
    """primary or secondary: how the record uses it; mentioned where its text only links to it."""
    match: SourceMatch
    """How this record writes the address; see the member of the answer."""
    claims: list[str] = Field(default_factory=list)
    """Statements in the record that rest on this source, each at most 240 characters; the first five."""


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
    mention_count: int
    """Further addresses of this origin to which texts of the archive only link."""


class ContextAnswer(Answer):
    """What the archive holds on an address; no verdict about it."""

    url: str
    """The normalized address, or the address under which the archive lists it."""
    match: Match | None = None
    """How the address is listed in the archive; absent if it is not.

    ``exact``: cited in this form; ``alias``: cited at an address that it leads to; ``variant``: cited with the
    other of http and https, or with or without ``www.``; ``record``, ``page``, ``withdrawn``: an address of this
    archive itself.
    """
    record: own_address.OwnRecord | None = None
    """The record that the address is, where it is an address of this archive itself."""
    total: int
    """Records that cite it or link to it; more than ``cited_by`` holds where the answer is one part."""
    cited_by: list[CitingRecord]
    """Records that cite it, and after them records whose text only links to it; ``role`` tells which."""
    origin: OriginHub | None = None
    """The hub of its origin, where the archive cites any page of it or links to any."""
    next_steps: list[str]
    """What to do next."""
    if APART:
        patterns: Annotated[list[RelatedRecord], Field(description="Patterns related to the address; at most five.")]
    related: list[RelatedRecord]
    """Records related to the address; at most five. Where a budget is small, the last members are left out first."""


def run(ask: ContextAsk, context: OperationContext) -> ContextAnswer:
    """Look an address up in the source ledger or in the archive (specification, "Free agent actions and inbox").

    Records that cite the same page under http, or with ``www.``, are merged into one answer.
    """
    path = own_path(ask.url, context.base_url)
    own = None if path is None else own_address.at(context, path)
    url = normalise(_canonical(own) or ask.url)
    sources = context.lookup.sources(url)
    task = (ask.task or "").strip()
    merged = _merged(sources, url)
    cites = _ordered(context, merged, task)
    cited = sources[0][1] if sources else None
    origin = cited.origin if cited else ""
    if cited is None and own is None:
        origin = context.lookup.origin_of(url)
    related, apart = _related(context, url, own, origin, task, [citing.id for citing, _ in cites])
    hub = _hub(context, origin)
    its_record, left_out = own_address.shown(context, own, ask.limit) if own else (None, ())
    shown = cites[ask.start : ask.start + ask.limit]
    unlisted = sum([source.count - len(source.citing) for _, source in sources])
    following = len(cites) - ask.start - len(shown)
    return ContextAnswer(
        as_of=context.as_of,
        url=_address(url, its_record, own, cited),
        match=own.match if own and own.match else merged[0][1] if merged else None,
        record=its_record,
        total=len(cites) + unlisted,
        cited_by=[
            CitingRecord(**hit(context, record_json), role=citing.role, match=match, claims=citing.claims)
            for citing, match in shown
            if (record_json := record(context, citing.id))
        ],
        origin=hub,
        next_steps=[
            *(
                [ONWARD.format(more=following, start=ask.start + len(shown), further=_further())]
                if following > 0
                else ()
            ),
            *(_steps(context, url, cites, hub) if own is None else own_address.steps(context, own)),
        ],
        **({"patterns": apart} if APART else {}),
        related=related,
        more=following > 0,
        notes=(*(own.notes if own else ()), *left_out, *_unseen(unlisted)),
    )


def _address(
    url: str, own_record: own_address.OwnRecord | None, own: own_address.Own | None, cited: Cited | None
) -> str:
    """The address that the archive knows the page by; its own pages keep their closing slash."""
    if own_record:
        return own_record.url
    if own and own.url:
        return own.url
    return cited.url if cited else url


def _canonical(own: own_address.Own | None) -> str:
    """The address to look up for one of this archive: that of its record, or its own; empty for one elsewhere."""
    if own is None:
        return ""
    return str(own.record_json["canonical_url"]) if own.record_json else own.url


_Cite: TypeAlias = tuple[Citing, SourceMatch]
"""A record that cites the page, and how it writes the address."""


def _merged(sources: Sequence[tuple[str, Cited]], url: str) -> list[_Cite]:
    """Each record once that cites a page, under the first source of the page that it cites."""
    cites: dict[str, _Cite] = {}
    for address, cited in sources:
        match: SourceMatch = "variant" if address != url else "exact" if cited.url == url else "alias"
        for citing in cited.citing:
            cites.setdefault(citing.id, (citing, match))
    return list(cites.values())


def _related(
    context: OperationContext, url: str, own: own_address.Own | None, origin: str, task: str, citing: list[str]
) -> tuple[list[RelatedRecord], list[RelatedRecord]]:
    """Records that are related to the address, and those that are listed apart."""
    if own is None or own.record_json is None:
        related_records = RelatedRecords(context, origin, task, citing)
        related_records.gather(citing, url)
    else:
        id_ = str(own.record_json["id"])
        related_records = RelatedRecords(context, "", task, [id_, *own.linking, *citing], tail="")
        related_records.gather([id_], url)
    return related_records.shown()


def _ordered(context: OperationContext, cites: list[_Cite], task: str) -> list[_Cite]:
    """Citing records: closest to the task, then primary use before secondary, then the newest.

    Records that only mention the address come after all of them.
    """
    keyed = sorted([(WEIGHT[citing.role], -citing.updated, citing.id, (citing, match)) for citing, match in cites])
    ordered = [cite for _, _, _, cite in keyed]
    rank = places(context.index, task, [citing.id for citing, _ in ordered[:STEERED]]) if cites else {}
    if not rank:
        return ordered
    return sorted(ordered, key=lambda cite: (cite[0].role == MENTIONED, rank.get(cite[0].id, STEERED)))


def _unseen(unlisted: int) -> tuple[str, ...]:
    if not unlisted:
        return ()
    return (f"cited_by: {unlisted} further records cite it or link to it; the source ledger names them.",)


def _hub(context: OperationContext, origin: str) -> OriginHub | None:
    origin_facts = context.lookup.origin(origin) if origin else None
    return (
        OriginHub(
            id=origin,
            title=origin_facts[0],
            url=context.url(f"/sources/{origin}/"),
            evidence_count=origin_facts[1],
            mention_count=origin_facts[2],
        )
        if origin_facts
        else None
    )


@cache
def _further() -> str:
    return "".join(f" (in {api.name}, with the cursor)" for api in joined("apis", Api))


def _steps(context: OperationContext, url: str, cites: Sequence[_Cite], hub: OriginHub | None) -> Iterator[str]:
    """Suggested next steps, worded for every interface."""
    for citing, _ in cites[:LED]:
        url_of_record = context.url(f"/{citing.id}.md")
        yield f"Read {citing.id} ({url_of_record}) and compare its date with that of the page."
    if not cites:
        words = quote(words_of(url) or urlsplit(url).netloc)
        yield (
            "No record cites this address, which is not a judgement of it; search for its subject:"
            f" {context.url('/search.json')}?query={words}"
        )
    if hub:
        held = "cites from" if hub.evidence_count else "links to at"
        yield f"See what the archive {held} {hub.title}: {hub.url}"
    if (taken := context.submissions) and cites:
        yield f"If the page shows an error in one of these records, report it with {taken.correction}."
    elif taken:
        yield f"If a record should cite it, propose it with {taken.source}."


OPERATION = Operation(
    name="contextualize_url",
    title="Find what the archive has on a URL",
    description=(
        "Look up an https URL: which records cite it, related records"
        f"{' and patterns' if APART else ''}, the hub of its origin, what to do"
        " next; for own pages the record. Empty lists mean nothing cites it; no verdict."
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
