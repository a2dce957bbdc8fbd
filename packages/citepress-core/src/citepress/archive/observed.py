"""New observations of sources: what follows from them for an archive, without reading its records again."""

from bisect import bisect_left
from collections.abc import Collection, Mapping
from dataclasses import replace
from operator import attrgetter

from citepress.archive.assembled import Assembled, of_type
from citepress.archive.build import entry as build_entry
from citepress.archive.edit import ArchiveEdit
from citepress.archive.model import MENTIONED, Archive, Entry
from citepress.archive.quotes import evidence_faults
from citepress.archive.resolve import ABOUT
from citepress.archive.source_ledger import SourceTitles
from citepress.content.files import printable_path
from citepress.contract.fault import STALE_SOURCE, UNHELD_QUOTE, Fault
from citepress.contract.observation import Observation

ORDER = attrgetter("order")
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
        collections={**before.collections, **_collections(before, entries.values())},
        topics={**before.topics, **_topics(before, entries.values())},
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


def _collections(before: Archive, entries: Collection[Entry]) -> dict[str, tuple[Entry, ...]]:
    """The collections of these records, with them in the place of their former versions."""
    collections: dict[str, list[Entry]] = {}
    for entry in entries:
        _put(collections.setdefault(entry.kind.name, list(before.collections[entry.kind.name])), entry)
    return {name: tuple(members) for name, members in collections.items()}


def _topics(before: Archive, entries: Collection[Entry]) -> dict[str, tuple[Entry, ...]]:
    """Likewise for the members of topic hubs."""
    topics: dict[str, list[Entry]] = {}
    for entry in entries:
        for hub in of_type(entry.edges, ABOUT):
            slug = hub.partition("/")[2]
            _put(topics.setdefault(slug, list(before.topics[slug])), entry)
    return {slug: tuple(members) for slug, members in topics.items()}


def _put(members: list[Entry], entry: Entry) -> None:
    place = bisect_left(members, entry.order, key=ORDER)
    members[place] = entry
