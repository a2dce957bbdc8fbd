"""The embedded driver, with the SDK, on a chain that a test moves.

The same on a real chain is a judge of ``make interop``.
"""

import logging
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from eth_account import Account
from x402conf.harness import check_supported

from citepress.base import clock
from citepress_payments.chains.evm.embedded import GIVE_UP_AFTER_S, UNPRICED, WAITING
from citepress_payments.configuration import ConfiguredRail
from citepress_payments.drivers import DriverContext, DriverMissingError, driver
from citepress_payments.ports.chain import (
    CannotSucceed,
    Driver,
    Paid,
    PaymentRefused,
    Pending,
    Plan,
    Sent,
    UnknownFee,
    Unreachable,
    Verified,
)
from citepress_payments.rails import BY_SLUG
from citepress_payments.settings import PaidRail
from support.buyers import BUYER, SELLER, sign_transfer, usdc_entry
from support.evm import Chain, chain
from support.simulated_chain import Watch

KEY = "0x" + "42" * 32
ADDRESS = Account.from_key(KEY).address
STUCK = 31
GAS = 21_000 * (7 + 10**9)
"""What one of our transactions takes on this chain."""


@dataclass
class Book:
    """A journal that allocates nonces and signs, and remembers what was on the chain when it was written."""

    node: Chain
    watch: Watch
    sent: list[Sent] = field(default_factory=list)
    before: list[int] = field(default_factory=list)
    following: int = 0

    def __call__(self, plan: Plan) -> Sent:
        self.before.append(len(self.node.sent))
        nonce = None
        if plan.signer:
            nonce = max(self.following, plan.pending_nonce) if plan.nonce is None else plan.nonce
            self.following = max(self.following, nonce + 1)
        transaction = plan.build(nonce) if plan.build and nonce is not None else None
        tx, raw = (transaction.tx, transaction.raw) if transaction else (plan.tx, plan.raw)
        self.sent.append(Sent(len(self.sent) + 1, tx, raw, plan.signer, nonce, plan.kind, self.watch.now))
        return self.sent[-1]


