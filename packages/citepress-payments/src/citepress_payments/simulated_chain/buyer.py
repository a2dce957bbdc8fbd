"""A buyer that pays a rail as a wallet would, with the published key or with the operator's own."""

from collections.abc import Callable
from dataclasses import replace

from eth_account import Account

from citepress_payments.chains.evm.authorization import Authorized, chain_id, signable
from citepress_payments.chains.evm.client import EvmChain
from citepress_payments.chains.evm.payload import plain
from citepress_payments.chains.jsonrpc import RefusedError, Rpc, UnreachableError
from citepress_payments.permit2 import PERMIT2_PROXY
from citepress_payments.ports.rows import Json, PaymentEntry
from citepress_payments.rails.rail import Authorization as Method
from citepress_payments.simulated_chain.chain import BUYER_KEY

NONCE_BYTES = 32
NATIVE_GAS = 30_000
"""A transfer with the terms hash takes 22,280 (EIP-7623)."""


def pay(entry: PaymentEntry, now: int, random: Callable[[int], bytes], key: str = BUYER_KEY) -> Json:
    """The payload that pays an EIP-3009 or Permit2 entry with a key, the published one when left out.

    Every call authorizes another payment.
    """
    method, number = Method(entry["extra"]["assetTransferMethod"]), random(NONCE_BYTES)
    permit = method is Method.PERMIT2
    nonce = str(int.from_bytes(number)) if permit else "0x" + number.hex()
    until = now + int(entry["maxTimeoutSeconds"])
    bare = Authorized(
        method,
        Account.from_key(key).address,
        str(entry["payTo"]),
        str(entry["asset"]),
        int(entry["amount"]),
        0,
        until,
        nonce,
        PERMIT2_PROXY if permit else "",
        b"",
    )
    return plain(replace(bare, signature=bytes(Account.sign_message(signable(entry, bare), key).signature)))


def transfer(entry: PaymentEntry, key: str, url: str) -> Json:
    """Make the plain transfer that a native entry of an EVM chain asks for, through a node; the payload that proves it.

    Raises ``ValueError`` with the node's error.
    """
    account, network = Account.from_key(key), str(entry["network"])
    try:
        chain = EvmChain(Rpc([url]))
        if (served := f"eip155:{chain.chain_id()}") != network:
            raise ValueError(f"the node serves {served}, not {network}")
        base, tip = chain.head("latest").base_fee, chain.tip()
        transaction = {
            "type": 2,
            "chainId": chain_id(entry),
            "nonce": chain.count(account.address, "pending"),
            "to": str(entry["payTo"]),
            "value": int(entry["amount"]),
            "data": str(entry["extra"]["data"]),
            "gas": NATIVE_GAS,
            "maxFeePerGas": 2 * base + max(tip, 1),
            "maxPriorityFeePerGas": max(tip, 1),
        }
        signed = account.sign_transaction(transaction)
        chain.rpc.broadcast("eth_sendRawTransaction", "0x" + bytes(signed.raw_transaction).hex())
    except (UnreachableError, RefusedError) as no:
        raise ValueError(str(no)) from None
    return {"transaction": "0x" + bytes(signed.hash).hex()}
