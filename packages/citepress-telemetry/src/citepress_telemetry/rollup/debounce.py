"""Whether a change of something that reports depend on has settled."""

from collections.abc import Callable
from typing import TypeAlias

CHECKS = 6
"""Checks after which a change counts although it has not settled."""
StateMark: TypeAlias = bytes | None
"""Identifies a state; ``None``: it cannot be read now."""


def nothing() -> StateMark:
    """The mark of something that never changes."""
    return None


class Debounce:
    """Checks a mark at intervals.

    A change counts once two checks in a row find the same mark, so that many changes cost one rendering.
    """

    def __init__(self, mark: Callable[[], StateMark]) -> None:
        self._mark = mark
        self._used: StateMark = None
        """The state that was used last."""
        self._before: StateMark = None
        """The state at the last check."""
        self._checks = 0
        """Checks since it began to differ from the state that was used."""

    def changed(self) -> bool:
        """Check whether it differs from what was used last, and has settled."""
        now, before = self._mark(), self._before
        self._before = now
        if now is None or now == self._used:
            self._checks = 0
            return False
        self._checks += 1
        return now == before or self._checks >= CHECKS

    def use(self) -> None:
        """Note that the present state is used."""
        self._used = self._before = self._mark()
        self._checks = 0
