"""What can be bought at this moment, and over which rails, from what the process knows of them."""

from collections.abc import Iterable, Mapping
from datetime import datetime

from citepress_payments.capabilities import (
    CapabilityLane,
    CapabilityPreflight,
    CapabilityProduct,
    CapabilityQuotas,
    CapabilityRail,
    CapabilityReplay,
    CapabilityRetry,
    PaymentCapabilities,
    ProductListing,
    path_of,
)
from citepress_payments.configuration import ConfiguredRail
from citepress_payments.fees import FeeWatch, dollars
from citepress_payments.limits import OPEN_QUOTES, PREFLIGHTS, PREFLIGHTS_DAILY
from citepress_payments.open_rails import OpenRail, RailRegistry
from citepress_payments.rails import Lane

STOCK_ASSETS = ("USDC",)
"""Assets that stock buyers pay with default settings."""
NOT_STOCK = ("eip155:10",)
"""Networks whose USDC they do not take by default."""
RESEND = "resend the same PAYMENT-SIGNATURE; do not sign again"
NEVER_402 = ["invalid", "empty", "insufficient_evidence"]
MISCONFIGURED = "it is misconfigured; `citepress payments status` gives the reason"
"""Of a rail that cannot open: the reason itself may name files, and is the operator's."""
HOLD = 20


def capabilities(
    listings: Iterable[ProductListing],
    prices: Mapping[str, int],
    rails: RailRegistry | None,
    now: datetime,
    networks: str | None,
    keep_paid_days: int | None = None,
) -> PaymentCapabilities:
    """The document as it is now; without ``rails`` nothing is sold. Reads the ledger: raises ``StoreUnavailable``."""
    every, closed = (rails.all, rails.closed) if rails else ((), ())
    reasons = {rail.slug: rails.unavailable_reason(rail) for rail in every} if rails else {}
    products = [
        CapabilityProduct(
            id=listing.id,
            usd=dollars(prices[listing.id]),
            body_schema=f"/openapi.json#/components/schemas/{listing.schema}",
            lanes=list(_lanes(listing, every)),
            method=list(listing.method),
            preflight_reveals=listing.reveals,
        )
        for listing in listings
        if every
    ]
    kept_for = f"{keep_paid_days} days" if keep_paid_days else "as long as the ledger"
    return PaymentCapabilities(
        updated_at=now,
        networks=networks,
        products=[product for product in products if product.lanes],
        rails=[
            *(_rail(rail.opened, reasons[rail.slug], rail.fees) for rail in every),
            *(_rail(rail.opened, MISCONFIGURED) for rail in closed if rail.opened),
        ],
        preflight=CapabilityPreflight(
            free=True,
            never_402_for=NEVER_402,
            quotas=CapabilityQuotas(
                per_minute=PREFLIGHTS.quota, per_day=PREFLIGHTS_DAILY.quota, open_quotes=OPEN_QUOTES
            ),
        ),
        retry=CapabilityRetry(body="byte-identical", hold_seconds=HOLD, pending=RESEND),
        replay=CapabilityReplay(same_payment_same_body="same bytes, no second settlement", kept=kept_for),
    )


def _lanes(listing: ProductListing, rails: Iterable[OpenRail]) -> Iterable[CapabilityLane]:
    """The fixed lane with all its rails, and one lane for each other rail."""
    declared = [rail.opened.rail for rail in rails if rail.opened.rail.lane in listing.lanes]
    fixed = [rail.slug for rail in declared if rail.lane is Lane.FIXED]
    if fixed:
        yield CapabilityLane(lane=Lane.FIXED, path=path_of(listing.id, Lane.FIXED), rails=fixed)
    for rail in declared:
        if rail.lane is not Lane.FIXED:
            yield CapabilityLane(lane=rail.lane, path=path_of(listing.id, rail.lane, rail.slug), rails=[rail.slug])


def _rail(opened: ConfiguredRail, reason: str, fees: FeeWatch | None = None) -> CapabilityRail:
    rail, place, fee = opened.rail, opened.place, fees.last if fees else None
    return CapabilityRail(
        slug=rail.slug,
        scheme=rail.scheme,
        network=place.network,
        asset=place.asset,
        symbol=rail.symbol,
        decimals=rail.decimals,
        authorization=rail.authorization,
        pay_to=opened.pay_to,
        finality=opened.finality,
        typical_seconds=rail.typical_seconds,
        quote_ttl_seconds=opened.life,
        hold_seconds=opened.settings.hold_s,
        available=not reason,
        unavailable_reason=reason or None,
        settlement_fee_usd=dollars(fee.usd_micros) if fee and fee.usd_micros is not None else None,
        max_fee_share_bps=fees.share_bps if fees and fee else None,
        testnet=opened.testnet,
        simulated=opened.simulated,
        default_asset_of_stock_buyers=rail.symbol in STOCK_ASSETS and place.network not in NOT_STOCK,
    )
