"""A record as the index keeps it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from citepress.base import fast_json

DETAILS = "record_details"
"""The point at which extensions say what an index keeps with each record."""
OTHERS = 20
"""Near-duplicates that a hit names."""


@dataclass(frozen=True, slots=True)
class StoredDocument:
    """A record as the index keeps it."""

    shown: dict[str, Any]
    """What a hit shows, and its passages (``text``, one a line)."""
    terms: str
    """Its terms: the lines of ``text`` in the same order, each as space-separated terms."""
    packed: bytes
    """``detail`` as JSON."""
    group: Sequence[str] = ()
    """Ids of its near-duplicates, the oldest first and possibly itself among them; empty when it has none."""

    @property
    def id(self) -> str:
        """The record's id."""
        return str(self.shown["id"])

    @property
    def detail(self) -> dict[str, Any]:
        """What extensions keep with it, by the names that they gave (``Extension.record_details``)."""
        detail: dict[str, Any] = fast_json.loads(self.packed)
        return detail

    @property
    def cluster(self) -> str | None:
        """The id of the oldest of its near-duplicates, itself included; ``None`` when it has none."""
        return self.group[0] if self.group else None

    @property
    def others(self) -> tuple[str, ...]:
        """The oldest of its near-duplicates, without itself."""
        return tuple([id_ for id_ in self.group if id_ != self.id][:OTHERS])


def first_sentence(shown: Mapping[str, Any]) -> int:
    """The number of the first line of ``text`` that is a sentence; the title and the marks come before it."""
    begins: str = shown["begins"]
    first = begins.find("1")
    return first if first >= 0 else len(begins)
