"""From a folder to an archive: names, references, links, ledger and changes, with every fault at once."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import NamedTuple

from citepress.archive import extras
from citepress.archive.build import entry
from citepress.archive.changes import beside_records, changes_of, newest_first
from citepress.archive.cycles import cycles
from citepress.archive.dates import faults as time_faults
from citepress.archive.links import Addresses, Names, Routes, unknown
from citepress.archive.local_facts import local_facts
from citepress.archive.model import Archive, Edge, Entry
from citepress.archive.origins import Origins
from citepress.archive.record_index import RecordIndex
from citepress.archive.redirects import Redirects, withdrawn
from citepress.archive.resolve import Resolved, resolve
from citepress.archive.source_ledger import build_source_ledger
from citepress.base.gc_pause import paused_gc
from citepress.base.ids import slugify
from citepress.content.files import shown
from citepress.content.folder import Folder
from citepress.content.note import set_aside
from citepress.content.source_record import SourceRecord
from citepress.contract.fault import AMBIGUOUS_NAME, CYCLE, DUPLICATE_ID, ORPHAN, UNEXPLAINED_CHANGE, Fault, Faults, Level, Span
from citepress.contract.kind import Kind, Registry

EMPTY = datetime(1970, 1, 1, tzinfo=UTC)
"""``as_of`` of an archive without records."""
ABOUT = "about-topic"
EDITORIAL = (UNEXPLAINED_CHANGE,)
"""Warnings on how an archive is kept, which say nothing to somebody who keeps notes."""
ROUNDS = 5
"""How often a plain folder is gathered anew without the notes that stand in its way."""
NAMED = "topics"
"""The kind whose records are looked up by name."""


def assemble(folder: Folder, kinds: Sequence[Kind], registries: Sequence[Registry], routes: Routes = unknown) -> Archive:
    """The archive of a folder. Raises ``Faults`` with the folder's own faults and all found here, if any is an error."""
    archive, faults = check(folder, kinds, registries, routes)
    if archive is None:
        raise Faults(faults)
    return archive


def check(
    folder: Folder, kinds: Sequence[Kind], registries: Sequence[Registry], routes: Routes = unknown
) -> tuple[Archive | None, tuple[Fault, ...]]:
    """The archive, or ``None`` where an error stands in its way, and every fault and warning in file order.

    ``routes`` tells whether a built-in path is answered; without it links to such paths are taken on trust.
    """
    work = _Assembly(folder, tuple(kinds), tuple(registries), routes)
    with paused_gc():
        archive = work.archive()
    for _ in range(ROUNDS if folder.plain else 0):
        folder, bad = _without_bad_notes(folder, work.faults)
        if not bad:
            break
        work = _Assembly(folder, tuple(kinds), tuple(registries), routes)
        archive = work.archive()
    own = [fault for fault in work.faults if not (folder.plain and fault.code in EDITORIAL)]
    faults = sorted([*folder.faults, *own], key=lambda fault: fault.key)
    broken = any(fault.code.level is Level.ERROR for fault in faults)
    return None if broken else archive, tuple(faults)


def _without_bad_notes(folder: Folder, faults: Iterable[Fault]) -> tuple[Folder, bool]:
    """A plain folder without the notes that an error stands in, each set aside with a warning; and whether there were any."""
    errors = {fault.place.file: fault for fault in reversed(list(faults)) if fault.code.level is Level.ERROR}
    bad = {draft.file for draft in (*folder.drafts, *folder.held) if shown(draft.file) in errors}
    told = tuple(set_aside(errors[shown(file)]) for file in sorted(bad))
    drafts = tuple(draft for draft in folder.drafts if draft.file not in bad)
    held = tuple(draft for draft in folder.held if draft.file not in bad)
    return replace(folder, drafts=drafts, held=held, faults=(*folder.faults, *told)), bool(bad)


@dataclass(frozen=True, slots=True)
class _InboundLinks:
    """What the other records say of one."""

    related: Mapping[str, tuple[str, ...]]
    backlinks: Mapping[str, Sequence[tuple[str, str]]]


