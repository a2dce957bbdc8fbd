"""Signatures of contract wallets that are as long as a key's (EIP-1271): the wallet contract verifies them."""

from eth_abi.abi import encode

from citepress_payments.chains.evm.authorization import Authorized, refuse_signature, signed_digest, signer
from citepress_payments.chains.evm.calls import IS_VALID_SIGNATURE
from citepress_payments.chains.evm.client import EvmChain
from citepress_payments.chains.jsonrpc import RefusedError
from citepress_payments.ports.chain import PaymentRefused
from citepress_payments.ports.rows import PaymentEntry

_SELECTOR_DIGITS = 10


def find_refusal(chain: EvmChain, entry: PaymentEntry, signed: Authorized) -> PaymentRefused | None:
    """Why a signature is not its payer's.

    ``None`` where it is, or where its length leaves that to the transfer's simulation.

    Raises ``UnreachableError``, and ``RefusedError`` for anything but a revert.
    """
    if signed.by_contract or signer(entry, signed) == signed.payer:
        return None
    # An address without code has one key, and this is not its signature: nobody else can vouch for it.
    if not chain.code(signed.payer):
        return refuse_signature(signed, "it is another's signature, and no wallet contract is at the payer's address")
    asked = IS_VALID_SIGNATURE + encode(["bytes32", "bytes"], [signed_digest(entry, signed), signed.signature]).hex()
    try:
        answer = chain.call(signed.payer, asked)
    except RefusedError as no:
        # A revert is the wallet's no; any other refusal is the node's, and decides nothing.
        if not no.reverted:
            raise
        answer = ""
    return (
        None
        if answer[:_SELECTOR_DIGITS] == IS_VALID_SIGNATURE
        else refuse_signature(signed, "the payer's wallet contract does not take this signature")
    )
