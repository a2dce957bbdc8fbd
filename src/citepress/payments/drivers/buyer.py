"""The published buyer's signature, for trying out a simulated rail the way a wallet would pay it."""

from collections.abc import Callable

from eth_account import Account

from citepress.payments.drivers.eip712 import PERMIT2_PROXY, Authorized, signable
from citepress.payments.ports import Entry, Json
from citepress.payments.rails.rail import Authorization as Method
from citepress.payments.simulation import BUYER, BUYER_KEY

NONCE_BYTES = 32


def pay(entry: Entry, now: int, random: Callable[[int], bytes]) -> Json:
    """The payload that pays an EIP-3009 or Permit2 entry of a simulated rail; every call authorizes another payment."""
    method, number = Method(entry["extra"]["assetTransferMethod"]), random(NONCE_BYTES)
    permit = method is Method.PERMIT2
    nonce = str(int.from_bytes(number)) if permit else "0x" + number.hex()
    until = now + int(entry["maxTimeoutSeconds"])
    bare = Authorized(
        method, BUYER, str(entry["payTo"]), str(entry["asset"]), int(entry["amount"]), 0, until, nonce, PERMIT2_PROXY if permit else "", b""
    )
    signature = "0x" + bytes(Account.sign_message(signable(entry, bare), BUYER_KEY).signature).hex()
    return {"signature": signature, **(_permit(bare) if permit else _transfer(bare))}


def _transfer(bare: Authorized) -> Json:
    told = {
        "from": bare.payer, "to": bare.payee, "value": str(bare.amount), "validAfter": str(bare.valid_after),
        "validBefore": str(bare.valid_before), "nonce": bare.nonce,
    }  # fmt: skip
    return {"authorization": told}


def _permit(bare: Authorized) -> Json:
    told = {
        "from": bare.payer, "permitted": {"token": bare.token, "amount": str(bare.amount)}, "spender": bare.spender, "nonce": bare.nonce,
        "deadline": str(bare.valid_before), "witness": {"to": bare.payee, "validAfter": str(bare.valid_after)},
    }  # fmt: skip
    return {"permit2Authorization": told}
