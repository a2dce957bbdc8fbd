"""What texts without spaces give when they are analysed: most of them return again and again."""

from collections.abc import Callable
from itertools import islice
from typing import TypeVar

V = TypeVar("V")

MAX_REMEMBERED_TEXTS = 65_536
"""Texts that are remembered, up to twice as many."""
MAX_REMEMBERED_CHARS = 128
"""Characters of a text that is remembered; a longer one hardly returns."""


class Remembered(dict[str, V]):
    """The value of each text, worked out when it is first looked up. Of too many, the older half is forgotten."""

    def __init__(self, work_out: Callable[[str], V]) -> None:
        super().__init__()
        self._work_out = work_out

    def __missing__(self, text: str) -> V:
        if len(self) >= 2 * MAX_REMEMBERED_TEXTS:
            for older in list(islice(self, MAX_REMEMBERED_TEXTS)):
                self.pop(older, None)  # another thread may forget too
        value = self._work_out(text)
        if len(text) <= MAX_REMEMBERED_CHARS:
            self[text] = value
        return value
