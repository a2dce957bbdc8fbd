"""Buyers of the simulated chain: entries to pay, and payloads that pay them or nearly do.

The typed data is written here once more, on purpose: what the driver checks is compared with what a wallet would sign.
"""

import hashlib
import secrets
from functools import cache
from typing import Any

from eth_account import Account
from eth_account.messages import encode_typed_data
from eth_keys.datatypes import PrivateKey

from citepress_payments.ports.rows import PaymentEntry
from citepress_payments.simulated_chain.chain import BUYER, BUYER_KEY
from citepress_payments.simulated_chain.native import send_native
from citepress_payments.simulated_chain.store import SqlSimulatedChain
from citepress_payments.terms import terms_hash

NOW = 1_795_238_400
"""The moment of the design's golden vector."""
SELLER = "0x9965507D1a55bcC2695C58ba16FB37d819B0A4dc"
SELLER_SVM = "9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM"
SECOND = "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC"
"""Another published development account; it has nothing until it is given something."""
SECOND_KEY = "0x5de4111afa1a4b94908f83103eb1f1706367c2e68ca870fc3fb9a804cdab365a"
PERMIT2 = "0x000000000022D473030F116dDEE9F6B43aC78BA3"
PROXY = "0x402085c248EeA27D92E8b30b2C58ed07f9E20001"
USDC = ("eip155:84532", "0x036CbD53842c5426634e7929541eC2318f3dCF7e")
WETH = ("eip155:84532", "0x4200000000000000000000000000000000000006")
BNB = ("eip155:97", "native")
PRODUCT = "research-bundle-v2"
_COMMON = {
    "quoteId": "q_8CYz6YAKG4QvHIPhxGkaeQ",
    "bodySha256": "8642c2f86737bbea0c3507c02fb646e7056f85a235a666e255bdffdd9424f532",
    "resultCommitment": "0x77a5e1876089141274369015a99bfdc12338c766329bb054afcd73565f1c0168",
}
_METHODS = {
    "eip3009": {"name": "USDC", "version": "2", "assetTransferMethod": "eip3009", "rail": "base-usdc"},
    "permit2": {"assetTransferMethod": "permit2", "rail": "base-weth", "usd": "0.05"},
    "native": {
        "paymentFlow": "upfront",
        "assetTransferMethod": "transaction-proof",
        "rail": "bsc-bnb",
        "usd": "0.05",
        "finality": "finalized",
    },
}


def _fields(**types: str) -> list[dict[str, str]]:
    return [{"name": name, "type": type_} for name, type_ in types.items()]


_TRANSFER = _fields(
    **{
        "from": "address",
        "to": "address",
        "value": "uint256",
        "validAfter": "uint256",
        "validBefore": "uint256",
        "nonce": "bytes32",
    }
)
_PERMIT = _fields(
    permitted="TokenPermissions", spender="address", nonce="uint256", deadline="uint256", witness="Witness"
)


def entry_of(
    method: str, place: tuple[str, str], amount: int, life: int, *, now: int = NOW, **extra: Any
) -> dict[str, Any]:
    """An entry as the service would make it, with its terms hash."""
    entry = {
        "scheme": "exact-direct" if method == "native" else "exact",
        "network": place[0],
        "asset": place[1],
        "amount": str(amount),
        "payTo": SELLER if place[0].startswith("eip155") else SELLER_SVM,
        "maxTimeoutSeconds": life,
        "extra": {**_METHODS[method], **_COMMON, "expiresAt": now + life, "simulated": True, "testnet": True, **extra},
    }
    hashed = terms_hash(entry, PRODUCT)
    entry["extra"]["termsHash"] = hashed
    if method == "native":
        entry["extra"] |= {"data": hashed} if place[0].startswith("eip155") else {"memo": hashed[2:]}
    return entry


def usdc_entry(amount: int = 50_000, **extra: Any) -> dict[str, Any]:
    """``base-usdc``: with no arguments, the entry of the design's golden vector."""
    return entry_of("eip3009", USDC, amount, 300, **extra)


def weth_entry(amount: int = 20_000_000_000_000, **extra: Any) -> dict[str, Any]:
    """``base-weth``, paid by Permit2."""
    return entry_of("permit2", WETH, amount, 120, **extra)


