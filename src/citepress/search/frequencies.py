"""How often terms occur in an index, remembered: one search asks several times for each of its words."""

from collections.abc import Callable

REMEMBERED = 10_000
"""Terms whose counts are remembered."""


class Frequencies(dict[str, int]):
    """How many documents the engine counts with each term."""

    def __init__(self, count: Callable[[str], int]) -> None:
        super().__init__()
        self._count = count

    def __missing__(self, stem: str) -> int:
        if len(self) >= REMEMBERED:
            self.clear()
        number = self[stem] = int(self._count(stem))
        return number
