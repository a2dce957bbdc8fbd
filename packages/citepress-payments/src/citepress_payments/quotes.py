"""Making a quote: the open rails of a lane, priced; one transaction stores the result with its terms."""

import logging
import secrets
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from citepress.base.canonical import digest
from citepress.base.timestamps import MINUTE_S
from citepress_payments import terms
from citepress_payments.fees import dollars
from citepress_payments.limits import OPEN_QUOTES, PREFLIGHTS
from citepress_payments.open_rails import OpenRail, RailRegistry
from citepress_payments.outcomes import Order, OverQuota, Terms, Unavailable
from citepress_payments.ports.prices import Clock, PriceError, ProbePoint
from citepress_payments.ports.rows import Full, Quote
from citepress_payments.quote_lifetime import CLAIM_MARGIN_S, NATIVE_CLAIM_S, UNPAID_KEPT_S
from citepress_payments.rails import Lane
from citepress_payments.stores.ledger import SqlLedger

RAIL_RETRY = 30
PricedEntry: TypeAlias = tuple[dict[str, Any], str]
"""An entry of ``accepts``, and what its price was made from."""
log = logging.getLogger(__name__)


class Quotes:
    """Makes quotes for results that are worth selling."""

    def __init__(
        self,
        ledger: SqlLedger,
        rails: RailRegistry,
        prices: Mapping[str, int],
        client_key: Callable[[str], bytes],
        clock: Clock,
        probe: ProbePoint,
        random: Callable[[int], bytes] = secrets.token_bytes,
        room: int = 0,
    ) -> None:
        """``room``: bytes that unpaid quotes may take; 0 for no bound.

        ``prices`` are millionths of a US dollar by product id; ``client_key`` hashes a client with a secret.
        """
        self._ledger, self._rails, self._prices = ledger, rails, prices
        self._client_key, self._clock, self._probe, self._random, self._room = client_key, clock, probe, random, room

    def offer(self, order: Order, result: bytes) -> Terms | Unavailable | OverQuota:
        """Terms for a result over every open rail of the order's lane. Raises ``StoreUnavailable``."""
        now, salt = self._clock(), self._random(terms.SALT_BYTES)
        price = self._prices[order.product]
        inputs = terms.TermsInput(
            terms.quote_id(self._random(terms.QUOTE_BYTES)),
            order.product,
            order.body_sha256,
            terms.commitment(salt, result),
            now,
            dollars(price),
        )
        # One quote over all rails of the lane: they sell the same result, and only one payment may take it.
        offers = [self._entry(rail, inputs, price) for rail in self._rails.lane(order.lane, order.slug)]
        priced = [offer for offer in offers if offer]
        if not priced:
            return Unavailable(
                "rail_unavailable", "No rail of this lane takes payments now; nothing was charged.", RAIL_RETRY
            )
        quote = self._quote(order, result, inputs, salt, priced)
        return self._stored(order, quote, result)

    def _quote(
        self, order: Order, result: bytes, inputs: terms.TermsInput, salt: bytes, priced: Sequence[PricedEntry]
    ) -> Quote:
        # A buyer may choose any entry, so the first to expire ends the quote.
        expires = min(entry["extra"]["expiresAt"] for entry, _ in priced)
        return Quote(
            id=inputs.quote_id,
            product=order.product,
            lane=order.lane_name,
            client_key=self._client_key(order.client),
            body_sha256=order.body_sha256,
            result_sha256=digest(result),
            salt=salt,
            entries=tuple(entry for entry, _ in priced),
            usd_micros=self._prices[order.product],
            price="; ".join(source for _, source in priced if source),
            created_at=inputs.now,
            expires_at=expires,
            keep_until=expires + (NATIVE_CLAIM_S if order.lane is Lane.NATIVE else UNPAID_KEPT_S),
        )

    def _stored(self, order: Order, quote: Quote, result: bytes) -> Terms | Unavailable | OverQuota:
        """The quote as terms, once it is in the ledger."""
        try:
            opened = self._ledger.open(quote, result, OPEN_QUOTES, self._room)
        # See "A native quote is never dropped for lack of room" in docs/decisions/payments.md.
        except Full as full:
            log.warning(
                "no room for another unpaid quote of the %s lane; the next may come in %d seconds",
                order.lane,
                full.wait,
            )
            return Unavailable(
                "unavailable",
                "Too many quotes wait for their payment; nothing was charged. Ask again later.",
                full.wait,
            )
        if not opened:
            return OverQuota(
                PREFLIGHTS,
                f"{OPEN_QUOTES} quotes of this client are open; use one, or wait until one expires.",
                MINUTE_S,
            )
        self._probe("quote")
        return Terms(quote)

    def _entry(self, rail: OpenRail, inputs: terms.TermsInput, price: int) -> PricedEntry | None:
        """The entry of a rail, and what its price was made from; ``None`` where the rail is closed."""
        # Terms that could not be settled would only cost the buyer a signature.
        if self._rails.unavailable_reason(rail, price):
            return None
        try:
            amount, source = self._rails.priced(rail, price)
        except PriceError:
            return None
        return terms.entry(rail.opened, inputs, amount, rail.driver.extra()), source


def claim_until(quote: Quote, *, native: bool) -> int:
    """The last moment in which a payment may claim a quote."""
    # A native transfer is made before it is claimed, and money that has moved must still find its quote.
    return quote.expires_at + NATIVE_CLAIM_S if native else quote.expires_at - CLAIM_MARGIN_S
