"""A text whose addresses were replaced, and the way back to what its author wrote."""

from dataclasses import dataclass
from typing import NamedTuple
from urllib.parse import unquote


class AddressEdit(NamedTuple):
    """One address replaced in a text; positions are bytes of the author's text."""

    start: int
    end: int
    address: bytes


@dataclass(frozen=True, slots=True)
class Rewritten:
    """The text of a note with its links rewritten, and the way back to what its author wrote."""

    text: str
    original: str
    edits: tuple[AddressEdit, ...]
    """In the order of the text."""

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
