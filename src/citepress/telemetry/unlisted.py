"""User agents of automation that no list names: kept, masked, once they come often enough to be worth a row in our table."""

import re
from collections import Counter

OFTEN = 5
"""Times in an hour from which a text is kept."""
LENGTH = 256
MOST = 5_000
"""Texts that are counted at a time; a flood of random ones goes uncounted."""
ADDRESS = re.compile(r"\b[0-9]{1,3}(?:\.[0-9]{1,3}){3}\b|(?:[0-9A-Fa-f]{0,4}:){3,7}[0-9A-Fa-f]{0,4}")
EMAIL = re.compile(r"[^\s<>()\[\];,@]+(?:@|%40|\s?[\[(]at[\])]\s?)[^\s<>()\[\];,@]+", re.IGNORECASE)
QUERY = re.compile(r"[?#][^\s<>()\[\];,]*")
CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]+")


def masked(agent: bytes) -> str:
    """A user agent as it may be kept: addresses, e-mails and queries of URLs taken out, at most 256 characters."""
    text = CONTROL.sub(" ", agent.decode("latin-1"))
    text = EMAIL.sub("[email]", text)
    return ADDRESS.sub("[address]", QUERY.sub("?[query]", text))[:LENGTH]


class Unlisted:
    """Counts such texts by the hour, in memory, until they come often."""

    def __init__(self) -> None:
        self._hour = 0
        self._seen: Counter[str] = Counter()

    def often(self, hour: int, agents: Counter[bytes]) -> dict[tuple[int, str], int]:
        """Count these; what may be kept of them by now: (hour, text), and how often it came since it was last told of."""
        if hour != self._hour:
            self._hour, self._seen = hour, Counter()
        told: dict[tuple[int, str], int] = {}
        for agent, count in agents.items():
            text = masked(agent)
            before = self._seen[text]
            if not before and len(self._seen) > MOST:
                del self._seen[text]
                continue
            self._seen[text] = before + count
            if before + count >= OFTEN:
                told[hour, text] = told.get((hour, text), 0) + (count if before >= OFTEN else before + count)
        return told
