"""User agents of automation that no list names: kept where the publisher switched it on, as names of products alone.

What may be kept is what has a known shape: a product token (RFC 9110, section 10.1.5) whose name says that it is a program, with at most two
short numbers as its version. URLs, addresses, e-mails, telephone numbers, keys and every other word are not looked at twice.
"""

import re
from collections import Counter

OFTEN = 5
"""Times in an hour from which a text is kept."""
PRODUCTS = 3
"""Product tokens of one text."""
MOST = 5_000
"""Texts that are counted at a time; a flood of random ones goes uncounted."""
PROGRAM = (
    "bot|crawl|spider|scrap|fetch|agent|harvest|scan|preview|unfurl|monitor|uptime|probe|check|validat|verif|audit|archiv|index|search|seo|"
    "feed|rss|reader|podcast|proxy|client|worker|render|headless|extract|collect|grab|download|mirror|import|sync|api|http"
)
"""Parts of names by which a program says what it is."""
WORD = r"[A-Za-z]+(?:[0-9]{1,2}[A-Za-z]*)?"
PRODUCT = re.compile(
    r"(?<![^\s(;])(?=[A-Za-z0-9-]{3,40}/)"
    rf"((?=[A-Za-z0-9-]*(?:{PROGRAM})){WORD}(?:-{WORD}){{0,2}})/([0-9]{{1,2}}(?:\.[0-9]{{1,2}})?+)(?![0-9A-Za-z_@-]|\.[0-9]{{3}})",
    re.IGNORECASE,
)


def masked(agent: bytes) -> str:
    """What may be kept of a user agent: the product tokens of programs; empty where there are none."""
    return " ".join(f"{name}/{version}" for name, version in PRODUCT.findall(agent.decode("latin-1"))[:PRODUCTS])


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
            if not text:
                continue
            before = self._seen[text]
            if not before and len(self._seen) > MOST:
                del self._seen[text]
                continue
            self._seen[text] = before + count
            if before + count >= OFTEN:
                told[hour, text] = told.get((hour, text), 0) + (count if before >= OFTEN else before + count)
        return told
