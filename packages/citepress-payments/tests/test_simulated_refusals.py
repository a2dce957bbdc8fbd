from pathlib import Path

import pytest

from citepress_payments.drivers import DriverContext, DriverMissingError, driver
from citepress_payments.rails import ChainAsset
from citepress_payments.simulated_chain.store import SqlSimulatedChain
from support.buyers import SELLER, USDC
from support.simulated_chain import Watch, chain_in, opened_rail, simulated


@pytest.fixture
def chain(tmp_path: Path) -> SqlSimulatedChain:
    return chain_in(tmp_path)


@pytest.fixture
def watch() -> Watch:
    return Watch()


def test_a_network_with_real_money_is_refused(chain: SqlSimulatedChain, watch: Watch) -> None:
    rail = opened_rail("base-usdc")
    real = rail.__class__(
        rail.rail, ChainAsset("eip155:8453", USDC[1], "USD Coin", "2"), SELLER, rail.settings, testnet=True
    )
    with pytest.raises(DriverMissingError, match="eip155:8453"):
        driver(DriverContext(real, watch, lambda _: None, chain))


def test_signatures_of_solana_are_refused_in_words(chain: SqlSimulatedChain, watch: Watch) -> None:
    with pytest.raises(DriverMissingError, match="Solana"):
        simulated("solana-usdc", chain, watch)


def test_without_a_store_there_is_no_simulated_chain(watch: Watch) -> None:
    with pytest.raises(DriverMissingError, match="state store"):
        driver(DriverContext(opened_rail("base-usdc"), watch, lambda _: None))
