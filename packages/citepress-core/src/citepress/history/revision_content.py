"""What one revision of a record said: the members that its author wrote and its kind publishes, at a moment."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache

import orjson

from citepress.base.canonical import named_digest, plain
from citepress.base.timestamps import rfc3339
from citepress.content.schedule import front_as_of
from citepress.contract.kind import Kind
from citepress.contract.record import Front
from citepress.history.dated_changes import CHANGES, DatedChange, record_history

_OTHERWISE = frozenset({*CHANGES, "credits", "revision"})
"""Members that are published otherwise than they are written, or that change no record (reports of use)."""


@dataclass(frozen=True, slots=True)
class Wording:
    """What one revision of a record said."""

    title: str
    document: bytes
    """JSON: the written members and the text."""
    digest: str
    """SHA-256 of the document, as documents write it."""
    updated: datetime
    """The newest of its publication and its dated changes."""
    declared: int
    """The number that its author gave it, or one more than it had changes."""
    changes: tuple[DatedChange, ...]
    """Its dated changes, newest first."""


def wording(kind: Kind, front: Front, body: str, moment: datetime) -> Wording:
    """What a record said at a moment: the changes that lay ahead then are left out."""
    front = front_as_of(front, moment)
    own = record_history(front)
    members = front.model_dump(mode="json", include=_as_written(kind, type(front)))
    members |= {"published_at": rfc3339(own.published), "updated_at": rfc3339(own.updated)}
    members |= {member: own.of(change) for member, change in CHANGES.items() if member in kind.record.model_fields}
    # Sorted members without spaces are the canonical form of such JSON (RFC 8785), made in a hundredth of its time.
    document = orjson.dumps({**members, "body_markdown": body}, option=orjson.OPT_SORT_KEYS, default=plain)
    return Wording(front.title, document, named_digest(document), own.updated, own.revision, own.changes)


@lru_cache(maxsize=128)
def _as_written(kind: Kind, front: type[Front]) -> set[str]:
    """Members that an author writes and that the kind publishes under the same name."""
    return set(front.model_fields) & set(kind.record.model_fields) - _OTHERWISE


def news(before: Iterable[DatedChange], now: Iterable[DatedChange]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Notes and credits of the changes that a revision has and the one before had not, oldest first."""
    names = {change.id for change in before}
    added = [change for change in now if change.id not in names][::-1]
    notes = dict.fromkeys(change.note for change in added if change.note)
    return tuple(notes), tuple(dict.fromkeys(change.credit for change in added if change.credit))
