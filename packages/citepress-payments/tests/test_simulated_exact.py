"""EIP-3009 and Permit2 payments on the simulated chain: what is sent, found and never sent twice."""

from pathlib import Path
from typing import Any

import pytest

from citepress.base.canonical import digest
from citepress_payments import terms
from citepress_payments.chains.evm import authorization
from citepress_payments.ports.chain import (
    CannotSucceed,
    Driver,
    Health,
    Identity,
    Paid,
    PaymentRefused,
    Pending,
    Proven,
    Unreachable,
    Verified,
)
from citepress_payments.simulated_chain.chain import BUYER, BUYER_SVM, COIN_SEED, TOKEN_SEED
from citepress_payments.simulated_chain.store import SqlSimulatedChain
from support.buyers import (
    BNB,
    NOW,
    PRODUCT,
    SECOND,
    SECOND_KEY,
    SELLER,
    USDC,
    WETH,
    give,
    sign_permit,
    sign_transfer,
    usdc_entry,
    weth_entry,
)
from support.simulated_chain import NONCE, TRANSACTION, VECTOR, Book, Watch, chain_in, identity_of, simulated
from support.stores import opened


@pytest.fixture
def chain(tmp_path: Path) -> SqlSimulatedChain:
    return chain_in(tmp_path)


@pytest.fixture
def watch() -> Watch:
    return Watch()


@pytest.fixture
def usdc(chain: SqlSimulatedChain, watch: Watch) -> Driver:
    return simulated("base-usdc", chain, watch)


@pytest.fixture
def weth(chain: SqlSimulatedChain, watch: Watch) -> Driver:
    return simulated("base-weth", chain, watch)


def _bent(payload: dict[str, Any], inside: str, **changed: Any) -> dict[str, Any]:
    return {**payload, inside: {**payload[inside], **changed}}


def test_the_golden_payment_is_recognised_proven_and_made_under_its_published_id(
    usdc: Driver, chain: SqlSimulatedChain
) -> None:
    entry, book = usdc_entry(), Book()
    assert terms.terms_hash(entry, PRODUCT) == "0x798171f2f0a0298b8afb6efde83981c21d6cffa1117044ae10a0049c2778c344"
    assert digest(terms.evidence(VECTOR).encode()).startswith("b44a9ae6")
    assert digest(terms.evidence(VECTOR).encode()).endswith("9814")
    key = f"eip3009|eip155:84532|{USDC[1].lower()}|{BUYER.lower()}|{NONCE}"
    assert usdc.identify(entry, VECTOR) == Identity(key, BUYER)
    assert usdc.check(entry, VECTOR, NOW) == Proven()
    assert authorization.signer(entry, authorization.read_authorization(entry, VECTOR)) == BUYER
    assert usdc.verify(entry, VECTOR) == Verified(BUYER)
    usdc.send(entry, VECTOR, book)
    assert [sent.tx for sent in book.sent] == [TRANSACTION]
    assert usdc.reconcile(entry, VECTOR, book.sent, None) == Paid(TRANSACTION, BUYER)
    assert (chain.balance(*USDC, BUYER), chain.balance(*USDC, SELLER)) == (TOKEN_SEED - 50_000, 50_000)


def test_the_published_buyer_begins_with_money_on_every_test_rail_and_nobody_else_does(
    chain: SqlSimulatedChain,
) -> None:
    assert [chain.balance(*place, BUYER) for place in (USDC, WETH, BNB)] == [TOKEN_SEED, COIN_SEED, COIN_SEED]
    assert [chain.balance(*place, SECOND) for place in (USDC, WETH, BNB)] == [0, 0, 0]
    assert chain.balance("eip155:8453", "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913", BUYER) == 0
    assert chain.balance("solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1", "native", BUYER_SVM) == TOKEN_SEED


def test_a_wallet_that_signs_elsewhere_is_believed(usdc: Driver, weth: Driver) -> None:
    for driver_, entry, payload in (
        (usdc, usdc_entry(), sign_transfer(usdc_entry(), key=SECOND_KEY)),
        (weth, weth_entry(), sign_permit(weth_entry(), key=SECOND_KEY)),
    ):
        assert identity_of(driver_, entry, payload).payer == SECOND
        assert driver_.check(entry, payload, NOW) == Proven()


def test_permit2_counts_its_nonces_for_all_tokens_of_a_payer(weth: Driver, chain: SqlSimulatedChain) -> None:
    entry, book = weth_entry(), Book()
    payload = sign_permit(entry, nonce="7")
    assert identity_of(weth, entry, payload).key == f"permit2|eip155:84532|{BUYER.lower()}|7"
    weth.send(entry, payload, book)
    assert chain.balance(*WETH, SELLER) == int(entry["amount"])
    other = {**weth_entry(), "asset": USDC[1]}
    assert weth.verify(other, sign_permit(other, nonce="7")) == PaymentRefused(
        "invalid_exact_evm_nonce_already_used", payer=BUYER
    )


def test_an_empty_wallet_is_refused_before_anything_is_sent(usdc: Driver, chain: SqlSimulatedChain) -> None:
    entry = usdc_entry()
    assert usdc.verify(entry, sign_transfer(entry, key=SECOND_KEY)) == PaymentRefused(
        "insufficient_funds", payer=SECOND
    )
    give(chain, USDC, SECOND, 50_000)
    assert usdc.verify(entry, sign_transfer(entry, key=SECOND_KEY)) == Verified(SECOND)


