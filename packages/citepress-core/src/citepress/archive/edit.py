"""What differs between two archives of one folder: the records, sources, origins and topic hubs of an edit."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, TypeVar

from citepress.archive.model import Archive, Entry
from citepress.base.memo import memoized

V = TypeVar("V")
BEARING = ("site", "kinds", "registries", "owner", "images", "templates")
"""Members that every page may read: where one differs there is no edit, and everything is compared."""


@dataclass(frozen=True, slots=True, eq=False)
class ArchiveEdit:
    """An edit, as the ids of what was added, changed or removed."""

    before: Archive
    after: Archive
    records: frozenset[str]
    sources: frozenset[str]
    """Normalised addresses."""
    origins: frozenset[str]
    topics: frozenset[str]
    """Slugs of hubs whose members differ."""
    memo: dict[str, Any] = field(default_factory=dict, repr=False)
    """What several readers of the edit derive from it."""

    @property
    def cited(self) -> frozenset[str]:
        """Ids of the origins that differ, or that a record of the edit cites or links to, or did."""
        return memoized(self.memo, "cited", None, self._cited)

    def _cited(self) -> frozenset[str]:
        records = (entry.record for id_ in self.records for entry in self.versions(id_))
        return self.origins.union(use.origin for record in records for use in record.uses)

    def versions(self, id_: str) -> Iterator[Entry]:
        """A record before the edit and after it, where it is published."""
        for archive in (self.before, self.after):
            if entry := archive.entries.get(id_):
                yield entry


def edit_between(before: Archive, after: Archive) -> tuple[Archive, ArchiveEdit | None]:
    """The later archive with every part that is as it was, and the edit.

    ``None`` where more than an edit lies between them.
    """
    if any(getattr(before, name) != getattr(after, name) for name in BEARING):
        return after, None
    parts: dict[str, Any] = {name: getattr(before, name) for name in BEARING}
    for name in ("collections", "topics", "ledger", "origins", "observations"):
        parts[name] = _with_former_values(getattr(before, name), getattr(after, name))
    for member in fields(Archive):
        if member.init and member.name not in parts and member.name != "entries":
            parts[member.name] = _same(getattr(before, member.name), getattr(after, member.name))
    after = replace(after, **parts)
    return after, ArchiveEdit(
        before,
        after,
        differing(before.entries, after.entries),
        differing(before.ledger, after.ledger) | differing(before.observations, after.observations),
        differing(before.origins, after.origins),
        differing(before.topics, after.topics),
    )


def _same(before: V, after: V) -> V:
    return before if before == after else after


def _with_former_values(before: Mapping[str, V], after: Mapping[str, V]) -> Mapping[str, V]:
    """The later mapping with its values as they were where they are equal."""
    if before is after:
        return before
    return {key: old if (old := before.get(key)) is new or old == new else new for key, new in after.items()}


def differing(
    before: Mapping[str, object], after: Mapping[str, object], keys: Iterable[str] | None = None
) -> frozenset[str]:
    """Keys whose values are not the very same, among all keys or these."""
    if before is after:
        return frozenset()
    among = before.keys() | after.keys() if keys is None else keys
    return frozenset([key for key in among if before.get(key) is not after.get(key)])
