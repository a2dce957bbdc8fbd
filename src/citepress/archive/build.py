"""A resolved draft as the record that is published."""

from collections.abc import Sequence
from functools import lru_cache
from hashlib import blake2b

from citepress.archive.history import CHANGES
from citepress.archive.labels import labelled
from citepress.archive.mentions import titled
from citepress.archive.model import Entry
from citepress.archive.model_patch import patched
from citepress.archive.resolve import Resolved, images_of, path_of
from citepress.archive.source_ledger import SourceTitles
from citepress.base.canonical import json_bytes, sorted_bytes
from citepress.base.ids import twin
from citepress.base.memo import memoized
from citepress.content.front import own_fields
from citepress.contract.kind import Kind
from citepress.contract.record import Mention, Record, Source
from citepress.contract.site import Site
from citepress.contract.version import SCHEMA_VERSION

BACKLINKS = 1_000
"""Backlinks that a record publishes, the newest records first."""


def entry(
    resolved: Resolved,
    site: Site,
    related: tuple[str, ...],
    backlinks: Sequence[tuple[str, str]],
    titles: SourceTitles,
    mentions: tuple[Mention, ...],
) -> Entry:
    """The entry of a draft; the one made before as long as nothing that it shows has changed."""
    draft = resolved.draft
    changes = tuple(resolved.changes.items())
    shown = tuple(backlinks[:BACKLINKS])
    sources = tuple(_titled(source, titles) for source in resolved.own.sources)
    settings = (site.base_url, site.language, site.license, tuple(site.authors), site.kinds.get(draft.kind.name))
    key = (resolved.own, sources, mentions, settings, resolved.edges, changes, related, shown)
    return memoized(draft.memo, "entry", key, lambda: _build(resolved, sources, mentions, site, related, shown))


def _titled(source: Source, titles: SourceTitles) -> Source:
    title = titles.of(source.normalized_url)
    return source if source.title == title else source.model_copy(update={"title": title})


def _build(
    resolved: Resolved,
    sources: tuple[Source, ...],
    mentions: tuple[Mention, ...],
    site: Site,
    related: tuple[str, ...],
    backlinks: tuple[tuple[str, str], ...],
) -> Entry:
    draft, own, kind = resolved.draft, resolved.own, resolved.draft.kind
    front = patched(draft.front, resolved.changes) if resolved.changes else draft.front
    path = path_of(draft.id)
    fields = own_fields(kind, front.__dict__)
    members: dict[str, object] = {
        "schema_version": SCHEMA_VERSION,
        "id": draft.id,
        "kind": kind.name,
        "slug": draft.slug,
        "title": front.title,
        "summary": front.summary,
        "canonical_url": site.url(path),
        "html_url": site.url(path),
        "markdown_url": site.url(twin(path, ".md")),
        "json_url": site.url(twin(path, ".json")),
        "language": front.language or site.language,
        "license": front.license or site.license,
        "published_at": own.history.published,
        "updated_at": own.history.updated,
        "revision": own.history.revision,
        "topics": front.topics,
        "tags": front.tags,
        "authors": front.authors or site.authors,
        "doi": front.doi,
        "sources": list(sources),
        "source_urls": [source.normalized_url for source in sources],
        "mentions": list(map(titled, mentions)),
        "related": list(related),
        "supersedes": front.supersedes,
        "backlinks": [{"id": id_, "relation": relation} for id_, relation in backlinks],
        "credits": sorted(front.credits, key=lambda credit: credit.date, reverse=True),
        "body_markdown": draft.body,
    }
    members |= {name: value for name, value in fields.__dict__.items() if name not in members}
    members |= {member: own.history.of(change) for member, change in CHANGES.items()}
    members |= kind.derive(fields, own.history.published)
    published = _record_names(kind)
    record = kind.record.model_validate({name: value for name, value in members.items() if name in published})
    digest = blake2b(json_bytes(record) + json_bytes(own.written), digest_size=16).digest()
    images = images_of(draft, site.url(""))
    kind, edges = labelled(kind, site), resolved.edges
    return Entry(kind, record, draft.file, path, edges, fields, digest, _face(record), own.written, images)


def _face(record: Record) -> bytes:
    shown = [record.title, record.summary, record.language, record.published_at]
    return blake2b(sorted_bytes(shown), digest_size=16).digest()


@lru_cache(maxsize=128)
def _record_names(kind: Kind) -> frozenset[str]:
    return frozenset(kind.record.model_fields)
