"""From a folder to an archive: names, references, links, ledger and changes, with every fault at once."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from itertools import chain

from citepress.archive import extras
from citepress.archive.assembled import Assembled
from citepress.archive.backlinks import inbound_links
from citepress.archive.build import EntryParts, entry_of_parts
from citepress.archive.build import entry as build_entry
from citepress.archive.changes import beside_records, changes_of, newest_first
from citepress.archive.cycles import cycles
from citepress.archive.dates import faults as time_faults
from citepress.archive.filed_entries import filed_entries
from citepress.archive.labels import labelled
from citepress.archive.links import Addresses, Names, Routes, page_form, unknown
from citepress.archive.local_facts import local_facts
from citepress.archive.mentions import MentionRules
from citepress.archive.model import Archive, Change, Dataset, Entry, Withdrawn
from citepress.archive.origins import Origins
from citepress.archive.quotes import evidence_faults
from citepress.archive.record_index import RecordIndex
from citepress.archive.redirects import Redirects, withdrawn
from citepress.archive.resolve import ABOUT, Resolved, orphan, resolve
from citepress.archive.site_links import lost_pages
from citepress.archive.source_ledger import SourceTitles, build_source_ledger, filed_ledger, source_aliases
from citepress.archive.translations import link_translations
from citepress.base.filed_values import FiledMapping
from citepress.base.forked_processes import done_by_processes
from citepress.base.gc_pause import paused_gc
from citepress.base.ids import path_of
from citepress.base.packed_values import FrameFile
from citepress.base.slugs import slugify
from citepress.base.text import did_you_mean
from citepress.base.timestamps import UNKNOWN, as_moment
from citepress.content import settings_file
from citepress.content.files import printable_path
from citepress.content.folder import Folder
from citepress.content.source_record import SourceRecord
from citepress.contract.fault import (
    AMBIGUOUS_NAME,
    BAD_SITE,
    CYCLE,
    DUPLICATE_ID,
    UNEXPLAINED_CHANGE,
    Fault,
    Faults,
    Level,
    set_aside,
)
from citepress.contract.kind import Kind, Registry
from citepress.contract.refs import TOPICS
from citepress.history.revisions import RecordRevisions

EDITORIAL = (UNEXPLAINED_CHANGE,)
"""Warnings about editorial practice, which do not concern plain notes."""
ENTRIES_SENT_TOGETHER = 32
"""Entries of one message of a process that makes them."""
MAX_ASSEMBLIES = 5
"""How often a plain folder is assembled again without the notes that have errors."""


def assemble(
    folder: Folder, kinds: Sequence[Kind], registries: Sequence[Registry], routes: Routes = unknown
) -> Archive:
    """The archive of a folder.

    Raises ``Faults`` with the folder's own faults and all found here, if any is an error.
    """
    archive, faults = check(folder, kinds, registries, routes)
    if archive is None:
        raise Faults(faults)
    return archive


def check(
    folder: Folder, kinds: Sequence[Kind], registries: Sequence[Registry], routes: Routes = unknown
) -> tuple[Archive | None, tuple[Fault, ...]]:
    """The archive, or ``None`` where there is an error, and every fault and warning in file order.

    ``routes`` decides whether a built-in path is answered; without it links to such paths are not checked.
    """
    result, faults = assembled(folder, kinds, registries, routes)
    return (result.archive if result else None), faults


def assembled(
    folder: Folder,
    kinds: Sequence[Kind],
    registries: Sequence[Registry],
    routes: Routes = unknown,
    revisions: dict[str, RecordRevisions] | None = None,
    *,
    frames: FrameFile | None = None,
) -> tuple[Assembled | None, tuple[Fault, ...]]:
    """As ``check``, the archive with what it was assembled from.

    ``revisions`` are those of its records by id, where any are kept. ``frames`` is where they lie, for an archive
    that is not assembled again; for any other one results are kept with each record.
    """
    parts = tuple(kinds), tuple(registries), routes, revisions or {}, frames
    work = _Assembly(folder, *parts)
    with paused_gc():
        archive = work.archive()
    for _ in range(MAX_ASSEMBLIES if folder.plain else 0):
        folder, bad = _without_bad_notes(folder, work.faults)
        if not bad:
            break
        work = _Assembly(folder, *parts)
        archive = work.archive()
    own = [fault for fault in work.faults if not (folder.plain and fault.code in EDITORIAL)]
    broken = any(fault.code.level is Level.ERROR for fault in (*folder.faults, *own))
    # What an error hides may be the link that a record seems to lack.
    own += () if broken else map(orphan, work.orphans)
    faults = sorted([*folder.faults, *own], key=lambda fault: fault.key)
    return None if broken else work.assembled(archive, tuple(faults)), tuple(faults)


def _without_bad_notes(folder: Folder, faults: Iterable[Fault]) -> tuple[Folder, bool]:
    """A plain folder without the notes that have errors, each with a warning; and whether there were any."""
    errors = {fault.place.file: fault for fault in reversed(list(faults)) if fault.code.level is Level.ERROR}
    bad = {draft.file for draft in (*folder.drafts, *folder.held) if printable_path(draft.file) in errors}
    warnings = tuple(set_aside(errors[printable_path(file)]) for file in sorted(bad))
    drafts = tuple(draft for draft in folder.drafts if draft.file not in bad)
    held = tuple(draft for draft in folder.held if draft.file not in bad)
    left_out = [draft for draft in (*folder.drafts, *folder.held) if draft.file in bad]
    paths = {page_form(path): draft.file for draft in left_out for path in (path_of(draft.id), *draft.head.aliases)}
    sound = replace(
        folder, drafts=drafts, held=held, set_aside={**paths, **folder.set_aside}, faults=(*folder.faults, *warnings)
    )
    return sound, bool(bad)


@dataclass
class _Assembly:
    """One assembly, gathering faults."""

    folder: Folder
    kinds: tuple[Kind, ...]
    registries: tuple[Registry, ...]
    routes: Routes
    revisions: dict[str, RecordRevisions]
    frames: FrameFile | None
    faults: list[Fault] = field(default_factory=list)
    orphans: list[SourceRecord] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.mention_rules = MentionRules.of(self.folder.site)

    def archive(self) -> Archive:
        folder = self.folder
        self.faults += [*_same_ids(folder), *_same_names(folder), *_unknown_labels(folder, self.kinds)]
        index = RecordIndex.of(folder, (kind.name for kind in self.kinds))
        self.faults += _unknown_lead(folder, index)
        drafts = sorted(index.published.values(), key=lambda draft: (-draft.head.date.timestamp(), draft.id))
        redirects = Redirects(folder, index, self.routes)
        redirects.gather()
        addresses = self._addresses(index, redirects.paths)
        settled = redirects.settle(addresses)
        self.faults += [*redirects.faults, *lost_pages(folder, addresses)]
        origins = Origins(folder.shared)
        records = [self._resolved(draft, origins, addresses) for draft in drafts]
        datasets = extras.datasets(folder, index, self.faults)
        self._keep(records, addresses, origins, datasets)
        titles = _source_titles(records, datasets)
        aliases = source_aliases(record.own for record in records)
        entries = self._entries(records, titles, aliases)
        gone = withdrawn(folder, index, self.revisions, self.faults)
        self.faults += time_faults(folder, records, index)
        facts = (record.own for record in records)
        build = partial(build_source_ledger, facts, aliases, origins, titles)
        sources = filed_ledger(self.frames, build) if self.frames else build()
        as_of = newest_date(records, datasets, gone)
        changes = chain(beside_records(gone, folder.site.deprecations, as_of), self._changes(records, entries))
        return Archive(
            site=folder.site,
            kinds=tuple(labelled(kind, folder.site) for kind in self.kinds),
            registries=self.registries,
            entries=entries,
            collections=_members(entries, self._ids_by_kind(records)),
            topics=_members(entries, _ids_by_topic(records)),
            ledger=sources.ledger,
            aliases=sources.aliases,
            origins=sources.origins,
            datasets=tuple(extras.with_source_titles(dataset, titles) for dataset in datasets),
            owner=extras.owner(folder),
            registered=extras.registered(folder.registered, self.registries, index, self.faults),
            pages=extras.pages(folder, addresses, self.faults),
            redirects=settled,
            withdrawn=gone,
            changes=newest_first(changes),
            as_of=as_of,
            observations=folder.observations.by_url,
            static=folder.static,
            images=folder.images,
            templates=folder.templates,
            next_moment=folder.next_moment,
        )

    def _changes(self, records: Iterable[Resolved], entries: Mapping[str, Entry]) -> Iterator[Change]:
        for record in records:
            yield from changes_of(record.draft, entries[record.draft.id], record.own.history)
            if self.frames:  # no later assembly asks what it was made of
                record.draft.memo.clear()

    def _keep(
        self, records: Sequence[Resolved], addresses: Addresses, origins: Origins, datasets: Sequence[Dataset]
    ) -> None:
        """Keep what a revision of one record goes back to."""
        self.records = {record.draft.id: record for record in records}
        self.addresses, self.origins = addresses, origins
        self.dataset_titles = _dataset_titles(datasets)

    def assembled(self, archive: Archive, faults: tuple[Fault, ...]) -> Assembled:
        """The archive, and what it was assembled from."""
        others = frozenset(alias for record in self.records.values() for alias, _ in record.own.aliases)
        parts = self.records, self.addresses, self.origins, self.dataset_titles, others, self.revisions
        return Assembled(self.folder, archive, *parts, faults)

    def _addresses(self, index: RecordIndex, redirects: Mapping[str, str]) -> Addresses:
        names = Names(
            base_url=index.base_url,
            records=frozenset(index.published) | index.faulty,
            hidden=index.hidden,
            kinds=index.kinds,
            pages=frozenset(f"pages/{page.slug}" for page in self.folder.pages),
            datasets=frozenset(dataset.name for dataset in self.folder.datasets),
            charts=frozenset(
                name
                for dataset in self.folder.datasets
                for chart in dataset.front.charts
                for name in (dataset.name, f"{dataset.name}#{chart.anchor}")
            ),
            static=frozenset(self.folder.static),
            redirects=redirects,
            routes=self.routes,
            elsewhere=tuple(self.folder.site.elsewhere),
            plain=self.folder.plain,
        )
        return Addresses(index, names)

    def _resolved(self, draft: SourceRecord, origins: Origins, addresses: Addresses) -> Resolved:
        revisions = self.revisions.get(draft.id)
        own = local_facts(draft, self.folder.shared, origins, self.mention_rules, revisions)
        resolved = resolve(draft, own, addresses)
        self.faults += resolved.own.faults
        self.faults += resolved.faults
        return resolved

    def _entries(
        self, records: Sequence[Resolved], titles: SourceTitles, aliases: Mapping[str, str]
    ) -> Mapping[str, Entry]:
        """Every entry, newest first, with the links of other records to it."""
        inbound = inbound_links(records)
        link_translations([record.draft for record in records], self.folder.site, plain=self.folder.plain)
        kinds = [labelled(kind, self.folder.site) for kind in self.kinds]
        filed = filed_entries(self.frames, kinds, self.revisions) if self.frames else None
        entries: dict[str, Entry] = {}
        observations = self.folder.observations.by_url

        def entry_of(record: Resolved, parts: EntryParts | None = None) -> Entry:
            record = replace(record, own=record.own.opened()) if self.frames else record
            id_, mentions = record.draft.id, record.own.mentions_led(aliases, self.origins)
            linked = inbound.related.get(id_, ()), inbound.backlinks.get(id_, ())
            return build_entry(record, self.folder.site, *linked, titles, mentions, observations, parts)

        def parts_of(record: Resolved) -> EntryParts:
            parts = EntryParts.of(entry_of(record))
            if self.frames:
                record.draft.memo.clear()
            return parts

        new = [record for record in records if "entry" not in record.draft.memo]
        sending = done_by_processes(new, parts_of, ENTRIES_SENT_TOGETHER)
        with closing(sending) as sent:
            for record in records:
                id_ = record.draft.id
                parts = None if "entry" in record.draft.memo else next(sent)
                if filed is None:
                    entries[id_] = entry_of(record, parts)
                else:
                    filed.add(id_, entry_of_parts(record, self.folder.site, parts) if parts else entry_of(record))
                if observations:
                    self.faults += evidence_faults(record.draft, record.own.quotes, record.own.sources, observations)
                if not (record.edges or inbound.backlinks.get(id_) or self.folder.plain):
                    self.orphans.append(record.draft)
        self._check_cycles(records)
        return entries if filed is None else filed

    def _check_cycles(self, records: Sequence[Resolved]) -> None:
        by_id = {record.draft.id: record.draft for record in records}
        supersessions = (edge for record in records for edge in record.edges if edge.type == "supersedes")
        for cycle in cycles(supersessions):
            place = by_id[cycle[0]].locate(("supersedes",))
            message = f"supersedes: {' → '.join((*cycle, cycle[0]))}"
            self.faults.append(Fault.at(CYCLE, place, message, "take one of the references out"))

    def _ids_by_kind(self, records: Iterable[Resolved]) -> Mapping[str, Sequence[str]]:
        by_kind: dict[str, list[str]] = {kind.name: [] for kind in self.kinds}
        for record in records:
            by_kind[record.draft.kind.name].append(record.draft.id)
        return by_kind


def newest_date(records: Iterable[Resolved], datasets: Sequence[Dataset], gone: Sequence[Withdrawn]) -> datetime:
    """The newest date of an archive."""
    dates = [moment for record in records for moment in (record.own.history.published, record.own.history.noted)]
    dates += [dataset.updated for dataset in datasets]
    dates += [withdrawal.date for withdrawal in gone if withdrawal.date]
    return as_moment(max(dates, default=UNKNOWN))


def _unknown_labels(folder: Folder, kinds: Sequence[Kind]) -> Iterator[Fault]:
    """Labels for kinds that do not exist."""
    names = [kind.name for kind in kinds]
    for name in folder.site.kinds:
        if name not in names:
            place = settings_file.place(folder.root, ("kinds", name))
            hint = did_you_mean(name, names) or f"the kinds are {', '.join(names)}"
            yield Fault.at(BAD_SITE, place, f"kinds.{name}: is not a kind of record", hint)


def _unknown_lead(folder: Folder, index: RecordIndex) -> Iterator[Fault]:
    """A record for the top of the front page that does not exist."""
    lead = folder.site.home.lead
    ids = {*index.published, *index.faulty, *index.hidden}
    if lead is not None and lead not in ids:
        place = settings_file.place(folder.root, ("home", "lead"))
        hint = did_you_mean(lead, ids) or "write the id of a record, such as posts/first-note"
        yield Fault.at(BAD_SITE, place, f"home.lead: there is no record {lead}", hint)


def _dataset_titles(datasets: Sequence[Dataset]) -> Mapping[str, str]:
    """The first title that a dataset gives to each source of datasets; empty where none does."""
    titles: dict[str, str] = {}
    for title, _, url in (source for dataset in datasets for source in dataset.sources):
        titles[url] = titles.get(url) or title
    return titles


def _source_titles(newest_first: Sequence[Resolved], datasets: Sequence[Dataset]) -> SourceTitles:
    records = (pair for record in newest_first for pair in record.own.titles)
    named = ((url, title) for dataset in datasets for title, _, url in dataset.sources if title)
    return SourceTitles(chain(records, named))


def _ids_by_topic(records: Sequence[Resolved]) -> Mapping[str, Sequence[str]]:
    """Members of every topic hub by its slug, newest first."""
    members: dict[str, list[str]] = {
        slug: [] for slug in sorted(record.draft.slug for record in records if record.draft.kind.name == TOPICS)
    }
    for record in records:
        for edge in record.edges:
            if edge.type == ABOUT:
                members[edge.target.partition("/")[2]].append(record.draft.id)
    return members


def _members(entries: Mapping[str, Entry], ids: Mapping[str, Sequence[str]]) -> Mapping[str, Sequence[Entry]]:
    """The entries of these ids, in their order."""
    if isinstance(entries, FiledMapping):
        return {name: entries.of(members) for name, members in ids.items()}
    return {name: tuple([entries[id_] for id_ in members]) for name, members in ids.items()}


def _same_ids(folder: Folder) -> list[Fault]:
    """Files that claim the id of another; the id of a withdrawn record stays taken."""
    owners = {
        **dict.fromkeys(folder.hidden, "a record that is not shown"),
        **{tombstone.id: tombstone.source_file.file for tombstone in folder.tombstones},
    }
    faults = []
    for draft in folder.drafts:
        if draft.id in owners:
            message = f"the id {draft.id!r} is that of {printable_path(owners[draft.id])}"
            faults.append(
                Fault.at(DUPLICATE_ID, draft.locate(("slug",), key=True), message, "give one of them another slug")
            )
        owners[draft.id] = draft.file
    return faults


def _same_names(folder: Folder) -> list[Fault]:
    """Topics with the name of another: its title, or a title that reads like its slug."""
    topics = [draft for draft in folder.drafts if draft.kind.name == TOPICS]
    owners: dict[str, str] = {}
    faults = []
    for draft in topics:
        owners.setdefault(draft.slug, draft.id)
    for draft in topics:
        name = slugify(draft.head.title) or draft.head.title.casefold()
        if owners.setdefault(name, draft.id) != draft.id:
            message = f"title: {draft.head.title[:80]!r} is the name of {owners[name]} too"
            faults.append(Fault.at(AMBIGUOUS_NAME, draft.locate(("title",)), message, "give one of them another title"))
    return faults
