"""The records before and after one in its collection."""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from operator import attrgetter

from citepress.archive.edit import ArchiveEdit
from citepress.archive.model import Archive, Entry
from citepress.base.filed_values import FiledSequence
from citepress.contract.page import Link, Siblings

_order = attrgetter("order")


def neighbours(entry: Entry, archive: Archive) -> tuple[Entry | None, Entry | None]:
    """The next newer and the next older record of its kind; nothing at an end."""
    members = archive.collections.get(entry.kind.name, ())
    place = _place(entry, members)
    if place == len(members) or members[place].head.id != entry.head.id:
        return None, None
    return members[place - 1] if place else None, members[place + 1] if place + 1 < len(members) else None


def neighbours_block(entry: Entry, archive: Archive) -> Iterator[Siblings]:
    """Links to both."""
    newer, older = neighbours(entry, archive)
    if newer or older:
        yield Siblings("neighbours", "", _link(newer), _link(older))


def beside_edited(id_: str, edit: ArchiveEdit) -> Iterator[str]:
    """Ids of the records beside one that an edit concerns, before the edit and after it."""
    for entry in edit.versions(id_):
        for archive in (edit.before, edit.after):
            members = archive.collections.get(entry.kind.name, ())
            place = _place(entry, members)
            yield from (other.head.id for other in members[max(0, place - 1) : place + 2])


def _place(entry: Entry, members: Sequence[Entry]) -> int:
    if isinstance(members, FiledSequence):  # a search would open a dozen of them
        return members.place(entry.head.id)
    return bisect_left(members, entry.order, key=_order)


def _link(entry: Entry | None) -> Link | None:
    return Link(entry.head.title, entry.path, entry.head.language) if entry else None
