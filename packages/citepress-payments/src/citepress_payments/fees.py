"""Compares the network fee of a settlement with the price: a rail that costs too large a share of it closes."""

import math
from dataclasses import dataclass
from fractions import Fraction

from citepress_payments.configuration import MICROS, ConfiguredRail
from citepress_payments.ports.chain import Driver, Unreachable
from citepress_payments.ports.prices import PriceError
from citepress_payments.price_oracle import WHOLE_BPS, PriceMovedError, PriceOracle

SHARE_SLACK = 2
"""By which the share may be passed once terms are given: a buyer who has signed is not sent away for a small rise."""


@dataclass(frozen=True, slots=True)
class Fee:
    """What one settlement costs us now."""

    units: int
    """Smallest units of the chain's coin; 0 where it is not known."""
    usd_micros: int | None
    """Millionths of a US dollar, rounded up; ``None`` where it is not known."""
    reason: str = ""
    """Why it is not known."""


class FeeWatch:
    """Compares the fee of one rail with prices; safe to share between threads, for it only replaces what it knows."""

    def __init__(self, opened: ConfiguredRail, driver: Driver, coin_price: PriceOracle | None) -> None:
        """``coin_price``: the price of the coin that pays for gas; without it no fee can be compared."""
        self._opened, self._driver, self._coin_price = opened, driver, coin_price
        self.last: Fee | None = None
        """``None`` where somebody else pays the fee, and until it is looked at for the first time."""

    @property
    def share_bps(self) -> int:
        """The largest share that is allowed, in hundredths of a percent."""
        return self._opened.settings.max_fee_share_bps

    def look(self, now: int) -> None:
        """Ask the chain for its fee and the sources for the price of its coin."""
        units = self._driver.fee()
        if units is None:
            self.last = None
        elif isinstance(units, Unreachable):
            # The former fee is dropped: it would sell at the cost of another day.
            self.last = Fee(0, None, f"the network fee is not known: {units.reason}")
        else:
            self.last = self._priced(units, now)

    def too_dear(self, usd_micros: int, slack: int = 1) -> str:
        """Why a sale at this price is not worth its fee; empty where it is.

        What is not known counts as too dear, where money is real.
        """
        fee = self.last
        # A coin of a test network has no price, so that a share of it would mean nothing.
        if fee is None or self._opened.testnet:
            return ""
        if fee.usd_micros is None:
            return fee.reason
        if fee.usd_micros * WHOLE_BPS <= usd_micros * self.share_bps * slack:
            return ""
        return (
            f"a settlement costs {dollars(fee.usd_micros)} USD of gas, more than {percent(self.share_bps)} % of"
            f" {dollars(usd_micros)} USD"
        )

    def _priced(self, units: int, now: int) -> Fee:
        rail = self._opened.rail
        if self._coin_price is None:
            return Fee(units, None, f"no price of {rail.coin} is known: gas_prices names its sources")
        try:
            usd = self._coin_price.rate(now).usd
        except PriceMovedError as moved:
            self._coin_price.forget()  # the next look takes the new price: a fee is not a quote
            return Fee(units, None, str(moved))
        except PriceError as unknown:
            return Fee(units, None, f"no price of {rail.coin} is known: {unknown}")
        return Fee(units, math.ceil(Fraction(units, 10**rail.coin_decimals) * usd * MICROS))


def dollars(micros: int) -> str:
    """Millionths of a dollar as decimal text: 50,000 is ``0.05``."""
    whole, part = divmod(micros, MICROS)
    return f"{whole}.{part:06d}".rstrip("0").rstrip(".")


def percent(bps: int) -> str:
    """Hundredths of a percent as decimal text: 2,000 is ``20``."""
    whole, part = divmod(bps, 100)
    return f"{whole}.{part:02d}".rstrip("0").rstrip(".")
