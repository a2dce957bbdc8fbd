"""EIP-3009 and Permit2 authorizations: their strict shape, their typed data, and who signed them.

Nothing here asks a chain.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from eth_account import Account
from eth_account.messages import SignableMessage, encode_typed_data
from eth_keys.exceptions import BadSignature
from eth_utils.address import to_checksum_address
from eth_utils.crypto import keccak
from eth_utils.exceptions import ValidationError

from citepress.base.errors import CitepressError
from citepress_payments.permit2 import PERMIT2, PERMIT2_PROXY
from citepress_payments.ports.chain import CheckResult, Identity, PaymentRefused, Proven, Undecided
from citepress_payments.ports.rows import Json, PaymentEntry
from citepress_payments.rails.rail import Authorization as Method

ZERO = "0x" + "0" * 40
MARGIN = 10
"""Seconds that an authorization must still be good for."""
MAX_EXTRA_VALIDITY_S = 600
"""Seconds that it may be good for beyond what the entry asks: no payment stays undecided for long."""
MAX_SIGNATURE_BYTES = 4096
"""Bytes of a contract wallet's signature, at most."""
_UINT256 = 1 << 256
_ORDER = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141
"""Of secp256k1; a low s is at most half of it (EIP-2)."""
_PLAIN = 65
_UNDEPLOYED = bytes.fromhex("6492" * 16)
"""How a signature of a wallet ends that is not deployed yet (ERC-6492)."""

_AMOUNT = re.compile(r"0|[1-9][0-9]{0,77}")
_ADDRESS = re.compile(r"0x[0-9a-fA-F]{40}")
_BYTES32 = re.compile(r"0x[0-9a-fA-F]{64}")
_SIGNATURE = re.compile(rf"0x(?:[0-9a-fA-F]{{2}}){{{_PLAIN},{MAX_SIGNATURE_BYTES}}}")

TRANSFER = {
    "TransferWithAuthorization": [
        {"name": "from", "type": "address"},
        {"name": "to", "type": "address"},
        {"name": "value", "type": "uint256"},
        {"name": "validAfter", "type": "uint256"},
        {"name": "validBefore", "type": "uint256"},
        {"name": "nonce", "type": "bytes32"},
    ]
}
"""The message of EIP-3009."""
PERMIT = {
    "PermitWitnessTransferFrom": [
        {"name": "permitted", "type": "TokenPermissions"},
        {"name": "spender", "type": "address"},
        {"name": "nonce", "type": "uint256"},
        {"name": "deadline", "type": "uint256"},
        {"name": "witness", "type": "Witness"},
    ],
    "TokenPermissions": [{"name": "token", "type": "address"}, {"name": "amount", "type": "uint256"}],
    "Witness": [{"name": "to", "type": "address"}, {"name": "validAfter", "type": "uint256"}],
}
"""The message of Permit2 with the witness of x402."""


class AuthorizationShapeError(CitepressError, ValueError):
    """A field does not have the form that the scheme requires; the message names it."""


@dataclass(frozen=True, slots=True)
class Authorized:
    """What a buyer signed, in numbers; addresses carry their checksums."""

    method: Method
    payer: str
    payee: str
    token: str
    amount: int
    valid_after: int
    valid_before: int
    """The first second at which it is not good any more; a deadline's own second counts as such too."""
    nonce: str
    """``0x`` and 64 lower-case digits (EIP-3009), or decimal (Permit2)."""
    spender: str
    """Empty for EIP-3009."""
    signature: bytes

    @property
    def by_contract(self) -> bool:
        """Whether only a contract wallet can have made the signature, so that only the chain can check it."""
        return len(self.signature) > _PLAIN


def read_authorization(entry: PaymentEntry, payload: Json) -> Authorized:
    """The authorization of a payload for an entry. Raises ``AuthorizationShapeError``."""
    if entry["extra"].get("assetTransferMethod") == Method.PERMIT2:
        return _permit(payload)
    return _transfer(entry, payload)


