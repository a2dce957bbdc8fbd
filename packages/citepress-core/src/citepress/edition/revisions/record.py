"""A revision as its readers had it: the record made anew from what its author wrote.

What the archive has around a record today is not part of a revision: nothing links to it, no quote of it was checked.
Other records and origins are shown as they are published now, and passed over where they no longer are.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from datetime import datetime
from functools import lru_cache
from typing import Any, TypeVar

import orjson
from pydantic import ValidationError

from citepress.archive.build import authored, published
from citepress.archive.contents import Contents, RecordHead
from citepress.archive.labels import labelled
from citepress.archive.model import Archive, Edge, Entry, Origin
from citepress.archive.model_patch import DROPPED, apply_patch, may_be_dropped
from citepress.archive.origins import Origins
from citepress.archive.record_index import named_id
from citepress.archive.resolve import ABOUT, RELATED
from citepress.base import fast_json
from citepress.base.ids import canonical_path, path_of, twin
from citepress.base.urls import UrlError, host_of, normalise, opened
from citepress.content.front import front_model, own_fields
from citepress.content.sources_file import NO_SOURCES
from citepress.contract.kind import Kind
from citepress.contract.record import Front, Source, SourceInput, Update
from citepress.contract.refs import Location, Ref, SourceMark, marked
from citepress.history.dated_changes import CHANGES, record_history

V = TypeVar("V")
Stored = Callable[[str], bytes | memoryview | None]
"""Reads what is stored at a path."""
BY_HOST = Origins(NO_SOURCES)


def as_published(
    archive: Archive, page: str, written: Mapping[str, Any], stored: Stored
) -> tuple[Entry, Archive] | None:
    """The record of a revision with the archive that its page reads; ``None`` where today's kind cannot read it.

    ``page`` is the path of the record's page, ``stored`` reads what the edition publishes.
    """
    id_ = canonical_path(page)
    kind = next(kind for kind in archive.kinds if id_.startswith(f"{kind.name}/"))
    try:
        front = front_model(kind).model_validate(_front(kind, written))
        entry = _entry(archive, kind, id_, front, str(written.get("body_markdown", "")), stored)
    except ValidationError:  # a member has other bounds today
        return None
    entries = PublishedParts(lambda other: entry if other == id_ else _published(archive, other, stored))
    origins = PublishedParts(lambda origin: _origin(origin, stored))
    return entry, replace(archive, entries=entries, origins=origins)


class PublishedParts(Mapping[str, V]):
    """Parts of the archive by their ids, each read from what is published when it is first asked for."""

    def __init__(self, read: Callable[[str], V | None]) -> None:
        self._read = read
        self._parts: dict[str, V | None] = {}

    def __getitem__(self, id_: str) -> V:
        """The part of this id. Raises ``KeyError`` where none is published."""
        if id_ not in self._parts:
            self._parts[id_] = self._read(id_)
        part = self._parts[id_]
        if part is None:
            raise KeyError(id_)
        return part

    def __iter__(self) -> Iterator[str]:
        """The ids of those that were found so far."""
        return (id_ for id_, part in self._parts.items() if part is not None)

    def __len__(self) -> int:
        """The number of those that were found so far."""
        return sum(part is not None for part in self._parts.values())


def _front(kind: Kind, written: Mapping[str, Any]) -> dict[str, Any]:
    """The front matter that was written, as far as it is kept."""
    front = {name: value for name, value in written.items() if name in front_model(kind).model_fields}
    changes = {
        member: [
            {name: value for name, value in change.items() if name in Update.model_fields}
            for change in written[member]
            if change["note"]
        ]
        for member in CHANGES
        if member in front
    }
    return {**front, **changes, "date": written.get("published_at"), "lastmod": written.get("updated_at")}


def _entry(archive: Archive, kind: Kind, id_: str, front: Front, body: str, stored: Stored) -> Entry:
    shared = {source["id"]: source["url"] for source in _document(path_of(id_), stored).get("sources", ())}
    sources, names = _sources(front, shared)
    changes: dict[Location, object] = {}
    edges: dict[Edge, None] = {}
    for mark in marked(front):
        if isinstance(mark.mark, SourceMark):
            name = names.get(mark.value) or names.get(_normal(mark.value))
            if name or may_be_dropped(front, mark.location):
                changes[mark.location] = name or DROPPED
        elif isinstance(mark.mark, Ref):
            target = named_id(mark.value, mark.mark.kind, archive.site.base_url)
            edges[Edge(id_, target, mark.mark.edge)] = None
            changes[mark.location] = target.partition("/")[2] if mark.mark.edge == ABOUT else target
        elif url := _normal(mark.value):
            changes[mark.location] = url
    front = apply_patch(front, changes)
    dated = record_history(front)
    members = authored(kind, id_, front, body, dated, archive.site) | {
        "revision_url": None,
        "revised_at": None,
        "sources": list(sources),
        "source_urls": [source.normalized_url for source in sources],
        "mentions": [],
        "related": [edge.target for edge in edges if edge.type == RELATED],
        "backlinks": [],
    }
    record = published(kind, members)
    fields = own_fields(kind, front.__dict__)
    written = {source.normalized_url: source.url for source in sources if source.url != source.normalized_url}
    contents = Contents(record, fields, written)
    return Entry(
        labelled(kind, archive.site),
        RecordHead.of(record, kind, archive.site.language),
        contents,
        "",
        path_of(id_),
        tuple(edges),
    )


def _sources(front: Front, shared: Mapping[str, str]) -> tuple[list[Source], dict[str, str]]:
    """The sources of a revision, and the id of each by every name that it goes by.

    ``shared`` are addresses of shared sources by their keys, which the record still has; others are shown by their key.
    """
    sources: list[Source] = []
    names: dict[str, str] = {}
    taken = {item.id for item in front.sources if isinstance(item, SourceInput)}
    for item in front.sources:
        key = item if isinstance(item, str) and "://" not in item else ""
        given = item if isinstance(item, SourceInput) else SourceInput.model_construct(url=shared.get(key, "") or item)
        url = _normal(given.url)
        number = len(sources) + 1
        while f"s{number}" in taken | names.keys():
            number += 1
        id_ = given.id or key or f"s{number}"
        if not (url or key) or (url or id_) in names:
            continue
        names |= {id_: id_, url or id_: id_}
        sources.append(
            Source(
                id=id_,
                url=opened(given.url) if url else "",
                normalized_url=url,
                title=given.title or (host_of(url) if url else key),
                publisher=given.publisher,
                origin=BY_HOST.of(url).id if url else "",
                published_at=given.published_at,
                accessed_at=given.accessed_at,
                role=given.role,
                archive_url=given.archive_url,
            )
        )
    return sources, names


def _normal(url: str) -> str:
    """The normal form of an address; empty where it has none."""
    try:
        return normalise(url)
    except UrlError:
        return ""


def _published(archive: Archive, id_: str, stored: Stored) -> Entry | None:
    """Another record as far as lists and cards show it."""
    kind = next((kind for kind in archive.kinds if id_.startswith(f"{kind.name}/")), None)
    document = _document(path_of(id_), stored) if kind else {}
    if kind is None or not document:
        return None
    shown = {name: document[name] for name in ("id", "slug", "title", "summary", "language")}
    published = datetime.fromisoformat(document["published_at"])
    blank = _blank(kind)
    record = blank.record.model_copy(update={**shown, "published_at": published})
    head = RecordHead(id_, record.title, record.summary, record.language, published, published, "", (), ())
    return Entry(labelled(kind, archive.site), head, blank._replace(record=record), "", path_of(id_))


@lru_cache(maxsize=128)
def _blank(kind: Kind) -> Contents:
    """Contents of nothing but defaults, whose factories take Pydantic a millisecond to call."""
    return Contents(kind.record.model_construct(), kind.fields.model_construct())


def _origin(id_: str, stored: Stored) -> Origin | None:
    document = _document(f"/sources/{id_}/", stored) if id_ else {}
    title = document.get("title")
    return Origin(id_, title, "", "", (), ()) if isinstance(title, str) else None


def _document(page: str, stored: Stored) -> dict[str, Any]:
    """The JSON twin of a page; empty where there is none, as where the page was taken back."""
    body = stored(twin(page, ".json"))
    try:
        document = fast_json.loads(body) if body else None
    except orjson.JSONDecodeError:  # the reason why it was taken back
        document = None
    return document if isinstance(document, dict) else {}
