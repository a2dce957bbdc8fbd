"""A facilitator on Solana: it pays the fee and sends.

The memo and the finalized transaction tell us what became of a payment.
"""

import base64
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest
from solders.keypair import Keypair
from solders.transaction import VersionedTransaction

from citepress_payments.configuration import ConfiguredRail
from citepress_payments.drivers import DriverContext, driver
from citepress_payments.ports.chain import CannotSucceed, Driver, Paid, PaymentRefused, Pending, Undecided, Verified
from citepress_payments.rails import BY_SLUG
from citepress_payments.settings import PaidRail
from support.buyers import NOW, SELLER_SVM, entry_of
from support.fake_http_server import Answer, answering, jsonly
from support.simulated_chain import Book, Watch
from support.solana import FINAL_AFTER, GOOD_FOR, MINT, SOL, Cluster, budget, cluster, memo, signed, token_transfer

NETWORK = "solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1"
PRICE = 50_000


@dataclass
class Desk:
    """The facilitator: it signs for the fee and sends, or is silent, or names another transaction."""

    chain: Cluster
    fees: Keypair
    silent: bool = False
    names: str = ""
    requests: list[str] = field(default_factory=list)

    def answer(self, path: str, body: bytes) -> Answer:
        self.requests.append(path)
        if path == "/supported":
            kind = {
                "x402Version": 2,
                "scheme": "exact",
                "network": NETWORK,
                "extra": {"feePayer": str(self.fees.pubkey())},
            }
            return jsonly({"kinds": [kind], "extensions": [], "signers": {}})
        if path == "/verify":
            return jsonly({"isValid": True})
        transaction = json.loads(body)["paymentPayload"]["payload"]["transaction"]
        half = VersionedTransaction.from_bytes(base64.b64decode(transaction))
        signature = self.fees.sign_message(b"\x80" + bytes(half.message))
        tx = self.chain.send(VersionedTransaction.populate(half.message, [signature, *half.signatures[1:]]))
        if self.silent:
            return Answer(b"", length=9)
        return jsonly({"success": True, "transaction": self.names or tx, "network": NETWORK})


@dataclass
class Seller:
    desk: Desk
    driver: Driver
    buyer: Keypair

    def paid(self) -> tuple[dict[str, Any], dict[str, Any]]:
        entry = entry_of("eip3009", (NETWORK, MINT), PRICE, 300, now=self.desk.chain.now)
        entry["extra"] |= {**self.driver.extra(), "memo": "ab" * 16}
        steps = [*budget(), token_transfer(self.buyer, SELLER_SVM, PRICE), memo("ab" * 16)]
        tx = signed(self.desk.fees.pubkey(), steps, [self.buyer], self.desk.chain.vm.latest_blockhash())
        return entry, {"transaction": base64.b64encode(bytes(tx)).decode()}


@pytest.fixture
def seller() -> Iterator[Seller]:
    rail = BY_SLUG["solana-usdc"]
    assert rail.test
    with cluster(NOW) as chain:
        desk = Desk(chain, Keypair.from_seed(bytes([5] * 32)))
        buyer = Keypair.from_seed(bytes([6] * 32))
        chain.vm.airdrop(desk.fees.pubkey(), SOL)
        chain.mint(str(buyer.pubkey()), 10 * PRICE)
        chain.mint(SELLER_SVM, 0)
        with answering(desk.answer) as url:
            options = {"slug": rail.slug, "driver": "facilitator", "rpc_urls": [chain.url], "facilitator_url": url}
            rail_driver = driver(
                DriverContext(
                    ConfiguredRail(rail, rail.test, SELLER_SVM, PaidRail.model_validate(options), testnet=True),
                    Watch(),
                    lambda _: None,
                )
            )
            yield Seller(desk, rail_driver, buyer)


def test_the_fee_payer_is_the_facilitators_and_known_once_the_rail_is_looked_at(seller: Seller) -> None:
    with pytest.raises(LookupError, match="fee payer"):
        seller.driver.extra()
    assert seller.driver.health().available
    assert seller.driver.extra() == {"feePayer": str(seller.desk.fees.pubkey())}


@pytest.mark.parametrize("silent", [False, True])
def test_a_payment_is_found_by_its_name_or_by_its_memo(seller: Seller, silent: bool) -> None:
    seller.desk.silent = silent
    assert seller.driver.health().available
    entry, payload = seller.paid()
    payer = str(seller.buyer.pubkey())
    assert seller.driver.check(entry, payload, NOW) == Undecided()
    assert seller.driver.verify(entry, payload) == Verified(payer)
    book = Book()
    seller.driver.send(entry, payload, book)
    pending = seller.driver.reconcile(entry, payload, book.sent, None)
    assert isinstance(pending, Pending)
    assert bool(pending.tx) is not silent
    seller.desk.chain.advance(FINAL_AFTER)
    outcome = seller.driver.reconcile(entry, payload, book.sent, None)
    assert isinstance(outcome, Paid)
    assert outcome.payer == payer
    again = seller.driver.verify(entry, payload)
    assert again == Verified(payer, outcome.tx), "a later request finds it before the facilitator is asked"


def test_another_transaction_that_is_named_is_not_ours(seller: Seller) -> None:
    """Even one with the same memo and the same amount: the message itself is compared."""
    assert seller.driver.health().available
    first = seller.paid()
    book = Book()
    seller.driver.send(*first, book)
    (seller.desk.names,) = seller.desk.chain.transactions
    seller.desk.chain.advance(1)
    entry, payload = seller.paid()
    seller.desk.chain.mint(str(seller.buyer.pubkey()), 0)
    second = Book()
    seller.driver.send(entry, payload, second)
    seller.desk.chain.advance(FINAL_AFTER)
    outcome = seller.driver.reconcile(entry, payload, second.sent, None)
    assert outcome == CannotSucceed("transaction_failed", outcome.tx)  # type: ignore[union-attr]
    assert outcome.tx != seller.desk.names  # type: ignore[union-attr]


def test_a_payment_that_nobody_sent_ends_with_its_blockhash(seller: Seller) -> None:
    assert seller.driver.health().available
    entry, payload = seller.paid()
    assert isinstance(seller.driver.reconcile(entry, payload, [], None), Pending)
    seller.desk.chain.advance(GOOD_FOR + FINAL_AFTER)
    assert seller.driver.reconcile(entry, payload, [], None) == CannotSucceed("blockhash_expired")
    outcome = seller.driver.verify(entry, payload)
    assert isinstance(outcome, PaymentRefused)
    assert "/settle" not in seller.desk.requests
