"""A text whose addresses were replaced, and the way back to what its author wrote."""

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple
from urllib.parse import unquote


class AddressEdit(NamedTuple):
    """One address replaced in a text; positions are bytes of the author's text."""

    start: int
    end: int
    address: bytes


def apply_edits(text: str, edits: Sequence[AddressEdit]) -> str:
    """The text with each edit made; they are in order and apart from each other."""
    if not edits:
        return text
    data, at, parts = text.encode(), 0, list[bytes]()
    for start, end, address in edits:
        parts += [data[at:start], address]
        at = end
    return b"".join((*parts, data[at:])).decode()


@dataclass(frozen=True, slots=True)
class Rewritten:
    """The text of a note with its links rewritten, and the way back to what its author wrote."""

    text: str
    original: str
    edits: tuple[AddressEdit, ...]
    """In the order of the text."""

    @classmethod
    def of(cls, original: str, edits: Iterable[AddressEdit] = ()) -> "Rewritten":
        """An author's text with these edits, which are in order and apart from each other."""
        in_order = tuple(edits)
        return cls(apply_edits(original, in_order), original, in_order)

    def with_edits(self, edits: Sequence[AddressEdit]) -> "Rewritten":
        """The text with further edits of what it is now, in order and apart from each other."""
        if not edits:
            return self
        placed: list[AddressEdit] = []
        moved, before = 0, 0
        for start, end, address in edits:
            while before < len(self.edits) and self._new_end(before, moved) <= start:
                moved, before = moved + self._growth(before), before + 1
            begin = start - moved
            while before < len(self.edits) and self._new_end(before, moved) <= end:
                moved, before = moved + self._growth(before), before + 1
            placed.append(AddressEdit(begin, end - moved, address))
        starts = [edit.start for edit in placed]
        former = [edit for edit in self.edits if not _is_covered(edit, placed, bisect_left(starts, edit.start + 1) - 1)]
        return Rewritten(apply_edits(self.text, edits), self.original, tuple(sorted([*former, *placed])))

    def _new_end(self, place: int, moved: int) -> int:
        """Where an edit ends in the text as it is now."""
        return self.edits[place].start + moved + len(self.edits[place].address)

    def _growth(self, place: int) -> int:
        start, end, address = self.edits[place]
        return len(address) - (end - start)

    def original_offset(self, offset: int) -> int:
        """The byte of the author's text at which a byte of the rewritten text was."""
        moved = 0
        for edit in self.edits:
            if edit.start + moved + len(edit.address) > offset:
                break
            moved += len(edit.address) - (edit.end - edit.start)
        return offset - moved

    def original_address(self, path: str, offset: int) -> str:
        """The address that leads to a path, as the author wrote it in the link at an offset of the rewritten text.

        The path itself where it was not rewritten.
        """
        start = self.original_offset(offset)
        edits = [edit for edit in self.edits if unquote(edit.address.decode()).partition("#")[0] == path]
        # The address of a reference link is in its definition, mostly further down.
        edit = next((edit for edit in edits if edit.start >= start), edits[0] if edits else None)
        return self.original.encode()[edit.start : edit.end].decode() if edit else path


def _is_covered(edit: AddressEdit, others: Sequence[AddressEdit], place: int) -> bool:
    """Whether the edit at a place among others takes all of this one with it."""
    return place >= 0 and edit.end <= others[place].end
