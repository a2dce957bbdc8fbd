"""One changed record put in its place: what follows from it for its archive, without reading the other records.

Where an edit may concern more than the records around it (names, schedules, withdrawals, rules between records), there
is no revision, and the archive is assembled anew.
"""

from bisect import bisect_left, insort
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TypeVar

from citepress.archive.build import entry as build_entry
from citepress.archive.changes import change_order, changes_of
from citepress.archive.dates import newest_date
from citepress.archive.edit import ArchiveEdit
from citepress.archive.links import Addresses
from citepress.archive.local_facts import LocalFacts, local_facts
from citepress.archive.mentions import MentionRules, as_entry, joined_mentions
from citepress.archive.model import MENTIONED, Archive, Change, Edge, Entry, Origin, SourceEntry
from citepress.archive.origins import Origins
from citepress.archive.resolve import ABOUT, Resolved, orphan, resolve
from citepress.archive.source_ledger import SourceTitles, joined, origin_of
from citepress.base.urls import host_of
from citepress.content import schedule
from citepress.content.files import shown
from citepress.content.folder import Folder
from citepress.content.source_record import SourceRecord
from citepress.contract.fault import ORPHAN, Fault, Level
from citepress.contract.record import Mention

V = TypeVar("V")
RELATED, SUPERSEDES = "related", "supersedes"
RULED = ("metadox", "patterns")
"""Kinds whose dates are held against those of other records."""
Links = dict[str, dict[str, tuple[str, ...]]]
"""The relations of the edges to a record, by the record that they come from."""


@dataclass(slots=True)
class Assembled:
    """An archive, and what it was assembled from."""

    folder: Folder
    archive: Archive
    records: dict[str, Resolved]
    addresses: Addresses
    origins: Origins
    dataset_titles: Mapping[str, str]
    """The titles that datasets give to sources, and the empty string for those that they only cite."""
    other_addresses: frozenset[str]
    """Every other address that a record gives one of its sources."""
    faults: tuple[Fault, ...]
    _inbound: Links = field(default_factory=dict)

    def inbound(self) -> Links:
        """The edges to each record; gathered once."""
        if not self._inbound:
            for record in self.records.values():
                for target, relations in _relations(record.edges).items():
                    self._inbound.setdefault(target, {})[record.draft.id] = relations
        return self._inbound


def revised(
    assembled: Assembled, draft: SourceRecord, faults: Sequence[Fault], moment: datetime
) -> tuple[Archive, ArchiveEdit] | None:
    """The archive with a record as it is written now, and the edit; ``assembled`` is brought up to date.

    ``faults`` are those of reading its file. ``None`` where the archive has to be assembled anew.
    """
    former = assembled.records.get(draft.id)
    if former is None or not _in_its_place(former.draft, draft, moment):
        return None
    own = local_facts(draft, assembled.folder.shared, assembled.origins, MentionRules.of(assembled.folder.site))
    now = resolve(draft, own, assembled.addresses)
    every = (*faults, *own.faults, *now.faults)
    if any(fault.code.level is Level.ERROR for fault in every) or not _alone(former, now):
        return None
    return _Revision(assembled, former, now).applied(every)


def _in_its_place(former: SourceRecord, draft: SourceRecord, moment: datetime) -> bool:
    """Whether a record keeps its names and its place in the order, and nothing of it waits."""
    before, front = former.front, draft.front
    return (
        (before.date, before.aliases, before.publish_date) == (front.date, front.aliases, front.publish_date)
        and not (before.expiry_date or front.expiry_date or front.draft)
        and newest_date(draft) <= moment
        and schedule.begins(draft) <= moment
        and not schedule.waiting(draft, moment)
        and (former.kind.name != "topics" or before.title == front.title)
    )


def _alone(former: Resolved, now: Resolved) -> bool:
    """Whether no rule between records reads what changed, and no other address of a source did."""
    before, after = former.draft.front, now.draft.front
    ruled = ("observed_at", "supports")
    return (
        former.draft.kind.name not in RULED
        and all(getattr(before, name, None) == getattr(after, name, None) for name in ruled)
        and former.own.aliases == now.own.aliases
        and _of_type(former.edges, SUPERSEDES) == _of_type(now.edges, SUPERSEDES)
    )


