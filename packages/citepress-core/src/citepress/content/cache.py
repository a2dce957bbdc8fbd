"""What was read before and has not changed since, so that a watched folder is read again in a moment."""

from collections.abc import Callable, Hashable
from typing import Any, TypeAlias, TypeVar

from citepress.base.packed_values import FrameFile
from citepress.content.git_dates import GitDates
from citepress.content.sources_file import SharedSources
from citepress.contract.site import Site

T = TypeVar("T")
Derive: TypeAlias = Callable[[SharedSources, Site], Callable[[object], object]]
"""Gives what notes with a record, in the process that read it, what follows from it, the shared sources and settings
alone."""


class ReadCache:
    """Parsed files by path, kept as long as their time and size stay and every read asks for them."""

    def __init__(self, frames: FrameFile | None = None) -> None:
        """``frames`` is where the contents of records lie, rather than in memory."""
        self.frames = frames
        self.derive: Derive | None = None
        self.dates = GitDates()
        """The dates of commits, which files do not hold."""
        self._world: tuple[object, ...] = ()
        self._entries: dict[str, tuple[Hashable, Any]] = {}
        self._asked: dict[str, tuple[Hashable, Any]] = {}

    def begin(self, *world: object) -> None:
        """Begin a read; a world other than before (root, kinds, registries) empties the cache."""
        if world != self._world:
            self._world, self._entries = world, {}
        self._asked = {}

    def get(self, key: str, state: Hashable, make: Callable[[], T]) -> T:
        """What was made of this key in this state, or made now."""
        entry = self._entries.get(key)
        if entry is None or entry[0] != state:
            entry = (state, make())
        self._asked[key] = entry
        content: T = entry[1]
        return content

    def state(self, key: str) -> Hashable:
        """The state in which a key was read; ``None`` where it was not."""
        entry = self._entries.get(key)
        return entry[0] if entry else None

    def content(self, key: str) -> object:
        """What was made of a key; ``None`` where it was not read."""
        entry = self._entries.get(key)
        return entry[1] if entry else None

    def drop(self, key: str) -> None:
        """Forget a key between two reads."""
        self._entries.pop(key, None)

    def put(self, key: str, state: Hashable, content: object) -> None:
        """Hold what was made of a key between two reads."""
        self._entries[key] = (state, content)

    def forget(self, key: str) -> None:
        """Make this key anew in the next read, whatever its state."""
        self._asked.pop(key, None)

    def end(self) -> None:
        """End a read: what it did not ask for is forgotten."""
        self._entries, self._asked = self._asked, {}
