from pathlib import Path
from typing import Any

import pytest

from citepress_payments.ports.chain import (
    CannotSucceed,
    Driver,
    Identity,
    Paid,
    PaymentRefused,
    Pending,
    Undecided,
    Verified,
)
from citepress_payments.simulated_chain.chain import BUYER, BUYER_SVM
from citepress_payments.simulated_chain.native import send_native
from citepress_payments.simulated_chain.store import SqlSimulatedChain
from citepress_payments.terms import terms_hash
from support.buyers import BNB, NOW, PRODUCT, SECOND, SELLER, USDC, entry_of, native_entry, pay_native
from support.simulated_chain import Watch, chain_in, simulated

PRICE = 82_462_442_847_812
HASH = "0x" + "7a" * 32
SOLANA = ("solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1", "native")
PUBLISHED = {
    "scheme": "exact-direct",
    "network": "eip155:56",
    "asset": "native",
    "amount": "82462442847812",
    "payTo": "0x9965507D1a55bcC2695C58ba16FB37d819B0A4dc",
    "maxTimeoutSeconds": 900,
    "extra": {
        "paymentFlow": "upfront",
        "assetTransferMethod": "transaction-proof",
        "rail": "bsc-bnb",
        "usd": "0.05",
        "quoteId": "q_Zm9ydHktdHdvLXNoZWVwcw",
        "bodySha256": "8642c2f86737bbea0c3507c02fb646e7056f85a235a666e255bdffdd9424f532",
        "resultCommitment": "0x77a5e1876089141274369015a99bfdc12338c766329bb054afcd73565f1c0168",
        "expiresAt": 1795239300,
        "finality": "finalized",
    },
}
"""The native entry of the design, without what carries its hash."""


@pytest.fixture
def chain(tmp_path: Path) -> SqlSimulatedChain:
    return chain_in(tmp_path)


@pytest.fixture
def watch() -> Watch:
    return Watch()


@pytest.fixture
def bnb(chain: SqlSimulatedChain, watch: Watch) -> Driver:
    return simulated("bsc-bnb", chain, watch)


def test_the_published_entry_has_the_published_hash() -> None:
    assert terms_hash(PUBLISHED, PRODUCT) == "0x7ad1aa9e6f445226091c058ad86c60912815662fdf1d580e02c632622381f344"


def test_an_exact_final_transfer_in_time_is_paid_for_good(bnb: Driver, chain: SqlSimulatedChain, watch: Watch) -> None:
    entry = native_entry()
    payload = pay_native(chain, entry)
    tx = payload["transaction"]
    assert bnb.identify(entry, payload) == Identity(f"native|eip155:97|{tx}", "")
    assert bnb.check(entry, payload, NOW) == Undecided()
    watch.now = NOW + 3
    assert bnb.verify(entry, payload) == Verified(BUYER, tx)
    assert bnb.reconcile(entry, payload, [], None) == Paid(tx, BUYER)
    assert chain.balance(*BNB, SELLER) == PRICE


MATRIX: dict[str, tuple[dict[str, Any], str]] = {
    "under": ({"amount": PRICE - 1}, "amount_mismatch"),
    "over": ({"amount": PRICE + 1}, "amount_mismatch"),
    "double": ({"amount": 2 * PRICE}, "amount_mismatch"),
    "nothing": ({"amount": 0}, "amount_mismatch"),
    "wrong data": ({"data": HASH}, "terms_hash_mismatch"),
    "no data": ({"data": "0x"}, "terms_hash_mismatch"),
    "hash and more": ({"data": native_entry()["extra"]["data"] + "00"}, "terms_hash_mismatch"),
    "to another": ({"to": SECOND}, "recipient_mismatch"),
    "late": ({"now": NOW + 961}, "paid_too_late"),
}


@pytest.mark.parametrize("name", MATRIX)
def test_native_matrix(bnb: Driver, chain: SqlSimulatedChain, watch: Watch, name: str) -> None:
    bent, code = MATRIX[name]
    entry = native_entry()
    payload = pay_native(chain, entry, **bent)
    watch.now = NOW + 2000
    outcome = bnb.verify(entry, payload)
    assert isinstance(outcome, PaymentRefused)
    assert outcome.reason == code
    assert bnb.reconcile(entry, payload, [], None) == CannotSucceed(code)


