"""The ports to prices and to time."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from citepress.base.errors import CitepressError


@dataclass(frozen=True, slots=True)
class Price:
    """What one whole unit of an asset costs in US dollars."""

    usd: str
    """Decimal text."""
    at: int
    source: str


class PriceFeed(Protocol):
    """One source of prices for one pair."""

    def read(self, now: int) -> Price:
        """The price now. Raises ``PriceError``."""
        ...


class PriceError(CitepressError):
    """A source gave no price that may be used; the message says why."""


Clock: TypeAlias = Callable[[], int]
"""The present second, UTC."""
ProbePoint: TypeAlias = Callable[[str], None]
"""Called at named points of a payment's way (quote, claim, verify, journal, broadcast, receipt, settle); tests let a
process die there."""
