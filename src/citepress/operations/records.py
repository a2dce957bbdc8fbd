"""Records as operations read them: found by id or any of their addresses, shown in short."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from urllib.parse import unquote

from citepress.base.text import bounded, nearest
from citepress.base.urls import own_path
from citepress.contract.operation import Refusal
from citepress.contract.record import Record
from citepress.operations.context import OperationContext
from citepress.operations.models import KIND_NAMES
from citepress.search import Query

SUMMARY = 240
"""Characters of a summary or snippet."""
SECONDARY = 5
"""Items of a list beside the one that an answer is about."""
NEAR = 5
MOVED, GONE = 308, 410
FOREVER = 2**62
"""A second that nothing comes after."""
SHARED = frozenset(Record.model_fields)
"""Members that every kind has."""
_ID = re.compile(r"([a-z]+(?:-[a-z]+)*)/([a-z0-9]+(?:-[a-z0-9]+)*)")
Told = Mapping[str, Any]
"""A record as its JSON form says it."""


@dataclass(frozen=True, slots=True)
class RecordLookup:
    """A record and, where it was asked for by a former address, a sentence on that."""

    record: Told
    note: str = ""

    @property
    def notes(self) -> tuple[str, ...]:
        """The sentence, if any."""
        return (self.note,) if self.note else ()


def record(world: OperationContext, id_: str) -> Told | None:
    """The record of an id."""
    known = _ID.fullmatch(id_)
    told: Told | None = world.read(f"/{id_}.json") if known and known[1] in KIND_NAMES else None
    return told


def look_up(world: OperationContext, name: str, what: str = "record") -> RecordLookup:
    """The record of an id, of any of its addresses, or of a former one.

    Raises ``Refusal``: not_found with the nearest ids, or gone with the reason.
    """
    bare = _bare(world, name)
    page = f"/{bare}/"
    served = world.edition.find(page) if bare else None
    if served and served.leaf.status == MOVED:
        page, served = served.leaf.location, world.edition.find(served.leaf.location)
    if served and served.leaf.status == GONE:
        after = f" In its place: {world.url(served.leaf.location)}" if served.leaf.location else ""
        raise Refusal("gone", bytes(served.leaf.body).decode() + after)
    told = record(world, page.strip("/")) if served else None
    if told is None:
        raise Refusal("not_found", f'There is no {what} "{bounded(name, 120)}"; search_archive finds ids.', near(world, bare or name))
    return RecordLookup(told, "" if bare == told["id"] else f"{bounded(name, 120)} is a former address of {told['id']}.")


def _bare(world: OperationContext, name: str) -> str:
    """``posts/x`` for itself, ``/posts/x/``, ``posts/x.md`` and any URL of that page; empty for an address elsewhere."""
    path = own_path(name, world.base_url) if "://" in name else unquote(re.split(r"[?#]", name)[0])
    return (path or "").strip().strip("/").removesuffix(".json").removesuffix(".md")


def stable_id(world: OperationContext, name: str) -> str:
    """The id of the record that an id or an address names, a former address followed; empty for an address elsewhere."""
    bare = _bare(world, name)
    served = world.edition.find(f"/{bare}/") if bare else None
    return served.leaf.location.strip("/") if served and served.leaf.status == MOVED else bare


def near(world: OperationContext, name: str) -> tuple[str, ...]:
    """Ids of records close to a name, the best first."""
    bare = re.split(r"[?#]", name)[0].strip("/")[:200].encode("utf-8", "replace").decode()
    pages = (path.strip("/") for path, _ in world.edition.near(f"/{bare}/", 2 * NEAR))
    alike = [id_ for id_ in pages if (known := _ID.fullmatch(id_)) and known[1] in KIND_NAMES]
    words = re.sub(r"[^\w]+", " ", bare.rpartition("/")[2])
    alike += [hit.id for hit in world.index.search(Query(words, limit=NEAR)).hits] if words.strip() else []
    return tuple(dict.fromkeys(alike))[:NEAR]


def span(since: datetime, until: datetime | None) -> tuple[int, int]:
    """From a moment on, up to another or without end, in unix seconds."""
    return int(since.timestamp()), int(until.timestamp()) if until else FOREVER


def hit(world: OperationContext, told: Told) -> dict[str, Any]:
    """The members of a ``RecordHit``."""
    return {**short(world, told), "updated_at": told["updated_at"]}


def short(world: OperationContext, told: Told) -> dict[str, Any]:
    """The members that every sort of hit has; of a record or of an item of an index."""
    id_ = str(told["id"])
    url, summary = f"{world.base_url}/{id_}/", bounded(told["summary"], SUMMARY)
    return {"id": id_, "kind": id_.partition("/")[0], "title": told["title"], "url": url, "summary": summary}


def hits(world: OperationContext, ids: Iterable[str], what: str) -> tuple[list[dict[str, Any]], tuple[str, ...]]:
    """The members of the first few of these records, and a note on those left out."""
    known = list(ids)
    shown = [hit(world, told) for id_ in known[:SECONDARY] if (told := record(world, id_))]
    return shown, left_out(what, len(known), SECONDARY)


def left_out(what: str, count: int, most: int) -> tuple[str, ...]:
    """A note on the items of a list beyond the first ``most``."""
    return (f"{what}: {count - most} more are left out; the record has all.",) if count > most else ()


def items(world: OperationContext, kind: str) -> list[Told]:
    """Every item of a collection's index, newest first, over all its parts."""
    found_items: list[Told] = []
    part = world.document(f"/{kind}.json")
    while part:
        found_items += part["items"]
        part = world.document(part["next"].removeprefix(world.base_url)) if part["next"] else None
    return found_items


def unknown_topic(world: OperationContext, topic: str) -> tuple[str, ...]:
    """A note where a filter names a topic that the archive has no hub for."""
    if not topic or record(world, f"topics/{topic}"):
        return ()
    alike = nearest(topic, [str(item["slug"]) for item in items(world, "topics")])
    return (f'There is no topic "{bounded(topic, 60)}"' + (f"; near it: {', '.join(alike)}." if alike else "."),)