class _Assembly:
    """One assembly, gathering faults."""

    def __init__(self, folder: Folder, kinds: tuple[Kind, ...], registries: tuple[Registry, ...], routes: Routes) -> None:
        self.folder, self.kinds, self.registries, self.routes = folder, kinds, registries, routes
        self.faults: list[Fault] = []

    def archive(self) -> Archive:
        folder = self.folder
        self.faults += [*_same_ids(folder), *_same_names(folder)]
        known = RecordIndex.of(folder, (kind.name for kind in self.kinds))
        drafts = sorted(known.published.values(), key=lambda draft: (-draft.front.date.timestamp(), draft.id))
        redirects = Redirects(folder, known, self.routes)
        redirects.gather()
        addresses = self._addresses(known, redirects.paths)
        settled = redirects.settle(addresses)
        self.faults += redirects.faults
        origins = Origins(folder.shared)
        found = [self._resolved(draft, origins, addresses) for draft in drafts]
        entries = self._entries(found)
        gone = withdrawn(folder, known, self.faults)
        self.faults += time_faults(folder, found, known)
        kept = build_source_ledger([one.own for one in found], origins)
        told = [change for one in found for change in changes_of(one.draft, entries[one.draft.id], one.own.history)]
        datasets = extras.datasets(folder, known, self.faults)
        dates = [moment for one in found for moment in (one.own.history.published, one.own.history.updated)]
        dates += [dataset.updated for dataset in datasets] + [one.date for one in gone if one.date]
        as_of = max(dates, default=EMPTY)
        told += beside_records(folder.taken, gone, folder.site.deprecations, as_of)
        return Archive(
            site=folder.site,
            kinds=self.kinds,
            registries=self.registries,
            entries=entries,
            collections=self._collections(entries.values()),
            topics=_topics(entries),
            ledger=kept.ledger,
            aliases=kept.aliases,
            origins=kept.origins,
            datasets=datasets,
            owner=extras.owner(folder),
            registered=extras.registered(folder.registered, self.registries, known, self.faults),
            pages=extras.pages(folder, addresses, self.faults),
            redirects=settled,
            withdrawn=gone,
            changes=newest_first(told),
            as_of=as_of,
            static=folder.static,
            images=folder.images,
            templates=folder.templates,
            next_moment=folder.next_moment,
        )

    def _addresses(self, known: RecordIndex, redirects: Mapping[str, str]) -> Addresses:
        names = Names(
            base_url=known.base_url,
            records=frozenset(known.published),
            hidden=known.hidden,
            kinds=known.kinds,
            pages=frozenset(page.slug for page in self.folder.pages),
            datasets=frozenset(dataset.name for dataset in self.folder.datasets),
            static=frozenset(self.folder.static),
            redirects=redirects,
            routes=self.routes,
            plain=self.folder.plain,
        )
        return Addresses(known, names)

    def _resolved(self, draft: SourceRecord, origins: Origins, addresses: Addresses) -> Resolved:
        found = resolve(draft, local_facts(draft, self.folder.shared, origins), addresses)
        self.faults += found.own.faults
        self.faults += found.faults
        return found

    def _entries(self, found: Sequence[Resolved]) -> dict[str, Entry]:
        """Every entry, newest first, with what the other records say of it."""
        around = _around(found)
        entries: dict[str, Entry] = {}
        for one in found:
            id_ = one.draft.id
            backlinks = around.backlinks.get(id_, ())
            entries[id_] = entry(one, self.folder.site, around.related.get(id_, ()), backlinks)
            if not (one.edges or backlinks or self.folder.plain):
                place = Span(shown(one.draft.file), 1, 1)
                self.faults.append(
                    Fault.at(ORPHAN, place, "no record links here, and this links to none", "name a topic or a related record")
                )
        by_id = {one.draft.id: one.draft for one in found}
        for circle in cycles(edge for one in found for edge in one.edges if edge.type == "supersedes"):
            draft = by_id[circle[0]]
            message = f"supersedes: {' → '.join((*circle, circle[0]))}"
            self.faults.append(Fault.at(CYCLE, draft.locate(("supersedes",)), message, "take one of the references out"))
        return entries

    def _collections(self, entries: Iterable[Entry]) -> Mapping[str, tuple[Entry, ...]]:
        by_kind: dict[str, list[Entry]] = {kind.name: [] for kind in self.kinds}
        for one in entries:
            by_kind[one.kind.name].append(one)
        return {name: tuple(found) for name, found in by_kind.items()}


