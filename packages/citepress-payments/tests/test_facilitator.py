from collections.abc import Iterator
from typing import Any

import pytest

from citepress_payments.configuration import ConfiguredRail
from citepress_payments.drivers import DriverContext, DriverMissingError, driver
from citepress_payments.ports.chain import CannotSucceed, Driver, Paid, PaymentRefused, Pending, Unreachable, Verified
from citepress_payments.rails import BY_SLUG
from citepress_payments.senders.facilitator import RESEND_AFTER_S
from citepress_payments.settings import PaidRail
from support.buyers import BUYER, NOW, SECOND, SELLER, sign_transfer, usdc_entry
from support.evm import Chain, chain
from support.facilitator import FALSE, facilitator
from support.simulated_chain import Book, Watch

NOWHERE = "http://127.0.0.1:9"


def opened(node: str, url: str, **settings: Any) -> ConfiguredRail:
    rail = BY_SLUG["base-usdc"]
    assert rail.test
    options = {"slug": rail.slug, "driver": "facilitator", "rpc_urls": [node], "facilitator_url": url, **settings}
    return ConfiguredRail(rail, rail.test, SELLER, PaidRail.model_validate(options), testnet=True)


def new_driver(node: str, url: str, watch: Watch | None = None, **settings: Any) -> Driver:
    return driver(DriverContext(opened(node, url, **settings), watch or Watch(), lambda _: None))


@pytest.fixture
def node() -> Iterator[Chain]:
    with chain(opened(NOWHERE, NOWHERE)) as here:
        yield here


def test_a_payment_is_verified_sent_and_found_on_the_chain(node: Chain) -> None:
    entry = usdc_entry()
    payload = sign_transfer(entry)
    with facilitator(node.url, "good") as other:
        rail, book = new_driver(node.url, other.url), Book()
        assert rail.health().available
        assert rail.verify(entry, payload | {"signature": payload["signature"]}) == Verified(BUYER)
        rail.send(entry, payload, book)
        assert [(broadcast.tx, broadcast.raw, broadcast.nonce) for broadcast in book.sent] == [("", b"", None)]
        outcome = rail.reconcile(entry, payload, book.sent, None)
        assert isinstance(outcome, Paid)
        assert outcome.payer == BUYER
        assert other.requested_paths() == ["/supported", "/verify", "/settle"]


def test_the_journal_is_written_before_the_facilitator_hears_of_it(node: Chain) -> None:
    entry = usdc_entry()
    with facilitator(node.url, "good") as other:

        def refuses(_plan: object) -> Any:
            raise RuntimeError("the disk is full")

        with pytest.raises(RuntimeError, match="disk"):
            new_driver(node.url, other.url).send(entry, sign_transfer(entry), refuses)
        assert other.requested_paths() == []


@pytest.mark.parametrize("mood", ["500", "html", "truncated", "redirect", "huge", "unsettled"])
def test_a_facilitator_that_breaks_off_leaves_the_payment_pending(node: Chain, mood: str) -> None:
    entry = usdc_entry()
    payload = sign_transfer(entry)
    with facilitator(node.url, mood) as other:
        rail, book = new_driver(node.url, other.url), Book()
        rail.send(entry, payload, book)
        assert rail.reconcile(entry, payload, book.sent, book) == Pending("", BUYER)
        node.settle(payload)
        assert isinstance(rail.reconcile(entry, payload, book.sent, book), Paid), "whoever sent it in the end"


@pytest.mark.parametrize("mood", ["silent", "pending", "failing"])
def test_the_chain_decides_whatever_the_facilitator_says(node: Chain, mood: str) -> None:
    """It breaks off after sending, says pending, or says that it failed: the money arrived."""
    entry = usdc_entry()
    payload = sign_transfer(entry)
    with facilitator(node.url, mood) as other:
        rail, book = new_driver(node.url, other.url), Book()
        rail.send(entry, payload, book)
        assert isinstance(rail.reconcile(entry, payload, book.sent, None), Paid)


def test_facilitator_false_success_is_pending(node: Chain) -> None:
    entry = usdc_entry()
    payload = sign_transfer(entry)
    with facilitator(node.url, "lying") as other:
        watch = Watch()
        rail, book = new_driver(node.url, other.url, watch), Book()
        rail.send(entry, payload, book)
        assert rail.reconcile(entry, payload, book.sent, None) == Pending(FALSE, BUYER)
        node.mine(400)
        assert rail.reconcile(entry, payload, book.sent, None) == CannotSucceed("authorization_expired")


def test_a_foreign_transaction_is_not_our_payment(node: Chain) -> None:
    """The facilitator names a real transfer of another authorization."""
    entry = usdc_entry()
    payload, foreign = sign_transfer(entry), sign_transfer(entry)
    rail = new_driver(node.url, NOWHERE)
    tx = node.settle(foreign)
    rail._sender._remember(entry, payload, tx)  # type: ignore[attr-defined]  # noqa: SLF001  (as if it had been named)
    assert rail.reconcile(entry, payload, [], None) == Pending(tx, BUYER)


