"""What list_paid_tools tells of every rail: price, path, network, asset, and whether it is real money."""

from pathlib import Path

import pytest

from citepress.app.listing import on_sale
from citepress.payments.ports import PriceError
from citepress.payments.rails import ALL, Lane
from support.shopping import STATIC, market

BASE = "https://archive.test/"
SIMULATED = [rail for rail in ALL if rail.test and rail.test.family == "evm"]


def test_every_rail_has_a_price_a_path_and_says_whether_it_is_real_money(tmp_path: Path) -> None:
    rails = [{"slug": rail.slug, "driver": "simulated", **({} if rail.lane is Lane.FIXED else {"prices": STATIC})} for rail in SIMULATED]
    shop = market(tmp_path, rails=rails)
    bundle, coverage = on_sale(shop.paying, BASE)()
    assert [one.rail for one in bundle.prices] == [rail.slug for rail in SIMULATED]
    assert {one.rail for one in coverage.prices} == {rail.slug for rail in SIMULATED if rail.lane is Lane.FIXED}
    for one in (*bundle.prices, *coverage.prices):
        assert one.amount is not None
        assert int(one.amount) > 0
        assert one.path.startswith("/agent-payments/")
        assert one.network.startswith(("eip155:", "solana:"))
        assert (one.testnet, one.simulated) == (True, True)
        assert one.exact == ("/volatile/" not in one.path and "/native/" not in one.path)
    shop.close()


def test_a_rail_whose_price_cannot_be_read_is_listed_without_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shop = market(tmp_path)

    def away(_usd: int, _now: int) -> tuple[int, str]:
        raise PriceError("no source is fresh")

    monkeypatch.setattr(type(shop.paying.stands.all[0]), "amount", lambda _self, usd, now: away(usd, now))
    listed = on_sale(shop.paying, BASE)()
    assert [one.amount for one in listed[0].prices] == [None] * 3
    assert [one.path for one in listed[0].prices][1] == "/agent-payments/research-bundle-v2/volatile/base-weth"
    shop.close()


def test_where_nothing_is_sold_nothing_is_listed() -> None:
    assert on_sale(None, BASE)() == ()
