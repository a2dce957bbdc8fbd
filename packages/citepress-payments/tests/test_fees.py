"""The network fee beside the price: a rail that would cost too much closes, and opens again by itself."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from citepress_payments.capabilities import ProductListing
from citepress_payments.chains.evm import calls
from citepress_payments.configuration import ConfiguredRail
from citepress_payments.outcomes import Terms, Unavailable
from citepress_payments.rail_capabilities import capabilities
from citepress_payments.rails import BY_SLUG, Lane
from citepress_payments.settings import PaidRail
from support.evm import Chain, chain, word
from support.payment_service import PRODUCT, PaymentHarness, paid, payment_harness

MINE = "0x2222222222222222222222222222222222222222"
ETH = [{"source": "static", "price": "3000", "valid_until": "2100-01-01T00:00:00Z"}]
GWEI = 10**9
WARES = [ProductListing(PRODUCT, "ResearchBundleAsk", tuple(Lane))]


@dataclass
class Stall:
    """A shop on the main network of a chain that a test moves."""

    node: Chain
    harness: PaymentHarness

    def gas(self, gwei: int) -> None:
        """What a unit of gas costs from now on."""
        self.node.base_fee, self.node.tip = gwei * GWEI, 0
        self.harness.paying.rails.check_fees()

    def rail(self) -> Any:
        capability = capabilities(
            WARES,
            self.harness.paying.configuration.prices,
            self.harness.paying.rails,
            datetime(2026, 11, 22, tzinfo=UTC),
            "main",
        )
        return capability.rails[0]


def row(key: Path, url: str, slug: str, **more: Any) -> dict[str, Any]:
    return {
        "slug": slug,
        "driver": "embedded",
        "rpc_urls": [url],
        "signer_key_file": str(key),
        "gas_prices": ETH,
        **more,
    }


@pytest.fixture
def key(tmp_path: Path) -> Path:
    file = tmp_path / "signer.key"
    file.write_text("42" * 32, "utf-8")
    file.chmod(0o600)
    return file


def stall_of(folder: Path, key: Path, node: Chain, slug: str = "ethereum-usdc", **more: Any) -> Stall:
    return Stall(
        node, payment_harness(folder, rails=[row(key, node.url, slug, **more)], networks="main", pay_to_evm=MINE)
    )


def main_rail(slug: str) -> ConfiguredRail:
    rail = BY_SLUG[slug]
    return ConfiguredRail(
        rail, rail.main, MINE, PaidRail.model_validate({"slug": slug, "driver": "embedded"}), testnet=False
    )


@pytest.fixture
def stall(tmp_path: Path, key: Path) -> Iterator[Stall]:
    with chain(main_rail("ethereum-usdc")) as node:
        new_stall = stall_of(tmp_path, key, node)
        yield new_stall
        new_stall.harness.close()


def test_a_rail_closes_when_the_fee_passes_the_share_and_opens_again_by_itself(stall: Stall) -> None:
    """100,000 gas: 0.01 USD, a fifth of the price, are 33 gwei at a thousandth of this price of ETH."""
    stall.node.base_fee, stall.node.tip = 0, 0
    assert isinstance(stall.harness.preflight(), Terms)
    stall.gas(1)
    refused = stall.harness.preflight()
    assert isinstance(refused, Unavailable)
    rail = stall.rail()
    assert (rail.available, rail.settlement_fee_usd, rail.max_fee_share_bps) == (False, "0.3", 2000)
    assert rail.unavailable_reason == "a settlement costs 0.3 USD of gas, more than 20 % of 0.05 USD"
    stall.node.base_fee = GWEI // 100
    stall.harness.paying.recovery.round()
    assert isinstance(stall.harness.preflight(), Terms), "no person had to look"
    assert (stall.rail().available, stall.rail().settlement_fee_usd) == (True, "0.003")


@pytest.mark.parametrize(("wei", "opens"), [(33_333_333, True), (33_333_334, False)])
def test_the_share_is_exact(stall: Stall, wei: int, opens: bool) -> None:
    """33,333,333 wei · 100,000 gas · 3,000 USD are 0.01 USD, rounded up to the millionth; one more wei is above."""
    stall.node.base_fee, stall.node.tip = wei, 0
    assert isinstance(stall.harness.preflight(), Terms) is opens


def test_a_signed_buyer_is_served_through_a_small_rise_and_not_through_a_large_one(stall: Stall) -> None:
    stall.node.base_fee, stall.node.tip = 30_000_000, 0
    first, second = stall.harness.terms(), stall.harness.terms()
    stall.gas(1)
    refused = stall.harness.signed(paid(first, stall.harness.watch))
    assert isinstance(refused, Unavailable)
    assert stall.node.sent == []
    stall.node.base_fee = 50_000_000
    stall.harness.paying.rails.check_fees()
    assert isinstance(stall.harness.preflight(), Unavailable)
    assert "claim" not in stall.harness.probed, "the large rise was met before anything was claimed"
    assert not isinstance(stall.harness.signed(paid(second, stall.harness.watch)), Unavailable)
    assert stall.harness.probed[-2:] == ["claim", "verify"]


def test_a_price_that_is_not_known_keeps_the_rail_closed(tmp_path: Path, key: Path) -> None:
    old = [{"source": "static", "price": "3000", "valid_until": "2020-01-01T00:00:00Z"}]
    with chain(main_rail("ethereum-usdc")) as node:
        stall = stall_of(tmp_path, key, node, gas_prices=old)
        assert isinstance(stall.harness.preflight(), Unavailable)
        assert "no price of ETH is known" in str(stall.rail().unavailable_reason)
        assert stall.rail().settlement_fee_usd is None
        stall.harness.close()


def test_an_embedded_rail_has_to_name_a_price_of_its_gas(tmp_path: Path, key: Path) -> None:
    stall = Stall(
        Chain(),
        payment_harness(
            tmp_path,
            rails=[row(key, "http://127.0.0.1:9", "ethereum-usdc", gas_prices=[])],
            networks="main",
            pay_to_evm=MINE,
        ),
    )
    (closed,) = stall.harness.paying.rails.closed
    assert (closed.location[-1], "price of ETH" in closed.reason) == ("gas_prices", True)
    stall.harness.close()


def test_wrapped_ether_tells_the_price_of_its_own_gas(tmp_path: Path, key: Path) -> None:
    process = payment_harness(
        tmp_path,
        rails=[row(key, "http://127.0.0.1:9", "optimism-weth", gas_prices=[], prices=ETH)],
        networks="main",
        pay_to_evm=MINE,
    )
    assert process.paying.rails.closed == ()
    process.close()


def test_the_share_is_the_operators(tmp_path: Path, key: Path) -> None:
    with chain(main_rail("ethereum-usdc")) as node:
        stall = stall_of(tmp_path, key, node, max_fee_share_bps=10_000)
        node.base_fee, node.tip = 150_000_000, 0
        assert isinstance(stall.harness.preflight(), Terms), "0.045 USD are within the whole price"
        stall.harness.close()


def test_the_data_of_a_second_layer_is_part_of_the_fee(
    tmp_path: Path, key: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with chain(main_rail("base-usdc")) as node:
        usual = node._call  # noqa: SLF001
        monkeypatch.setattr(
            node, "_call", lambda data, at: word(10**13) if data.startswith(calls.OPTIMISM_DATA) else usual(data, at)
        )
        stall = stall_of(tmp_path, key, node, "base-usdc")
        node.base_fee, node.tip = 0, 0
        assert isinstance(stall.harness.preflight(), Unavailable)
        assert stall.rail().settlement_fee_usd == "0.03"
        stall.harness.close()


def test_a_dear_rail_leaves_the_others_open(tmp_path: Path, key: Path) -> None:
    with chain(main_rail("ethereum-usdc")) as dear, chain(main_rail("base-usdc")) as cheap:
        cheap.base_fee, cheap.tip, dear.base_fee = 1000, 0, 50 * GWEI
        rails = [row(key, dear.url, "ethereum-usdc"), row(key, cheap.url, "base-usdc")]
        harness = payment_harness(tmp_path, rails=rails, networks="main", pay_to_evm=MINE)
        assert [entry["extra"]["rail"] for entry in harness.terms().quote.entries] == ["base-usdc"]
        assert json.dumps([rail.slug for rail in harness.paying.rails.all])
        harness.close()
