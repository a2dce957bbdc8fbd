"""A sale at the newest block and a reorganisation: the transfer is sent again while it can be, or reported missing."""

import logging
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from citepress.base import clock
from citepress_payments.chains.evm.native import KEPT_BY_NODES
from citepress_payments.outcomes import PurchaseResult
from citepress_payments.ports.chain import CannotSucceed
from citepress_payments.ports.rows import AWAITED, FINAL, MISSING, Payment
from citepress_payments.rails import Lane
from citepress_payments.settlement import CONFIRM_AGAIN
from support.evm import Chain, chain
from support.facilitator import Desk
from support.fake_http_server import answering
from support.payment_service import STATIC, PaymentHarness, driver_of, header, paid, payment_harness
from support.simulated_chain import Watch, opened_rail

LEASE_OVER = 31


@dataclass
class Stall:
    """A shop that counts a transfer at the newest block, over a chain that a test moves."""

    node: Chain
    harness: PaymentHarness
    signature: bytes = b""
    payload: Mapping[str, str] = field(default_factory=dict)

    def buy(self) -> PurchaseResult:
        self.signature = paid(self.harness.terms(), self.harness.watch)
        outcome = self.harness.signed(self.signature)
        assert isinstance(outcome, PurchaseResult), outcome
        return outcome

    def row(self) -> Payment:
        (row,) = self.harness.paying.ledger.payments()
        return row

    def look(self) -> Payment:
        """What the next round of recovery makes of it."""
        self.harness.watch.now += max(LEASE_OVER, CONFIRM_AGAIN)
        self.harness.paying.recovery.round()
        return self.row()


@pytest.fixture
def stall(tmp_path: Path) -> Iterator[Stall]:
    key = tmp_path / "signer.key"
    key.write_text("42" * 32, "utf-8")
    key.chmod(0o600)
    with chain(opened_rail("base-usdc")) as node:
        rails = [{"slug": "base-usdc", "driver": "embedded", "rpc_urls": [node.url], "signer_key_file": str(key)}]
        harness = payment_harness(tmp_path, rails=rails, watch=Watch(int(clock.now().timestamp())))
        yield Stall(node, harness)
        harness.close()


def transfers(node: Chain) -> int:
    """Transactions that stand and made a transfer."""
    return sum(bool(receipt["logs"]) for receipt in node.receipts.values())


def test_a_sale_is_awaited_and_then_final(stall: Stall) -> None:
    stall.buy()
    assert (stall.row().finality, stall.row().usd_micros) == (AWAITED, 50_000)
    assert stall.row().fee == str(21_000 * (7 + 10**9)), "what our own transaction took"
    assert stall.look().finality == AWAITED, "no two blocks are above it"
    stall.node.mine(2)
    assert stall.look().finality == FINAL
    calls = len(stall.node.calls)
    stall.harness.paying.recovery.round()
    assert "eth_getTransactionReceipt" not in stall.node.calls[calls:], "what is final is not looked at again"


def test_a_transfer_that_a_reorganisation_undid_is_made_again_once(stall: Stall) -> None:
    bought = stall.buy()
    stall.node.reorganise(1)
    assert transfers(stall.node) == 0, "the money is gone"
    assert stall.look().finality == AWAITED
    assert transfers(stall.node) == 1, "the same bytes were sent again"
    stall.node.mine(2)
    row = stall.look()
    assert (row.finality, transfers(stall.node), len({sent["nonce"] for sent in stall.node.sent})) == (FINAL, 1, 1)
    again = stall.harness.signed(stall.signature)
    assert isinstance(again, PurchaseResult)
    assert again.body == bought.body


def test_a_transfer_whose_nonce_went_to_another_transaction_gets_a_new_one(stall: Stall) -> None:
    """After a reorganisation our own nonce may be used up: the authorization still pays, by another transaction."""
    stall.buy()
    stall.node.reorganise(1)
    signer = stall.node.sent[0]["from"].lower()
    stall.node.counts[signer] = 1
    stall.look()
    assert transfers(stall.node) == 1
    assert [sent["nonce"] for sent in stall.node.sent][-1] == 1
    stall.node.mine(2)
    assert stall.look().finality == FINAL


def test_what_cannot_be_made_again_is_marked_and_told(stall: Stall, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.ERROR)
    bought = stall.buy()
    stall.node.reorganise(1)
    stall.harness.watch.now += 2000
    stall.node.mine(1, seconds=10**6)
    stall.node.mine(5)
    row = stall.look()
    assert (row.finality, row.reason, str(row.state)) == (MISSING, "authorization_expired", "settled")
    assert "undid a payment" in caplog.text
    assert [event.change for event in stall.harness.paying.ledger.events(key=row.key)][-1] == MISSING
    assert transfers(stall.node) == 0
    again = stall.harness.signed(stall.signature)
    assert isinstance(again, PurchaseResult)
    assert again.body == bought.body, "the buyer did what he should"
    assert stall.harness.paying.ledger.payments(finality=MISSING) == [row]


def test_a_chain_that_is_away_leaves_the_question_open(stall: Stall) -> None:
    stall.buy()
    stall.node.down = True
    assert stall.look().finality == AWAITED
    stall.node.down = False
    stall.node.mine(2)
    assert stall.look().finality == FINAL


