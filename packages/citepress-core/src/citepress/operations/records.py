"""Records as operations read them: found by id or any of their addresses, shown in short."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from difflib import SequenceMatcher
from typing import Any
from urllib.parse import unquote

from citepress.base.text import bounded, nearest
from citepress.base.urls import own_path
from citepress.contract.operation import Refusal
from citepress.contract.record import Record
from citepress.kinds.topics import KIND as TOPICS
from citepress.kinds.topics import topic_id
from citepress.operations.context import OperationContext
from citepress.operations.dataset_records import as_record
from citepress.operations.models import KIND_NAMES, SEARCHED
from citepress.search.datasets import DATASETS
from citepress.search.models import Query

MAX_SUMMARY_CHARS = 240
"""Characters of a summary or snippet."""
SECONDARY = 5
"""Maximum length of the secondary lists of an answer."""
MAX_PROPOSALS, MIN_LIKENESS = 5, 0.5
"""Proposals of an answer, and how like a name they must be."""
OK, MOVED_STATUS, GONE_STATUS = 200, 308, 410
FOREVER = 2**62
"""A Unix time later than any record."""
SHARED = frozenset(Record.model_fields)
"""Members that every kind has."""
_ID = re.compile(r"([a-z]+(?:-[a-z]+)*)/([a-z0-9]+(?:-[a-z0-9]+)*)")
_REVISION = re.compile(r"(.+)/@([1-9][0-9]{0,5})")
RecordJson = Mapping[str, Any]
"""A record, as in its JSON form."""


@dataclass(frozen=True, slots=True)
class RecordLookup:
    """A record and, where it was requested by another address than its own, notes about that."""

    record: RecordJson
    notes: tuple[str, ...] = ()


def record(context: OperationContext, id_: str) -> RecordJson | None:
    """The record of an id; a dataset is none."""
    match = _ID.fullmatch(id_)
    return context.read(f"/{id_}.json") if match and match[1] in KIND_NAMES else None


def _readable(context: OperationContext, id_: str) -> RecordJson | None:
    """The record of an id, or the dataset in the members of one."""
    match = _ID.fullmatch(id_)
    if not match or match[1] != DATASETS:
        return record(context, id_)
    dataset_json: RecordJson | None = context.read(f"/{id_}.json")
    return as_record(dataset_json, context.lookup) if dataset_json else None


def look_up(context: OperationContext, name: str, what: str = "record", *, datasets: bool = False) -> RecordLookup:
    """The record of an id, of any of its addresses, or of a former one; where ``datasets`` are read too, that dataset.

    The address of a revision leads to the record as it is now. Raises ``Refusal``: not_found with the nearest ids, or
    gone with the reason.
    """
    bare, revision = _apart(_bare(context, name))
    page = f"/{bare}/"
    served = context.edition.find(page) if bare else None
    if served and served.leaf.status == MOVED_STATUS:
        page, served = served.leaf.location, context.edition.find(served.leaf.location)
    if served and served.leaf.status == GONE_STATUS:
        after = f" In its place: {context.url(served.leaf.location)}" if served.leaf.location else ""
        if context.edition.revisions(page):
            after += f" Its revisions can still be read: {context.url(page)}history/"
        raise Refusal("gone", bytes(served.leaf.body).decode() + after)
    record_json = _readable(context, page.strip("/")) if served else None
    if record_json is not None and record_json["id"].startswith(f"{DATASETS}/") and not datasets:
        raise Refusal("not_found", f'"{bounded(name, 120)}" is a dataset; name a {what}.')
    if record_json is None or revision > record_json["revision"]:
        raise Refusal(
            "not_found",
            f'There is no {what} "{bounded(name, 120)}"; search_archive finds ids.',
            near(context, bare or name),
        )
    return RecordLookup(record_json, tuple(_notes(context, name, bare, revision, record_json)))


def _notes(context: OperationContext, name: str, bare: str, revision: int, record_json: RecordJson) -> Iterator[str]:
    """What is to be said of an address that is not the record's own."""
    id_, current = record_json["id"], record_json["revision"]
    if bare != id_:
        yield f"{bounded(name, 120)} is a former address of {id_}."
    if revision and revision != current:
        page = f"/{id_}/@{revision}/"
        where = f"is at {context.url(page)}" if context.edition.find(page) else "is not kept"
        yield f"This is revision {current}, the current one; revision {revision}, as requested, {where}"


def _apart(bare: str) -> tuple[str, int]:
    """``posts/x`` and 2 for ``posts/x/@2``, and 0 for an address of no revision."""
    match = _REVISION.fullmatch(bare)
    return (match[1], int(match[2])) if match else (bare, 0)


