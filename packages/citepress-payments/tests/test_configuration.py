"""The ``[payments]`` table against the rails that are declared (design, sections 3 and 4.9)."""

from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from citepress.contract.site import Site
from citepress_payments.configuration import ConfigurationError, configure, micros, warnings
from citepress_payments.drivers import DriverContext, DriverMissingError, driver
from citepress_payments.rail_checks import faults
from citepress_payments.rails import ALL, BY_SLUG, Lane
from citepress_payments.settings import TEST_BUYER_KEY, Payments
from support.buyers import SELLER, SELLER_SVM
from support.payment_service import STATIC
from support.simulated_chain import opened_rail

PRODUCTS = {"research-bundle-v2": "0.05", "prior-coverage": "0.05"}
MINE = "0x2222222222222222222222222222222222222222"
"""Digits alone have no checksum that could be wrong."""
RPC = ["https://rpc.example"]


def _payments(*rails: dict[str, Any], **more: Any) -> Payments:
    return Payments.model_validate({"networks": "test", "pay_to_evm": SELLER, "rails": list(rails)} | more)


def _rail(slug: str, driver: str = "simulated", **more: Any) -> dict[str, Any]:
    return {"slug": slug, "driver": driver, **more}


WRONG = {
    "unknown rail": (_payments(_rail("base-usd")), ("payments", "rails", 0, "slug"), 'did you mean "base-usdc"'),
    "twice": (_payments(_rail("base-usdc"), _rail("base-usdc")), ("payments", "rails", 1, "slug"), "twice"),
    "no test network": (_payments(_rail("polygon-usdc")), ("payments", "rails", 0, "slug"), "no test network"),
    "no address": (_payments(_rail("base-usdc"), pay_to_evm=None), ("payments",), "pay_to_evm"),
    "no Solana address": (_payments(_rail("solana-sol", prices=STATIC)), ("payments",), "pay_to_svm"),
    "zero address": (_payments(_rail("base-usdc"), pay_to_evm="0x" + "0" * 40), ("payments", "pay_to_evm"), "zero"),
    "a mistyped address": (
        _payments(_rail("base-usdc"), pay_to_evm=SELLER[:-1] + "C"),
        ("payments", "pay_to_evm"),
        "EIP-55",
    ),
    "wrong driver": (
        _payments(_rail("base-usdc", "rpc", rpc_urls=RPC)),
        ("payments", "rails", 0, "driver"),
        "fixed lane takes",
    ),
    "simulated on main": (
        _payments(_rail("base-usdc"), networks="main", pay_to_evm=MINE),
        ("payments", "rails", 0, "driver"),
        "main network",
    ),
    "simulated Solana": (
        _payments(_rail("solana-usdc"), pay_to_svm=SELLER_SVM),
        ("payments", "rails", 0, "driver"),
        "cannot be simulated",
    ),
    "no chain": (
        _payments(_rail("base-usdc", "facilitator", facilitator_url="https://f.example")),
        ("payments", "rails", 0, "rpc_urls"),
        "chain",
    ),
    "no facilitator": (
        _payments(_rail("base-usdc", "facilitator", rpc_urls=RPC)),
        ("payments", "rails", 0, "facilitator_url"),
        "address",
    ),
    "no key": (
        _payments(_rail("base-usdc", "embedded", rpc_urls=RPC)),
        ("payments", "rails", 0, "signer_key_file"),
        "key",
    ),
    "finality": (
        _payments(
            _rail("solana-usdc", "embedded", rpc_urls=RPC, signer_key_file="k", finality="latest"),
            pay_to_svm=SELLER_SVM,
        ),
        ("payments", "rails", 0, "finality"),
        "only finalized",
    ),
    "no price": (_payments(_rail("base-weth")), ("payments", "rails", 0, "prices"), "name a source"),
    "price of a fixed rail": (
        _payments(_rail("base-usdc", prices=STATIC)),
        ("payments", "rails", 0, "prices"),
        "as it is",
    ),
    "too few sources": (
        _payments(_rail("base-weth", prices=STATIC, min_sources=2)),
        ("payments", "rails", 0, "min_sources"),
        "only 1",
    ),
}
WRONG_PRODUCTS = {
    "unknown product": (
        _payments(products={"prior-cover": {"usd": "1"}}),
        ("payments", "products", "prior-cover"),
        'mean "prior-coverage"',
    ),
    "free": (
        _payments(products={"prior-coverage": {"usd": "0.00"}}),
        ("payments", "products", "prior-coverage", "usd"),
        "nothing",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_rail_that_is_wrong_is_closed_and_told_where(name: str) -> None:
    settings, location, words = WRONG[name]
    (closed,) = configure(settings, PRODUCTS).closed
    assert words in closed.reason
    assert closed.location == location


@pytest.mark.parametrize("name", WRONG_PRODUCTS)
def test_a_wrong_product_is_told_where(name: str) -> None:
    settings, location, words = WRONG_PRODUCTS[name]
    with pytest.raises(ConfigurationError, match=words) as error:
        configure(settings, PRODUCTS)
    assert error.value.location == location


def test_mixed_networks_refused() -> None:
    configuration = configure(_payments(_rail("base-usdc"), _rail("ethereum-usdc")), PRODUCTS)
    assert [rail.slug for rail in configuration.rails] == ["base-usdc"]
    assert [rail.slug for rail in configuration.closed] == ["ethereum-usdc"]


def test_one_wrong_rail_leaves_the_others_open() -> None:
    rails = [
        _rail("base-usdc"),
        _rail("solana-usdc"),
        _rail("nonsense"),
        _rail("base-weth"),
        _rail("bsc-bnb", prices=STATIC),
    ]
    configuration = configure(_payments(*rails, pay_to_svm=SELLER_SVM), PRODUCTS)
    assert [rail.slug for rail in configuration.rails] == ["base-usdc", "bsc-bnb"]
    assert [(rail.slug, rail.location[-1], rail.opened is None) for rail in configuration.closed] == [
        ("solana-usdc", "driver", False),
        ("nonsense", "slug", True),
        ("base-weth", "prices", False),
    ]


def test_a_public_key_opens_no_rail_where_money_is_real(tmp_path: Path) -> None:
    key = tmp_path / "signer.key"
    key.write_text(TEST_BUYER_KEY, "utf-8")
    key.chmod(0o600)
    rail = _rail("base-usdc", "embedded", rpc_urls=RPC, signer_key_file=str(key), gas_prices=STATIC)
    assert "public" in configure(_payments(rail, networks="main"), PRODUCTS).closed[0].reason
    (opened,) = configure(_payments(rail, networks="main", pay_to_evm=MINE), PRODUCTS).rails
    with pytest.raises(DriverMissingError, match="is public"):
        driver(DriverContext(opened, lambda: 0, print))
    (tested,) = configure(_payments(rail), PRODUCTS).rails
    assert driver(DriverContext(tested, lambda: 0, print))


def test_a_table_that_fits() -> None:
    rails = [_rail("base-usdc"), _rail("bsc-bnb", prices=STATIC, finality="safe", ttl_s=600)]
    configuration = configure(_payments(*rails, products={"prior-coverage": {"usd": "1.25"}}), PRODUCTS)
    assert configuration.prices == {"research-bundle-v2": 50_000, "prior-coverage": 1_250_000}
    usdc, bnb = configuration.rails
    assert (usdc.place.network, usdc.finality, usdc.life, usdc.simulated, usdc.testnet) == (
        "eip155:84532",
        "latest",
        300,
        True,
        True,
    )
    assert (bnb.place.network, bnb.finality, bnb.life) == ("eip155:97", "safe", 600)
    assert "more than 1 USD" in warnings(configuration)[0]


def test_a_real_deployment_fits() -> None:
    rails = [
        _rail("base-usdc", "facilitator", rpc_urls=RPC, facilitator_url="https://f.example"),
        _rail("base-eth", "rpc", rpc_urls=RPC, prices=STATIC),
    ]
    configuration = configure(_payments(*rails, networks="main", pay_to_evm=MINE), PRODUCTS)
    assert [opened.place.network for opened in configuration.rails] == ["eip155:8453", "eip155:8453"]
    assert not any(opened.testnet for opened in configuration.rails)


@pytest.mark.parametrize(
    "bent",
    [
        {"pay_to_evm": "0x12"},
        {"networks": "both"},
        {"products": {"x": {"usd": "1e3"}}},
        {"rails": [{"slug": "base-usdc", "driver": "other"}]},
        {"more": 1},
    ],
)
def test_the_shape_is_strict(bent: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        Payments.model_validate({"networks": "test", "pay_to_evm": SELLER} | bent)


def test_prices_are_whole_millionths() -> None:
    assert [micros(usd) for usd in ("0.05", "1", "0.000001", "12.345678")] == [50_000, 1_000_000, 1, 12_345_678]


def test_faults_name_the_line_of_site_toml(tmp_path: Path) -> None:
    (tmp_path / "site.toml").write_text(
        '[payments]\nnetworks = "test"\n\n[[payments.rails]]\nslug = "base-usdc"\ndriver = "rpc"\n'
    )
    settings = _payments(_rail("base-usdc", "rpc", rpc_urls=RPC))
    (fault,) = faults(tmp_path, Site(payments=settings), PRODUCTS)
    assert (fault.place.file, fault.place.line) == ("site.toml", 6)
    assert (
        faults(tmp_path, Site(), PRODUCTS)
        == faults(tmp_path, Site(payments=_payments(_rail("base-usdc"))), PRODUCTS)
        == ()
    )


def test_slugs_are_unique_and_lanes_are_whole() -> None:
    assert len(BY_SLUG) == len(ALL) == 26
    assert {rail.lane for rail in ALL} == set(Lane)
    assert not any(rail.main.network == rail.test.network for rail in ALL if rail.test)


def test_a_driver_that_is_not_installed_is_named_with_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(_name: str) -> None:
        raise ModuleNotFoundError("no module", name="eth_account")

    monkeypatch.setattr("citepress_payments.drivers.import_module", missing)
    with pytest.raises(DriverMissingError, match=r"needs eth_account: pip install 'citepress\[payments\]'"):
        driver(DriverContext(opened_rail("base-usdc"), lambda: 0, print))


def test_a_rail_without_such_a_driver_is_told() -> None:
    with pytest.raises(DriverMissingError, match="has no driver rpc"):
        driver(DriverContext(opened_rail("base-usdc", driver="rpc"), lambda: 0, print))
