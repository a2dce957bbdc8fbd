"""Requests of one network for one path that come at a fixed interval: a timer asks, and no person views the page."""

from typing import Final

MIN_REQUESTS: Final = 4
"""Requests from which an interval is known."""
MIN_SPAN_MS: Final = 300_000
"""Time from the first to the last of them: who loads a page again and again for a minute may be a person."""
SLACK_MS: Final = 2_000
SLACK_SHARE: Final = 0.05
"""How much two gaps that follow each other may differ: two seconds, because logs have whole ones, and 5 %."""
MIN_GAP_MS: Final = 5_000
"""A browser that loads a page several times at once is no timer."""
MIN_FIXED_SHARE: Final = 0.75
"""Share of the gaps that are as long as the one before: a request that was lost makes two of them differ."""


class Interval:
    """The requests of one network for one path, in the order of their times; its size does not grow with them."""

    __slots__ = ("bytes", "fixed", "gap", "last", "n", "sources", "span")

    def __init__(self) -> None:
        """Nothing was requested yet."""
        self.n = self.bytes = self.last = self.span = self.fixed = 0
        self.gap = 0
        """The last gap, in milliseconds; 0 before the second request."""
        self.sources: dict[int, int] = {}
        """Requests by referring operator id, without those that have none."""

    def add(self, ts: int, size: int, source: int) -> None:
        """Add a request."""
        if self.n:
            gap = ts - self.last
            self.fixed += self.gap >= MIN_GAP_MS and abs(gap - self.gap) <= SLACK_MS + SLACK_SHARE * gap
            self.span += gap
            self.gap = gap
        self.n += 1
        self.bytes += size
        self.last = ts
        if source:
            self.sources[source] = self.sources.get(source, 0) + 1

    def is_fixed(self) -> bool:
        """Whether the requests came at a fixed interval."""
        if self.n < MIN_REQUESTS or self.span < MIN_SPAN_MS:
            return False
        return self.fixed >= MIN_FIXED_SHARE * (self.n - 2)
