from collections.abc import Iterator
from typing import Any

import pytest

from citepress_payments.chains.evm.native import KEPT_BY_NODES, VANISHED
from citepress_payments.configuration import ConfiguredRail
from citepress_payments.drivers import DriverContext, DriverMissingError, driver
from citepress_payments.ports.chain import CannotSucceed, Driver, Paid, PaymentRefused, Pending, Unreachable, Verified
from citepress_payments.rails import BY_SLUG
from citepress_payments.settings import PaidRail
from support.buyers import BUYER, SECOND, SELLER, native_entry
from support.evm import Chain, chain
from support.simulated_chain import Watch

PRICE = 82_462_442_847_812
MOST_READS = 4


def new_driver(*urls: str, **settings: Any) -> Driver:
    rail = BY_SLUG["bsc-bnb"]
    assert rail.test
    paid_rail = PaidRail.model_validate({"slug": rail.slug, "driver": "rpc", "rpc_urls": list(urls), **settings})
    return driver(
        DriverContext(ConfiguredRail(rail, rail.test, SELLER, paid_rail, testnet=True), Watch(), lambda _: None)
    )


@pytest.fixture
def node() -> Iterator[Chain]:
    with chain() as here:
        here.id = 97
        yield here


def paid(node: Chain, entry: dict[str, Any], **bent: Any) -> dict[str, str]:
    transaction = {"to": SELLER, "value": PRICE, "data": entry["extra"]["data"], **bent}
    return {"transaction": node.include(**transaction)}


def test_a_transfer_is_pending_until_it_is_final_and_then_paid_with_four_reads(node: Chain) -> None:
    entry, rail = native_entry(), new_driver(node.url)
    payload = paid(node, entry)
    tx = payload["transaction"]
    assert rail.verify(entry, payload) == Pending(tx, BUYER)
    node.mine(2)
    calls = len(node.calls)
    assert rail.verify(entry, {"transaction": tx.upper().replace("X", "x")}) == Verified(BUYER, tx)
    assert len(node.calls) - calls <= MOST_READS
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
    entry, rail = native_entry(), new_driver(node.url)
    payload = paid(node, entry, **bent)
    outcome = rail.verify(entry, payload)
    assert isinstance(outcome, PaymentRefused)
    assert (outcome.reason, outcome.payer) == (code, BUYER)
    assert rail.reconcile(entry, payload, [], None) == CannotSucceed(code)


def test_a_contract_creation_pays_nobody(node: Chain) -> None:
    entry = native_entry()
    payload = paid(node, entry)
    node.txs[payload["transaction"]]["to"] = None
    outcome = new_driver(node.url).verify(entry, payload)
    assert isinstance(outcome, PaymentRefused)
    assert outcome.reason == "recipient_mismatch"


def test_a_transfer_after_the_quote_is_too_late(node: Chain) -> None:
    entry, rail = native_entry(), new_driver(node.url)
    node.mine(1, seconds=960)
    in_time = paid(node, entry)
    node.mine(1)
    late = paid(node, entry)
    node.mine(2)
    assert node.blocks[-6].time <= entry["extra"]["expiresAt"] + 60
    outcome = rail.verify(entry, late)
    assert isinstance(outcome, PaymentRefused)
    assert outcome.reason == "paid_too_late"
    assert in_time != late


def test_reorg_before_finality_is_pending_again(node: Chain) -> None:
    entry, rail = native_entry(), new_driver(node.url)
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
        both = new_driver(liar.url, node.url, rpc_quorum=2)
        assert both.verify(entry, payload) == Pending(payload["transaction"]), "one of two nodes has it"
        assert isinstance(new_driver(node.url, liar.url).verify(entry, payload), Verified)
        liar.down = True
        assert isinstance(both.verify(entry, payload), Unreachable)
        assert isinstance(new_driver(liar.url, node.url).verify(entry, payload), Verified), "the next one is asked"


def test_nodes_that_disagree_for_hours_give_no_transfer_up(node: Chain) -> None:
    entry = native_entry()
    payload = paid(node, entry)
    with chain() as behind:
        behind.id = 97
        for nodes in (node, behind):
            nodes.mine(1, seconds=900 + 60 + KEPT_BY_NODES)
            nodes.mine(3)
        both = new_driver(node.url, behind.url, rpc_quorum=2, finality="latest")
        undecided = both.confirm(entry, payload, [], lambda _: pytest.fail("nothing is sent"))
        assert undecided == Unreachable("the nodes do not agree on eth_getTransactionReceipt")
        node.receipts.clear()
        node.txs.clear()
        gone = both.confirm(entry, payload, [], lambda _: pytest.fail("nothing is sent"))
        assert gone == CannotSucceed(VANISHED, payload["transaction"])


def test_a_rail_says_why_it_cannot_open(node: Chain) -> None:
    assert new_driver(node.url).health().available
    node.id = 56
    assert "eip155:56" in new_driver(node.url).health().reason
    node.down = True
    assert not new_driver(node.url).health().available
    assert not new_driver("http://127.0.0.1:9").health().available
    with pytest.raises(DriverMissingError, match="rpc_urls"):
        new_driver("http://example.org/key")
    with pytest.raises(DriverMissingError, match="2 equal answers"):
        new_driver(node.url, rpc_quorum=2)
