"""One record that changed, came or went: what follows from it for its archive, without reading the other records.

Where an edit may concern more than the records around it (names, schedules, withdrawals, rules between records), there
is no revision, and the archive is assembled anew.
"""

from bisect import bisect_left, insort
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from operator import attrgetter
from typing import TypeVar

from citepress.archive.assemble import newest_date
from citepress.archive.assembled import Assembled, Relation, of_type, relations
from citepress.archive.backlinks import LinkFrom
from citepress.archive.build import entry as build_entry
from citepress.archive.changes import change_order, changes_of
from citepress.archive.edit import ArchiveEdit, differing
from citepress.archive.local_facts import local_facts
from citepress.archive.mentions import MentionRules, as_entry, joined_mentions
from citepress.archive.model import MENTIONED, Archive, Change, Entry, Origin, SourceEntry
from citepress.archive.quotes import evidence_faults
from citepress.archive.resolve import ABOUT, RELATED, Resolved, orphan, resolve
from citepress.archive.revisable import may_be_revised, stands_alone
from citepress.archive.source_ledger import SourceTitles, join_source, origin_of
from citepress.base.urls import host_of
from citepress.content.files import printable_path
from citepress.content.reread import Reread
from citepress.contract.fault import ORPHAN, Fault, Level
from citepress.contract.record import Mention

V = TypeVar("V")
ORDER = attrgetter("order")


def revise(assembled: Assembled, change: Reread, moment: datetime) -> tuple[Archive, ArchiveEdit] | None:
    """The archive with a record as it is written now, and the edit; ``assembled`` is brought up to date.

    ``None`` where the archive has to be assembled anew, and ``assembled`` must not be used again.
    """
    if not may_be_revised(assembled, change.former, change.record, moment):
        return None
    former = assembled.records[change.former.id] if change.former else None
    faults, now = change.faults, None
    if change.record:
        assembled.addresses.add(change.record)
        rules = MentionRules.of(assembled.folder.site)
        revisions = assembled.revisions.get(change.record.id)
        own = local_facts(change.record, assembled.folder.shared, assembled.origins, rules, revisions)
        now = resolve(change.record, own, assembled.addresses)
        stale = evidence_faults(change.record, own.quotes, own.sources, assembled.archive.observations)
        faults = (*faults, *own.faults, *now.faults, *stale)
    elif former:
        assembled.addresses.remove(former.draft.id)
    if any(fault.code.level is Level.ERROR for fault in faults) or not stands_alone(former, now):
        return None
    return _Revision(assembled, former, now).applied(faults)


def _uses(record: Resolved | None) -> dict[str, object]:
    """What the ledger holds of a record's use of each source, by address."""
    if record is None:
        return {}
    own, titles = record.own, dict(reversed(record.own.titles))
    uses: dict[str, object] = {mention.normalized_url: mention for mention in own.mentions}
    return uses | {cited.url: (cited, titles.get(cited.url)) for cited in own.cited}


def _differing_keys(before: Mapping[str, object], after: Mapping[str, object], *, every: bool) -> set[str]:
    """Keys of either whose values differ, or ``every`` key."""
    return {key for key in before.keys() | after.keys() if every or before.get(key) != after.get(key)}


