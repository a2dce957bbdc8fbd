"""Notes for statistics: what became of a request beyond its status, in words of closed lists."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeAlias

Note: TypeAlias = tuple[str, str, str]
"""Area, name and outcome, such as ``("action", "search_archive", "matched")``."""
_NOTES: ContextVar[list[object] | None] = ContextVar("notes", default=None)
"""The notes of the request that is being answered, where somebody collects them."""


@contextmanager
def collected_notes() -> Iterator[list[object]]:
    """The notes that are made while a request is answered, below the caller."""
    notes: list[object] = []
    token = _NOTES.set(notes)
    try:
        yield notes
    finally:
        _NOTES.reset(token)


def note(note: object) -> None:
    """Add a note to the request that is being answered; nothing where nobody collects them."""
    if (notes := _NOTES.get()) is not None:
        notes.append(note)
