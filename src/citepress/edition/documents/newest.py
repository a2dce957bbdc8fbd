"""The newest change among many records, compared in parts, so that an edit of one record reads one part."""

from collections.abc import Sequence
from datetime import datetime
from functools import partial
from typing import NamedTuple

from citepress.archive.model import Entry
from citepress.edition.render_context import RenderContext

PART = 1000


class Newest(NamedTuple):
    """The last moments of some records."""

    changed: datetime
    """The last change by an author."""
    revised: datetime
    """The same, or a later revision that its author did not date."""


def newest(context: RenderContext, name: str, entries: Sequence[Entry]) -> Newest | None:
    """The last moments among records of this name; ``None`` where there are none."""
    parts = (tuple(entries[start : start + PART]) for start in range(0, len(entries), PART))
    moments = [
        context.derivations.held(f"newest of {name} {place}", part, partial(_newest, part))
        for place, part in enumerate(parts)
    ]
    return Newest(*map(max, zip(*moments, strict=True))) if moments else None


def newest_of_all(context: RenderContext) -> Newest | None:
    """The last moments among all records."""
    collections = context.archive.collections
    moments = [last for name in collections if (last := newest(context, name, collections[name]))]
    return Newest(*map(max, zip(*moments, strict=True))) if moments else None


def _newest(part: Sequence[Entry]) -> Newest:
    return Newest(max(entry.head.updated_at for entry in part), max(entry.head.revised_at for entry in part))