def identity(entry: PaymentEntry, payload: Json) -> Identity | PaymentRefused:
    """The canonical key of a payment and its payer; pure."""
    try:
        signed = read_authorization(entry, payload)
    except AuthorizationShapeError as fault:
        return PaymentRefused("invalid_payload", str(fault))
    # Permit2 counts nonces for all tokens of a payer, EIP-3009 for each token apart: the key says what makes one
    # payment.
    if signed.method is Method.PERMIT2:
        return Identity(f"permit2|{entry['network']}|{signed.payer.lower()}|{signed.nonce}", signed.payer)
    return Identity(
        f"eip3009|{entry['network']}|{signed.token.lower()}|{signed.payer.lower()}|{signed.nonce}", signed.payer
    )


def check(entry: PaymentEntry, payload: Json, now: int) -> CheckResult:
    """Recipient, amount, payer, times and signature, in this order.

    ``Undecided`` where only a contract wallet can have signed.
    """
    try:
        signed = read_authorization(entry, payload)
    except AuthorizationShapeError as fault:
        return PaymentRefused("invalid_payload", str(fault))
    if broken := _fault(entry, signed, now):
        return PaymentRefused(*broken, payer=signed.payer)
    return Undecided() if signed.by_contract or signer(entry, signed) != signed.payer else Proven()


def refuse_signature(signed: Authorized, detail: str = "") -> PaymentRefused:
    """The refusal of a signature that is not its payer's."""
    permit = signed.method is Method.PERMIT2
    return PaymentRefused(
        "invalid_permit2_signature" if permit else "invalid_exact_evm_payload_signature", detail, payer=signed.payer
    )


def signed_digest(entry: PaymentEntry, signed: Authorized) -> bytes:
    """The 32 bytes that were signed (EIP-712)."""
    message = signable(entry, signed)
    return keccak(b"\x19" + message.version + message.header + message.body)


def signer(entry: PaymentEntry, signed: Authorized) -> str:
    """Who made the signature, with checksum; empty where nobody can have made it."""
    try:
        return str(Account.recover_message(signable(entry, signed), signature=signed.signature))
    except (BadSignature, ValidationError, ValueError):
        return ""


def signable(entry: PaymentEntry, signed: Authorized) -> SignableMessage:
    """The typed data (EIP-712) that the buyer signed."""
    chain = chain_id(entry)
    if signed.method is Method.PERMIT2:
        domain = {"name": "Permit2", "chainId": chain, "verifyingContract": PERMIT2}
        message = {
            "permitted": {"token": signed.token, "amount": signed.amount},
            "spender": signed.spender,
            "nonce": int(signed.nonce),
            "deadline": signed.valid_before,
            "witness": {"to": signed.payee, "validAfter": signed.valid_after},
        }
        return encode_typed_data(domain, PERMIT, message)
    extra = entry["extra"]
    domain = {"name": extra["name"], "version": extra["version"], "chainId": chain, "verifyingContract": signed.token}
    message = {
        "from": signed.payer,
        "to": signed.payee,
        "value": signed.amount,
        "validAfter": signed.valid_after,
        "validBefore": signed.valid_before,
        "nonce": bytes.fromhex(signed.nonce[2:]),
    }
    return encode_typed_data(domain, TRANSFER, message)


def chain_id(entry: PaymentEntry) -> int:
    """The number in ``eip155:<number>``."""
    return int(str(entry["network"]).removeprefix("eip155:"))


