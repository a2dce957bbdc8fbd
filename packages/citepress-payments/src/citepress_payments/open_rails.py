"""The rails that are open: each with its driver, its price and whether it can be offered now."""

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from threading import Lock

from citepress_payments.configuration import ClosedRail, ConfiguredRail
from citepress_payments.fees import FeeWatch
from citepress_payments.limits import TEN_MINUTES_S, next_pause, should_pause
from citepress_payments.ports.chain import Driver, Health
from citepress_payments.ports.prices import Clock, PriceError
from citepress_payments.ports.rows import Pause
from citepress_payments.price_oracle import PriceMovedError, PriceOracle, fixed_amount, priced_amount
from citepress_payments.rails import Lane
from citepress_payments.stores.ledger import SqlLedger

EVERY = "all"
"""The pause that is on all rails."""
BY_ITSELF = "citepress"
log = logging.getLogger(__name__)


@dataclass(slots=True)
class OpenRail:
    """One rail, ready to sell over."""

    opened: ConfiguredRail
    driver: Driver
    prices: PriceOracle | None = None
    """Its price; a fixed rail has none."""
    fees: FeeWatch | None = None
    """What a settlement costs us; ``None`` where nobody asked."""
    health: Health | None = None
    """``None`` until it is looked at for the first time."""
    lock: Lock = field(default_factory=Lock)
    """Held while the chain is asked, so that one rail never waits for another's."""

    @property
    def slug(self) -> str:
        """Name of the rail."""
        return self.opened.slug

    @property
    def native(self) -> bool:
        """Whether the buyer sends the transfer and we only look at it."""
        return self.opened.rail.lane is Lane.NATIVE

    @property
    def is_final(self) -> bool:
        """Whether a transfer that counts is final, so that no reorganisation undoes it."""
        return self.opened.finality == "finalized" or self.opened.simulated

    def amount(self, usd_micros: int, now: int) -> tuple[int, str]:
        """What so much money is in the smallest unit, and what the price was made from. Raises ``PriceError``."""
        decimals = self.opened.rail.decimals
        if self.prices is None:
            return fixed_amount(usd_micros, decimals), ""
        rate = self.prices.rate(now)
        return priced_amount(usd_micros, rate.usd, decimals), rate.basis