def test_sending_twice_moves_money_once(usdc: Driver, chain: SqlSimulatedChain) -> None:
    entry, book = usdc_entry(), Book()
    usdc.send(entry, VECTOR, book)
    usdc.send(entry, VECTOR, book)
    assert {sent.tx for sent in book.sent} == {TRANSACTION}
    assert chain.balance(*USDC, SELLER) == 50_000
    assert usdc.verify(entry, VECTOR) == Verified(BUYER, TRANSACTION)


def test_nothing_is_sent_that_was_not_journaled(usdc: Driver, chain: SqlSimulatedChain) -> None:
    def refuse(_plan: object) -> Any:
        raise RuntimeError("no journal")

    with pytest.raises(RuntimeError, match="no journal"):
        usdc.send(usdc_entry(), VECTOR, refuse)
    assert chain.balance(*USDC, SELLER) == 0


def test_what_was_journaled_and_never_sent_is_sent_by_recovery(usdc: Driver, chain: SqlSimulatedChain) -> None:
    book = Book()
    usdc.send(usdc_entry(), VECTOR, book)
    fresh = {**VECTOR, "authorization": {**sign_transfer(usdc_entry())["authorization"]}}
    assert usdc.reconcile(usdc_entry(), fresh, [], None) == Pending("", BUYER)
    assert chain.balance(*USDC, SELLER) == 50_000
    unsent = sign_transfer(usdc_entry())
    journaled = Book()
    journaled.sent = [book.sent[0].__class__(1, "0x" + "5a" * 32, b"", "", None, "pay", NOW)]
    assert usdc.reconcile(usdc_entry(), unsent, journaled.sent, None) == Paid("0x" + "5a" * 32, BUYER)
    assert chain.balance(*USDC, SELLER) == 100_000


def test_a_transfer_that_somebody_else_sent_first_is_paid(usdc: Driver, chain: SqlSimulatedChain) -> None:
    entry, book, front = usdc_entry(), Book(), "0x" + "ff" * 32
    chain.transfer(*USDC, BUYER, SELLER, 50_000, f"{USDC[1]}|{NONCE}", front, "", NOW)
    usdc.send(entry, VECTOR, book)
    assert usdc.reconcile(entry, VECTOR, book.sent, None) == Paid(front, BUYER)
    assert chain.balance(*USDC, SELLER) == 50_000


def test_a_cancelled_authorization_cannot_succeed(usdc: Driver, chain: SqlSimulatedChain) -> None:
    cancel = "0x" + "cc" * 32
    chain.transfer(*USDC, BUYER, BUYER, 0, f"{USDC[1]}|{NONCE}", cancel, "", NOW)
    assert usdc.verify(usdc_entry(), VECTOR) == PaymentRefused("invalid_exact_evm_nonce_already_used", payer=BUYER)
    book = Book()
    usdc.send(usdc_entry(), VECTOR, book)
    assert usdc.reconcile(usdc_entry(), VECTOR, book.sent, None) == CannotSucceed("authorization_cancelled", cancel)
    assert chain.balance(*USDC, SELLER) == 0


def test_a_wallet_that_was_emptied_in_between_stays_pending_until_the_authorization_is_over(
    usdc: Driver, chain: SqlSimulatedChain, watch: Watch
) -> None:
    give(chain, USDC, SECOND, 50_000)
    entry, book = usdc_entry(), Book()
    payload = sign_transfer(entry, key=SECOND_KEY)
    chain.transfer(*USDC, SECOND, BUYER, 50_000, "away", "0x" + "aa" * 32, "", NOW)
    usdc.send(entry, payload, book)
    tx = book.sent[0].tx
    assert usdc.reconcile(entry, payload, book.sent, None) == Pending(tx, SECOND)
    watch.now = NOW + 360
    assert usdc.reconcile(entry, payload, book.sent, None) == Pending(tx, SECOND)
    give(chain, USDC, SECOND, 50_001)
    watch.now = NOW + 361
    assert usdc.reconcile(entry, payload, book.sent, None) == CannotSucceed("authorization_expired", tx)
    assert chain.balance(*USDC, SELLER) == 0


def test_a_rail_may_wait_for_finality(chain: SqlSimulatedChain, watch: Watch) -> None:
    careful, book = simulated("base-usdc", chain, watch, finality="finalized"), Book()
    careful.send(usdc_entry(), VECTOR, book)
    watch.now = NOW + 2
    assert careful.reconcile(usdc_entry(), VECTOR, book.sent, None) == Pending(TRANSACTION, BUYER)
    watch.now = NOW + 3
    assert careful.reconcile(usdc_entry(), VECTOR, book.sent, None) == Paid(TRANSACTION, BUYER)


def test_a_store_that_is_away_is_a_chain_that_is_away(tmp_path: Path, watch: Watch) -> None:
    database = opened(str(tmp_path / "state.sqlite"))
    driver_ = simulated("base-usdc", SqlSimulatedChain(database), watch)
    assert driver_.health() == Health(available=True)
    database.close()
    (tmp_path / "state.sqlite").write_bytes(b"no database " * 1000)
    assert isinstance(driver_.verify(usdc_entry(), VECTOR), Unreachable)
    assert isinstance(driver_.reconcile(usdc_entry(), VECTOR, [], None), Unreachable)
    assert not driver_.health().available


def test_the_entries_say_that_they_are_simulated(usdc: Driver) -> None:
    assert usdc.extra() == {"simulated": True}