class _Revision:
    """Works out one record that changed, came or went."""

    def __init__(self, assembled: Assembled, former: Resolved | None, now: Resolved | None) -> None:
        self.assembled, self.former, self.now = assembled, former, now
        draft = next(version.draft for version in (now, former) if version)
        self.id, self.kind, self.file = draft.id, draft.kind.name, printable_path(draft.file)
        self.before = assembled.archive
        self.moved = former is None or now is None or _order(former) != _order(now)
        """Whether its place among the others differs, so that everything that lists it does."""
        self.edges = former.edges if former else (), now.edges if now else ()
        linked, self.linked = map(relations, self.edges)
        self.targets = _differing_keys(linked, self.linked, every=self.moved)
        """Records to which the edges differ, or are listed in another order."""
        self.uses = _uses(now)
        self.urls = _differing_keys(_uses(former), self.uses, every=self.moved)
        """Addresses of sources that it uses otherwise than before."""

    def applied(self, faults: Sequence[Fault]) -> tuple[Archive, ArchiveEdit] | None:
        as_of = self._as_of()
        if as_of != self.before.as_of and self.before.site.deprecations:
            return None  # one that was not announced is dated by the archive
        ledger = self.before.ledger
        if not self.assembled.other_addresses.isdisjoint({*self.urls, *self.uses}):
            return None  # which source such an address leads to depends on all records
        titles = {url: self._title(url) for url in self.urls}
        retitled = {url for url, title in titles.items() if title != self._former_title(url)}
        if not retitled.isdisjoint(self.assembled.dataset_titles):
            return None
        sources = {url: self._source(url, titles[url]) for url in self.urls}
        if {url for url in sources if sources[url]} != sources.keys() & ledger.keys() and any(
            source.aliases for url in self.urls if (source := ledger.get(url))
        ):
            return None
        entries = self._entries(titles, retitled)
        after = replace(
            self.before,
            entries=self._every_entry(entries),
            collections=self._collections(entries),
            topics=self._topics(entries),
            ledger=_replaced(self.before.ledger, sources),
            origins=_replaced(self.before.origins, self._origins(sources)),
            changes=self._changes(entries.get(self.id, self.before.entries.get(self.id))),
            as_of=as_of,
        )
        self._commit(after, faults, entries)
        return after, ArchiveEdit(
            self.before,
            after,
            frozenset(entries) if self.now else frozenset(entries) | {self.id},
            differing(self.before.ledger, after.ledger, self.urls),
            differing(self.before.origins, after.origins, self._origin_ids()),
            differing(self.before.topics, after.topics, [target.partition("/")[2] for target in self._hubs(entries)]),
        )

    def _as_of(self) -> datetime:
        """The newest date of the archive."""
        newest = self.before.as_of
        if self.now and self.now.own.history.noted >= newest:
            return self.now.own.history.noted
        if not self.former or self.former.own.history.noted < newest:
            return newest
        others = (self._record(id_) for id_ in self.assembled.records if self.now or id_ != self.id)
        return newest_date(others, self.before.datasets, self.before.withdrawn)

    def _record(self, id_: str) -> Resolved:
        return self.now if self.now and id_ == self.id else self.assembled.records[id_]

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
            source = first if len(uses) == 1 else join_source([first, *uses[1:]])
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
        ids = {*self.targets, *(record.draft.id for url in retitled for record in self._citing(url))}
        ids |= {self.id} if self.now else set()
        entries = {}
        for id_ in ids:
            record = self._record(id_)
            shown_titles = _Titles(titles, self.before.ledger)
            mentions = record.own.mentions_led(self.before.aliases, self.assembled.origins)
            related, backlinks = self._related(record), self._backlinks(id_)
            observations = self.before.observations
            entry = build_entry(record, self.before.site, related, backlinks, shown_titles, mentions, observations)
            if entry is not self.before.entries.get(id_):
                entries[id_] = entry
        return entries

    def _every_entry(self, entries: Mapping[str, Entry]) -> dict[str, Entry]:
        """All entries in their order."""
        every = {**self.before.entries, **entries}
        if not self.moved:
            return every
        entry = every.pop(self.id)
        if self.now is None:
            return every
        pairs = list(every.items())
        pairs.insert(bisect_left(pairs, entry.order, key=lambda pair: pair[1].order), (self.id, entry))
        return dict(pairs)

    def _linking(self, id_: str) -> dict[str, tuple[Relation, ...]]:
        linking = dict(self.assembled.inbound().get(id_, {}))
        linking.pop(self.id, None)
        if relations := self.linked.get(id_):
            linking[self.id] = relations
        return linking

    def _backlinks(self, id_: str) -> list[LinkFrom]:
        linking = self._linking(id_)
        newest_first = sorted(map(self._record, linking), key=_order)
        return [(r.draft.id, *relation) for r in newest_first for relation in linking[r.draft.id]]

    def _related(self, record: Resolved) -> tuple[str, ...]:
        """Related records named by either side."""
        linking = self._linking(record.draft.id)
        naming = sorted(id_ for id_, relations in linking.items() if any(type_ == RELATED for type_, _ in relations))
        return tuple(dict.fromkeys((*of_type(record.edges, RELATED), *naming)))

    def _collections(self, entries: Mapping[str, Entry]) -> Mapping[str, Sequence[Entry]]:
        collections = dict(self.before.collections)
        for name in {self.kind, *(entry.kind.name for entry in entries.values())}:
            members = self._others(collections[name])
            for entry in entries.values():
                if entry.kind.name == name:
                    put_entry(members, entry)
            collections[name] = tuple(members)
        return collections

    def _others(self, members: Sequence[Entry]) -> list[Entry]:
        """The members of a list; without the record where it stands elsewhere now."""
        others, former = list(members), self.before.entries.get(self.id)
        if self.moved and former:
            place = bisect_left(others, former.order, key=ORDER)
            if others[place : place + 1] == [former]:
                del others[place]
        return others

    def _hubs(self, entries: Mapping[str, Entry]) -> set[str]:
        """Ids of the hubs whose members differ."""
        return {
            *of_type(self.edges[0], ABOUT),
            *(target for entry in entries.values() for target in of_type(entry.edges, ABOUT)),
        }

    def _topics(self, entries: Mapping[str, Entry]) -> Mapping[str, Sequence[Entry]]:
        topics = dict(self.before.topics)
        for hub in self._hubs(entries):
            slug = hub.partition("/")[2]
            members = self._others(topics[slug])
            for entry in entries.values():
                put_entry(members, entry, listed=hub in of_type(entry.edges, ABOUT))
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

    def _changes(self, entry: Entry | None) -> tuple[Change, ...]:
        former, now = _changes_of(self.former, self.before.entries.get(self.id)), _changes_of(self.now, entry)
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
        if self.now:
            assembled.records[self.id] = self.now
        else:
            del assembled.records[self.id]
        ids = {*entries, self.id} & assembled.records.keys()
        files = {printable_path(self._record(id_).draft.file) for id_ in ids}
        others = [
            fault
            for fault in assembled.faults
            if fault.place.file != self.file and not (fault.code is ORPHAN and fault.place.file in files)
        ]
        assembled.faults = tuple(sorted([*others, *faults, *self._orphans(ids)], key=lambda fault: fault.key))
        assembled.archive = after

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
    return -record.draft.head.date.timestamp(), record.draft.id


def put_entry(members: list[Entry], entry: Entry, *, listed: bool = True) -> None:
    """Put a record at its place among others, instead of its former version; or take that out."""
    place = bisect_left(members, entry.order, key=ORDER)
    stands = place < len(members) and members[place].head.id == entry.head.id
    members[place : place + stands] = [entry] if listed else []


def _changes_of(record: Resolved | None, entry: Entry | None) -> tuple[Change, ...]:
    return changes_of(record.draft, entry, record.own.history) if record and entry else ()


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
