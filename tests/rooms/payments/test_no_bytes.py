"""A result leaves only for a settled payment, whatever a facilitator and a chain do (payments design, section 7)."""

from pathlib import Path

import pytest

from citepress.contract.paid import PaidRail
from citepress.payments.configuration import ConfiguredRail
from citepress.payments.outcomes import PendingAnswer, PurchaseResult
from citepress.payments.ports import CannotSucceed, Pending, State, Unreachable
from citepress.payments.rails import BY_SLUG
from support.evm import chain
from support.facilitator import facilitator
from support.paying import NOW, SELLER
from support.shopping import Market, driver_of, holding, market, moved, paid, slow

RAIL = "base-usdc"


def _told(node: str, url: str) -> dict[str, object]:
    return {"slug": RAIL, "driver": "facilitator", "rpc_urls": [node], "facilitator_url": url, "hold_s": 1}


@pytest.mark.parametrize("mood", ["500", "html", "truncated", "huge", "redirect", "unsettled", "lying", "unreadable", "refusing"])
def test_no_bytes_before_settled(tmp_path: Path, mood: str) -> None:
    rail = BY_SLUG[RAIL]
    assert rail.test
    with (
        chain(
            ConfiguredRail(
                rail, rail.test, SELLER, PaidRail.model_validate(_told("http://127.0.0.1:9", "http://127.0.0.1:9")), testnet=True
            )
        ) as node,
        facilitator(node.url, mood) as other,
    ):
        shop = market(tmp_path, rails=[_told(node.url, other.url)])
        _served_only_when_settled(shop)
        shop.close()


@pytest.mark.parametrize(
    "truth",
    [Pending(), Pending("0x01"), Unreachable("timeout"), CannotSucceed("authorization_expired"), RuntimeError("html"), TimeoutError()],
)
def test_no_bytes_while_the_chain_has_not_said_paid(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, truth: object) -> None:
    shop = market(tmp_path, rails=holding())

    def says(*_: object) -> object:
        if isinstance(truth, Exception):
            raise truth
        return truth

    monkeypatch.setattr(driver_of(shop), "reconcile", says)
    _served_only_when_settled(shop)
    shop.close()


def _served_only_when_settled(shop: Market) -> None:
    field = paid(shop.terms(), shop.watch)
    for _ in range(2):
        assert not isinstance(shop.signed(field), PurchaseResult)
    assert [row for row in shop.paying.ledger.payments() if row.state is State.SETTLED] == []


def test_the_bytes_come_with_the_settlement(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shop = market(tmp_path, rails=holding())
    field = paid(shop.terms(), shop.watch)
    with monkeypatch.context() as patch:
        slow(shop, patch, *[Pending()] * 20)
        assert isinstance(shop.signed(field), PendingAnswer)
    assert isinstance(shop.signed(field), PurchaseResult)
    assert (moved(shop), shop.watch.now) == (50_000, NOW)
    shop.close()