def native_entry(amount: int = 82_462_442_847_812, **extra: Any) -> dict[str, Any]:
    """``bsc-bnb``, paid by a plain transfer."""
    return entry_of("native", BNB, amount, 900, **extra)


def sign_transfer(
    entry: PaymentEntry, *, key: str = BUYER_KEY, now: int = NOW, nonce: str = "", **changed: str
) -> dict[str, Any]:
    """An EIP-3009 payload as a stock buyer makes it; ``changed`` are members that it signs otherwise."""
    payer = _private(key).public_key.to_checksum_address()
    authorization = {
        "from": payer,
        "to": entry["payTo"],
        "value": entry["amount"],
        "validAfter": "0",
        "validBefore": str(now + entry["maxTimeoutSeconds"]),
        "nonce": nonce or "0x" + secrets.token_hex(32),
        **changed,
    }
    numbers = {name: int(authorization[name]) for name in ("value", "validAfter", "validBefore")}
    domain = {
        "name": entry["extra"]["name"],
        "version": entry["extra"]["version"],
        "chainId": _chain(entry),
        "verifyingContract": entry["asset"],
    }
    message = {**authorization, **numbers, "nonce": bytes.fromhex(authorization["nonce"][2:])}
    return {
        "authorization": authorization,
        "signature": _signed(key, domain, {"TransferWithAuthorization": _TRANSFER}, message),
    }


def sign_permit(
    entry: PaymentEntry, *, key: str = BUYER_KEY, now: int = NOW, nonce: str = "", **changed: Any
) -> dict[str, Any]:
    """A Permit2 payload as a stock buyer makes it; ``changed`` are members that it signs otherwise."""
    permit = {
        "from": _private(key).public_key.to_checksum_address(),
        "permitted": {"token": entry["asset"], "amount": entry["amount"]},
        "spender": PROXY,
        "nonce": nonce or str(secrets.randbits(256)),
        "deadline": str(now + entry["maxTimeoutSeconds"]),
        "witness": {"to": entry["payTo"], "validAfter": "0"},
        **changed,
    }
    message = {
        "permitted": {**permit["permitted"], "amount": int(permit["permitted"]["amount"])},
        "spender": permit["spender"],
        "nonce": int(permit["nonce"]),
        "deadline": int(permit["deadline"]),
        "witness": {**permit["witness"], "validAfter": int(permit["witness"]["validAfter"])},
    }
    types = {
        "PermitWitnessTransferFrom": _PERMIT,
        "TokenPermissions": _fields(token="address", amount="uint256"),  # noqa: S106  (an ABI type)
        "Witness": _fields(to="address", validAfter="uint256"),
    }
    domain = {"name": "Permit2", "chainId": _chain(entry), "verifyingContract": PERMIT2}
    return {"permit2Authorization": permit, "signature": _signed(key, domain, types, message)}


def pay_native(
    chain: SqlSimulatedChain, entry: PaymentEntry, *, now: int = NOW, payer: str = BUYER, **bent: Any
) -> dict[str, Any]:
    """Make the transfer that a native entry asks for (``bent``: otherwise), and the payload that proves it."""
    return {"transaction": send_native(chain, entry, payer, now, **bent)}


def give(chain: SqlSimulatedChain, place: tuple[str, str], account: str, amount: int, *, now: int = NOW) -> None:
    """Let the published buyer hand units to another account."""
    tx = "0x" + hashlib.sha256(f"{place} {account} {amount}".encode()).hexdigest()
    chain.transfer(*place, BUYER, account, amount, f"gift|{tx}", tx, "", now)


def _chain(entry: PaymentEntry) -> int:
    return int(entry["network"].removeprefix("eip155:"))


def _signed(key: str, domain: dict[str, Any], types: dict[str, Any], message: dict[str, Any]) -> str:
    signed = Account.sign_message(encode_typed_data(domain, types, message), _private(key))
    return "0x" + signed.signature.hex().removeprefix("0x")


@cache
def _private(key: str) -> PrivateKey:
    """A key with its public one, whose derivation takes longer than a signature."""
    return PrivateKey(bytes.fromhex(key.removeprefix("0x")))
