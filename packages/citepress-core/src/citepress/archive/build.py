"""A resolved draft as the record that is published."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from functools import lru_cache
from hashlib import blake2b
from typing import NamedTuple, cast

from citepress.archive.backlinks import LinkFrom, bounded_backlinks, published_backlink
from citepress.archive.contents import Contents, PackedContents, RecordHead
from citepress.archive.labels import labelled
from citepress.archive.links import published_text
from citepress.archive.local_facts import LocalFacts
from citepress.archive.mentions import title_mention
from citepress.archive.model import Entry
from citepress.archive.model_patch import apply_patch
from citepress.archive.quotes import quote_check, with_checks
from citepress.archive.resolve import Resolved, images_of
from citepress.archive.source_ledger import SourceTitles
from citepress.archive.translations import language_of, translations_of
from citepress.base.canonical import json_bytes, sorted_bytes
from citepress.base.ids import path_of, revision_path, twin
from citepress.base.memo import memoized
from citepress.base.timestamps import offset_of
from citepress.content.front import own_fields
from citepress.contract.kind import Kind
from citepress.contract.model import compact
from citepress.contract.observation import Observation
from citepress.contract.record import Fields, Front, Mention, Record, Source
from citepress.contract.site import Site
from citepress.contract.version import SCHEMA_VERSION
from citepress.history.dated_changes import CHANGES, RecordHistory


def entry(
    resolved: Resolved,
    site: Site,
    related: tuple[str, ...],
    backlinks: Sequence[LinkFrom],
    titles: SourceTitles,
    mentions: tuple[Mention, ...],
    observations: Mapping[str, Observation],
    ahead: "EntryParts | None" = None,
) -> Entry:
    """The entry of a draft, of parts ``ahead``; the one made before as long as nothing that it shows has changed."""
    draft = resolved.draft
    changes = tuple(resolved.changes.items())
    shown = bounded_backlinks(backlinks)
    sources = tuple(_shown(source, titles, observations) for source in resolved.own.sources)
    by_site = (site.language, site.license, tuple(site.authors), site.declarations.made_with)
    settings = (site.base_url, *by_site, site.kinds.get(draft.kind.name))
    own = resolved.own
    searched = tuple(observations.get(source.url) for source in own.cited) if own.quotes else ()
    key = (own, sources, mentions, settings, resolved.edges, changes, related, shown, searched, resolved.hidden)

    def build() -> Entry:
        parts = ahead or _parts(resolved, sources, mentions, site, related, shown, observations)
        return entry_of_parts(resolved, site, parts)

    return memoized(draft.memo, "entry", (*key, translations_of(draft)), build)


def entry_of_parts(resolved: Resolved, site: Site, parts: "EntryParts") -> Entry:
    """The entry of a draft whose parts are worked out."""
    draft, (head, contents, digest, face) = resolved.draft, parts
    kind, revisions = labelled(draft.kind, site), resolved.own.revisions
    return Entry(kind, head, contents, draft.file, path_of(draft.id), resolved.edges, digest, face, revisions)


def _shown(source: Source, titles: SourceTitles, observations: Mapping[str, Observation]) -> Source:
    """A source under the title that it has everywhere, as it was last found."""
    shown: dict[str, object] = {}
    if source.title != (title := titles.of(source.normalized_url)):
        shown["title"] = title
    if observation := observations.get(source.normalized_url):
        shown |= {name: getattr(observation, name) for name in ("status", "checked_at", "changed_share")}
    return source.model_copy(update=shown) if shown else source


class EntryParts(NamedTuple):
    """What has to be worked out of an entry."""

    head: RecordHead
    contents: PackedContents
    digest: bytes
    face: bytes

    @classmethod
    def of(cls, entry: Entry) -> "EntryParts":
        """The parts of an entry that has just been made."""
        return cls(entry.head, cast("PackedContents", entry.contents), entry.digest, entry.face)


def _parts(
    resolved: Resolved,
    sources: tuple[Source, ...],
    mentions: tuple[Mention, ...],
    site: Site,
    related: tuple[str, ...],
    backlinks: tuple[LinkFrom, ...],
    observations: Mapping[str, Observation],
) -> EntryParts:
    draft, own, kind = resolved.draft, resolved.own, resolved.draft.kind
    front = apply_patch(draft.front, resolved.changes) if resolved.changes else draft.front
    path, current = path_of(draft.id), own.revisions and own.revisions.current
    fields = own_fields(kind, front.__dict__)
    body = published_text(draft.body, resolved.hidden, path, site.url(""))
    members = authored(kind, draft.id, front, body, own.history, site)
    members |= {
        "translations": list(translations_of(draft)),
        "revision_url": current and site.url(revision_path(path, current.number)),
        "revised_at": _revised_at(own),
        "sources": list(sources),
        "sources_read_at": max((read for source in sources if (read := source.accessed_at)), default=None),
        "source_urls": [source.normalized_url for source in sources],
        "mentions": list(map(title_mention, mentions)),
        "related": list(related),
        "backlinks": [published_backlink(*link) for link in backlinks],
    }
    record = published(kind, members | _quoted(members, own, sources, observations))
    contents = Contents(record, fields, own.written, images_of(draft, site.url("")))
    head = RecordHead.of(record, kind, site.language)
    return EntryParts(head, PackedContents(contents), _digest(kind, contents), _face(record))


def _revised_at(own: LocalFacts) -> datetime | None:
    """Since when it says what it says.

    An edit that Git does not hold yet has no moment: it is as old as its author says, but not older than the revision
    before it.
    """
    if not own.revisions or not own.revisions.published:
        return None
    last = own.revisions.published[-1].moment
    return last if own.revisions.current else max(last, own.history.noted)


def _digest(kind: Kind, contents: Contents) -> bytes:
    # A page that shows the summary in place of a nugget says so, which the record does not.
    borrowed = b"\0" if kind.nugget and getattr(contents.fields, kind.nugget) is None else b""
    data = json_bytes(contents.record) + json_bytes(contents.written) + borrowed
    return blake2b(data, digest_size=16).digest()


def authored(kind: Kind, id_: str, front: Front, body: str, dated: RecordHistory, site: Site) -> dict[str, object]:
    """The members of a record that follow from what its author wrote and from the settings of the site."""
    path = path_of(id_)
    fields = own_fields(kind, front.__dict__)
    members: dict[str, object] = {
        "schema_version": SCHEMA_VERSION,
        "id": id_,
        "kind": kind.name,
        "slug": id_.partition("/")[2],
        "title": front.title,
        "summary": front.summary,
        "canonical_url": site.url(path),
        "html_url": site.url(path),
        "markdown_url": site.url(twin(path, ".md")),
        "json_url": site.url(twin(path, ".json")),
        "published_at": dated.published,
        "updated_at": dated.updated,
        "utc_offset": offset_of(dated.published) if dated.published.tzinfo is not UTC else None,
        "revision": dated.revision,
        "topics": front.topics,
        "tags": front.tags,
        "language": language_of(front, body, site),
        "license": front.license or site.license,
        "authors": front.authors or site.authors,
        "made_with": front.made_with or site.declarations.made_with,
        "doi": front.doi,
        "chart": front.chart,
        "supersedes": front.supersedes,
        "credits": sorted(front.credits, key=lambda credit: credit.date, reverse=True),
        "body_markdown": body,
    }
    members |= {name: value for name, value in _standing_in(kind, front, fields).items() if name not in members}
    members |= {member: dated.of(change) for member, change in CHANGES.items()}
    members.update(kind.derive(fields, dated.published))
    return members


def _quoted(
    members: Mapping[str, object], own: LocalFacts, sources: tuple[Source, ...], observations: Mapping[str, Observation]
) -> dict[str, object]:
    """The claims of a record that quotes, each with the check of its quote, and the check of its excerpt."""
    checked: dict[str, object] = {}
    for quote in own.quotes:
        member = str(quote.location[0])
        if len(quote.location) == 1:
            checked[f"{member}_check"] = quote_check(quote.text, quote.refs, sources, observations)
        elif member not in checked:
            checked[member] = with_checks(cast("list[object]", members[member]), sources, observations)
    return checked


def published(kind: Kind, members: Mapping[str, object]) -> Record:
    """The record of a kind with these members; those that the kind does not publish are passed over."""
    names = _record_names(kind) & members.keys()
    record: Record = kind.record.model_validate({name: members[name] for name in names})
    return compact(record)


def _standing_in(kind: Kind, front: Front, fields: Fields) -> Mapping[str, object]:
    """The kind's own members, the summary in place of a nugget that the author left out."""
    members = fields.__dict__
    return members | {kind.nugget: front.summary} if kind.nugget and members[kind.nugget] is None else members


def _face(record: Record) -> bytes:
    shown = [record.title, record.summary, record.language, record.published_at]
    return blake2b(sorted_bytes(shown), digest_size=16).digest()


@lru_cache(maxsize=128)
def _record_names(kind: Kind) -> frozenset[str]:
    return frozenset(kind.record.model_fields)
