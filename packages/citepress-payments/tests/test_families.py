"""A new family of chains, and a new rail, are declared in one place each: nothing else asks for their names."""

import sys
from dataclasses import replace
from types import ModuleType
from typing import Any

import pytest

from citepress_payments import families
from citepress_payments.configuration import ConfiguredRail, configure
from citepress_payments.drivers import DriverContext, driver
from citepress_payments.families import EVM, FAMILIES, DriverModule, family_of
from citepress_payments.families.evm import EvmFamily
from citepress_payments.rails import ALL, BY_SLUG, ChainAsset, Lane, chains
from citepress_payments.settings import PaidRail, Payments
from citepress_payments.terms import TermsInput, entry
from support.buyers import NOW, SELLER_SVM
from support.payment_service import STATIC
from support.simulated_chain import Watch

PRODUCTS = {"research-bundle-v2": "0.05"}
MINE = "0x2222222222222222222222222222222222222222"


class ToyFamily(EvmFamily):
    """A family that only this test knows."""

    name = "toy"
    namespace = "toychain"
    coin_decimals = 3
    finalities = ("final",)
    drivers = {("embedded", "exact"): DriverModule("toy_chain_driver", "payments-toy")}  # noqa: RUF012  (a table)

    def token_carrier(self, terms_hash: str) -> dict[str, str]:
        return {"memo": terms_hash[-4:]}


def row(slug: str) -> dict[str, Any]:
    """A rail as ``site.toml`` lists it."""
    native = BY_SLUG[slug].lane is Lane.NATIVE
    chain = {"driver": "rpc"} if native else {"driver": "facilitator", "facilitator_url": "https://pay.example"}
    prices = {} if BY_SLUG[slug].lane is Lane.FIXED else {"prices": STATIC}
    return {"slug": slug, "rpc_urls": ["https://rpc.example"], **chain, **prices}


def test_a_rail_more_than_today_opens_with_all_others(monkeypatch: pytest.MonkeyPatch) -> None:
    """``[payments]`` once took as many rows as there were rails."""
    monkeypatch.setitem(BY_SLUG, "base-more", replace(BY_SLUG["base-usdc"], slug="base-more"))
    slugs = [*(rail.slug for rail in ALL), "base-more"]
    settings = Payments.model_validate(
        {"networks": "main", "pay_to_evm": MINE, "pay_to_svm": SELLER_SVM, "rails": [row(slug) for slug in slugs]}
    )
    configuration = configure(settings, PRODUCTS)
    assert configuration.closed == ()
    assert [rail.slug for rail in configuration.rails] == slugs


def test_a_family_is_found_by_the_namespace_of_its_networks() -> None:
    assert [family_of(f"{family.namespace}:1") for family in FAMILIES] == list(FAMILIES)
    assert family_of("eip155:8453") is EVM
    with pytest.raises(LookupError):
        family_of("cosmos:hub")


def test_a_rail_on_a_chain_that_nobody_declared_is_refused() -> None:
    """Its data fee was 0 and its coin ETH, so that payments were settled below their cost."""
    with pytest.raises(chains.UndeclaredChainError, match=r"eip155:324 .*rails/chains\.json"):
        replace(BY_SLUG["base-usdc"], slug="zksync-usdc", main=ChainAsset("eip155:324", MINE))
    with pytest.raises(chains.UndeclaredChainError, match="eip155:300"):
        replace(BY_SLUG["base-usdc"], slug="zksync-usdc", test=ChainAsset("eip155:300", MINE))


def test_a_family_that_is_declared_needs_no_word_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(families._BY_NAMESPACE, "toychain", ToyFamily())  # noqa: SLF001  (the line of a new family)
    monkeypatch.setitem(chains.BY_NETWORK, "toychain:1", chains.Chain("toychain:1", "TOY", chains.DataFee.NONE))
    module: Any = ModuleType("toy_chain_driver")
    module.driver = lambda context: ("a driver of", context.opened.slug)
    monkeypatch.setitem(sys.modules, "toy_chain_driver", module)
    rail = replace(BY_SLUG["base-usdc"], slug="toy-usdc", main=ChainAsset("toychain:1", MINE), test=None)
    monkeypatch.setitem(BY_SLUG, rail.slug, rail)
    assert (rail.coin, rail.coin_decimals, rail.finalities) == ("TOY", 3, ("final",))
    settings = PaidRail.model_validate({"slug": rail.slug, "driver": "embedded"})
    opened = ConfiguredRail(rail, rail.main, MINE, settings, testnet=False)
    assert driver(DriverContext(opened, Watch(), lambda _: None)) == ("a driver of", "toy-usdc")
    terms = TermsInput("q_" + "0" * 22, "research-bundle-v2", "0" * 64, "0x" + "0" * 64, NOW, "0.05")
    extra = entry(opened, terms, 50_000, {})["extra"]
    assert extra["memo"] == extra["termsHash"][-4:]
