"""Something outside that reports are rendered over, and whether a change of it has come to rest."""

from collections.abc import Callable
from typing import TypeAlias

LOOKS = 6
"""Looks after which a change that does not come to rest counts all the same."""
Mark: TypeAlias = bytes | None
"""What tells one state from the next; ``None``: it cannot be told now."""


def nothing() -> Mark:
    """What does not change."""
    return None


class Debounce:
    """Looks at a mark now and then; a change counts when two looks in a row see the same, so that many changes cost one rendering."""

    def __init__(self, mark: Callable[[], Mark]) -> None:
        self._mark = mark
        self._used: Mark = None
        """The state that was used last."""
        self._before: Mark = None
        """The state at the last look."""
        self._looks = 0
        """Looks since it began to differ from what was used."""

    def changed(self) -> bool:
        """Look: whether it differs from what was used last, and has come to rest."""
        now, before = self._mark(), self._before
        self._before = now
        if now is None or now == self._used:
            self._looks = 0
            return False
        self._looks += 1
        return now == before or self._looks >= LOOKS

    def use(self) -> None:
        """It is used as it is now."""
        self._used = self._before = self._mark()
        self._looks = 0