def _uses(own: LocalFacts) -> dict[str, object]:
    """What the ledger holds of a record's use of each source, by address."""
    titles = dict(reversed(own.titles))
    uses: dict[str, object] = {mention.normalized_url: mention for mention in own.mentions}
    return uses | {cited.url: (cited, titles.get(cited.url)) for cited in own.cited}


def _addresses(former: LocalFacts, now: LocalFacts) -> set[str]:
    """Addresses of sources that are used otherwise in one of them than in the other."""
    before, after = _uses(former), _uses(now)
    return {url for url in before.keys() | after.keys() if before.get(url) != after.get(url)}


def _of_type(edges: Iterable[Edge], sort: str) -> list[str]:
    return [edge.target for edge in edges if edge.type == sort]


def _relations(edges: Iterable[Edge]) -> dict[str, tuple[str, ...]]:
    """The relations of a record's edges, by the record that they lead to."""
    relations: dict[str, tuple[str, ...]] = {}
    for edge in edges:
        relations[edge.target] = (*relations.get(edge.target, ()), edge.type)
    return relations


class _Revision:
    """Works out one changed record."""

    def __init__(self, assembled: Assembled, former: Resolved, now: Resolved) -> None:
        self.assembled, self.former, self.now, self.id = assembled, former, now, now.draft.id
        self.before = assembled.archive
        self.linked = _relations(former.edges), _relations(now.edges)
        self.targets = {
            target
            for target in {*self.linked[0], *self.linked[1]}
            if self.linked[0].get(target) != self.linked[1].get(target)
        }
        """Records to which the edges differ."""
        self.urls = _addresses(former.own, now.own)
        """Addresses of sources that it uses otherwise than before."""
        self.uses = _uses(now.own)

    def applied(self, faults: Sequence[Fault]) -> tuple[Archive, ArchiveEdit] | None:
        as_of = self._as_of()
        if as_of != self.before.as_of and self.before.site.deprecations:
            return None  # one that was not announced is dated by the archive
        ledger = self.before.ledger
        if not self.assembled.other_addresses.isdisjoint({*self.urls, *self.uses}):
            return None  # which source such an address leads to depends on all records
        titles = {url: self._title(url) for url in self.urls}
        retitled = {url for url, title in titles.items() if title != self._former_title(url)}
        if as_of is None or not retitled.isdisjoint(self.assembled.dataset_titles):
            return None
        sources = {url: self._source(url, titles[url]) for url in self.urls}
        if {url for url in sources if sources[url]} != sources.keys() & ledger.keys() and any(
            source.aliases for url in self.urls if (source := ledger.get(url))
        ):
            return None
        entries = self._entries(titles, retitled)
        after = replace(
            self.before,
            entries={**self.before.entries, **entries},
            collections=self._collections(entries),
            topics=self._topics(entries),
            ledger=_replaced(self.before.ledger, sources),
            origins=_replaced(self.before.origins, self._origins(sources)),
            changes=self._changes(entries.get(self.id, self.before.entries[self.id])),
            as_of=as_of,
        )
        self._commit(after, faults, entries)
        return after, ArchiveEdit(
            self.before,
            after,
            frozenset(entries),
            _differing(self.before.ledger, after.ledger, self.urls),
            _differing(self.before.origins, after.origins, self._origin_ids()),
            _differing(self.before.topics, after.topics, [target.partition("/")[2] for target in self._hubs(entries)]),
        )

    def _as_of(self) -> datetime | None:
        """The newest date of the archive; ``None`` where all have to be asked for it."""
        before, now, newest = self.former.own.history.updated, self.now.own.history.updated, self.before.as_of
        return max(now, newest) if now >= newest or before < newest else None

    def _record(self, id_: str) -> Resolved:
        return self.now if id_ == self.id else self.assembled.records[id_]

    def _citing(self, url: str) -> list[Resolved]:
        """The records that cite a source or link to it, the newest first."""
        source = self.before.ledger.get(url)
        ids = {citation.record for citation in source.citations} - {self.id} if source else set()
        if url in self.uses:
            ids.add(self.id)
        return sorted(map(self._record, ids), key=_order)

    def _former_title(self, url: str) -> str:
        """The title that a citation of the source was shown under, or would have been."""
        source = self.before.ledger.get(url)
        if source and source.role != MENTIONED:
            return source.title
        return self.assembled.dataset_titles.get(url) or host_of(url)

    def _title(self, url: str) -> str:
        """The title of a source: the first that a record gives it, or else a dataset, or its host."""
        given = [title for record in self._citing(url) for named, title in record.own.titles if named == url]
        titles = (*given[:1], self.assembled.dataset_titles.get(url, ""))
        return SourceTitles((url, title) for title in titles if title).of(url)

    def _source(self, url: str, title: str) -> SourceEntry | None:
        citing = self._citing(url)
        uses = [cited for record in citing for cited in record.own.cited if cited.url == url]
        links = [as_entry(record.draft.id, link) for record in citing if (link := self._mention(record, url))]
        source, before = None, self.before.ledger.get(url)
        if uses:
            first = uses[0] if uses[0].title == title else replace(uses[0], title=title)
            source = first if len(uses) == 1 else joined([first, *uses[1:]])
            source = replace(source, aliases=before.aliases) if before and before.aliases else source
        if links:
            source = joined_mentions(source, links, self.assembled.dataset_titles.get(url, ""))
        return before if before == source else source

    def _mention(self, record: Resolved, url: str) -> Mention | None:
        """The mention of a source in a record, also by another address of it."""
        mentions = record.own.mentions_led(self.before.aliases, self.assembled.origins)
        return next((mention for mention in mentions if mention.normalized_url == url), None)

    def _entries(self, titles: Mapping[str, str], retitled: Collection[str]) -> dict[str, Entry]:
        """The entries that differ."""
        ids = {self.id, *self.targets, *(record.draft.id for url in retitled for record in self._citing(url))}
        entries = {}
        for id_ in ids:
            record = self._record(id_)
            shown_titles = _Titles(titles, self.before.ledger)
            mentions = record.own.mentions_led(self.before.aliases, self.assembled.origins)
            related, backlinks = self._related(record), self._backlinks(id_)
            entry = build_entry(record, self.before.site, related, backlinks, shown_titles, mentions)
            if entry is not self.before.entries[id_]:
                entries[id_] = entry
        return entries

    def _linking(self, id_: str) -> dict[str, tuple[str, ...]]:
        linking = dict(self.assembled.inbound().get(id_, {}))
        linking.pop(self.id, None)
        if relations := self.linked[1].get(id_):
            linking[self.id] = relations
        return linking

    def _backlinks(self, id_: str) -> list[tuple[str, str]]:
        linking = self._linking(id_)
        newest_first = sorted(map(self._record, linking), key=_order)
        return [(r.draft.id, relation) for r in newest_first for relation in linking[r.draft.id]]

    def _related(self, record: Resolved) -> tuple[str, ...]:
        """Related records named by either side."""
        linking = self._linking(record.draft.id)
        naming = sorted(id_ for id_, relations in linking.items() if RELATED in relations)
        return tuple(dict.fromkeys((*_of_type(record.edges, RELATED), *naming)))

    def _collections(self, entries: Mapping[str, Entry]) -> Mapping[str, tuple[Entry, ...]]:
        collections = dict(self.before.collections)
        for name in {entry.kind.name for entry in entries.values()}:
            members = list(collections[name])
            for entry in entries.values():
                if entry.kind.name == name:
                    members[_place(members, entry)] = entry
            collections[name] = tuple(members)
        return collections

    def _hubs(self, entries: Mapping[str, Entry]) -> set[str]:
        """Ids of the hubs whose members differ."""
        former = _of_type(self.former.edges, ABOUT)
        return {*former, *(target for entry in entries.values() for target in _of_type(entry.edges, ABOUT))}

    def _topics(self, entries: Mapping[str, Entry]) -> Mapping[str, tuple[Entry, ...]]:
        topics = dict(self.before.topics)
        for hub in self._hubs(entries):
            slug = hub.partition("/")[2]
            members = list(topics[slug])
            for entry in entries.values():
                place = _place(members, entry)
                listed = place < len(members) and members[place].record.id == entry.record.id
                members[place : place + listed] = [entry] if hub in _of_type(entry.edges, ABOUT) else []
            topics[slug] = tuple(members)
        return topics

    def _origin_ids(self) -> set[str]:
        return {self.assembled.origins.of(url).id for url in self.urls}

    def _origins(self, sources: Mapping[str, SourceEntry | None]) -> dict[str, Origin | None]:
        """The origins of the sources as they are now."""
        origins: dict[str, Origin | None] = {}
        for id_ in self._origin_ids():
            before = self.before.origins.get(id_)
            urls = {*before.sources, *before.mentions} if before else set()
            mine = {url: source for url, source in sources.items() if self.assembled.origins.of(url).id == id_}
            every = {url: self.before.ledger[url] for url in urls - mine.keys()}
            every |= {url: source for url, source in mine.items() if source}
            if not every:
                origins[id_] = None
                continue
            ordered = [every[url] for url in sorted(every)]
            now = origin_of(self.assembled.origins.of(ordered[0].url), ordered)
            origins[id_] = before if before == now else now
        return origins

    def _changes(self, entry: Entry) -> tuple[Change, ...]:
        former = changes_of(self.former.draft, self.before.entries[self.id], self.former.own.history)
        now = changes_of(self.now.draft, entry, self.now.own.history)
        if former == now:
            return self.before.changes
        changes = list(self.before.changes)
        for change in former:
            place = bisect_left(changes, change_order(change), key=change_order)
            while changes[place] != change:
                place += 1
            del changes[place]
        for change in now:
            insort(changes, change, key=change_order)
        return tuple(changes)

    def _commit(self, after: Archive, faults: Sequence[Fault], entries: Mapping[str, Entry]) -> None:
        """Bring what the archive was assembled from up to date."""
        assembled = self.assembled
        inbound = assembled.inbound()
        for target in self.targets:
            inbound[target] = self._linking(target)
        assembled.records[self.id] = self.now
        orphans = [*self._orphans({self.id, *entries})]
        files = {shown(self._record(id_).draft.file) for id_ in {self.id, *entries}}
        mine = shown(self.now.draft.file)
        others = [
            fault
            for fault in assembled.faults
            if fault.place.file != mine and not (fault.code is ORPHAN and fault.place.file in files)
        ]
        assembled.faults = tuple(sorted([*others, *faults, *orphans], key=lambda fault: fault.key))
        assembled.archive = after
        assembled.addresses.index.published[self.id] = self.now.draft

    def _orphans(self, ids: Iterable[str]) -> Iterator[Fault]:
        for id_ in ids:
            record = self._record(id_)
            if not (record.edges or self._linking(id_) or self.assembled.folder.plain):
                yield orphan(record.draft)


