"""EIP-3009 and Permit2 authorizations before any chain is asked: their spelling, their rules and their signer."""

from pathlib import Path
from typing import Any

import pytest

from citepress_payments.ports.chain import Driver, PaymentRefused, Proven
from citepress_payments.simulated_chain.chain import BUYER
from citepress_payments.simulated_chain.store import SqlSimulatedChain
from support.buyers import (
    NOW,
    SECOND,
    SECOND_KEY,
    SELLER,
    USDC,
    WETH,
    sign_permit,
    sign_transfer,
    usdc_entry,
    weth_entry,
)
from support.simulated_chain import NONCE, TRANSACTION, VECTOR, Watch, chain_in, identity_of, simulated

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


def _bent(payload: dict[str, Any], inside: str, **changed: Any) -> dict[str, Any]:
    return {**payload, inside: {**payload[inside], **changed}}


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
    outcome = pure.identify(usdc_entry(), _bent(VECTOR, "authorization", **{member: spelled}))
    assert isinstance(outcome, PaymentRefused)
    assert outcome.reason == "invalid_payload"
    assert member in outcome.detail


STRANGE_ADDRESSES = [BUYER[2:], "0X" + BUYER[2:], BUYER + "0", BUYER[:-1], BUYER + "\n", "0x" + "g" * 40, "", None, 7]


@pytest.mark.parametrize("member", ["from", "to"])
@pytest.mark.parametrize("spelled", STRANGE_ADDRESSES)
def test_an_address_has_one_shape(pure: Driver, member: str, spelled: object) -> None:
    outcome = pure.identify(usdc_entry(), _bent(VECTOR, "authorization", **{member: spelled}))
    assert isinstance(outcome, PaymentRefused)
    assert outcome.reason == "invalid_payload"


def _signature(r: int, s: int, v: int) -> str:
    return f"0x{r:064x}{s:064x}{v:02x}"


R, S = (int(VECTOR["signature"][2 + place : 66 + place], 16) for place in (0, 64))  # type: ignore[index]


STRANGE_SIGNATURES = {
    "high s": _signature(R, ORDER - S, 28),
    "v 0": _signature(R, S, 0),
    "v 1": _signature(R, S, 1),
    "v 29": _signature(R, S, 29),
    "r 0": _signature(0, S, 27),
    "s 0": _signature(R, 0, 27),
    "r is the order": _signature(ORDER, S, 27),
    "64 bytes": _signature(R, S, 27)[:-2],
    "odd": _signature(R, S, 27) + "0",
    "bare": _signature(R, S, 27)[2:],
    "empty": "0x",
    "number": 27,
    "not deployed": "0x" + "00" * 64 + "6492" * 16,
    "huge": "0x" + "11" * 5000,
}


@pytest.mark.parametrize("name", STRANGE_SIGNATURES)
def test_a_signature_has_one_shape(pure: Driver, name: str) -> None:
    outcome = pure.identify(usdc_entry(), {**VECTOR, "signature": STRANGE_SIGNATURES[name]})
    assert isinstance(outcome, PaymentRefused)
    assert outcome.reason == "invalid_payload"


@pytest.mark.parametrize(
    "payload",
    [
        {},
        {"signature": VECTOR["signature"]},
        {**VECTOR, "more": 1},
        {**VECTOR, "authorization": None},
        {**VECTOR, "authorization": []},
        _bent(VECTOR, "authorization", more="1"),
        _bent(VECTOR, "authorization", nonce="0x12"),
        {"transaction": TRANSACTION},
    ],
)
def test_a_payload_has_the_members_of_its_scheme_and_no_others(pure: Driver, payload: dict[str, Any]) -> None:
    outcome = pure.identify(usdc_entry(), payload)
    assert isinstance(outcome, PaymentRefused)
    assert outcome.reason == "invalid_payload"
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
    outcome = pure.check(usdc_entry(), sign_transfer(usdc_entry(), **changed), NOW)
    assert isinstance(outcome, PaymentRefused)
    assert (outcome.reason, outcome.payer) == (code, BUYER)


@pytest.mark.parametrize(
    "changed", [{"validBefore": str(NOW + 10)}, {"validBefore": str(NOW + 900)}, {"validAfter": str(NOW)}]
)
def test_the_ends_of_the_rules_are_allowed(pure: Driver, changed: dict[str, str]) -> None:
    assert pure.check(usdc_entry(), sign_transfer(usdc_entry(), **changed), NOW) == Proven()


@pytest.mark.parametrize("payer", ["0x" + "0" * 40, SELLER, SELLER.lower()])
def test_nobody_and_the_seller_do_not_pay(pure: Driver, payer: str) -> None:
    outcome = pure.check(usdc_entry(), _bent(VECTOR, "authorization", **{"from": payer}), NOW)
    assert isinstance(outcome, PaymentRefused)
    assert outcome.reason == "invalid_payload"


@pytest.mark.parametrize("change", [{"from": SECOND}, {"nonce": "0x" + "11" * 32}, {"validBefore": "1795238699"}])
def test_what_was_changed_after_signing_is_refused(pure: Driver, change: dict[str, str]) -> None:
    outcome = pure.check(usdc_entry(), _bent(VECTOR, "authorization", **change), NOW)
    assert isinstance(outcome, PaymentRefused)
    assert outcome.reason == "invalid_exact_evm_payload_signature"


@pytest.mark.parametrize("extra", [{"name": "USD Coin"}, {"version": "1"}])
def test_a_signature_for_another_domain_is_refused(pure: Driver, extra: dict[str, str]) -> None:
    entry = usdc_entry()
    outcome = pure.check(entry, sign_transfer({**entry, "extra": {**entry["extra"], **extra}}), NOW)
    assert outcome == PaymentRefused("invalid_exact_evm_payload_signature", payer=BUYER)
    elsewhere = sign_transfer({**entry, "network": "eip155:8453"})
    assert pure.check(entry, elsewhere, NOW) == PaymentRefused("invalid_exact_evm_payload_signature", payer=BUYER)


def test_a_signature_that_no_key_can_have_made_is_refused(pure: Driver) -> None:
    outcome = pure.check(usdc_entry(), {**VECTOR, "signature": _signature(5, S, 27)}, NOW)
    assert outcome == PaymentRefused("invalid_exact_evm_payload_signature", payer=BUYER)


def test_a_contract_wallet_does_not_live_here(usdc: Driver) -> None:
    long = {**VECTOR, "signature": "0x" + "22" * 97}
    assert identity_of(usdc, usdc_entry(), long).payer == BUYER
    outcome = usdc.check(usdc_entry(), long, NOW)
    assert isinstance(outcome, PaymentRefused)
    assert "contract wallets" in outcome.detail


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
    outcome = pure_weth.check(weth_entry(), sign_permit(weth_entry(), **changed), NOW)
    assert isinstance(outcome, PaymentRefused)
    assert (outcome.reason, outcome.payer) == (code, BUYER)


def test_a_permit_that_another_signed_is_refused(weth: Driver) -> None:
    payload = _bent(sign_permit(weth_entry(), key=SECOND_KEY), "permit2Authorization", **{"from": BUYER})
    assert weth.check(weth_entry(), payload, NOW) == PaymentRefused("invalid_permit2_signature", payer=BUYER)