class RailRegistry:
    """All rails of this deployment; safe to share between threads."""

    def __init__(
        self,
        rails: Sequence[OpenRail],
        ledger: SqlLedger,
        clock: Clock,
        closed: Sequence[ClosedRail] = (),
        dearest: int = 0,
    ) -> None:
        """``closed``: rails that are listed and cannot open; they are only reported.

        ``dearest``: the highest price of a product.
        """
        self._dearest = dearest
        self.all, self.closed = tuple(rails), tuple(closed)
        for rail in closed:
            log.error("the rail %s stays closed: %s", rail.slug, rail.reason)
        self._by_slug = {rail.slug: rail for rail in rails}
        self._ledger, self._clock = ledger, clock

    def of(self, slug: str) -> OpenRail | None:
        """The rail of this name."""
        return self._by_slug.get(slug)

    def lane(self, lane: Lane, slug: str = "") -> tuple[OpenRail, ...]:
        """The rails of a lane, or the one that its path names."""
        return tuple(rail for rail in self.all if rail.opened.rail.lane is lane and slug in ("", rail.slug))

    def lists(self, lane: Lane, slug: str) -> bool:
        """Whether a rail of this name belongs to a lane here, open or closed.

        With no name, whether the lane has any.
        """
        listed = [rail.opened for rail in self.closed if rail.opened]
        return bool(self.lane(lane, slug)) or any(
            closed.rail.lane is lane and slug in ("", closed.slug) for closed in listed
        )

    def unavailable_reason(self, rail: OpenRail, usd_micros: int = 0) -> str:
        """Why a rail takes no new quotes at a price, or at any; empty where it does.

        Reads the ledger, and the chain once. Raises ``StoreUnavailable``.
        """
        if pause := self.paused(rail):
            return pause.reason or "paused"
        # Asked once here and then by the recovery alone: a chain that is away must not hold up every preflight.
        health = rail.health or self._look(rail)
        if not health.available:
            return health.reason or "unavailable"
        # The share counts for each product. See "A rail closes when gas costs more than its share" in
        # docs/decisions/payments.md.
        return rail.fees.too_dear(usd_micros or self._dearest) if rail.fees else ""

    def paused(self, rail: OpenRail) -> Pause | None:
        """The pause of a rail. Raises ``StoreUnavailable``."""
        now = self._clock()
        pause = next(
            (pause for pause in self._ledger.pauses() if pause.rail in (EVERY, rail.slug) and pause.holds(now)), None
        )
        # After a pause the market may be anywhere: the first price then shall not count as a jump.
        if pause and rail.prices:
            rail.prices.forget()
        return pause

    def priced(self, rail: OpenRail, usd_micros: int) -> tuple[int, str]:
        """The amount over a rail. A price that jumped pauses it. Raises ``PriceError``."""
        try:
            return rail.amount(usd_micros, self._clock())
        except PriceMovedError as moved:
            self.pause(rail, str(moved))
            if rail.prices:
                rail.prices.forget()  # whoever resumes the rail has looked at the new price
            raise PriceError(str(moved)) from None

    def reverted(self, rail: OpenRail) -> None:
        """Pause a rail for a while if its mined transactions fail for several payers, and not for one wallet."""
        now = self._clock()
        if not should_pause(self._ledger.failures(rail.slug, now - TEN_MINUTES_S)):
            return
        last = next((pause for pause in self._ledger.pauses() if pause.rail == rail.slug), None)
        # A pause that holds is not renewed: each failure of the same flood would make the next one twice as long.
        if last and last.holds(now):
            return
        until = now + next_pause(last, now)
        log.error(
            "the rail %s pauses for %d seconds: transactions of several payers did not pay", rail.slug, until - now
        )
        self._ledger.pause(
            Pause(rail.slug, "transactions of several payers did not pay", BY_ITSELF, now, now=False, until=until)
        )

    def pause(self, rail: OpenRail, reason: str) -> None:
        """Stop a rail from making new quotes until a person resumes it."""
        log.error("the rail %s pauses: %s", rail.slug, reason)
        # Open quotes stay good, because their buyers may have signed already.
        self._ledger.pause(Pause(rail.slug, reason, BY_ITSELF, self._clock(), now=False))

    def check(self) -> None:
        """Look at every rail again."""
        for rail in self.all:
            self._look(rail, again=True)

    def check_fees(self) -> None:
        """Ask for the fees of every rail again, so that one closes and opens with them."""
        for rail in self.all:
            self._look_at_fee(rail)

    def _look_at_fee(self, rail: OpenRail) -> None:
        if rail.fees is None:
            return
        dear = rail.fees.too_dear(self._dearest)
        rail.fees.look(self._clock())
        now_dear = rail.fees.too_dear(self._dearest)
        if bool(dear) != bool(now_dear):
            log.warning(
                "the rail %s %s", rail.slug, f"closes: {now_dear}" if now_dear else "opens again: its network fee fell"
            )

    def _look(self, rail: OpenRail, *, again: bool = False) -> Health:
        with rail.lock:
            # Whoever waited for the lock finds what was just asked, and does not ask the chain once more.
            if rail.health is None or again:
                health = _answered(rail.driver.health)
                if not health.available and (rail.health is None or rail.health.available):
                    log.warning("the rail %s is not available: %s", rail.slug, health.reason)
                rail.health = health
                self._look_at_fee(rail)
            return rail.health


def _answered(health: Callable[[], Health]) -> Health:
    """The driver's report on its rail; if the driver fails, the rail is not available."""
    try:
        return health()
    except Exception:
        log.exception("a rail could not be checked")
        return Health(available=False, reason="it could not be checked")
