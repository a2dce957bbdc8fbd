"""What was read before and has not changed since, so that a watched folder is read again in a moment."""

from collections.abc import Callable, Hashable
from typing import Any, TypeVar

from citepress.content.git_dates import GitDates

T = TypeVar("T")


class ReadCache:
    """Parsed files by path, kept as long as their time and size stay and every read asks for them."""

    def __init__(self) -> None:
        self.dates = GitDates()
        """The dates of commits, which files do not hold."""
        self._world: tuple[object, ...] = ()
        self._kept: dict[str, tuple[Hashable, Any]] = {}
        self._asked: dict[str, tuple[Hashable, Any]] = {}

    def begin(self, *world: object) -> None:
        """Begin a read; a world other than before (root, kinds, registries) empties the cache."""
        if world != self._world:
            self._world, self._kept = world, {}
        self._asked = {}

    def get(self, key: str, state: Hashable, make: Callable[[], T]) -> T:
        """What was made of this key in this state, or made now."""
        found = self._kept.get(key)
        if found is None or found[0] != state:
            found = (state, make())
        self._asked[key] = found
        made: T = found[1]
        return made

    def forget(self, key: str) -> None:
        """Make this key anew in the next read, whatever its state."""
        self._asked.pop(key, None)

    def end(self) -> None:
        """End a read: what it did not ask for is forgotten."""
        self._kept, self._asked = self._asked, {}
