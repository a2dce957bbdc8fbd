"""Making a quote: the open rails of a lane, priced; one transaction stores the result with its terms."""

import logging
import secrets
from collections.abc import Callable, Mapping
from typing import Any

from citepress.base.canonical import digest
from citepress.payments import terms
from citepress.payments.fees import dollars
from citepress.payments.handshake import HandshakeEvent, Stage, step
from citepress.payments.limits import MINUTE, OPEN_QUOTES, PREFLIGHTS
from citepress.payments.open_rails import OpenRail, RailRegistry
from citepress.payments.outcomes import Order, OverQuota, Terms, Unavailable
from citepress.payments.ports import Clock, Full, Ledger, PriceError, Probe, Quote
from citepress.payments.rails import Lane

CLAIM_MARGIN = 10
"""Seconds before its end in which an exact quote is not claimed any more."""
KEPT = 3600
"""Seconds for which an unpaid quote is kept after its end."""
NATIVE_CLAIM = 86_400
"""Seconds after its end in which a native quote may still be claimed: whoever paid in time may come later."""
RAIL_RETRY = 30
log = logging.getLogger(__name__)


class Quotes:
    """Makes quotes for results that are worth selling."""

    def __init__(
        self, ledger: Ledger, stands: RailRegistry, prices: Mapping[str, int], client_key: Callable[[str], bytes], clock: Clock, probe: Probe,
        random: Callable[[int], bytes] = secrets.token_bytes, room: int = 0,
    ) -> None:  # fmt: skip
        """``room``: bytes that unpaid quotes may take; 0 for no bound. ``prices`` are millionths of a US dollar by product id; ``client_key`` hashes a client with a secret."""
        self._ledger, self._stands, self._prices = ledger, stands, prices
        self._client_key, self._clock, self._probe, self._random, self._room = client_key, clock, probe, random, room

    def offer(self, order: Order, result: bytes) -> Terms | Unavailable | OverQuota:
        """Terms for a result over every open rail of the order's lane. Raises ``StoreUnavailable``."""
        now, salt = self._clock(), self._random(terms.SALT_BYTES)
        price = self._prices[order.product]
        deal = terms.TermsInput(
            terms.quote_id(self._random(terms.QUOTE_BYTES)),
            order.product,
            order.body_sha256,
            terms.commitment(salt, result),
            now,
            dollars(price),
        )
        found = [priced for stand in self._stands.lane(order.lane, order.slug) if (priced := self._entry(stand, deal, price))]
        if not found:
            return Unavailable("rail_unavailable", "No rail of this lane takes payments now; nothing was charged.", RAIL_RETRY)
        expires = min(entry["extra"]["expiresAt"] for entry, _ in found)
        quote = Quote(
            id=deal.quote_id, product=order.product, lane=order.lane_name, client_key=self._client_key(order.client),
            body_sha256=order.body_sha256, result_sha256=digest(result), salt=salt, entries=tuple(entry for entry, _ in found),
            usd_micros=price, price="; ".join(source for _, source in found if source), created_at=now, expires_at=expires,
            keep_until=expires + (NATIVE_CLAIM if order.lane is Lane.NATIVE else KEPT),
        )  # fmt: skip
        step(Stage.NONE, HandshakeEvent.SELLABLE)
        try:
            opened = self._ledger.open(quote, result, OPEN_QUOTES, self._room)
        except Full as full:
            log.warning("no room for another unpaid quote of the %s lane; the next may come in %d seconds", order.lane, full.wait)
            return Unavailable("unavailable", "Too many quotes wait for their payment; nothing was charged. Ask again later.", full.wait)
        if not opened:
            return OverQuota(PREFLIGHTS, f"{OPEN_QUOTES} quotes of this client are open; use one, or wait until one expires.", MINUTE)
        self._probe("quote")
        return Terms(quote)

    def _entry(self, stand: OpenRail, deal: terms.TermsInput, price: int) -> tuple[dict[str, Any], str] | None:
        """The entry of a rail, and what its price was made from; ``None`` where the rail is closed."""
        if self._stands.why_not(stand, price):
            return None
        try:
            amount, source = self._stands.priced(stand, price)
        except PriceError:
            return None
        return terms.entry(stand.opened, deal, amount, stand.driver.extra()), source


def claim_until(quote: Quote, *, native: bool) -> int:
    """The last moment in which a payment may claim a quote."""
    return quote.expires_at + NATIVE_CLAIM if native else quote.expires_at - CLAIM_MARGIN
