"""Contract wallets (EIP-1271) whose signatures are as long as a key's: the contract on the chain decides."""

from collections.abc import Iterator
from typing import Any

import pytest
from eth_account import Account
from eth_utils.crypto import keccak

from citepress_payments.chains.evm import authorization, contract_wallet
from citepress_payments.chains.evm.client import EvmChain
from citepress_payments.chains.evm.reader import reader
from citepress_payments.chains.jsonrpc import Rpc, UnreachableError
from citepress_payments.ports.chain import PaymentRefused, Proven, Undecided
from support.buyers import BUYER, NOW, SECOND_KEY, sign_permit, sign_transfer, usdc_entry, weth_entry
from support.evm import Chain, chain
from support.simulated_chain import Watch, opened_rail

WALLET = "0x1111111111111111111111111111111111111111"
MAGIC, NO = "0x1626ba7e" + "0" * 56, "0xffffffff" + "0" * 56


@pytest.fixture
def node() -> Iterator[Chain]:
    with chain(opened_rail("base-usdc")) as here:
        yield here


def by_owner(entry: Any) -> Any:
    """A payment from the wallet, signed by its owner's key: 65 bytes like anybody's."""
    sign = sign_permit if entry["extra"]["assetTransferMethod"] == "permit2" else sign_transfer
    return sign(entry, key=SECOND_KEY, **{"from": WALLET})


def judged(node: Chain, entry: Any, payload: Any) -> PaymentRefused | None:
    return contract_wallet.find_refusal(
        EvmChain(Rpc([node.url])), entry, authorization.read_authorization(entry, payload)
    )


@pytest.mark.parametrize("entry", [usdc_entry(), weth_entry()])
def test_a_wallet_that_signed_is_believed(node: Chain, entry: Any) -> None:
    payload = by_owner(entry)
    assert isinstance(authorization.check(entry, payload, NOW), Undecided), "without the chain nobody can tell"
    node.wallets[WALLET] = MAGIC
    assert judged(node, entry, payload) is None


@pytest.mark.parametrize("answer", [NO, "0x", MAGIC[:8], None])
def test_a_wallet_that_did_not_sign_is_not(node: Chain, answer: str | None) -> None:
    if answer is not None:
        node.wallets[WALLET] = answer
    refused = judged(node, usdc_entry(), by_owner(usdc_entry()))
    assert isinstance(refused, PaymentRefused)
    assert (refused.reason, "wallet contract" in refused.detail) == ("invalid_exact_evm_payload_signature", True)


def test_a_signature_of_another_key_is_refused_where_no_wallet_is(node: Chain) -> None:
    node.bare.add(BUYER.lower())
    payload = sign_transfer(usdc_entry(), key=SECOND_KEY, **{"from": BUYER})
    refused = judged(node, usdc_entry(), payload)
    assert isinstance(refused, PaymentRefused)
    assert "no wallet contract" in refused.detail
    permit = judged(node, weth_entry(), sign_permit(weth_entry(), key=SECOND_KEY, **{"from": BUYER}))
    assert isinstance(permit, PaymentRefused)
    assert permit.reason == "invalid_permit2_signature"


def test_an_ordinary_signature_asks_the_chain_nothing(node: Chain) -> None:
    payload = sign_transfer(usdc_entry())
    assert isinstance(authorization.check(usdc_entry(), payload, NOW), Proven)
    calls = len(node.calls)
    assert judged(node, usdc_entry(), payload) is None
    assert len(node.calls) == calls


def test_a_chain_that_is_away_is_no_refusal(node: Chain) -> None:
    node.down = True
    with pytest.raises(UnreachableError):
        judged(node, usdc_entry(), by_owner(usdc_entry()))


def test_a_facilitator_is_not_asked_for_a_forged_signature(node: Chain) -> None:
    rail = opened_rail("base-usdc", driver="facilitator", rpc_urls=[node.url], facilitator_url="http://127.0.0.1:9")
    own_reader = reader(rail, Watch())
    entry = usdc_entry()
    assert isinstance(own_reader.prior_use(entry, by_owner(entry)), PaymentRefused)
    node.wallets[WALLET] = MAGIC
    assert own_reader.prior_use(entry, by_owner(entry)) is None


def test_what_the_wallet_is_asked_is_what_was_signed() -> None:
    entry = usdc_entry()
    signed = authorization.read_authorization(entry, sign_transfer(entry))
    digest = authorization.signed_digest(entry, signed)
    assert Account._recover_hash(digest, signature=signed.signature) == BUYER  # noqa: SLF001  (the hash itself)
    assert len(digest) == len(keccak(b"")) == 32
