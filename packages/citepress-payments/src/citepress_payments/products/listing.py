"""The paid products as ``list_paid_tools`` lists them: URL, price on every rail, and whether the money is real."""

from concurrent.futures import Future, ThreadPoolExecutor, wait
from threading import Lock

from citepress.base.clock import unix_now
from citepress.contract.store import StoreUnavailable
from citepress_payments.capabilities import path_of
from citepress_payments.fees import dollars
from citepress_payments.list_paid_tools import PaidPrice, PaidProduct, ProductsOnSale
from citepress_payments.open_rails import OpenRail
from citepress_payments.ports.prices import PriceError
from citepress_payments.price_oracle import READ_AGAIN
from citepress_payments.products import PRODUCTS, Product
from citepress_payments.rails import Lane
from citepress_payments.setup import PaymentSystem

FIRST_PRICES = 2.0
"""Seconds for which the first listing waits for prices."""


class ListedProducts(ProductsOnSale):
    """The products with what they cost on each rail.

    Variable prices are read in the background, at most every half minute.
    """

    def __init__(self, sold: PaymentSystem, base_url: str) -> None:
        self._sold, self._base_url = sold, base_url
        self._amounts: dict[tuple[str, str], str] = {}
        self._thread, self._lock = ThreadPoolExecutor(1, "listing"), Lock()
        self._reading: Future[None] | None = None
        self._read_at: int | None = None

    def __call__(self) -> tuple[PaidProduct, ...]:
        """The products now.

        The first call waits briefly for the prices; later calls return the prices read last.
        """
        reading = self._begun()
        if not self._amounts:
            wait([reading], FIRST_PRICES)
        listed = [self._product(product) for product in PRODUCTS]
        return tuple(product for product in listed if product.prices)

    def _begun(self) -> Future[None]:
        """The current refresh of the prices, or the last one."""
        with self._lock:
            at = unix_now()
            if self._reading is None or (self._reading.done() and not 0 <= at - (self._read_at or 0) < READ_AGAIN):
                self._reading, self._read_at = self._thread.submit(self._read), at
            return self._reading

    def _read(self) -> None:
        rails, prices = self._sold.rails, self._sold.configuration.prices
        for product in PRODUCTS:
            for rail in rails.all:
                try:
                    self._amounts[product.id, rail.slug] = str(rails.priced(rail, prices[product.id])[0])
                except (PriceError, StoreUnavailable):
                    self._amounts.pop((product.id, rail.slug), None)

    def _product(self, product: Product) -> PaidProduct:
        rails = [rail for rail in self._sold.rails.all if rail.opened.rail.lane in product.lanes]
        return PaidProduct(
            id=product.id,
            title=product.title,
            description=product.description,
            method="POST",
            url=self._base_url + path_of(product.id, Lane.FIXED),
            request=product.ask.model_json_schema(mode="validation"),
            usd=dollars(self._sold.configuration.prices[product.id]),
            prices=[self._price(product, rail) for rail in rails],
        )

    def _price(self, product: Product, open_rail: OpenRail) -> PaidPrice:
        opened = open_rail.opened
        rail, place = opened.rail, opened.place
        return PaidPrice(
            rail=rail.slug,
            path=path_of(product.id, rail.lane, rail.slug),
            network=place.network,
            asset=place.asset,
            amount=self._amounts.get((product.id, rail.slug)),
            decimals=rail.decimals,
            exact=rail.lane is Lane.FIXED,
            testnet=opened.testnet,
            simulated=opened.simulated,
        )