class _LinkSummary(NamedTuple):
    """What a record's edges say of others, made once while the edges stay."""

    edges: tuple[Edge, ...]
    links: tuple[tuple[str, tuple[str, str]], ...]
    """(record, (this one, relation)) of each edge."""
    related: tuple[str, ...]


def _told(one: Resolved) -> _LinkSummary:
    known = one.draft.memo.get("told")
    if known is None or known.edges is not one.edges:
        links = tuple((edge.target, (edge.source, edge.type)) for edge in one.edges)
        known = one.draft.memo["told"] = _LinkSummary(one.edges, links, tuple(edge.target for edge in one.edges if edge.type == "related"))
    made: _LinkSummary = known
    return made


def _around(found: Sequence[Resolved]) -> _InboundLinks:
    """Related records named by either side, and incoming edges, those of the newest records first."""
    backlinks: dict[str, list[tuple[str, str]]] = defaultdict(list)
    related: dict[str, dict[str, None]] = {}
    named: dict[str, list[str]] = defaultdict(list)
    for one in found:
        told = _told(one)
        for target, link in told.links:
            backlinks[target].append(link)
        if told.related:
            related[one.draft.id] = dict.fromkeys(told.related)
        for target in told.related:
            named[target].append(one.draft.id)
    for target, sources in named.items():
        names = related.setdefault(target, {})
        for source in sorted(sources):
            names.setdefault(source)
    return _InboundLinks({id_: tuple(names) for id_, names in related.items()}, backlinks)


def _topics(entries: Mapping[str, Entry]) -> Mapping[str, tuple[Entry, ...]]:
    """Members of every topic hub, newest first."""
    members: dict[str, list[Entry]] = {one.record.slug: [] for one in entries.values() if one.kind.name == "topics"}
    for one in entries.values():
        for edge in one.edges:
            if edge.type == ABOUT:
                members[edge.target.partition("/")[2]].append(one)
    return {slug: tuple(members[slug]) for slug in sorted(members)}


def _same_ids(folder: Folder) -> list[Fault]:
    """Files that claim the id of another; a withdrawn record keeps its own for ever."""
    seen = {**dict.fromkeys(folder.hidden, "a record that is not shown"), **{one.id: one.manuscript.file for one in folder.taken}}
    faults = []
    for draft in folder.drafts:
        if draft.id in seen:
            message = f"the id {draft.id!r} is that of {shown(seen[draft.id])}"
            faults.append(Fault.at(DUPLICATE_ID, draft.locate(("slug",), key=True), message, "give one of them another slug"))
        seen[draft.id] = draft.file
    return faults


def _same_names(folder: Folder) -> list[Fault]:
    """Topics that asking by name cannot tell from another: by its title, or by a title that reads like its slug."""
    topics = [draft for draft in folder.drafts if draft.kind.name == NAMED]
    owners: dict[str, str] = {}
    faults = []
    for draft in topics:
        owners.setdefault(draft.slug, draft.id)
    for draft in topics:
        name = slugify(draft.front.title) or draft.front.title.casefold()
        if owners.setdefault(name, draft.id) != draft.id:
            message = f"title: {draft.front.title[:80]!r} is the name of {owners[name]} too"
            faults.append(Fault.at(AMBIGUOUS_NAME, draft.locate(("title",)), message, "give one of them another title"))
    return faults
