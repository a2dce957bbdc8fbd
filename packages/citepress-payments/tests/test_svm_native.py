from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from solders.keypair import Keypair
from solders.pubkey import Pubkey

from citepress_payments.configuration import ConfiguredRail
from citepress_payments.drivers import DriverContext, driver
from citepress_payments.ports.chain import (
    CannotSucceed,
    Driver,
    Identity,
    Paid,
    PaymentRefused,
    Pending,
    Unreachable,
    Verified,
)
from citepress_payments.rails import BY_SLUG
from citepress_payments.settings import PaidRail
from support.buyers import NOW, SELLER_SVM, entry_of
from support.simulated_chain import Watch
from support.solana import FINAL_AFTER, SOL, Cluster, cluster, plain_transfer

PRICE = 250_000
PLACE = ("solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1", "native")


@dataclass
class Seller:
    chain: Cluster
    driver: Driver
    buyer: Keypair

    def paid(
        self, *, amount: int = PRICE, to: str = SELLER_SVM, texts: tuple[str, ...] | None = None
    ) -> tuple[dict[str, Any], dict[str, str]]:
        entry = entry_of("native", PLACE, PRICE, 900, now=NOW)
        tx = plain_transfer(
            self.chain, self.buyer, to, amount, *((entry["extra"]["memo"],) if texts is None else texts)
        )
        return entry, {"transaction": self.chain.send(tx)}


def new_driver(url: str) -> Driver:
    rail = BY_SLUG["solana-sol"]
    assert rail.test
    settings = PaidRail.model_validate({"slug": rail.slug, "driver": "rpc", "rpc_urls": [url]})
    return driver(
        DriverContext(ConfiguredRail(rail, rail.test, SELLER_SVM, settings, testnet=True), Watch(), lambda _: None)
    )


@pytest.fixture
def seller() -> Iterator[Seller]:
    with cluster(NOW) as chain:
        buyer = Keypair.from_seed(bytes([3] * 32))
        for who in (buyer.pubkey(), Pubkey.from_string(SELLER_SVM)):
            chain.vm.airdrop(who, SOL)
        yield Seller(chain, new_driver(chain.url), buyer)


def test_a_transfer_is_pending_until_it_is_final_and_then_paid_with_one_question(seller: Seller) -> None:
    entry, payload = seller.paid()
    tx = payload["transaction"]
    assert seller.driver.identify(entry, payload) == Identity(f"native|{PLACE[0]}|{tx}", "")
    assert seller.driver.verify(entry, payload) == Pending(tx)
    seller.chain.advance(FINAL_AFTER)
    calls = len(seller.chain.calls)
    assert seller.driver.verify(entry, payload) == Verified(str(seller.buyer.pubkey()), tx)
    assert len(seller.chain.calls) == calls + 1
    assert seller.driver.reconcile(entry, payload, [], None) == Paid(tx, str(seller.buyer.pubkey()))


MATRIX: dict[str, tuple[dict[str, Any], str]] = {
    "over": ({"amount": PRICE + 1}, "amount_mismatch"),
    "under": ({"amount": PRICE - 1}, "amount_mismatch"),
    "to another": ({"to": str(Keypair.from_seed(bytes([4] * 32)).pubkey()), "amount": SOL // 10}, "recipient_mismatch"),
    "no memo": ({"texts": ()}, "terms_hash_mismatch"),
    "another memo": ({"texts": ("ab" * 32,)}, "terms_hash_mismatch"),
    "two memos": ({"texts": ("ab" * 32, "cd" * 32)}, "terms_hash_mismatch"),
}


@pytest.mark.parametrize("name", MATRIX)
def test_what_is_not_exact_is_refused(seller: Seller, name: str) -> None:
    bent, code = MATRIX[name]
    entry, payload = seller.paid(**bent)
    seller.chain.advance(FINAL_AFTER)
    outcome = seller.driver.verify(entry, payload)
    assert isinstance(outcome, PaymentRefused)
    assert outcome.reason == code
    assert isinstance(seller.driver.reconcile(entry, payload, [], None), CannotSucceed)


def test_a_transaction_that_failed_moved_nothing(seller: Seller) -> None:
    entry, payload = seller.paid(amount=2 * SOL)
    seller.chain.advance(FINAL_AFTER)
    outcome = seller.driver.verify(entry, payload)
    assert isinstance(outcome, PaymentRefused)
    assert outcome.reason == "transaction_reverted"


def test_a_transfer_after_the_quote_is_too_late(seller: Seller) -> None:
    seller.chain.advance(2 * 961)
    entry, payload = seller.paid()
    seller.chain.advance(FINAL_AFTER)
    outcome = seller.driver.verify(entry, payload)
    assert isinstance(outcome, PaymentRefused)
    assert outcome.reason == "paid_too_late"


def test_the_rail_needs_the_right_cluster_and_an_account_with_rent(seller: Seller) -> None:
    assert seller.driver.health().available
    with cluster(NOW) as bare:
        assert "small transfers" in new_driver(bare.url).health().reason
    assert not new_driver("http://127.0.0.1:9").health().available
    entry, payload = seller.paid()
    assert isinstance(new_driver("http://127.0.0.1:9").verify(entry, payload), Unreachable)
