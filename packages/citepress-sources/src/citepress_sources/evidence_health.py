"""The health of evidence as a page and a document: how sources and quotes stand, and what there is to do."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from itertools import chain, islice
from typing import NamedTuple

from citepress.archive.edit import ArchiveEdit
from citepress.archive.model import MENTIONED, Archive, SourceEntry
from citepress.archive.quotes import STALE, UNHELD, merit, source_quote
from citepress.base.canonical import short_digest
from citepress.base.languages import UNDETERMINED
from citepress.base.text import bounded, counted, sentence_list
from citepress.base.timestamps import day
from citepress.base.urls import host_of
from citepress.contract.document import Pages, Section
from citepress.contract.observation import QuoteCheck, SourceHealth, health_of
from citepress.contract.page import INTERFACE, Block, Chart, Fact, Facts, Item, Items, Link, Page, Series, Table
from citepress.contract.version import SCHEMA_VERSION
from citepress.edition.data.source_models import QuoteCounts
from citepress.edition.render_context import RenderContext, single
from citepress.kinds.parts import NOT_CHECKED, dated_link, record_links, words
from citepress_sources.evidence_models import (
    BlockingHost,
    EvidenceHealth,
    EvidenceTask,
    QuoteSource,
    SourceCounts,
    StaleSource,
    UnheldQuote,
)

EVIDENCE_HEALTH_PATH = "/evidence-health/"
HEALTH_TITLE = "Evidence health"
HOSTS, MAX_LISTED_MEMBERS, TASKS, CITING = 100, 500, 100, 10
"""Members of the lists of the document."""
MAX_SHOWN_ENTRIES = 50
"""Entries of each list on the page for people."""
NEVER_CHECKED = "never_checked"
MAX_TASK_CHARS = 300
"""Characters of a text within a task."""


_Asked = dict[str, QuoteCheck]
"""What the copy of each source holds of a quote, by the address of the source."""


class _SourceRow(NamedTuple):
    """A cited source as it stands."""

    entry: SourceEntry
    health: SourceHealth
    quotes: tuple[tuple[str, str, QuoteCheck], ...]
    """(record, words, check) of each quote that is said to be from it."""


@dataclass(slots=True)
class _Sources:
    """Every cited source by its address."""

    rows: dict[str, _SourceRow] = field(default_factory=dict)
    """Those that were checked, or that records quote."""
    others: set[str] = field(default_factory=set)
    """All others, which are counted together."""
    edits: int = 0
    """How many edits touched one of them."""

    def add(self, archive: Archive, urls: Iterable[str]) -> "_Sources":
        """Add the sources at these addresses, as far as records cite them."""
        for url in urls:
            entry = archive.ledger.get(url)
            if entry is None or entry.role == MENTIONED:
                continue
            observation = archive.observations.get(url)
            quotes = tuple(
                (citation.record, quote, source_quote(quote, citation.source_id, observation))
                for citation in entry.citations
                for quote in citation.quotes
            )
            if observation or quotes:
                self.rows[url] = _SourceRow(entry, health_of(observation), quotes)
            else:
                self.others.add(url)
        return self


def _whole(archive: Archive) -> _Sources:
    return _Sources().add(archive, archive.ledger)


def _updated(sources: _Sources, edit: ArchiveEdit) -> _Sources:
    """The sources after an edit, which works out only those that it touches."""
    for url in edit.sources:
        sources.rows.pop(url, None)
        sources.others.discard(url)
    sources.edits += bool(edit.sources)
    return sources.add(edit.after, edit.sources)


def _health(context: RenderContext) -> EvidenceHealth:
    """The document; counted anew where an edit touched a source, because most change a text alone."""
    archive, derivations = context.archive, context.derivations
    if not derivations.lasting:
        # Nobody comes back to the rows, which hold all sources in memory.
        return derivations.held(HEALTH_TITLE, (), lambda: _counted_health(_whole(archive), archive.as_of))
    sources = derivations.maintained("evidence", partial(_whole, archive), _updated)
    return derivations.held(
        HEALTH_TITLE, (sources.edits, archive.as_of), partial(_counted_health, sources, archive.as_of)
    )


def _counted_health(every: _Sources, as_of: datetime) -> EvidenceHealth:
    rows = every.rows
    states = Counter({NEVER_CHECKED: len(every.others)})
    states.update(row.health.status for row in rows.values())
    checks = [row.health.checked_at for row in rows.values() if row.health.checked_at]
    hosts = Counter(host_of(row.entry.url) for row in rows.values() if row.health.status == "blocked")
    stale = sorted(url for url, row in rows.items() if row.health.status in STALE)
    quotes = _quotes(rows)
    best = {quoted: max(asked.values(), key=merit) for quoted, asked in quotes.items()}
    failing = [_unheld(*quoted, quotes[quoted]) for quoted, check in best.items() if check.state in UNHELD]
    missing = [rows[url] for url in stale if not rows[url].entry.archive_url]
    return EvidenceHealth(
        schema_version=SCHEMA_VERSION,
        as_of=max([as_of, *checks]),
        source_count=states.total(),
        sources=SourceCounts.model_validate(states),
        quote_count=len(best),
        quotes=QuoteCounts.model_validate(Counter(check.state for check in best.values())),
        oldest_check_at=min(checks, default=None),
        newest_check_at=max(checks, default=None),
        blocking_hosts=[
            BlockingHost(host=host, sources=count)
            for host, count in sorted(hosts.items(), key=lambda pair: (-pair[1], pair[0]))[:HOSTS]
        ],
        stale_count=len(stale),
        stale=[_stale(rows[url]) for url in stale[:MAX_LISTED_MEMBERS]],
        unheld_count=len(failing),
        unheld=failing[:MAX_LISTED_MEMBERS],
        task_count=len(missing) + len(failing),
        tasks=list(islice(chain(map(_search, missing), map(_correction, failing)), TASKS)),
    )


def _quotes(rows: Mapping[str, _SourceRow]) -> Mapping[tuple[str, str], _Asked]:
    """Each quote of each record once, with its sources; in the order of their addresses."""
    quotes: dict[tuple[str, str], _Asked] = {}
    for url in sorted(rows):
        for record, quote, check in rows[url].quotes:
            quotes.setdefault((record, quote), {})[url] = check
    return quotes


def _stale(row: _SourceRow) -> StaleSource:
    return StaleSource(
        url=row.entry.url,
        cited_url=row.entry.cited_url,
        title=row.entry.title,
        status=row.health.status,
        checked_at=_checked(row),
        reason=row.health.reason,
        archive_url=row.entry.archive_url,
        cited_by=row.entry.cited_by[:CITING],
    )


def _checked(row: _SourceRow) -> datetime:
    if row.health.checked_at is None:
        raise ValueError(f"{row.entry.url} was never checked")
    return row.health.checked_at


def _unheld(record: str, quote: str, asked: _Asked) -> UnheldQuote:
    url, best = max(asked.items(), key=lambda source: merit(source[1]))
    return UnheldQuote(
        record=record,
        quote=quote,
        url=url,
        state=best.state,
        likeness=best.likeness,
        checked_at=best.checked_at,
        sources=[QuoteSource(url=url, **check.__dict__) for url, check in asked.items()],
    )


def _search(row: _SourceRow) -> EvidenceTask:
    """The task for a source that its readers are left without."""
    title, status = bounded(row.entry.title, MAX_TASK_CHARS), row.health.status
    # Records that rest on the same source often make the same claim.
    claims = list(dict.fromkeys(claim for citation in row.entry.citations for claim in citation.claims))[:3]
    carried = f" It carries: {' / '.join(bounded(claim, MAX_TASK_CHARS) for claim in claims)}" if claims else ""
    return EvidenceTask(
        id=f"task-{short_digest(row.entry.url.encode())}",
        title=f"Find a living source for {title}",
        task="refresh_source",
        input=f"{row.entry.cited_url} ({title}) was {status} on {day(_checked(row))}.{carried}",
        expected_output="An address on a public host that carries the same statements, and the words that do.",
        how_to_submit="submit_source",
        related_record=row.entry.cited_by[0],
    )


def _correction(quote: UnheldQuote) -> EvidenceTask:
    """The task for a quote that none of its sources holds."""
    addresses = " ".join(source.url for source in quote.sources)
    asked = sentence_list([f"{source.url} ({_check_words(source)})" for source in quote.sources[:CITING]])
    return EvidenceTask(
        id=f"task-{short_digest(f'{quote.record} {addresses} {quote.quote}'.encode())}",
        title=f"Verify a quote in {quote.record}",
        task="verify_claim",
        input=f"{quote.record} quotes \u201c{bounded(quote.quote, MAX_TASK_CHARS)}\u201d from {asked}.",
        expected_output="The words that the source holds now, or another source that holds these.",
        how_to_submit="submit_correction",
        related_record=quote.record,
    )


def _check_words(source: QuoteSource) -> str:
    """What the copy of a source holds of a quote, or why there is none to search."""
    when = f" in the copy of {day(source.checked_at)}" if source.checked_at else ""
    said = NOT_CHECKED if source.reason == NEVER_CHECKED else words(source.reason or source.state)
    return f"{said}{when}"


def _page(context: RenderContext) -> Page:
    health = _health(context)
    unchecked = "" if health.newest_check_at else "unverifiable"
    return Page(
        EVIDENCE_HEALTH_PATH,
        HEALTH_TITLE,
        "What the last check of each cited source and of each quote found. No state says that a claim is true.",
        (
            *_states("sources", "Sources that records cite", "source", health.sources, NEVER_CHECKED),
            # Before the first check no quote can be verified, which says nothing of it.
            *_states("quotes", "Quotes of claims and excerpts", "quote", health.quotes, unchecked),
            Facts("checks", "Checks", tuple(_checks(health))),
            *_lists(context, health),
        ),
        label="Sources",
        updated=health.as_of,
        crumbs=(Link("Home", "/"), Link("Sources", "/sources/")),
        data=health,
    )


def _states(anchor: str, title: str, noun: str, counts: SourceCounts | QuoteCounts, unchecked: str) -> Iterator[Block]:
    """One bar of the states that there are; its table has those without a case too."""
    states = [(NOT_CHECKED if name == unchecked else words(name), count) for name, count in counts]
    total = sum(count for _, count in states)
    present = [(name, count) for name, count in states if count]
    if not total:
        return
    said = ", ".join(f"{count:,} {name}" for name, count in present)
    whole = counted(total, noun)
    rows = tuple((Link(name.capitalize()), Link(f"{count:,}")) for name, count in states)
    yield Chart(
        anchor,
        title,
        "bars",
        f"Of {whole}: {said}." if len(present) > 1 else f"{whole}, {present[0][0]}.",
        (whole,),
        # What was not checked is the part of the bar that stays empty.
        tuple(Series(name, (count,)) for name, count in present if name != NOT_CHECKED),
        Table("", title, ("State", f"{noun.capitalize()}s"), rows),
        whole=total,
    )


def _checks(health: EvidenceHealth) -> Iterator[Fact]:
    for label, moment in (("Oldest", health.oldest_check_at), ("Newest", health.newest_check_at)):
        if moment or label == "Newest":
            yield Fact(label, (dated_link(moment) if moment else Link("none yet", language=INTERFACE),))


def _lists(context: RenderContext, health: EvidenceHealth) -> Iterator[Block]:
    lists = {
        ("hosts", "Hosts that refuse machines"): (
            Item(f"{host.sources:,} sources", title=host.host) for host in health.blocking_hosts[:MAX_SHOWN_ENTRIES]
        ),
        ("stale", "Sources that are gone or do not answer"): (
            Item(
                f"{words(source.status).capitalize()}: {source.reason or 'no answer'}",
                source.checked_at,
                source.cited_url,
                source.title,
                record_links(context.archive, source.cited_by[:3]),
            )
            for source in health.stale[:MAX_SHOWN_ENTRIES]
        ),
        ("unheld", "Quotes that their sources do not hold"): (
            Item(
                f"\u201c{quote.quote}\u201d",
                quote.checked_at,
                links=(*record_links(context.archive, [quote.record]), *_asked(context.archive, quote)),
            )
            for quote in health.unheld[:MAX_SHOWN_ENTRIES]
        ),
        ("tasks", "What agents can do"): (
            Item(task.input, title=task.title, links=record_links(context.archive, [task.related_record]), id=task.id)
            for task in health.tasks[:MAX_SHOWN_ENTRIES]
        ),
    }
    for (anchor, title), items in lists.items():
        if entries := tuple(items):
            yield Items(anchor, title, entries)


def _asked(archive: Archive, quote: UnheldQuote) -> Iterator[Link]:
    """The sources that a quote is said to be from, each with what was found."""
    for source in quote.sources[:CITING]:
        entry = archive.ledger[source.url]
        yield Link(entry.title, entry.cited_url, UNDETERMINED)
        yield Link(_check_words(source), language=INTERFACE, spoken=True)


ALL = (
    Pages[RenderContext](
        "evidence_health",
        EVIDENCE_HEALTH_PATH,
        Section.DISCOVERY,
        "The health of the evidence: cited sources and quotes by what the last check found.",
        single(_page),
        "EvidenceHealth",
        EvidenceHealth,
    ),
)
