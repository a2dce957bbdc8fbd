"""Private leaves of an edition that hold the revisions of each record: a list of them, and what they said."""

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from hashlib import blake2b
from typing import Any

import orjson

from citepress.archive.model import Entry
from citepress.base import fast_json
from citepress.content.hidden_text import may_hold_comments, without_comments
from citepress.contract.cache import Cache
from citepress.edition.code_digest import code_digest
from citepress.edition.compiler import RenderUnit, UnitChanges
from citepress.edition.leaf import PRIVATE, Leaf
from citepress.edition.memento import ListedRevision
from citepress.edition.prose.absolute import BODY
from citepress.edition.render_context import RenderContext
from citepress.history.revisions import PublishedRevision

REVISIONS_PREFIX = f"{PRIVATE}revisions"
TYPE = "application/json"
PART_REVISIONS = 16
"""Revisions whose documents lie in one leaf: a new one changes the last leaf alone."""


def list_path(page: str) -> str:
    """The private path of the list of a record, by the path of its page."""
    return f"{REVISIONS_PREFIX}{page}"


def part_path(page: str, part: int) -> str:
    """The private path of one part of the documents."""
    return f"{REVISIONS_PREFIX}{page}{part}"


def revision_units(context: RenderContext) -> Iterator[RenderUnit]:
    """The units of every record, and of those that were withdrawn and may still be read."""
    for entry in context.archive.entries.values():
        yield from _units_of(entry)
    for record in context.archive.withdrawn:
        yield from _units(record.id, record.path, record.revisions)


def changed_revisions(context: RenderContext) -> UnitChanges:
    """The units of the records that an edit concerns."""
    ids = context.edit.records if context.edit else ()
    entries = [entry for id_ in sorted(ids) if (entry := context.archive.entries.get(id_))]
    return UnitChanges({_group(id_) for id_ in ids}, [unit for entry in entries for unit in _units_of(entry)])


def _units_of(entry: Entry) -> Iterator[RenderUnit]:
    return _units(entry.head.id, entry.path, entry.revisions.published if entry.revisions else ())


def _units(id_: str, page: str, revisions: Sequence[PublishedRevision]) -> Iterator[RenderUnit]:
    if not revisions:
        return
    rows = orjson.dumps([tuple(_row(revision)) for revision in revisions])
    yield _unit(id_, list_path(page), [rows], lambda: rows)
    for part in range(0, len(revisions), PART_REVISIONS):
        some = revisions[part : part + PART_REVISIONS]
        path = part_path(page, part // PART_REVISIONS)
        yield _unit(id_, path, [revision.digest.encode() for revision in some], partial(_documents, some))


def _row(revision: PublishedRevision) -> ListedRevision:
    return ListedRevision(
        revision.number,
        int(revision.moment.timestamp()),
        revision.title,
        list(revision.notes),
        list(revision.credits),
        revision.digest,
    )


def _unit(id_: str, path: str, inputs: Iterable[bytes], body: Any) -> RenderUnit:  # noqa: ANN401  (a callable)
    fingerprint = blake2b(b"\0".join((code_digest(), path.encode(), *inputs)), digest_size=16).digest()

    def leaves() -> tuple[Leaf, ...]:
        return (Leaf(path, REVISIONS_PREFIX, "json", TYPE, body(), Cache.NO_STORE),)

    return RenderUnit(fingerprint, leaves, _group(id_), path)


def _documents(some: Sequence[PublishedRevision]) -> bytes:
    """What revisions said, as a list; ``null`` for one that cannot be had any more."""
    documents: list[Any] = []
    for revision in some:
        try:
            documents.append(_without_comments(revision.document()))
        except LookupError:
            documents.append(None)
    return orjson.dumps(documents)


def _without_comments(document: bytes) -> Any:  # noqa: ANN401  (JSON)
    """What a revision said, as it is published: its number follows from the author's text, comments included."""
    if not may_hold_comments(document):
        return orjson.Fragment(document)
    written = fast_json.loads(document)
    return {**written, BODY: without_comments(written[BODY])}


def _group(id_: str) -> str:
    return f"revisions {id_}"
