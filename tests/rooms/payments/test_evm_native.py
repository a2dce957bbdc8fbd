from collections.abc import Iterator
from typing import Any

import pytest

from citepress.contract.paid import PaidRail
from citepress.payments.configuration import ConfiguredRail
from citepress.payments.drivers import DriverContext, DriverMissingError, driver
from citepress.payments.ports import CannotSucceed, Driver, Paid, PaymentRefused, Pending, Unreachable, Verified
from citepress.payments.rails import BY_SLUG
from support.evm import Chain, chain
from support.paying import BUYER, SECOND, SELLER, native_entry
from support.simulating import Watch

PRICE = 82_462_442_847_812
MOST_READS = 4


def made(*urls: str, **settings: Any) -> Driver:
    rail = BY_SLUG["bsc-bnb"]
    assert rail.test
    told = PaidRail.model_validate({"slug": rail.slug, "driver": "rpc", "rpc_urls": list(urls), **settings})
    return driver(DriverContext(ConfiguredRail(rail, rail.test, SELLER, told, testnet=True), Watch(), lambda _: None))


@pytest.fixture
def node() -> Iterator[Chain]:
    with chain() as here:
        here.id = 97
        yield here


def paid(node: Chain, entry: dict[str, Any], **bent: Any) -> dict[str, str]:
    told = {"to": SELLER, "value": PRICE, "data": entry["extra"]["data"], **bent}
    return {"transaction": node.include(**told)}


def test_a_transfer_is_pending_until_it_is_final_and_then_paid_with_four_reads(node: Chain) -> None:
    entry, rail = native_entry(), made(node.url)
    payload = paid(node, entry)
    tx = payload["transaction"]
    assert rail.verify(entry, payload) == Pending(tx, BUYER)
    node.mine(2)
    asked = len(node.asked)
    assert rail.verify(entry, {"transaction": tx.upper().replace("X", "x")}) == Verified(BUYER, tx)
    assert len(node.asked) - asked <= MOST_READS
    assert rail.reconcile(entry, payload, [], None) == Paid(tx, BUYER)


MATRIX: dict[str, tuple[dict[str, Any], str]] = {
    "under": ({"value": PRICE - 1}, "amount_mismatch"),
    "over": ({"value": PRICE + 1}, "amount_mismatch"),
    "double": ({"value": 2 * PRICE}, "amount_mismatch"),
    "to another": ({"to": SECOND}, "recipient_mismatch"),
    "no data": ({"data": "0x"}, "terms_hash_mismatch"),
    "other data": ({"data": "0x" + "7a" * 32}, "terms_hash_mismatch"),
    "failed": ({"status": 0}, "transaction_reverted"),
}


@pytest.mark.parametrize("name", MATRIX)
def test_what_is_not_exact_is_refused(node: Chain, name: str) -> None:
    bent, code = MATRIX[name]
    entry, rail = native_entry(), made(node.url)
    payload = paid(node, entry, **bent)
    told = rail.verify(entry, payload)
    assert isinstance(told, PaymentRefused)
    assert (told.reason, told.payer) == (code, BUYER)
    assert rail.reconcile(entry, payload, [], None) == CannotSucceed(code)


def test_a_contract_creation_pays_nobody(node: Chain) -> None:
    entry = native_entry()
    payload = paid(node, entry)
    node.txs[payload["transaction"]]["to"] = None
    told = made(node.url).verify(entry, payload)
    assert isinstance(told, PaymentRefused)
    assert told.reason == "recipient_mismatch"


def test_a_transfer_after_the_quote_is_too_late(node: Chain) -> None:
    entry, rail = native_entry(), made(node.url)
    node.mine(1, seconds=960)
    in_time = paid(node, entry)
    node.mine(1)
    late = paid(node, entry)
    node.mine(2)
    assert node.blocks[-6].time <= entry["extra"]["expiresAt"] + 60
    told = rail.verify(entry, late)
    assert isinstance(told, PaymentRefused)
    assert told.reason == "paid_too_late"
    assert in_time != late


def test_reorg_before_finality_is_pending_again(node: Chain) -> None:
    entry, rail = native_entry(), made(node.url)
    payload = paid(node, entry)
    tx = payload["transaction"]
    node.reorganise(1)
    node.mine(3)
    assert rail.verify(entry, payload) == Pending(tx), "it is gone, and may come again"
    payload = paid(node, entry)
    receipt = node.receipts[payload["transaction"]]
    node.mine(2)
    receipt["blockHash"] = "0x" + "ee" * 32
    assert rail.verify(entry, payload) == Pending(payload["transaction"], BUYER), "its block is not the canonical one"


def test_as_many_nodes_as_the_operator_wants_have_to_agree(node: Chain) -> None:
    entry = native_entry()
    payload = paid(node, entry)
    node.mine(2)
    with chain() as liar:
        liar.id = 97
        both = made(liar.url, node.url, rpc_quorum=2)
        assert both.verify(entry, payload) == Pending(payload["transaction"]), "one of two nodes has it"
        assert isinstance(made(node.url, liar.url).verify(entry, payload), Verified)
        liar.down = True
        assert isinstance(both.verify(entry, payload), Unreachable)
        assert isinstance(made(liar.url, node.url).verify(entry, payload), Verified), "the next one is asked"


def test_a_rail_says_why_it_cannot_open(node: Chain) -> None:
    assert made(node.url).health().available
    node.id = 56
    assert "eip155:56" in made(node.url).health().reason
    node.down = True
    assert not made(node.url).health().available
    assert not made("http://127.0.0.1:9").health().available
    with pytest.raises(DriverMissingError, match="rpc_urls"):
        made("http://example.org/key")
    with pytest.raises(DriverMissingError, match="2 equal answers"):
        made(node.url, rpc_quorum=2)