def _fault(entry: PaymentEntry, signed: Authorized, now: int) -> tuple[str, str] | None:
    """(code, detail) of the first rule that the authorization breaks."""
    permit = signed.method is Method.PERMIT2
    late = "permit2_deadline_expired" if permit else "invalid_exact_evm_payload_authorization_valid_before"
    early = "permit2_not_yet_valid" if permit else "invalid_exact_evm_payload_authorization_valid_after"
    longest = now + int(entry["maxTimeoutSeconds"]) + MAX_EXTRA_VALIDITY_S
    pay_to = to_checksum_address(str(entry["payTo"]))
    rules = (
        (signed.payee == pay_to, "recipient_mismatch", "the recipient is not payTo"),
        (signed.amount == int(entry["amount"]), "amount_mismatch", "the amount is not the entry's"),
        (
            signed.token == to_checksum_address(str(entry["asset"])),
            "permit2_token_mismatch",
            "the token is not the entry's asset",
        ),
        (
            not permit or signed.spender == PERMIT2_PROXY,
            "invalid_permit2_spender",
            f"the spender is not {PERMIT2_PROXY}",
        ),
        # Whoever recovers to the zero address has signed nothing, and a seller who pays himself only burns gas.
        (signed.payer not in {ZERO, pay_to}, "invalid_payload", "this address cannot be a payer"),
        (signed.valid_after <= now, early, "the authorization is not valid yet"),
        (now + MARGIN <= signed.valid_before, late, f"the authorization ends in less than {MARGIN} seconds"),
        (signed.valid_before <= longest, late, f"the authorization is good for longer than {longest - now} seconds"),
    )
    return next(((code, detail) for holds, code, detail in rules if not holds), None)


def _transfer(entry: PaymentEntry, payload: Json) -> Authorized:
    members = _members(payload, "payload", "signature", "authorization")
    signed = _members(
        members["authorization"], "authorization", "from", "to", "value", "validAfter", "validBefore", "nonce"
    )
    return Authorized(
        Method.EIP3009,
        _address(signed, "from"),
        _address(signed, "to"),
        to_checksum_address(str(entry["asset"])),
        _number(signed, "value"),
        _number(signed, "validAfter"),
        _number(signed, "validBefore"),
        _text(signed, "nonce", _BYTES32).lower(),
        "",
        _signature(members),
    )


def _permit(payload: Json) -> Authorized:
    members = _members(payload, "payload", "signature", "permit2Authorization")
    signed = _members(
        members["permit2Authorization"],
        "permit2Authorization",
        "from",
        "permitted",
        "spender",
        "nonce",
        "deadline",
        "witness",
    )
    permitted = _members(signed["permitted"], "permitted", "token", "amount")
    witness = _members(signed["witness"], "witness", "to", "validAfter")
    return Authorized(
        Method.PERMIT2,
        _address(signed, "from"),
        _address(witness, "to"),
        _address(permitted, "token"),
        _number(permitted, "amount"),
        _number(witness, "validAfter"),
        _number(signed, "deadline"),
        str(_number(signed, "nonce")),
        _address(signed, "spender"),
        _signature(members),
    )


def _members(value: object, name: str, *names: str) -> Mapping[str, Any]:
    # A member that nobody reads would still be part of the proof, so that one payment would have many proofs.
    if not isinstance(value, Mapping) or set(value) != set(names):
        raise AuthorizationShapeError(f"{name} has the members {', '.join(names)}, and no others")
    return value


def _text(members: Json, name: str, shape: re.Pattern[str]) -> str:
    value = members[name]
    if not isinstance(value, str) or not shape.fullmatch(value):
        raise AuthorizationShapeError(f"{name} is not spelled as {shape.pattern}")
    return value


def _number(members: Json, name: str) -> int:
    number = int(_text(members, name, _AMOUNT))
    if number >= _UINT256:
        raise AuthorizationShapeError(f"{name} does not fit into 256 bits")
    return number


def _address(members: Json, name: str) -> str:
    return str(to_checksum_address(_text(members, name, _ADDRESS)))


def _signature(members: Json) -> bytes:
    signature = bytes.fromhex(_text(members, "signature", _SIGNATURE)[2:])
    if len(signature) > _PLAIN:
        # Such a signature is good once its wallet is deployed, and we deploy none for a buyer.
        if signature.endswith(_UNDEPLOYED):
            raise AuthorizationShapeError("the signature is of a wallet that is not deployed")
        return signature
    r, s = int.from_bytes(signature[:32]), int.from_bytes(signature[32:64])
    # A high s, or another v, is a second spelling of the same signature.
    if not (0 < r < _ORDER and 0 < s <= _ORDER // 2 and signature[64] in {27, 28}):
        raise AuthorizationShapeError("the signature has r and s of secp256k1 with a low s, and v 27 or 28")
    return signature
