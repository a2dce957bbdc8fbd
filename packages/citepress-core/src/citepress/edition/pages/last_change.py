"""The last change of many records by their authors, compared in parts, so that an edit of one record reads one part."""

from collections.abc import Sequence
from datetime import datetime
from functools import partial

from citepress.archive.model import Entry
from citepress.edition.render_context import RenderContext

PART = 1000


def last_change(context: RenderContext, name: str, entries: Sequence[Entry]) -> datetime | None:
    """The last change among records of this name; ``None`` where there are none."""
    parts = (tuple(entries[start : start + PART]) for start in range(0, len(entries), PART))
    moments = (
        context.derivations.held(f"newest of {name} {place}", part, partial(_newest, part))
        for place, part in enumerate(parts)
    )
    return max(moments, default=None)


def _newest(part: Sequence[Entry]) -> datetime:
    return max(entry.head.updated_at for entry in part)