def test_one_process_looks_at_a_time(stall: Stall) -> None:
    stall.buy()
    ledger, now = stall.harness.paying.ledger, stall.harness.watch.now + LEASE_OVER
    first = ledger.reclaim(stall.row().key, "one", now)
    assert first
    assert ledger.reclaim(stall.row().key, "two", now) is None
    second = ledger.reclaim(stall.row().key, "two", now + LEASE_OVER)
    assert second
    ledger.confirmed(first, MISSING, now)
    assert stall.row().finality == AWAITED, "who lost the claim says nothing"
    ledger.confirmed(second, FINAL, now)
    assert stall.row().finality == FINAL


def test_a_facilitator_is_handed_the_payment_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with chain(opened_rail("base-usdc")) as node, answering(Desk(node.url, "good").answer) as url:
        rails = [{"slug": "base-usdc", "driver": "facilitator", "rpc_urls": [node.url], "facilitator_url": url}]
        stall = Stall(node, payment_harness(tmp_path, rails=rails))
        stall.buy()
        node.reorganise(1)
        monkeypatch.setattr("citepress_payments.senders.facilitator.RESEND_AFTER_S", 0.0)
        assert stall.look().finality == AWAITED
        assert transfers(node) == 1
        node.mine(2)
        assert stall.look().finality == FINAL
        stall.harness.close()


@dataclass
class NativeStall(Stall):
    """The same over a native rail that counts a transfer at the newest block; the buyer sends it himself."""

    def buy(self) -> PurchaseResult:
        order = self.harness.order(lane=Lane.NATIVE, slug="base-eth")
        entry = self.harness.terms(order).quote.entries[0]
        self.payload = {"transaction": self.node.include(entry["payTo"], entry["extra"]["data"], int(entry["amount"]))}
        self.signature = header(entry, self.payload)
        outcome = self.harness.signed(self.signature, order)
        assert isinstance(outcome, PurchaseResult), outcome
        return outcome

    def served(self) -> bytes:
        outcome = self.harness.signed(self.signature, self.harness.order(lane=Lane.NATIVE, slug="base-eth"))
        assert isinstance(outcome, PurchaseResult)
        return outcome.body


@pytest.fixture
def native(tmp_path: Path) -> Iterator[NativeStall]:
    with chain() as node:
        rails = [
            {"slug": "base-eth", "driver": "rpc", "rpc_urls": [node.url], "finality": "latest", "prices": STATIC},
        ]
        stall = NativeStall(node, payment_harness(tmp_path, rails=rails))
        yield stall
        stall.harness.close()


def test_a_native_transfer_at_the_newest_block_is_awaited_and_then_final(native: NativeStall) -> None:
    native.buy()
    assert native.look().finality == AWAITED
    native.node.mine(2)
    assert native.look().finality == FINAL


def test_a_native_transfer_that_vanished_for_good_is_marked_missing(
    native: NativeStall, caplog: pytest.LogCaptureFixture
) -> None:
    bought = native.buy()
    native.node.reorganise(1)
    assert native.look().finality == AWAITED, "nodes may still hand it to each other"
    native.node.mine(1, seconds=900 + 60 + KEPT_BY_NODES)
    assert native.look().finality == AWAITED, "the finalized block is older"
    native.node.mine(3)
    row = native.look()
    assert (row.finality, row.reason, str(row.state)) == (MISSING, "transfer_vanished", "settled")
    (event,) = native.harness.paying.ledger.events(key=row.key, change=MISSING)
    assert (event.reason, event.tx) == ("transfer_vanished", native.payload["transaction"])
    assert "undid a payment" in caplog.text
    assert native.served() == bought.body
    calls = len(native.node.calls)
    native.harness.watch.now += CONFIRM_AGAIN
    native.harness.paying.recovery.round()
    assert "eth_getTransactionByHash" not in native.node.calls[calls:], "what is decided is not looked at again"


def test_a_native_transfer_that_comes_back_in_time_is_final(native: NativeStall) -> None:
    native.buy()
    tx = native.payload["transaction"]
    transaction = native.node.txs[tx]
    native.node.reorganise(1)
    assert native.look().finality == AWAITED
    native.node.include(transaction["to"], transaction["input"], int(transaction["value"], 16), tx=tx)
    native.node.mine(2)
    assert native.look().finality == FINAL


def test_a_native_transfer_whose_finality_is_slow_is_not_given_up(native: NativeStall) -> None:
    native.buy()
    native.node.blocks[-1].time += 900 + 60 + KEPT_BY_NODES
    for block in native.node.blocks[-4:-1]:
        block.time = native.node.blocks[-1].time
    assert native.look().finality == AWAITED, "it stands in the newest block"


def test_a_chain_that_is_away_gives_no_native_transfer_up(native: NativeStall) -> None:
    native.buy()
    native.node.reorganise(1)
    native.node.mine(4, seconds=KEPT_BY_NODES)
    native.node.down = True
    assert native.look().finality == AWAITED
    native.node.down = False
    assert native.look().finality == MISSING


def test_the_simulated_chain_and_finalized_rails_wait_for_nothing(tmp_path: Path) -> None:
    harness = payment_harness(tmp_path)
    assert isinstance(harness.signed(paid(harness.terms(), harness.watch)), PurchaseResult)
    assert [row.finality for row in harness.paying.ledger.payments()] == [FINAL]
    harness.close()


def test_a_driver_that_fails_decides_nothing(stall: Stall, monkeypatch: pytest.MonkeyPatch) -> None:
    stall.buy()

    def broken(*_args: Any) -> Any:
        raise RuntimeError("the chain library failed")

    monkeypatch.setattr(driver_of(stall.harness), "confirm", broken)
    assert stall.look().finality == AWAITED
    monkeypatch.setattr(driver_of(stall.harness), "confirm", lambda *_: CannotSucceed("gone"))
    assert stall.look().finality == MISSING
