"""The routes of the paid products, and their response types."""

from collections.abc import Iterable, Iterator, Mapping
from functools import partial

from citepress.base.media import JSON
from citepress.contract.cache import Cache
from citepress.contract.document import Parameter, Section
from citepress.contract.model import Model
from citepress.contract.route import Route
from citepress.contract.site import Site
from citepress.edition.render_context import RenderContext
from citepress_payments.capabilities import PAYMENTS_BASE, PaymentCapabilities, ProductListing, path_of
from citepress_payments.discovery import Offer
from citepress_payments.openapi import paid_parts
from citepress_payments.products import PRODUCTS
from citepress_payments.products.product import Product
from citepress_payments.rails import BY_SLUG, Lane
from citepress_payments.settings import payments_of

CAPABILITIES_PATH = f"{PAYMENTS_BASE}/payment-capabilities"
SLUG = Parameter("rail_slug", "Name of a rail of this lane, from payment-capabilities.")
TEMPLATE = "{rail_slug}"
EXAMPLES = frozenset({"WETH", "BNB"})
"""Tokens whose rails the documented examples use (specification, "Paid compute products")."""
LANE_NOTES = {
    Lane.FIXED: "Paid in USDC at a fixed price.",
    Lane.VOLATILE: (
        "Paid over one rail at a price that is made for this request and lives two minutes (EURC, WETH, cbBTC or wSOL)."
    ),
    Lane.NATIVE: (
        "Paid by a transfer of the network's own coin that carries the terms hash (BNB, ETH, AVAX, POL or SOL)."
    ),
}


class CapabilitiesAsk(Model):
    """Nothing to tell."""


def routes(products: Iterable[Product]) -> Iterator[Route]:
    """The capabilities, and each product in each of its lanes."""
    about = "Product ids, prices, payment rails, preflight and replay policy: read right before paying. Free."
    yield Route(
        "GET",
        CAPABILITIES_PATH,
        "payment_capabilities",
        JSON,
        Section.PAYMENTS,
        about,
        Cache.NO_STORE,
        PaymentCapabilities.__name__,
        ask=CapabilitiesAsk,
        answer=PaymentCapabilities,
        enabled=_sells_any,
        contracted=True,
    )
    for product in products:
        for lane in product.lanes:
            yield route(product, lane)


def route(product: Product, lane: Lane) -> Route:
    """One product in one lane."""
    name = product.id.replace("-", "_") + ("" if lane is Lane.FIXED else f"_{lane}")
    return Route(
        "POST",
        path_of(product.id, lane, TEMPLATE),
        name,
        JSON,
        Section.PAYMENTS,
        f"{product.description} {LANE_NOTES[lane]}",
        Cache.NO_STORE,
        product.result.__name__,
        parameters=() if lane is Lane.FIXED else (SLUG,),
        ask=product.ask,
        answer=product.result,
        openapi=paid_parts,
        example=product.example,
        usd=product.usd,
        enabled=partial(_sells, lane),
        addresses=partial(_addresses, lane),
    )


def list_prices(products: Iterable[Product]) -> Mapping[str, str]:
    """The declared price of each product in dollars, by id; ``site.toml`` may set others."""
    return {product.id: product.usd for product in products}


def offer_of(product: Product) -> Offer:
    """A product as catalogues of paid resources list it."""
    return Offer(product.id, product.title, product.ask.model_json_schema(mode="validation"), product.example)


def open_rails(site: Site, lane: Lane) -> tuple[str, ...]:
    """Slugs of the enabled rails of a lane; tokens from the specification's examples come first."""
    terms = payments_of(site)
    rails = [BY_SLUG[rail.slug] for rail in terms.rails if rail.slug in BY_SLUG] if terms else []
    of_lane = [rail for rail in rails if rail.lane is lane]
    return tuple(rail.slug for rail in sorted(of_lane, key=lambda rail: rail.symbol not in EXAMPLES))


def _sells(lane: Lane, site: Site) -> bool:
    return bool(open_rails(site, lane))


def _sells_any(site: Site) -> bool:
    return any(_sells(lane, site) for lane in Lane)


def _addresses(lane: Lane, context: RenderContext) -> Iterator[dict[str, str]]:
    return ({SLUG.name: slug} for slug in open_rails(context.site, lane))


def product_listing(product: Product) -> ProductListing:
    """A product as listed in the payment capabilities."""
    return ProductListing(product.id, product.ask.__name__, product.lanes, product.method, product.reveals)


ROUTES = tuple(routes(PRODUCTS))
