"""What list_paid_tools tells of every rail: price, path, network, asset, and whether it is real money."""

from pathlib import Path

import pytest

from citepress_payments.families import EVM
from citepress_payments.list_paid_tools import on_sale
from citepress_payments.ports.prices import PriceError
from citepress_payments.products.listing import ListedProducts
from citepress_payments.rails import ALL, Lane
from support.payment_service import STATIC, payment_harness

BASE = "https://archive.test/"
SIMULATED = [rail for rail in ALL if rail.test and rail.test.family is EVM]


def test_every_rail_has_a_price_a_path_and_says_whether_it_is_real_money(tmp_path: Path) -> None:
    rails = [
        {"slug": rail.slug, "driver": "simulated", **({} if rail.lane is Lane.FIXED else {"prices": STATIC})}
        for rail in SIMULATED
    ]
    harness = payment_harness(tmp_path, rails=rails)
    bundle, coverage = ListedProducts(harness.paying, BASE)()
    assert [price.rail for price in bundle.prices] == [rail.slug for rail in SIMULATED]
    assert {price.rail for price in coverage.prices} == {rail.slug for rail in SIMULATED if rail.lane is Lane.FIXED}
    for price in (*bundle.prices, *coverage.prices):
        assert price.amount is not None
        assert int(price.amount) > 0
        assert price.path.startswith("/agent-payments/")
        assert price.network.startswith(("eip155:", "solana:"))
        assert (price.testnet, price.simulated) == (True, True)
        assert price.exact == ("/volatile/" not in price.path and "/native/" not in price.path)
    harness.close()


def test_a_rail_whose_price_cannot_be_read_is_listed_without_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    harness = payment_harness(tmp_path)

    def away(_usd: int, _now: int) -> tuple[int, str]:
        raise PriceError("no source is fresh")

    monkeypatch.setattr(type(harness.paying.rails.all[0]), "amount", lambda _self, usd, now: away(usd, now))
    listed = ListedProducts(harness.paying, BASE)()
    assert [price.amount for price in listed[0].prices] == [None] * 3
    assert [price.path for price in listed[0].prices][1] == "/agent-payments/research-bundle-v2/volatile/base-weth"
    harness.close()


def test_where_nothing_is_sold_nothing_is_listed() -> None:
    assert on_sale({}) == ()
