"""Parts of record pages that several kinds share: evidence, references, labelled values, lists of sentences."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from functools import lru_cache

from citepress.archive.model import Archive
from citepress.base.languages import UNDETERMINED
from citepress.base.timestamps import day
from citepress.content.opening import opening
from citepress.contract.observation import QuoteCheck, SourceHealth
from citepress.contract.page import INTERFACE, Block, Fact, Item, Items, Link, NumberedSource
from citepress.contract.record import Evidence, Record, RecordClaim, Source

UNEXPLAINED = "Edited; no note was given."
"""The text for a change that its publisher does not explain."""

NOT_CHECKED = "not checked yet"
MAX_OPEN_CLAIMS = 3
"""Claims that a page shows above its text; more are folded."""
OPENING = 4000
"""Characters of a text that are compared with its summary and its nugget."""


def opens_with(body: str, passage: str) -> bool:
    """Whether a text begins with the words of a passage, as that of a note whose summary was taken from it."""
    compared = passage.rstrip("…").split()
    return bool(compared) and _first_words(body[:OPENING])[: len(compared)] == compared


@lru_cache(maxsize=4)  # a page asks for its summary and then for its nugget
def _first_words(text: str) -> list[str]:
    return opening(text)[1].split()


def words(value: str) -> str:
    """``single source`` for ``single_source``: a coded value as people read it."""
    return value.replace("_", " ")


def percent(probability: float) -> str:
    """A probability as people read it."""
    return f"{probability * 100:.4g} %"


def source_state(source: Source | SourceHealth) -> str:
    """What the last check of a source found, and when: ``changed by 12 % on 2026-11-25``; empty where none was made."""
    if source.checked_at is None:
        return ""
    share = f" by {_share(source.changed_share)}" if source.status == "changed" and source.changed_share else ""
    return f"{words(source.status)}{share} on {day(source.checked_at)}"


def _share(share: float) -> str:
    return percent(round(share, 2)) if share >= 0.01 else "less than 1 %"  # noqa: PLR2004


def fact(label: str, *values: str | datetime | Link | None) -> Fact:
    """A labelled value; what is ``None`` or empty is left out."""
    links = [
        value if isinstance(value, Link) else (dated_link(value) if isinstance(value, datetime) else Link(value))
        for value in values
        if value
    ]
    return Fact(label, tuple(links))


def dated_link(moment: datetime) -> Link:
    """A day, as each form writes it."""
    return Link(day(moment), date=moment)


def facts(*rows: Fact) -> tuple[Fact, ...]:
    """Those of the facts that have a value."""
    return tuple(part for part in rows if part.values)


def source_marks(record: Record, refs: Iterable[str]) -> tuple[NumberedSource, ...]:
    """References to the sources of a record that these ids name, in the order of its list."""
    named = set(refs)
    return tuple(
        NumberedSource(number, source.id, source.title, source.url)
        for number, source in enumerate(record.sources, 1)
        if source.id in named
    )


def record_links(archive: Archive, ids: Iterable[str], titles: Mapping[str, str] | None = None) -> tuple[Link, ...]:
    """Links to published records; an id that is not published is passed over."""
    entries, titles = archive.entries, titles or {}
    records = [(entry, id_) for id_ in ids if (entry := entries.get(id_))]
    return tuple([Link(titles.get(id_) or entry.head.title, entry.path, entry.head.language) for entry, id_ in records])


def evidence(
    record: Record,
    archive: Archive,
    pieces: Sequence[Evidence],
    title: str = "Evidence",
    against: tuple[datetime, ...] = (),
) -> tuple[Block, ...]:
    """A timeline of dated evidence, oldest first, each with the sources and records that carry it.

    ``against`` are the days of what speaks against the record.
    """
    ordered = sorted(pieces, key=lambda part: (part.date is None, part.date or record.published_at))
    items = tuple(
        Item(
            part.text,
            part.date,
            links=record_links(archive, part.records),
            sources=source_marks(record, part.source_refs),
        )
        for part in ordered
    )
    return (Items("evidence", title, items, timeline=True, against=against),) if items else ()


def claims(record: Record, statements: Sequence[RecordClaim]) -> tuple[Block, ...]:
    """Statements that can be checked, each with its sources."""
    items = tuple(
        Item(part.text, links=_quoted(part), id=part.id, sources=source_marks(record, part.source_refs))
        for part in statements
    )
    folded = ""
    if len(items) > MAX_OPEN_CLAIMS:
        carried = ", each with its sources" if all(part.source_refs for part in statements) else ""
        folded = f"{len(items)} claims{carried}"
    return (Items("claims", "Claims", items, ordered=True, folded=folded),) if items else ()


def _quoted(claim: RecordClaim) -> tuple[Link, ...]:
    """The quote of a claim in quotation marks, and whether its source still holds it; a revision does not say that."""
    if not claim.quote:
        return ()
    words_ = Link(f"\u201c{claim.quote}\u201d", language=UNDETERMINED)
    check = claim.quote_check
    return (words_, Link(f"quote {quote_state(check)}", language=INTERFACE, spoken=True)) if check else (words_,)


def quote_state(check: QuoteCheck) -> str:
    """What the newest copy of its source holds of a quote: ``verified on 2026-11-25``."""
    if check.reason == "never_checked":  # nobody has looked, which is no verdict
        return NOT_CHECKED
    when = f" on {day(check.checked_at)}" if check.checked_at else ""
    likeness = f", likeness {check.likeness} of 100" if check.likeness is not None else ""
    reason = f": {words(check.reason)}" if check.reason else ""
    return f"{words(check.state)}{when}{likeness}{reason}"


def sentences(anchor: str, title: str, texts: Sequence[str]) -> tuple[Block, ...]:
    """A plain list."""
    return (Items(anchor, title, tuple(Item(text) for text in texts)),) if texts else ()
