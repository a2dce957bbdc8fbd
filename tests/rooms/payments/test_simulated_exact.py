from pathlib import Path
from typing import Any

import pytest

from citepress.base.canonical import digest
from citepress.payments import terms
from citepress.payments.chains.evm import authorization
from citepress.payments.chains.simulated.chain import BUYER, BUYER_SVM, COIN_SEED, TOKEN_SEED
from citepress.payments.ports import CannotSucceed, Driver, Health, Identity, Paid, PaymentRefused, Pending, Proven, Unreachable, Verified
from citepress.stores.sql.payments.simulated import SqlSimulatedChain
from support.paying import (
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
from support.simulating import Book, Watch, chain_in, simulated
from support.stores import opened

TRANSACTION = "0x9bfe443c692877395d3114dffc11a38a4ba339d57ee85addde6117f1105e4c85"
NONCE = "0x0e21ecc186b0f4a3f098c04238dfb3e20ba9f5a540c0e5ff1b2d7290ec2a123d"
VECTOR = {
    "authorization": {
        "from": "0x70997970C51812dc3A010C7d01b50e0d17dc79C8", "to": "0x9965507D1a55bcC2695C58ba16FB37d819B0A4dc", "value": "50000",
        "validAfter": "0", "validBefore": "1795238700", "nonce": NONCE,
    },
    "signature": "0x51bf9310385cfc175b339d2236dbce518746d1d8096dca2e7112750a66b09ae4577b3d3285a70dbec78ee2aab4e5ead11cac96416905fee74412ef22304d91dd1b",
}  # fmt: skip
"""What the published buyer signs in the first example of the design."""
ORDER = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141


@pytest.fixture
def chain(tmp_path: Path) -> SqlSimulatedChain:
    return chain_in(tmp_path)


@pytest.fixture(scope="module")
def pure(tmp_path_factory: pytest.TempPathFactory) -> Driver:
    """``base-usdc`` for what asks no chain; its store is made once."""
    return simulated("base-usdc", chain_in(tmp_path_factory.mktemp("chain")), Watch())


@pytest.fixture(scope="module")
def pure_weth(tmp_path_factory: pytest.TempPathFactory) -> Driver:
    return simulated("base-weth", chain_in(tmp_path_factory.mktemp("chain")), Watch())


@pytest.fixture
def watch() -> Watch:
    return Watch()


@pytest.fixture
def usdc(chain: SqlSimulatedChain, watch: Watch) -> Driver:
    return simulated("base-usdc", chain, watch)


@pytest.fixture
def weth(chain: SqlSimulatedChain, watch: Watch) -> Driver:
    return simulated("base-weth", chain, watch)


def _identity(driver_: Driver, entry: Any, payload: Any) -> Identity:
    told = driver_.identify(entry, payload)
    assert isinstance(told, Identity), told
    return told


def _bent(payload: dict[str, Any], inside: str, **changed: Any) -> dict[str, Any]:
    return {**payload, inside: {**payload[inside], **changed}}


def test_the_golden_payment_is_recognised_proven_and_made_under_its_published_id(usdc: Driver, chain: SqlSimulatedChain) -> None:
    entry, book = usdc_entry(), Book()
    assert terms.terms_hash(entry, PRODUCT) == "0x798171f2f0a0298b8afb6efde83981c21d6cffa1117044ae10a0049c2778c344"
    assert digest(terms.evidence(VECTOR).encode()).startswith("b44a9ae6")
    assert digest(terms.evidence(VECTOR).encode()).endswith("9814")
    key = f"eip3009|eip155:84532|{USDC[1].lower()}|{BUYER.lower()}|{NONCE}"
    assert usdc.identify(entry, VECTOR) == Identity(key, BUYER)
    assert usdc.check(entry, VECTOR, NOW) == Proven()
    assert authorization.signer(entry, authorization.read(entry, VECTOR)) == BUYER
    assert usdc.verify(entry, VECTOR) == Verified(BUYER)
    usdc.send(entry, VECTOR, book)
    assert [sent.tx for sent in book.sent] == [TRANSACTION]
    assert usdc.reconcile(entry, VECTOR, book.sent, None) == Paid(TRANSACTION, BUYER)
    assert (chain.balance(*USDC, BUYER), chain.balance(*USDC, SELLER)) == (TOKEN_SEED - 50_000, 50_000)


def test_the_published_buyer_begins_with_money_on_every_test_rail_and_nobody_else_does(chain: SqlSimulatedChain) -> None:
    assert [chain.balance(*place, BUYER) for place in (USDC, WETH, BNB)] == [TOKEN_SEED, COIN_SEED, COIN_SEED]
    assert [chain.balance(*place, SECOND) for place in (USDC, WETH, BNB)] == [0, 0, 0]
    assert chain.balance("eip155:8453", "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913", BUYER) == 0
    assert chain.balance("solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1", "native", BUYER_SVM) == TOKEN_SEED


def test_a_wallet_that_signs_elsewhere_is_believed(usdc: Driver, weth: Driver) -> None:
    for driver_, entry, payload in (
        (usdc, usdc_entry(), sign_transfer(usdc_entry(), key=SECOND_KEY)),
        (weth, weth_entry(), sign_permit(weth_entry(), key=SECOND_KEY)),
    ):
        assert _identity(driver_, entry, payload).payer == SECOND
        assert driver_.check(entry, payload, NOW) == Proven()


def test_permit2_counts_its_nonces_for_all_tokens_of_a_payer(weth: Driver, chain: SqlSimulatedChain) -> None:
    entry, book = weth_entry(), Book()
    payload = sign_permit(entry, nonce="7")
    assert _identity(weth, entry, payload).key == f"permit2|eip155:84532|{BUYER.lower()}|7"
    weth.send(entry, payload, book)
    assert chain.balance(*WETH, SELLER) == int(entry["amount"])
    other = {**weth_entry(), "asset": USDC[1]}
    assert weth.verify(other, sign_permit(other, nonce="7")) == PaymentRefused("invalid_exact_evm_nonce_already_used", payer=BUYER)


def test_the_spelling_of_hexadecimal_digits_does_not_make_another_payment(usdc: Driver) -> None:
    entry, upper = usdc_entry(), NONCE.upper().replace("0X", "0x")
    spelled = _bent(VECTOR, "authorization", **{"from": BUYER.lower(), "to": SELLER.lower(), "nonce": upper})
    assert usdc.identify(entry, spelled) == usdc.identify(entry, VECTOR)
    assert usdc.check(entry, spelled, NOW) == Proven()


STRANGE_AMOUNTS = [
    "",
    " 50000",
    "50000 ",
    "+50000",
    "-1",
    "50_000",
    "050000",
    "5e4",
    "50000.0",
    "50000\n",
    "\u0665\u0660\u0660",
    "0xc350",
    "9" * 79,
    str(2**256),
]


@pytest.mark.parametrize("member", ["value", "validAfter", "validBefore"])
@pytest.mark.parametrize("spelled", [*STRANGE_AMOUNTS, 50_000, None, True, ["50000"]])
def test_an_amount_or_time_has_one_spelling(pure: Driver, member: str, spelled: object) -> None:
    told = pure.identify(usdc_entry(), _bent(VECTOR, "authorization", **{member: spelled}))
    assert isinstance(told, PaymentRefused)
    assert told.reason == "invalid_payload"
    assert member in told.detail


STRANGE_ADDRESSES = [BUYER[2:], "0X" + BUYER[2:], BUYER + "0", BUYER[:-1], BUYER + "\n", "0x" + "g" * 40, "", None, 7]


@pytest.mark.parametrize("member", ["from", "to"])
@pytest.mark.parametrize("spelled", STRANGE_ADDRESSES)
def test_an_address_has_one_shape(pure: Driver, member: str, spelled: object) -> None:
    told = pure.identify(usdc_entry(), _bent(VECTOR, "authorization", **{member: spelled}))
    assert isinstance(told, PaymentRefused)
    assert told.reason == "invalid_payload"


def _signature(r: int, s: int, v: int) -> str:
    return f"0x{r:064x}{s:064x}{v:02x}"


R, S = (int(VECTOR["signature"][2 + place : 66 + place], 16) for place in (0, 64))  # type: ignore[index]
STRANGE_SIGNATURES = {
    "high s": _signature(R, ORDER - S, 28), "v 0": _signature(R, S, 0), "v 1": _signature(R, S, 1), "v 29": _signature(R, S, 29),
    "r 0": _signature(0, S, 27), "s 0": _signature(R, 0, 27), "r is the order": _signature(ORDER, S, 27),
    "64 bytes": _signature(R, S, 27)[:-2], "odd": _signature(R, S, 27) + "0", "bare": _signature(R, S, 27)[2:], "empty": "0x",
    "number": 27, "not deployed": "0x" + "00" * 64 + "6492" * 16, "huge": "0x" + "11" * 5000,
}  # fmt: skip


@pytest.mark.parametrize("name", STRANGE_SIGNATURES)
def test_a_signature_has_one_shape(pure: Driver, name: str) -> None:
    told = pure.identify(usdc_entry(), {**VECTOR, "signature": STRANGE_SIGNATURES[name]})
    assert isinstance(told, PaymentRefused)
    assert told.reason == "invalid_payload"


@pytest.mark.parametrize(
    "payload",
    [
        {}, {"signature": VECTOR["signature"]}, {**VECTOR, "more": 1}, {**VECTOR, "authorization": None}, {**VECTOR, "authorization": []},
        _bent(VECTOR, "authorization", more="1"), _bent(VECTOR, "authorization", nonce="0x12"), {"transaction": TRANSACTION},
    ],
)  # fmt: skip
def test_a_payload_has_the_members_of_its_scheme_and_no_others(pure: Driver, payload: dict[str, Any]) -> None:
    told = pure.identify(usdc_entry(), payload)
    assert isinstance(told, PaymentRefused)
    assert told.reason == "invalid_payload"
    assert isinstance(pure.check(usdc_entry(), payload, NOW), PaymentRefused)


TIMES = "invalid_exact_evm_payload_authorization_valid_"
CHANGES = {
    "another recipient": ({"to": SECOND}, "recipient_mismatch"),
    "less": ({"value": "49999"}, "amount_mismatch"),
    "more": ({"value": "50001"}, "amount_mismatch"),
    "from later on": ({"validAfter": str(NOW + 1)}, TIMES + "after"),
    "almost over": ({"validBefore": str(NOW + 9)}, TIMES + "before"),
    "good for too long": ({"validBefore": str(NOW + 901)}, TIMES + "before"),
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_signed_authorization_that_breaks_a_rule_is_refused(pure: Driver, name: str) -> None:
    changed, code = CHANGES[name]
    told = pure.check(usdc_entry(), sign_transfer(usdc_entry(), **changed), NOW)
    assert isinstance(told, PaymentRefused)
    assert (told.reason, told.payer) == (code, BUYER)


@pytest.mark.parametrize("changed", [{"validBefore": str(NOW + 10)}, {"validBefore": str(NOW + 900)}, {"validAfter": str(NOW)}])
def test_the_ends_of_the_rules_are_allowed(pure: Driver, changed: dict[str, str]) -> None:
    assert pure.check(usdc_entry(), sign_transfer(usdc_entry(), **changed), NOW) == Proven()


@pytest.mark.parametrize("payer", ["0x" + "0" * 40, SELLER, SELLER.lower()])
def test_nobody_and_the_seller_do_not_pay(pure: Driver, payer: str) -> None:
    told = pure.check(usdc_entry(), _bent(VECTOR, "authorization", **{"from": payer}), NOW)
    assert isinstance(told, PaymentRefused)
    assert told.reason == "invalid_payload"


@pytest.mark.parametrize("change", [{"from": SECOND}, {"nonce": "0x" + "11" * 32}, {"validBefore": "1795238699"}])
def test_what_was_changed_after_signing_is_refused(pure: Driver, change: dict[str, str]) -> None:
    told = pure.check(usdc_entry(), _bent(VECTOR, "authorization", **change), NOW)
    assert isinstance(told, PaymentRefused)
    assert told.reason == "invalid_exact_evm_payload_signature"


@pytest.mark.parametrize("extra", [{"name": "USD Coin"}, {"version": "1"}])
def test_a_signature_for_another_domain_is_refused(pure: Driver, extra: dict[str, str]) -> None:
    entry = usdc_entry()
    told = pure.check(entry, sign_transfer({**entry, "extra": {**entry["extra"], **extra}}), NOW)
    assert told == PaymentRefused("invalid_exact_evm_payload_signature", payer=BUYER)
    elsewhere = sign_transfer({**entry, "network": "eip155:8453"})
    assert pure.check(entry, elsewhere, NOW) == PaymentRefused("invalid_exact_evm_payload_signature", payer=BUYER)


def test_a_signature_that_no_key_can_have_made_is_refused(pure: Driver) -> None:
    told = pure.check(usdc_entry(), {**VECTOR, "signature": _signature(5, S, 27)}, NOW)
    assert told == PaymentRefused("invalid_exact_evm_payload_signature", payer=BUYER)


def test_a_contract_wallet_does_not_live_here(usdc: Driver) -> None:
    long = {**VECTOR, "signature": "0x" + "22" * 97}
    assert _identity(usdc, usdc_entry(), long).payer == BUYER
    told = usdc.check(usdc_entry(), long, NOW)
    assert isinstance(told, PaymentRefused)
    assert "contract wallets" in told.detail


PERMITS = {
    "another recipient": ({"witness": {"to": SECOND, "validAfter": "0"}}, "recipient_mismatch"),
    "another amount": ({"permitted": {"token": WETH[1], "amount": "1"}}, "amount_mismatch"),
    "another token": ({"permitted": {"token": USDC[1], "amount": "20000000000000"}}, "permit2_token_mismatch"),
    "another spender": ({"spender": SECOND}, "invalid_permit2_spender"),
    "from later on": ({"witness": {"to": SELLER, "validAfter": str(NOW + 1)}}, "permit2_not_yet_valid"),
    "almost over": ({"deadline": str(NOW + 9)}, "permit2_deadline_expired"),
    "good for too long": ({"deadline": str(NOW + 721)}, "permit2_deadline_expired"),
}


@pytest.mark.parametrize("name", PERMITS)
def test_a_signed_permit_that_breaks_a_rule_is_refused(pure_weth: Driver, name: str) -> None:
    changed, code = PERMITS[name]
    told = pure_weth.check(weth_entry(), sign_permit(weth_entry(), **changed), NOW)
    assert isinstance(told, PaymentRefused)
    assert (told.reason, told.payer) == (code, BUYER)


def test_a_permit_that_another_signed_is_refused(weth: Driver) -> None:
    payload = _bent(sign_permit(weth_entry(), key=SECOND_KEY), "permit2Authorization", **{"from": BUYER})
    assert weth.check(weth_entry(), payload, NOW) == PaymentRefused("invalid_permit2_signature", payer=BUYER)


def test_an_empty_wallet_is_refused_before_anything_is_sent(usdc: Driver, chain: SqlSimulatedChain) -> None:
    entry = usdc_entry()
    assert usdc.verify(entry, sign_transfer(entry, key=SECOND_KEY)) == PaymentRefused("insufficient_funds", payer=SECOND)
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
