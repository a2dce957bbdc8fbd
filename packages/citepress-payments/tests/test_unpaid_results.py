"""A result leaves only for a settled payment, whatever a facilitator and a chain do (payments design, section 7)."""

from pathlib import Path

import pytest

from citepress_payments.configuration import ConfiguredRail
from citepress_payments.outcomes import PendingAnswer, PurchaseResult
from citepress_payments.ports.chain import CannotSucceed, Pending, Unreachable
from citepress_payments.ports.rows import State
from citepress_payments.rails import BY_SLUG
from citepress_payments.settings import PaidRail
from support.buyers import NOW, SELLER
from support.evm import chain
from support.facilitator import facilitator
from support.payment_service import PaymentHarness, brief_payment_harness, driver_of, moved, paid, payment_harness, slow

RAIL = "base-usdc"


def _facilitator_rail(node: str, url: str) -> dict[str, object]:
    return {"slug": RAIL, "driver": "facilitator", "rpc_urls": [node], "facilitator_url": url, "hold_s": 1}


@pytest.mark.parametrize(
    "mood", ["500", "html", "truncated", "huge", "redirect", "unsettled", "lying", "unreadable", "refusing"]
)
def test_no_bytes_before_settled(tmp_path: Path, mood: str) -> None:
    rail = BY_SLUG[RAIL]
    assert rail.test
    with (
        chain(
            ConfiguredRail(
                rail,
                rail.test,
                SELLER,
                PaidRail.model_validate(_facilitator_rail("http://127.0.0.1:9", "http://127.0.0.1:9")),
                testnet=True,
            )
        ) as node,
        facilitator(node.url, mood) as other,
    ):
        harness = payment_harness(tmp_path, rails=[_facilitator_rail(node.url, other.url)])
        _served_only_when_settled(harness)
        harness.close()


@pytest.mark.parametrize(
    "truth",
    [
        Pending(),
        Pending("0x01"),
        Unreachable("timeout"),
        CannotSucceed("authorization_expired"),
        RuntimeError("html"),
        TimeoutError(),
    ],
)
def test_no_bytes_while_the_chain_has_not_said_paid(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, truth: object
) -> None:
    harness = brief_payment_harness(tmp_path)

    def says(*_: object) -> object:
        if isinstance(truth, Exception):
            raise truth
        return truth

    monkeypatch.setattr(driver_of(harness), "reconcile", says)
    _served_only_when_settled(harness)
    harness.close()


def _served_only_when_settled(harness: PaymentHarness) -> None:
    field = paid(harness.terms(), harness.watch)
    for _ in range(2):
        assert not isinstance(harness.signed(field), PurchaseResult)
    assert [row for row in harness.paying.ledger.payments() if row.state is State.SETTLED] == []


def test_the_bytes_come_with_the_settlement(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    harness = brief_payment_harness(tmp_path)
    field = paid(harness.terms(), harness.watch)
    with monkeypatch.context() as patch:
        slow(harness, patch, *[Pending()] * 99)
        assert isinstance(harness.signed(field), PendingAnswer)
    assert isinstance(harness.signed(field), PurchaseResult)
    assert (moved(harness), harness.watch.now) == (50_000, NOW)
    harness.close()
