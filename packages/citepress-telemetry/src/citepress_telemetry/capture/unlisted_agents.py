"""Product names of unlisted automation, kept only if the publisher has switched it on.

Only text of a known shape is kept: a product token (RFC 9110, section 10.1.5) whose name says that it is a program,
with at most two short numbers as its version. URLs, addresses, e-mail addresses, telephone numbers, keys and all other
words are discarded.
"""

import re
from collections import Counter

OFTEN = 5
"""How often a text has to come in an hour to be kept."""
PRODUCTS = 3
"""Product tokens kept of one text."""
MAX_COUNTED_TEXTS = 5_000
"""Texts that are counted at a time, against floods of random ones."""
PROGRAM = (
    "bot|crawl|spider|scrap|fetch|agent|harvest|scan|preview|unfurl|monitor|uptime|probe|check|validat|verif|audit|archiv|index|search|seo|"
    "feed|rss|reader|podcast|proxy|client|worker|render|headless|extract|collect|grab|download|mirror|import|sync|api|http"
)
"""Parts of names that identify a program."""
WORD = r"[A-Za-z]+(?:[0-9]{1,2}[A-Za-z]*)?"
PRODUCT_PATTERN = re.compile(
    r"(?<![^\s(;])(?=[A-Za-z0-9-]{3,40}/)"
    rf"((?=[A-Za-z0-9-]*(?:{PROGRAM})){WORD}(?:-{WORD}){{0,2}})/([0-9]{{1,2}}(?:\.[0-9]{{1,2}})?+)(?![0-9A-Za-z_@-]|\.[0-9]{{3}})",
    re.IGNORECASE,
)


def product_tokens(agent: bytes) -> str:
    """The product tokens of programs in a user agent; empty if there are none."""
    return " ".join(
        f"{name}/{version}" for name, version in PRODUCT_PATTERN.findall(agent.decode("latin-1"))[:PRODUCTS]
    )


class Unlisted:
    """Counts such texts by hour in memory until they are frequent."""

    def __init__(self) -> None:
        self._hour = 0
        self._counts: Counter[str] = Counter()

    def often(self, hour: int, agents: Counter[bytes]) -> dict[tuple[int, str], int]:
        """Count user agents.

        Returns the frequent ones as (hour, text), with how often each came since it was last returned.
        """
        if hour != self._hour:
            self._hour, self._counts = hour, Counter()
        frequent: dict[tuple[int, str], int] = {}
        for agent, count in agents.items():
            text = product_tokens(agent)
            if not text:
                continue
            before = self._counts[text]
            if not before and len(self._counts) > MAX_COUNTED_TEXTS:
                del self._counts[text]
                continue
            self._counts[text] = before + count
            if before + count >= OFTEN:
                frequent[hour, text] = frequent.get((hour, text), 0) + (count if before >= OFTEN else before + count)
        return frequent
