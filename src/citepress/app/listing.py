"""The paid products as ``list_paid_tools`` tells of them: what each costs on every rail, where, and whether that is real money."""

from concurrent.futures import Future, ThreadPoolExecutor, wait
from threading import Lock

from citepress.app.payments import Paying
from citepress.app.rails import now
from citepress.contract.store import StoreUnavailable
from citepress.operations.context import Products
from citepress.operations.models import PaidPrice, PaidProduct
from citepress.operations.products import PRODUCTS, Product
from citepress.payments.capabilities import path_of
from citepress.payments.fees import dollars
from citepress.payments.open_rails import OpenRail
from citepress.payments.ports import PriceError
from citepress.payments.price_oracle import READ_AGAIN
from citepress.payments.rails import Lane

FIRST_PRICES = 2.0
"""Seconds for which the first listing waits for prices."""


def on_sale(sold: Paying | None, base_url: str) -> Products:
    """The products as ``list_paid_tools`` tells of them; none where nothing is sold."""
    return ProductListings(sold, base_url.rstrip("/")) if sold else tuple


class ProductListings:
    """The products with what they cost on each rail. Prices that move are read beside whoever asks, at most every half minute."""

    def __init__(self, sold: Paying, base_url: str) -> None:
        self._sold, self._base_url = sold, base_url
        self._amounts: dict[tuple[str, str], str] = {}
        self._thread, self._lock = ThreadPoolExecutor(1, "listing"), Lock()
        self._reading: Future[None] | None = None
        self._read_at: int | None = None

    def __call__(self) -> tuple[PaidProduct, ...]:
        """The products now; whoever asks first waits a moment for the prices, later ones get those that were read last."""
        reading = self._begun()
        if not self._amounts:
            wait([reading], FIRST_PRICES)
        return tuple(found for product in PRODUCTS if (found := self._product(product)).prices)

    def _begun(self) -> Future[None]:
        """A reading of the prices that is under way, or the last one."""
        with self._lock:
            at = now()
            if self._reading is None or (self._reading.done() and not 0 <= at - (self._read_at or 0) < READ_AGAIN):
                self._reading, self._read_at = self._thread.submit(self._read), at
            return self._reading

    def _read(self) -> None:
        stands, prices = self._sold.stands, self._sold.configuration.prices
        for product in PRODUCTS:
            for stand in stands.all:
                try:
                    self._amounts[product.id, stand.slug] = str(stands.priced(stand, prices[product.id])[0])
                except (PriceError, StoreUnavailable):
                    self._amounts.pop((product.id, stand.slug), None)

    def _product(self, product: Product) -> PaidProduct:
        stands = [stand for stand in self._sold.stands.all if stand.opened.rail.lane in product.lanes]
        return PaidProduct(
            id=product.id, title=product.title, description=product.description, method="POST",
            url=self._base_url + path_of(product.id, Lane.FIXED), request=product.ask.model_json_schema(mode="validation"),
            usd=dollars(self._sold.configuration.prices[product.id]), prices=[self._price(product, stand) for stand in stands],
        )  # fmt: skip

    def _price(self, product: Product, stand: OpenRail) -> PaidPrice:
        opened, rail, place = stand.opened, stand.opened.rail, stand.opened.place
        return PaidPrice(
            rail=rail.slug, path=path_of(product.id, rail.lane, rail.slug), network=place.network, asset=place.asset,
            amount=self._amounts.get((product.id, rail.slug)), decimals=rail.decimals, exact=rail.lane is Lane.FIXED,
            testnet=opened.testnet, simulated=opened.simulated,
        )  # fmt: skip