@dataclass
class Seller:
    node: Chain
    driver: Driver
    watch: Watch
    book: Book

    def paid(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """An entry and a good payment of it."""
        entry = usdc_entry()
        entry["extra"]["expiresAt"] = self.watch.now + 300
        return entry, sign_transfer(entry, now=self.watch.now)

    def sent(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """A payment that was sent."""
        entry, payload = self.paid()
        self.driver.send(entry, payload, self.book)
        return entry, payload

    def look(self, entry: dict[str, Any], payload: dict[str, Any]) -> Any:
        return self.driver.reconcile(entry, payload, self.book.sent, self.book)


def opened(url: str, key: Path, **settings: Any) -> ConfiguredRail:
    rail = BY_SLUG["base-usdc"]
    assert rail.test
    options = {"slug": rail.slug, "driver": "embedded", "rpc_urls": [url], "signer_key_file": str(key), **settings}
    return ConfiguredRail(rail, rail.test, SELLER, PaidRail.model_validate(options), testnet=True)


@pytest.fixture
def key(tmp_path: Path) -> Path:
    path = tmp_path / "signer.key"
    path.write_text(KEY)
    path.chmod(0o600)
    return path


@pytest.fixture
def seller(key: Path) -> Iterator[Seller]:
    watch = Watch(int(clock.now().timestamp()))  # the SDK reads the real clock
    with chain(opened("http://127.0.0.1:9", key)) as node:
        node.mine(1, seconds=watch.now - node.blocks[-1].time - 1)
        rail_driver = driver(DriverContext(opened(node.url, key), watch, lambda _: None))
        yield Seller(node, rail_driver, watch, Book(node, watch))


def test_a_payment_is_verified_journaled_sent_and_found(seller: Seller) -> None:
    entry, payload = seller.paid()
    assert seller.driver.health().available
    assert seller.driver.verify(entry, payload) == Verified(BUYER)
    seller.driver.send(entry, payload, seller.book)
    (sent,) = seller.book.sent
    assert seller.book.before == [0], "the journal comes before any byte"
    assert (sent.signer, sent.nonce, sent.kind) == (ADDRESS, 0, "pay")
    assert len(seller.node.sent) == 1
    assert seller.look(entry, payload) == Paid(sent.tx, BUYER, GAS)


def test_nothing_is_sent_when_the_journal_refuses(seller: Seller) -> None:
    entry, payload = seller.paid()

    def refuses(_plan: Plan) -> Sent:
        raise RuntimeError("the disk is full")

    with pytest.raises(RuntimeError, match="disk"):
        seller.driver.send(entry, payload, refuses)
    assert seller.node.sent == []


def test_frontrun_is_paid_and_served(seller: Seller) -> None:
    """Before we look, between our look and our sending, and after our sending: the chain's logs decide."""
    entry, payload = seller.paid()
    tx = seller.node.settle(payload)
    assert seller.driver.verify(entry, payload) == Verified(BUYER, tx)
    seller.driver.send(entry, payload, seller.book)
    assert [(broadcast.tx, broadcast.raw, broadcast.nonce) for broadcast in seller.book.sent] == [("", b"", None)]
    assert seller.node.sent == []
    assert seller.look(entry, payload) == Paid(tx, BUYER)
    seller.book.sent.clear()
    seller.node.mining = False
    entry, payload = seller.sent()
    tx = seller.node.settle(payload)
    assert seller.look(entry, payload) == Paid(tx, BUYER, UnknownFee(WAITING))
    assert [broadcast.kind for broadcast in seller.book.sent] == ["pay", "filler"], (
        "our own transaction would only burn gas now"
    )


def test_a_reorganised_frontrun_is_sent_by_ourselves(seller: Seller) -> None:
    entry, payload = seller.paid()
    seller.node.settle(payload)
    seller.driver.send(entry, payload, seller.book)
    seller.node.reorganise(1)
    assert isinstance(seller.look(entry, payload), Pending)
    assert isinstance(seller.look(entry, payload), Paid)


def test_silent_token_is_not_paid(seller: Seller) -> None:
    """The token uses the authorization, says yes and moves nothing."""
    seller.node.silent = True
    entry, payload = seller.sent()
    assert isinstance(seller.look(entry, payload), Pending)
    seller.node.mine(4)
    assert seller.look(entry, payload) == CannotSucceed("authorization_cancelled", "", GAS)


def test_a_drained_wallet_is_refused_before_anything_is_sent(seller: Seller) -> None:
    entry, payload = seller.paid()
    seller.node.drained = True
    outcome = seller.driver.verify(entry, payload)
    assert isinstance(outcome, PaymentRefused)
    assert outcome.payer == BUYER
    with pytest.raises(Exception, match="revert"):
        seller.driver.send(entry, payload, seller.book)
    assert seller.book.sent == []
    assert seller.node.sent == []


def test_no_gas_then_topup_recovers(seller: Seller) -> None:
    seller.node.gas = 0
    entry, payload = seller.sent()
    assert not seller.driver.health().available
    assert isinstance(seller.look(entry, payload), Pending)
    seller.node.gas = 10**18
    seller.look(entry, payload)
    assert seller.look(entry, payload) == Paid(seller.book.sent[0].tx, BUYER, GAS)
    assert len(seller.book.sent) == 1


def test_a_stuck_transaction_is_replaced_with_its_own_nonce_for_a_quarter_more(seller: Seller) -> None:
    seller.node.mining = False
    entry, payload = seller.sent()
    assert seller.look(entry, payload) == Pending(seller.book.sent[0].tx, BUYER)
    assert len(seller.book.sent) == 1
    seller.watch.now += STUCK
    seller.look(entry, payload)
    first, second = seller.node.sent[0], seller.node.sent[-1]
    assert [(broadcast.kind, broadcast.nonce) for broadcast in seller.book.sent] == [("pay", 0), ("bump", 0)]
    assert second["maxFeePerGas"] * 100 >= first["maxFeePerGas"] * 125
    assert second["maxPriorityFeePerGas"] * 100 >= first["maxPriorityFeePerGas"] * 125
    seller.node.include_waiting()
    assert seller.look(entry, payload) == Paid(seller.book.sent[1].tx, BUYER, GAS)


def test_a_nonce_that_another_transaction_took_is_replaced_by_a_new_one(seller: Seller) -> None:
    seller.node.mining = False
    entry, payload = seller.sent()
    seller.node.waiting.clear()
    seller.node.counts[ADDRESS.lower()] = 1
    seller.look(entry, payload)
    assert len(seller.book.sent) == 1, "not at once: the receipt may only be late"
    seller.watch.now += STUCK
    seller.node.mining = True
    seller.look(entry, payload)
    assert [broadcast.nonce for broadcast in seller.book.sent] == [0, 1]
    assert seller.look(entry, payload) == Paid(seller.book.sent[1].tx, BUYER, GAS)


def test_a_gap_below_ours_is_filled(seller: Seller) -> None:
    """Somebody else's lower nonce never came: after a minute a transfer to ourselves takes its place."""
    seller.book.following = 1
    entry, payload = seller.sent()
    assert isinstance(seller.look(entry, payload), Pending)
    seller.watch.now += 2 * STUCK
    seller.look(entry, payload)
    assert [(broadcast.kind, broadcast.nonce) for broadcast in seller.book.sent] == [("pay", 1), ("filler", 0)]
    seller.node.include_waiting()
    assert seller.look(entry, payload) == Paid(seller.book.sent[0].tx, BUYER, 2 * GAS), "the filler burns gas too"


def test_a_payment_that_failed_leaves_no_hole(seller: Seller) -> None:
    seller.node.mining = False
    entry, payload = seller.sent()
    seller.node.cancel(payload)
    seller.node.mine(4)
    assert isinstance(seller.look(entry, payload), Pending), "until the filler is in a block"
    assert [(broadcast.kind, broadcast.nonce) for broadcast in seller.book.sent] == [("pay", 0), ("filler", 0)]
    transaction = seller.node.sent[-1]
    assert (transaction["from"], bytes(transaction["to"]).hex(), transaction["value"]) == (
        ADDRESS,
        ADDRESS[2:].lower(),
        0,
    )
    seller.node.include_waiting()
    assert seller.look(entry, payload) == CannotSucceed("authorization_cancelled", "", GAS), "what the filler cost"


def test_a_failed_payment_whose_filler_is_never_mined_has_an_unknown_fee(seller: Seller) -> None:
    seller.node.mining = False
    entry, payload = seller.sent()
    seller.node.cancel(payload)
    seller.node.mine(4)
    seller.look(entry, payload)
    seller.watch.now += 300 + GIVE_UP_AFTER_S
    assert seller.look(entry, payload) == CannotSucceed("authorization_cancelled", "", UnknownFee(WAITING))


def test_a_sale_that_somebody_else_sent_while_ours_waits_has_an_unknown_fee(seller: Seller) -> None:
    seller.node.mining = False
    entry, payload = seller.sent()
    front = seller.node.settle(payload)
    assert seller.look(entry, payload) == Paid(front, BUYER, UnknownFee(WAITING))
    seller.node.include_waiting()
    assert seller.look(entry, payload) == Paid(front, BUYER, GAS)


def test_a_receipt_without_a_gas_price_leaves_the_fee_unknown(seller: Seller) -> None:
    entry, payload = seller.sent()
    for receipt in seller.node.receipts.values():
        receipt.pop("effectiveGasPrice")
    assert seller.look(entry, payload) == Paid(seller.book.sent[0].tx, BUYER, UnknownFee(UNPRICED))


def test_a_reverted_transaction_is_watched_and_never_sent_again(seller: Seller) -> None:
    seller.node.mining = False
    entry, payload = seller.sent()
    (tx,) = seller.node.waiting
    transaction = seller.node.waiting.pop(tx)
    seller.node.counts[ADDRESS.lower()] = 1
    seller.node.include(transaction["to"], transaction["input"], sender=ADDRESS, status=0, tx=tx)
    handed = len(seller.node.sent)
    seller.watch.now += STUCK
    assert seller.look(entry, payload) == Pending(tx, BUYER)
    assert (len(seller.node.sent), len(seller.book.sent)) == (handed, 1)


def test_gas_above_the_cap_is_not_paid(seller: Seller, key: Path) -> None:
    entry, payload = seller.paid()
    seller.node.tip = 3 * 10**9
    dear = driver(DriverContext(opened(seller.node.url, key, max_fee_gwei=2), seller.watch, lambda _: None))
    assert "gwei" in dear.health().reason
    with pytest.raises(Exception, match="gwei"):
        dear.send(entry, payload, seller.book)
    assert seller.book.sent == []
    assert seller.node.sent == []


@pytest.mark.parametrize("bent", ["signature", "extensions"])
def test_the_sdk_gets_nothing_else_of_what_the_buyer_sent(seller: Seller, bent: str) -> None:
    entry, payload = seller.paid()
    outcome = seller.driver.identify(entry, {**payload, bent: {"eip2612GasSponsoring": {}}})
    assert isinstance(outcome, PaymentRefused)
    assert outcome.reason == "invalid_payload"


def test_an_address_in_lower_case_is_the_same_payment(seller: Seller) -> None:
    entry, payload = seller.paid()
    lowered = {**payload, "authorization": {**payload["authorization"], "from": BUYER.lower(), "to": SELLER.lower()}}
    assert seller.driver.identify(entry, lowered) == seller.driver.identify(entry, payload)
    assert seller.driver.verify(entry, lowered) == Verified(BUYER)


def test_a_chain_that_is_away_refuses_nothing(seller: Seller) -> None:
    entry, payload = seller.paid()
    seller.node.down = True
    assert isinstance(seller.driver.verify(entry, payload), Unreachable)
    assert isinstance(seller.look(entry, payload), Unreachable)
    assert not seller.driver.health().available


def test_domain_mismatch_disables_rail(seller: Seller) -> None:
    seller.node.domain = "0x" + "01" * 32
    assert "another signing domain" in seller.driver.health().reason


def test_the_embedded_facilitator_knows_one_kind(seller: Seller) -> None:
    """Not the 21 kinds of version 1 that the SDK's own registration brings along."""
    entry, _ = seller.paid()
    facilitator = seller.driver._sender._sdk._facilitator(entry, None)[1]  # type: ignore[attr-defined]  # noqa: SLF001
    supported = facilitator.get_supported().model_dump(by_alias=True, exclude_none=True)
    assert [(kind["scheme"], kind["network"]) for kind in supported["kinds"]] == [("exact", "eip155:84532")]
    assert [check for check in check_supported(supported) if not check["pass"]] == []


def test_key_file_mode(key: Path) -> None:
    node = "http://127.0.0.1:9"
    for mode in (0o644, 0o640, 0o604):
        key.chmod(mode)
        with pytest.raises(DriverMissingError, match="chmod 600"):
            driver(DriverContext(opened(node, key), Watch(), lambda _: None))
    key.chmod(0o600)
    for text, words in (("0x1234", "no private key"), ("", "no private key"), ("x" * 5000, "not a key file")):
        key.write_text(text)
        with pytest.raises(DriverMissingError, match=words) as error:
            driver(DriverContext(opened(node, key), Watch(), lambda _: None))
        assert not text or text not in str(error.value)
    with pytest.raises(DriverMissingError, match="cannot be read"):
        driver(DriverContext(opened(node, key.with_name("gone")), Watch(), lambda _: None))


def test_logs_hold_no_secret(seller: Seller, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    seller.node.gas = 0
    entry, payload = seller.sent()
    seller.look(entry, payload)
    seller.node.down = True
    seller.driver.verify(entry, payload)
    log = caplog.text.lower()
    assert log
    assert KEY[2:] not in log
    assert entry["extra"]["quoteId"].lower() not in log