class _Titles(SourceTitles):
    """The titles of sources around an edit: those that it may change, and those of the ledger."""

    def __init__(self, titles: Mapping[str, str], ledger: Mapping[str, SourceEntry]) -> None:
        super().__init__(())
        self._changed, self._ledger = titles, ledger

    def of(self, url: str) -> str:
        """The title of the source at a normalised address."""
        return self._changed.get(url) or self._ledger[url].title


def _order(record: Resolved) -> tuple[float, str]:
    """Newest first, then by id."""
    return -record.draft.front.date.timestamp(), record.draft.id


def _place(members: Sequence[Entry], entry: Entry) -> int:
    """Where a record is, or belongs, among records in their order."""

    def order(member: Entry) -> tuple[float, str]:
        return -member.record.published_at.timestamp(), member.record.id

    return bisect_left(members, order(entry), key=order)


def _replaced(before: Mapping[str, V], changed: Mapping[str, V | None]) -> Mapping[str, V]:
    """The mapping with other values in the order of its keys; ``None`` takes a key away."""
    if all(before.get(key) is value for key, value in changed.items()):
        return before
    values = {key: value for key, value in changed.items() if value is not None}
    if len(values) == len(changed) and values.keys() <= before.keys():
        return {**before, **values}
    after = {**before, **values}
    for key in changed.keys() - values.keys():
        after.pop(key, None)
    return {key: after[key] for key in sorted(after)}


def _differing(before: Mapping[str, object], after: Mapping[str, object], keys: Iterable[str]) -> frozenset[str]:
    return frozenset(key for key in keys if before.get(key) is not after.get(key))