def test_a_refusal_passes_on_its_reason(node: Chain) -> None:
    entry = usdc_entry()
    with facilitator(node.url, "refusing") as other:
        assert new_driver(node.url, other.url).verify(entry, sign_transfer(entry)) == PaymentRefused(
            "insufficient_funds", payer=BUYER
        )


def test_an_unreadable_verification_is_no_refusal(node: Chain) -> None:
    entry = usdc_entry()
    with facilitator(node.url, "unreadable") as other:
        assert isinstance(new_driver(node.url, other.url).verify(entry, sign_transfer(entry)), Unreachable)
    assert isinstance(new_driver(node.url, NOWHERE).verify(entry, sign_transfer(entry)), Unreachable)


def test_what_was_paid_already_is_not_handed_in_again(node: Chain) -> None:
    entry = usdc_entry()
    payload = sign_transfer(entry)
    tx = node.settle(payload)
    assert new_driver(node.url, NOWHERE).verify(entry, payload) == Verified(BUYER, tx)


def test_a_lost_settlement_is_handed_in_again(node: Chain) -> None:
    entry = usdc_entry()
    payload = sign_transfer(entry)
    with facilitator(node.url, "good") as other:
        book = Book()
        new_driver(node.url, NOWHERE).send(entry, payload, book)
        rail = new_driver(node.url, other.url)
        assert isinstance(rail.reconcile(entry, payload, book.sent, book), Pending)
        assert other.requested_paths() == ["/settle"], "a process that never handed it in does so at once"
        assert isinstance(rail.reconcile(entry, payload, book.sent, book), Paid)
    assert RESEND_AFTER_S > 0


def test_the_authorization_decides_not_the_amount_of_transfers(node: Chain) -> None:
    """Two authorizations and one transfer between the same parties: only the one whose transfer follows it is paid."""
    entry = usdc_entry()
    rail = new_driver(node.url, NOWHERE)
    elsewhere = sign_transfer(entry)
    node.settle(elsewhere, move=False, extra=1)
    node.mine(4)
    assert rail.reconcile(entry, elsewhere, [], None) == CannotSucceed("authorization_cancelled")
    for bent in ({"to": SECOND}, {"value": "49999"}):
        payload = sign_transfer(entry)
        node.settle(payload, **bent)
        node.mine(4)
        assert rail.reconcile(entry, payload, [], None) == CannotSucceed("authorization_cancelled")


def test_cancelled_authorization_fails_cleanly(node: Chain) -> None:
    entry = usdc_entry()
    payload = sign_transfer(entry)
    rail = new_driver(node.url, NOWHERE)
    node.cancel(payload)
    assert isinstance(rail.verify(entry, payload), PaymentRefused)
    assert isinstance(rail.reconcile(entry, payload, [], None), Pending), "the newest blocks may go again"
    node.mine(4)
    assert rail.reconcile(entry, payload, [], None) == CannotSucceed("authorization_cancelled")


def test_a_transfer_counts_at_the_finality_of_the_rail(node: Chain) -> None:
    entry = usdc_entry()
    payload = sign_transfer(entry)
    rail = new_driver(node.url, NOWHERE, finality="finalized")
    tx = node.settle(payload)
    assert rail.reconcile(entry, payload, [], None) == Pending(tx, BUYER)
    node.reorganise(1)
    assert rail.reconcile(entry, payload, [], None) == Pending("", BUYER)
    tx = node.settle(payload)
    node.mine(2)
    assert rail.reconcile(entry, payload, [], None) == Paid(tx, BUYER)


def test_an_authorization_that_ended_unused_cannot_succeed(node: Chain) -> None:
    entry = usdc_entry()
    payload = sign_transfer(entry)
    rail = new_driver(node.url, NOWHERE)
    node.mine(1, seconds=NOW + 300 + 60 - node.blocks[-1].time)
    node.mine(3)
    assert isinstance(rail.reconcile(entry, payload, [], None), Pending), "not a second too early"
    node.mine(4)
    assert rail.reconcile(entry, payload, [], None) == CannotSucceed("authorization_expired")


def test_a_rail_says_why_it_cannot_open(node: Chain) -> None:
    with facilitator(node.url, "foreign") as other:
        assert "does not serve exact" in new_driver(node.url, other.url).health().reason
    rail = new_driver(node.url, NOWHERE)
    assert "does not answer" in rail.health().reason
    node.decimals = 18
    assert "18 decimals" in rail.health().reason
    node.decimals, node.domain = 6, "0x" + "00" * 32
    assert "another signing domain" in rail.health().reason
    node.id = 8453
    assert "eip155:8453" in rail.health().reason
    for url in ("http://example.org/", "http://10.0.0.1/", "https://user@example.org/"):
        with pytest.raises(DriverMissingError, match="facilitator_url"):
            new_driver(node.url, url)
