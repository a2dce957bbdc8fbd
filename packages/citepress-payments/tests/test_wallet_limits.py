"""Transactions that are mined and do not pay: only the wallet that causes them waits, the rail goes on for others."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from eth_account import Account

from citepress_payments.limits import FIRST_PAUSE, MAX_PAUSE_S, next_pause, should_pause
from citepress_payments.outcomes import OverQuota, PurchaseResult, RefusedAnswer, Terms, Unavailable
from citepress_payments.ports.chain import CannotSucceed
from citepress_payments.ports.rows import Failure, Pause
from support.buyers import NOW, SECOND, SECOND_KEY, USDC, give
from support.payment_service import PaymentHarness, driver_of, paid, payment_harness

REVERTED = CannotSucceed("transaction_reverted", "0xab", 21_000)


@pytest.fixture
def harness(tmp_path: Path) -> Iterator[PaymentHarness]:
    process = payment_harness(tmp_path)
    yield process
    process.close()


def wallet(harness: PaymentHarness, number: int) -> str:
    """The key of a wallet that can pay."""
    key = "0x" + f"{number:064x}"
    give(harness.chain, USDC, Account.from_key(key).address, 10**9)
    return key


def bought(harness: PaymentHarness, patch: pytest.MonkeyPatch, key: str, client: str, truth: Any = REVERTED) -> Any:
    """What a payment gets whose transaction came to this; without a truth, what the chain says."""
    order = harness.order(
        b'{"query":"of %s %d"}' % (client.encode(), len(harness.paying.ledger.payments())), client=client
    )
    terms = harness.preflight(order)
    if not isinstance(terms, Terms):
        return terms
    with patch.context() as bent:
        if truth:
            bent.setattr(driver_of(harness), "reconcile", lambda *_: truth)
        return harness.signed(paid(terms, harness.watch, key=key), order)


def test_three_failing_payments_of_one_wallet_stop_that_wallet_and_not_the_rail(
    harness: PaymentHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    give(harness.chain, USDC, SECOND, 10**9)
    for place in range(2):
        assert isinstance(bought(harness, monkeypatch, SECOND_KEY, f"203.0.113.{place}"), RefusedAnswer)
    refused = bought(harness, monkeypatch, SECOND_KEY, "203.0.113.9")
    assert isinstance(refused, OverQuota)
    assert (refused.limit.quota, refused.limit.window) == (2, 3600)
    assert harness.paying.ledger.pauses() == []
    assert isinstance(bought(harness, monkeypatch, wallet(harness, 77), "198.51.100.1", None), PurchaseResult), (
        "everybody else buys"
    )


def test_a_client_with_many_wallets_is_stopped_as_one(harness: PaymentHarness, monkeypatch: pytest.MonkeyPatch) -> None:
    outcomes = [bought(harness, monkeypatch, wallet(harness, 100 + number), "203.0.113.7") for number in range(4)]
    assert [type(outcome) for outcome in outcomes] == [RefusedAnswer, RefusedAnswer, OverQuota, OverQuota]
    assert harness.paying.ledger.pauses() == []
    assert isinstance(bought(harness, monkeypatch, wallet(harness, 77), "198.51.100.1", None), PurchaseResult)


def test_failures_of_several_payers_and_clients_pause_the_rail_for_a_while(
    harness: PaymentHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(3):
        assert isinstance(
            bought(harness, monkeypatch, wallet(harness, 200 + number), f"203.0.113.{number}"), RefusedAnswer
        )
    (pause,) = harness.paying.ledger.pauses()
    assert (pause.rail, pause.by, pause.until - pause.since) == ("base-usdc", "citepress", FIRST_PAUSE)
    assert isinstance(harness.preflight(), Unavailable)
    harness.watch.now += FIRST_PAUSE
    assert isinstance(harness.preflight(), Terms), "it goes on by itself"
    bought(harness, monkeypatch, wallet(harness, 300), "203.0.113.50")
    (longer,) = harness.paying.ledger.pauses()
    assert longer.until - longer.since == 2 * FIRST_PAUSE, "the fault is still there"
    harness.watch.now = longer.until
    assert isinstance(bought(harness, monkeypatch, wallet(harness, 400), "198.51.100.1", None), PurchaseResult)
    bought(harness, monkeypatch, wallet(harness, 500), "203.0.113.60")
    assert harness.paying.ledger.pauses() == [longer], "one payment stood meanwhile: the count begins anew"


def test_a_pause_by_a_person_lasts(harness: PaymentHarness) -> None:
    harness.paying.ledger.pause(Pause("base-usdc", "maintenance", "ann", NOW, now=False))
    harness.watch.now += 10 * 86_400
    assert isinstance(harness.preflight(), Unavailable)


def test_pauses_grow_and_are_forgotten() -> None:
    lengths, last, now = [], None, NOW
    for _ in range(9):
        length = next_pause(last, now)
        lengths.append(length)
        last = Pause("base-usdc", "", "citepress", now, now=False, until=now + length)
        now = last.until
    assert lengths == [60, 120, 240, 480, 960, 1920, 3600, 3600, 3600]
    assert last
    assert next_pause(last, last.until + MAX_PAUSE_S + 1) == FIRST_PAUSE
    assert next_pause(replace(last, until=0), now) == FIRST_PAUSE, "what a person paused says nothing of the rail"


@pytest.mark.parametrize(
    ("payers", "clients", "trips"),
    [("aaa", "abc", False), ("abc", "aaa", False), ("abc", "abc", True), ("ab", "ab", False), ("abcd", "abcc", True)],
)
def test_only_several_payers_of_several_clients_speak_against_a_rail(payers: str, clients: str, trips: bool) -> None:
    assert (
        should_pause([Failure(payer, client.encode()) for payer, client in zip(payers, clients, strict=True)]) is trips
    )


def test_what_failed_is_in_the_books_with_its_gas(harness: PaymentHarness, monkeypatch: pytest.MonkeyPatch) -> None:
    bought(harness, monkeypatch, wallet(harness, 600), "203.0.113.1")
    (row,) = harness.paying.ledger.payments()
    assert (row.tx, row.fee, row.usd_micros) == ("0xab", "21000", 0)