def fragment(name: str) -> str:
    """The part of a page that an address names, empty where it names none."""
    return unquote(name.partition("#")[2]).strip()


def _bare(context: OperationContext, name: str) -> str:
    """``posts/x`` for itself, ``/posts/x/``, ``posts/x.md`` and any URL of that page.

    Empty for an address elsewhere.
    """
    path = own_path(name, context.base_url) if "://" in name else unquote(re.split(r"[?#]", name)[0])
    return (path or "").strip().strip("/").removesuffix(".json").removesuffix(".md")


def stable_id(context: OperationContext, name: str) -> str:
    """The id of the record that an id or an address names, a former address followed.

    Empty for an address elsewhere.
    """
    bare = _bare(context, name)
    served = context.edition.find(f"/{bare}/") if bare else None
    return served.leaf.location.strip("/") if served and served.leaf.status == MOVED_STATUS else bare


def near(context: OperationContext, name: str) -> tuple[str, ...]:
    """Ids of records whose last segment is like that of a name, the best first; none where none is like it."""
    bare = re.split(r"[?#]", name)[0].strip("/")[:200].encode("utf-8", "replace").decode().lower()
    slug = bare.rpartition("/")[2]
    ids = [f"{kind}/{slug}" for kind in SEARCHED if context.edition.find(f"/{kind}/{slug}/")]
    ids += (path.strip("/") for path, _ in context.edition.near(f"/{bare}/", 2 * MAX_PROPOSALS))
    words = re.sub(r"[^\w]+", " ", slug)
    ids += [hit.id for hit in context.index.search(Query(words, limit=2 * MAX_PROPOSALS)).hits] if words.strip() else []
    likeness = {
        id_: _likeness(slug, match[2])
        for id_ in dict.fromkeys(ids)
        if (match := _ID.fullmatch(id_)) and match[1] in SEARCHED
    }
    alike = sorted((id_ for id_ in likeness if likeness[id_] >= MIN_LIKENESS), key=likeness.__getitem__, reverse=True)
    return tuple(alike[:MAX_PROPOSALS])


def _likeness(slug: str, other: str) -> float:
    """From 0 to 1: by letters, or by the share of words that both slugs have."""
    words, others = set(slug.split("-")), set(other.split("-"))
    return max(SequenceMatcher(None, slug, other).ratio(), len(words & others) / len(words | others))


def span(since: datetime, until: datetime | None) -> tuple[int, int]:
    """From a moment on, up to another or without end, in unix seconds."""
    return int(since.timestamp()), int(until.timestamp()) if until else FOREVER


def hit(context: OperationContext, record_json: RecordJson) -> dict[str, Any]:
    """The members of a ``RecordHit``."""
    return {**short(context, record_json), "updated_at": record_json["updated_at"]}


def short(context: OperationContext, record_json: RecordJson) -> dict[str, Any]:
    """The members that all hits share; of a record or of an item of an index."""
    id_ = str(record_json["id"])
    url, summary = f"{context.base_url}/{id_}/", bounded(record_json["summary"], MAX_SUMMARY_CHARS)
    return {"id": id_, "kind": id_.partition("/")[0], "title": record_json["title"], "url": url, "summary": summary}


def hits(context: OperationContext, ids: Iterable[str], what: str) -> tuple[list[dict[str, Any]], tuple[str, ...]]:
    """The members of the first few of these records, and a note on those left out."""
    listed = list(ids)
    shown = [hit(context, record_json) for id_ in listed[:SECONDARY] if (record_json := record(context, id_))]
    return shown, left_out(what, len(listed), SECONDARY)


def left_out(what: str, count: int, most: int) -> tuple[str, ...]:
    """A note on the items of a list beyond the first ``most``."""
    return (f"{what}: {count - most} more are left out; the record has all.",) if count > most else ()


def items(context: OperationContext, kind: str) -> list[RecordJson]:
    """Every item of a collection's index, newest first, over all its parts."""
    found_items: list[RecordJson] = []
    part = context.document(f"/{kind}.json")
    while part:
        found_items += part["items"]
        part = context.document(part["next"].removeprefix(context.base_url)) if part["next"] else None
    return found_items


def unknown_topic(context: OperationContext, topic: str) -> tuple[str, ...]:
    """A note where a filter names a topic for which the archive has no hub."""
    if not topic or record(context, topic_id(topic)):
        return ()
    alike = nearest(topic, [str(item["slug"]) for item in items(context, TOPICS.name)])
    return (f'There is no topic "{bounded(topic, 60)}"' + (f"; near it: {', '.join(alike)}." if alike else "."),)
