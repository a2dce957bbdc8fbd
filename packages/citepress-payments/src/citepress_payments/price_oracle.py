"""What an amount of an asset is worth: several sources, their median, and rules under which a rail fails closed."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from statistics import median
from threading import Lock

from citepress_payments.ports.prices import Price, PriceError, PriceFeed

SPREAD_BPS = 100
"""Hundredths of a percent on top of a price that moves, for the time until the payment is made."""
WHOLE_BPS = 10_000
MAX_PRICE_SPREAD = Fraction(1, 100)
"""Between the sources."""
MAX_PRICE_MOVE = Fraction(1, 10)
"""Between one accepted price and the next."""
MOVE_WINDOW = 3600
"""Seconds for which an accepted price says how far the next may be; after a pause the market may be anywhere."""
MAX_PRICE_AGE_S = 90
"""Seconds for which a price that was read may be used."""
READ_AGAIN = 30
"""Seconds after which a source is read again."""
MICROS_DIGITS = 6
MAX_PRICE_DIGITS = 60
"""Of a price, and of its power of ten: more would only keep us calculating."""


class PriceMovedError(PriceError):
    """The price moved further than anybody should believe; the rail pauses until a person looks."""


@dataclass(frozen=True, slots=True)
class ExchangeRate:
    """What one whole unit of an asset costs."""

    usd: Fraction
    basis: str
    """The price in decimal text, and its sources: what a quote remembers."""


def fixed_amount(usd_micros: int, decimals: int) -> int:
    """The smallest units of an asset that is worth one US dollar."""
    unit: int = 10 ** (decimals - MICROS_DIGITS)
    return usd_micros * unit


def priced_amount(usd_micros: int, usd: Fraction, decimals: int) -> int:
    """The smallest units that are worth so many millionths of a dollar at a price, with the spread, rounded up."""
    unit: int = 10**decimals
    worth = Fraction(usd_micros, 10**MICROS_DIGITS) / usd
    # Rounded up: a fraction of the smallest unit cannot be paid.
    return math.ceil(worth * unit * Fraction(WHOLE_BPS + SPREAD_BPS, WHOLE_BPS))


class PriceOracle:
    """The price of one asset, read from its sources at most every half minute; safe to share between threads."""

    def __init__(self, feeds: Sequence[PriceFeed], least: int) -> None:
        """``least`` sources have to be fresh."""
        self._feeds, self._least = feeds, least
        self._lock = Lock()
        self._read: dict[int, Price] = {}
        self._read_at: int | None = None
        self._accepted: tuple[Fraction, int] | None = None
        self._why: list[str] = []

    def rate(self, now: int) -> ExchangeRate:
        """The price now. Raises ``PriceError``, and ``PriceMovedError`` where the rail should pause."""
        with self._lock:
            if self._read_at is None or not 0 <= now - self._read_at < READ_AGAIN:
                self._read_all(now)
            # A source may answer with an old quotation; its own time decides, not that of the answer.
            fresh = [price for price in self._read.values() if 0 <= now - price.at <= MAX_PRICE_AGE_S]
            usd = self._agreed(fresh)
            self._check_move(usd, now)
            self._accepted = (usd, now)
            return ExchangeRate(usd, f"{_decimal(usd)} USD: {', '.join(sorted(price.source for price in fresh))}")

    def forget(self) -> None:
        """Forget the last accepted price: somebody looked, or the rail is paused.

        Waits for no source: payments ask this too.
        """
        self._accepted = None

    def _read_all(self, now: int) -> None:
        self._why, self._read_at = [], now
        for place, feed in enumerate(self._feeds):
            try:
                self._read[place] = feed.read(now)
            # The former price stays until it is too old, so that one missed answer closes nothing.
            except PriceError as error:
                self._why.append(str(error))

    def _agreed(self, fresh: Sequence[Price]) -> Fraction:
        """The median of the fresh prices, if there are enough and they are close."""
        if len(fresh) < self._least:
            raise PriceError(
                f"{len(fresh)} of {self._least} prices are fresh" + (f": {'; '.join(self._why)}" if self._why else "")
            )
        rates = [Fraction(price.usd) for price in fresh]
        usd = median(rates)
        # Sources that disagree mean that one of them is wrong, and nobody knows which.
        if usd <= 0 or max(rates) - min(rates) > usd * MAX_PRICE_SPREAD:
            raise PriceError("the sources of the price are more than 1 % apart")
        return usd

    def _check_move(self, usd: Fraction, now: int) -> None:
        if self._accepted is None:
            return
        last, at = self._accepted
        if 0 <= now - at <= MOVE_WINDOW and abs(usd - last) > last * MAX_PRICE_MOVE:
            raise PriceMovedError(f"the price moved from {_decimal(last)} to {_decimal(usd)} USD")


@dataclass(frozen=True, slots=True)
class StaticFeed:
    """A price that the operator states, until a moment."""

    usd: str
    valid_until: int

    def read(self, now: int) -> Price:
        """The price. Raises ``PriceError`` when its time is over."""
        if now > self.valid_until:
            raise PriceError("the static price is no longer valid")
        return Price(self.usd, now, "static")


@dataclass(frozen=True, slots=True)
class FetchedFeed:
    """A price from outside; what fetches it is passed in."""

    source: str
    fetch: Callable[[int], str]

    def read(self, now: int) -> Price:
        """The price. Raises ``PriceError``."""
        text = self.fetch(now)
        try:
            usd = Decimal(text)
        except ArithmeticError:
            raise PriceError(f"{self.source} did not return a number") from None
        if not usd.is_finite() or usd <= 0 or abs(usd.adjusted()) > MAX_PRICE_DIGITS or len(text) > MAX_PRICE_DIGITS:
            raise PriceError(f"{self.source} returned {text[:40]!r}")
        return Price(text, now, self.source)


def _decimal(usd: Fraction) -> str:
    return f"{Decimal(usd.numerator) / Decimal(usd.denominator):f}"
