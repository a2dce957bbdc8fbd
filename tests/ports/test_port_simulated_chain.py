from concurrent.futures import ThreadPoolExecutor

import pytest

from citepress.stores.sql.database import Database
from citepress_payments.simulated_chain.chain import BUYER, TOKEN_SEED
from citepress_payments.simulated_chain.store import SqlSimulatedChain
from support.buyers import NOW, SECOND, SELLER, USDC, WETH


@pytest.fixture
def chain(database: Database) -> SqlSimulatedChain:
    return SqlSimulatedChain(database)


def _tx(number: int) -> str:
    return f"0x{number:064x}"


def test_a_new_chain_knows_no_transfer(chain: SqlSimulatedChain) -> None:
    assert chain.transaction(USDC[0], _tx(1)) is None
    assert chain.used(USDC[0], BUYER, "n") is None


def test_a_transfer_moves_units_once_and_is_remembered(chain: SqlSimulatedChain) -> None:
    for _ in range(2):
        assert chain.transfer(*USDC, BUYER, SELLER, 7, "token|0xAB", _tx(1), "0xda7a", NOW) == _tx(1)
    assert (chain.balance(*USDC, BUYER), chain.balance(*USDC, SELLER)) == (TOKEN_SEED - 7, 7)
    assert chain.transaction(USDC[0], _tx(1)) == {
        "from": BUYER.lower(),
        "to": SELLER.lower(),
        "asset": USDC[1].lower(),
        "value": "7",
        "data": "0xda7a",
        "at": NOW,
    }
    assert chain.used(USDC[0], BUYER, "token|0xAB") == _tx(1)


def test_a_nonce_is_used_once_by_each_payer_on_each_network(chain: SqlSimulatedChain) -> None:
    chain.transfer(*USDC, BUYER, SECOND, 10, "n", _tx(1), "", NOW)
    with pytest.raises(ValueError, match="nonce_already_used"):
        chain.transfer(*USDC, BUYER, SECOND, 10, "n", _tx(2), "", NOW)
    with pytest.raises(ValueError, match="nonce_already_used"):
        chain.transfer(*WETH, BUYER, SECOND, 10, "n", _tx(3), "", NOW)
    chain.transfer(*USDC, SECOND, BUYER, 1, "n", _tx(4), "", NOW)
    assert chain.balance(*USDC, SECOND) == 9


def test_nobody_sends_more_than_is_held_or_less_than_nothing(chain: SqlSimulatedChain) -> None:
    for amount, fault in ((1, "insufficient_funds"), (-1, "negative_amount")):
        with pytest.raises(ValueError, match=fault):
            chain.transfer(*USDC, SECOND, SELLER, amount, "n", _tx(1), "", NOW)
    assert chain.transaction(USDC[0], _tx(1)) is None
    assert chain.balance(*USDC, SELLER) == 0


def test_a_transfer_to_oneself_changes_nothing_but_the_nonce(chain: SqlSimulatedChain) -> None:
    chain.transfer(*USDC, BUYER, BUYER, 5, "n", _tx(1), "", NOW)
    assert chain.balance(*USDC, BUYER) == TOKEN_SEED
    assert chain.used(USDC[0], BUYER, "n") == _tx(1)


def test_amounts_beyond_64_bits_are_exact(chain: SqlSimulatedChain) -> None:
    half = 10**21 // 2 + 1
    chain.transfer(*WETH, BUYER, SELLER, half, "n", _tx(1), "", NOW)
    assert (chain.balance(*WETH, SELLER), chain.balance(*WETH, BUYER)) == (half, 10**21 - half)


def test_transfers_at_one_instant_lose_nothing(chain: SqlSimulatedChain) -> None:
    with ThreadPoolExecutor(8) as threads:
        list(
            threads.map(
                lambda number: chain.transfer(*USDC, BUYER, SELLER, 1, f"n{number}", _tx(number), "", NOW), range(40)
            )
        )
    assert (chain.balance(*USDC, BUYER), chain.balance(*USDC, SELLER)) == (TOKEN_SEED - 40, 40)
