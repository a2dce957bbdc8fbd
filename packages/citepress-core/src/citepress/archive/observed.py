"""New observations of sources: what follows from them for an archive, without reading its records again."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace

from citepress.archive.assembled import Assembled, of_type
from citepress.archive.build import entry as build_entry
from citepress.archive.edit import ArchiveEdit
from citepress.archive.model import MENTIONED, Archive, Entry
from citepress.archive.quotes import evidence_faults
from citepress.archive.resolve import ABOUT
from citepress.archive.revision import put_entry
from citepress.archive.source_ledger import SourceTitles
from citepress.content.files import printable_path
from citepress.contract.fault import STALE_SOURCE, UNHELD_QUOTE, Fault
from citepress.contract.observation import Observation

EVIDENCE = (UNHELD_QUOTE, STALE_SOURCE)
"""Warnings that depend on observations."""


def observed(assembled: Assembled, observations: Mapping[str, Observation]) -> tuple[Archive, ArchiveEdit]:
    """The archive with these observations in place of its own, and the edit; ``assembled`` is brought up to date."""
    before = assembled.archive
    urls = _differing(before.observations, observations)
    citing = {
        citation.record
        for url in urls
        if url in before.ledger
        for citation in before.ledger[url].citations
        if citation.role != MENTIONED
    }
    entries = {id_: _entry(assembled, id_, observations) for id_ in citing}
    entries = {id_: entry for id_, entry in entries.items() if entry is not before.entries[id_]}
    after = replace(
        before,
        entries={**before.entries, **entries},
        collections=_replaced_in(before.collections, entries.values(), lambda entry: [entry.kind.name]),
        topics=_replaced_in(before.topics, entries.values(), _topics),
        observations=observations,
    )
    sources = frozenset(url for url in urls if url in before.ledger)
    edit = ArchiveEdit(
        before,
        after,
        frozenset(entries),
        sources,
        frozenset(before.ledger[url].origin for url in sources),
        frozenset(slug for slug, members in after.topics.items() if members is not before.topics[slug]),
    )
    assembled.archive, assembled.faults = after, _faults(assembled, citing, observations)
    return after, edit


def _differing(before: Mapping[str, Observation], after: Mapping[str, Observation]) -> set[str]:
    """Addresses whose observations are not the same."""
    changed = {url for url, observation in after.items() if before.get(url) != observation}
    return changed | (before.keys() - after.keys())


def _entry(assembled: Assembled, id_: str, observations: Mapping[str, Observation]) -> Entry:
    archive, record = assembled.archive, assembled.records[id_]
    published = archive.entries[id_].record
    links = [(link.id, link.relation, link.passage.parts if link.passage else None) for link in published.backlinks]
    titles = SourceTitles((source.normalized_url, source.title) for source in published.sources)
    mentions = record.own.mentions_led(archive.aliases, assembled.origins)
    return build_entry(record, archive.site, tuple(published.related), links, titles, mentions, observations)


def _faults(assembled: Assembled, ids: Collection[str], observations: Mapping[str, Observation]) -> tuple[Fault, ...]:
    """The faults of the archive, with those of these records' evidence as it is now."""
    records = [assembled.records[id_] for id_ in ids]
    files = {printable_path(record.draft.file) for record in records}
    others = [fault for fault in assembled.faults if fault.code not in EVIDENCE or fault.place.file not in files]
    now = (
        fault
        for record in records
        for fault in evidence_faults(record.draft, record.own.quotes, record.own.sources, observations)
    )
    return tuple(sorted([*others, *now], key=lambda fault: fault.key))


def _replaced_in(
    lists: Mapping[str, Sequence[Entry]], entries: Collection[Entry], names: Callable[[Entry], Iterable[str]]
) -> Mapping[str, Sequence[Entry]]:
    """Lists of records with these in the place of their former versions; ``names`` tells which lists hold a record."""
    changed: dict[str, list[Entry]] = {}
    for entry in entries:
        for name in names(entry):
            put_entry(changed.setdefault(name, list(lists[name])), entry)
    return {**lists, **{name: tuple(members) for name, members in changed.items()}}


def _topics(entry: Entry) -> list[str]:
    """Slugs of the topic hubs of a record."""
    return [hub.partition("/")[2] for hub in of_type(entry.edges, ABOUT)]
