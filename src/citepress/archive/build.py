"""A resolved draft as the record that is published."""

from collections.abc import Sequence
from functools import lru_cache
from hashlib import blake2b
from typing import Any

from citepress.archive.history import CHANGES
from citepress.archive.model import Entry
from citepress.archive.model_patch import patched
from citepress.archive.resolve import Resolved, images_of, path_of
from citepress.base.canonical import json_bytes
from citepress.base.ids import twin
from citepress.content.front import own_fields
from citepress.contract.kind import Kind
from citepress.contract.site import Site
from citepress.contract.version import SCHEMA_VERSION

BACKLINKS = 1_000
"""Backlinks that a record publishes, the newest records first."""


def entry(found: Resolved, site: Site, related: tuple[str, ...], backlinks: Sequence[tuple[str, str]]) -> Entry:
    """The entry of a draft; the one made before as long as nothing that it shows has changed."""
    draft = found.draft
    changes = tuple(found.changes.items())
    shown = tuple(backlinks[:BACKLINKS])
    key = (found.own, site.base_url, site.language, site.license, found.edges, changes, related, shown)
    known = draft.memo.get("entry")
    if known is None or known[0] != key:
        known = draft.memo["entry"] = (key, _made(found, site, related, shown))
    made: Entry = known[1]
    return made


def _made(found: Resolved, site: Site, related: tuple[str, ...], backlinks: tuple[tuple[str, str], ...]) -> Entry:
    draft, own, kind = found.draft, found.own, found.draft.kind
    front = patched(draft.front, found.changes) if found.changes else draft.front
    path = path_of(draft.id)
    fields = own_fields(kind, front.__dict__)
    members: dict[str, Any] = {
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
        "sources": list(own.sources),
        "source_urls": [source.normalized_url for source in own.sources],
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
    return Entry(kind, record, draft.file, path, found.edges, fields, digest, own.written, images_of(draft, site.url("")))


@lru_cache(maxsize=128)
def _record_names(kind: Kind) -> frozenset[str]:
    return frozenset(kind.record.model_fields)
