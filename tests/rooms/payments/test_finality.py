"""A sale at the newest block, and a reorganisation behind it: the transfer is made again while it can be, and otherwise somebody is told."""

import logging
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from citepress.base import clock
from citepress.payments.outcomes import PurchaseResult
from citepress.payments.ports import AWAITED, FINAL, MISSING, CannotSucceed, Payment
from citepress.payments.settlement import CONFIRM_AGAIN
from support.answering import answering
from support.evm import Chain, chain
from support.facilitator import Desk
from support.shopping import Market, driver_of, market, paid
from support.simulating import Watch, opened_rail

LEASE_OVER = 31


@dataclass
class Stall:
    """A shop that counts a transfer at the newest block, over a chain that a test moves."""

    node: Chain
    shop: Market
    field: bytes = b""

    def buy(self) -> PurchaseResult:
        self.field = paid(self.shop.terms(), self.shop.watch)
        outcome = self.shop.signed(self.field)
        assert isinstance(outcome, PurchaseResult), outcome
        return outcome

    def row(self) -> Payment:
        (row,) = self.shop.paying.ledger.payments()
        return row

    def look(self) -> Payment:
        """What the next round of recovery makes of it."""
        self.shop.watch.now += max(LEASE_OVER, CONFIRM_AGAIN)
        self.shop.paying.recovery.round()
        return self.row()


@pytest.fixture
def stall(tmp_path: Path) -> Iterator[Stall]:
    key = tmp_path / "signer.key"
    key.write_text("42" * 32, "utf-8")
    key.chmod(0o600)
    with chain(opened_rail("base-usdc")) as node:
        rails = [{"slug": "base-usdc", "driver": "embedded", "rpc_urls": [node.url], "signer_key_file": str(key)}]
        shop = market(tmp_path, rails=rails, watch=Watch(int(clock.now().timestamp())))
        yield Stall(node, shop)
        shop.close()


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
    asked = len(stall.node.asked)
    stall.shop.paying.recovery.round()
    assert "eth_getTransactionReceipt" not in stall.node.asked[asked:], "what is final is not looked at again"


def test_a_transfer_that_a_reorganisation_undid_is_made_again_once(stall: Stall) -> None:
    bought = stall.buy()
    stall.node.reorganise(1)
    assert transfers(stall.node) == 0, "the money is gone"
    assert stall.look().finality == AWAITED
    assert transfers(stall.node) == 1, "the same bytes were sent again"
    stall.node.mine(2)
    row = stall.look()
    assert (row.finality, transfers(stall.node), len({sent["nonce"] for sent in stall.node.sent})) == (FINAL, 1, 1)
    again = stall.shop.signed(stall.field)
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
    stall.shop.watch.now += 2000
    stall.node.mine(1, seconds=10**6)
    stall.node.mine(5)
    row = stall.look()
    assert (row.finality, row.reason, str(row.state)) == (MISSING, "authorization_expired", "settled")
    assert "undid a payment" in caplog.text
    assert [event.change for event in stall.shop.paying.ledger.events(key=row.key)][-1] == MISSING
    assert transfers(stall.node) == 0
    again = stall.shop.signed(stall.field)
    assert isinstance(again, PurchaseResult)
    assert again.body == bought.body, "the buyer did what he should"
    assert stall.shop.paying.ledger.payments(finality=MISSING) == [row]


def test_a_chain_that_is_away_leaves_the_question_open(stall: Stall) -> None:
    stall.buy()
    stall.node.down = True
    assert stall.look().finality == AWAITED
    stall.node.down = False
    stall.node.mine(2)
    assert stall.look().finality == FINAL


def test_one_process_looks_at_a_time(stall: Stall) -> None:
    stall.buy()
    ledger, now = stall.shop.paying.ledger, stall.shop.watch.now + LEASE_OVER
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
        stall = Stall(node, market(tmp_path, rails=rails))
        stall.buy()
        node.reorganise(1)
        monkeypatch.setattr("citepress.payments.senders.facilitator.AGAIN", 0.0)
        assert stall.look().finality == AWAITED
        assert transfers(node) == 1
        node.mine(2)
        assert stall.look().finality == FINAL
        stall.shop.close()


def test_the_simulated_chain_and_finalized_rails_wait_for_nothing(tmp_path: Path) -> None:
    shop = market(tmp_path)
    assert isinstance(shop.signed(paid(shop.terms(), shop.watch)), PurchaseResult)
    assert [row.finality for row in shop.paying.ledger.payments()] == [FINAL]
    shop.close()


def test_a_driver_that_fails_decides_nothing(stall: Stall, monkeypatch: pytest.MonkeyPatch) -> None:
    stall.buy()

    def broken(*_told: Any) -> Any:
        raise RuntimeError("the chain library failed")

    monkeypatch.setattr(driver_of(stall.shop), "confirm", broken)
    assert stall.look().finality == AWAITED
    monkeypatch.setattr(driver_of(stall.shop), "confirm", lambda *_: CannotSucceed("gone"))
    assert stall.look().finality == MISSING