def test_a_token_instead_of_the_coin_is_refused(bnb: Driver, chain: SqlSimulatedChain, watch: Watch) -> None:
    entry = native_entry(50_000)
    tx = chain.transfer(BNB[0], USDC[1], BUYER, SELLER, 0, "n", HASH, entry["extra"]["data"], NOW)
    watch.now = NOW + 3
    outcome = bnb.verify(entry, {"transaction": tx})
    assert isinstance(outcome, PaymentRefused)
    assert outcome.reason == "recipient_mismatch"


def test_the_last_block_in_time_counts(bnb: Driver, chain: SqlSimulatedChain, watch: Watch) -> None:
    payload = pay_native(chain, native_entry(), now=NOW + 960)
    watch.now = NOW + 963
    assert bnb.verify(native_entry(), payload) == Verified(BUYER, payload["transaction"])


def test_a_transfer_is_pending_until_three_blocks_stand_on_it(
    bnb: Driver, chain: SqlSimulatedChain, watch: Watch
) -> None:
    payload = pay_native(chain, native_entry())
    tx = payload["transaction"]
    for watch.now in (NOW, NOW + 2):
        assert bnb.verify(native_entry(), payload) == Pending(tx, BUYER)
    watch.now = NOW + 3
    assert bnb.verify(native_entry(), payload) == Verified(BUYER, tx)


def test_a_transaction_that_nobody_knows_is_pending(bnb: Driver) -> None:
    assert bnb.verify(native_entry(), {"transaction": HASH}) == Pending(HASH)


def test_a_transfer_for_one_quote_does_not_pay_another(bnb: Driver, chain: SqlSimulatedChain, watch: Watch) -> None:
    payload = pay_native(chain, native_entry())
    watch.now = NOW + 3
    outcome = bnb.verify(native_entry(quoteId="q_AAAAAAAAAAAAAAAAAAAAAA"), payload)
    assert isinstance(outcome, PaymentRefused)
    assert outcome.reason == "terms_hash_mismatch"


def test_the_hash_of_a_transaction_has_one_key_in_whatever_spelling(bnb: Driver) -> None:
    entry = native_entry()
    assert bnb.identify(entry, {"transaction": "0X" + HASH[2:].upper()}) == bnb.identify(entry, {"transaction": HASH})


@pytest.mark.parametrize(
    "payload",
    [
        {},
        {"transaction": HASH[2:]},
        {"transaction": HASH + "0"},
        {"transaction": HASH + "\n"},
        {"transaction": 7},
        {"transaction": HASH, "x": 1},
    ],
)
def test_anything_else_is_no_transaction(bnb: Driver, payload: dict[str, Any]) -> None:
    outcome = bnb.identify(native_entry(), payload)
    assert isinstance(outcome, PaymentRefused)
    assert outcome.reason == "invalid_payload"
    assert bnb.verify(native_entry(), payload) == outcome


def test_the_buyer_sends_itself(bnb: Driver) -> None:
    with pytest.raises(RuntimeError, match="buyer"):
        bnb.send(native_entry(), {"transaction": HASH}, lambda _: pytest.fail("journaled"))


def test_two_alike_transfers_are_two_transactions_and_one_repeated_is_one(chain: SqlSimulatedChain) -> None:
    entry = native_entry()
    first, again, other = (send_native(chain, entry, BUYER, NOW, nonce=nonce) for nonce in (0, 0, 1))
    assert first == again != other
    assert chain.balance(*BNB, SELLER) == 2 * PRICE


def test_more_than_an_account_holds_is_not_sent(chain: SqlSimulatedChain) -> None:
    with pytest.raises(ValueError, match="insufficient_funds"):
        send_native(chain, native_entry(), SECOND, NOW)
    assert chain.balance(*BNB, SELLER) == 0


def test_sol_is_paid_with_a_memo(chain: SqlSimulatedChain, watch: Watch) -> None:
    sol = simulated("solana-sol", chain, watch)
    entry = entry_of("native", SOLANA, 320_000, 900, rail="solana-sol")
    payload = pay_native(chain, entry, payer=BUYER_SVM)
    tx = payload["transaction"]
    assert sol.identify(entry, payload) == Identity(f"native|{SOLANA[0]}|{tx}", "")
    assert sol.verify(entry, payload) == Pending(tx, BUYER_SVM)
    watch.now = NOW + 3
    assert sol.verify(entry, payload) == Verified(BUYER_SVM, tx)
    outcome = sol.verify(entry, pay_native(chain, entry, payer=BUYER_SVM, data=entry["extra"]["termsHash"], nonce=1))
    assert isinstance(outcome, PaymentRefused)
    assert outcome.reason == "terms_hash_mismatch"
