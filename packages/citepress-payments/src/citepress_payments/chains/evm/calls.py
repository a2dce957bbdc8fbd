"""Calls and logs of the contracts that exact payments touch: EIP-3009 tokens, Permit2 and the proxy of x402; pure."""

from itertools import pairwise

from eth_abi.abi import decode, encode
from eth_abi.exceptions import DecodingError
from eth_utils.crypto import keccak

from citepress_payments.chains.evm.authorization import Authorized
from citepress_payments.chains.evm.client import EvmLog, EvmReceipt, EvmTransaction, word
from citepress_payments.permit2 import PERMIT2_PROXY
from citepress_payments.rails.rail import Authorization as Method

_PERMIT = "((address,uint256),uint256,uint256)"
_SETTLE_TYPES = [_PERMIT, "address", "(address,uint256)", "bytes"]
_TRANSFER_TYPES = ["address", "address", "uint256", "uint256", "uint256", "bytes32"]


def _selector(signature: str) -> str:
    return "0x" + keccak(text=signature)[:4].hex()


def _topic(signature: str) -> str:
    return "0x" + keccak(text=signature).hex()


DECIMALS, DOMAIN = _selector("decimals()"), _selector("DOMAIN_SEPARATOR()")
AUTHORIZATION_STATE, NONCE_BITMAP = (
    _selector("authorizationState(address,bytes32)"),
    _selector("nonceBitmap(address,uint256)"),
)
SETTLE = _selector(f"settle({','.join(_SETTLE_TYPES)})")
_BY_PARTS = _selector(f"transferWithAuthorization({','.join(_TRANSFER_TYPES)},uint8,bytes32,bytes32)")
_BY_BYTES = _selector(f"transferWithAuthorization({','.join(_TRANSFER_TYPES)},bytes)")
IS_VALID_SIGNATURE = _selector("isValidSignature(bytes32,bytes)")
"""Of EIP-1271; a wallet that signed answers with the same four bytes."""
OPTIMISM_DATA = _selector("getL1FeeUpperBound(uint256)")
ARBITRUM_DATA = _selector("gasEstimateL1Component(address,bool,bytes)")
TRANSFERRED = _topic("Transfer(address,address,uint256)")
USED, CANCELED = _topic("AuthorizationUsed(address,bytes32)"), _topic("AuthorizationCanceled(address,bytes32)")
_PLAIN = 65


def topic(value: str) -> str:
    """An address or 32 bytes as a topic."""
    return "0x" + word(value)


def calldata(signed: Authorized) -> str:
    """The call that makes a signed transfer: to the token (EIP-3009) or to the proxy (Permit2)."""
    if signed.method is Method.PERMIT2:
        permit = ((signed.token, signed.amount), int(signed.nonce), signed.valid_before)
        arguments = encode(_SETTLE_TYPES, [permit, signed.payer, (signed.payee, signed.valid_after), signed.signature])
        return SETTLE + arguments.hex()
    nonce = bytes.fromhex(signed.nonce[2:])
    values = [signed.payer, signed.payee, signed.amount, signed.valid_after, signed.valid_before, nonce]
    if len(signed.signature) > _PLAIN:
        return _BY_BYTES + encode([*_TRANSFER_TYPES, "bytes"], [*values, signed.signature]).hex()
    parts = [signed.signature[64], signed.signature[:32], signed.signature[32:64]]
    return _BY_PARTS + encode([*_TRANSFER_TYPES, "uint8", "bytes32", "bytes32"], [*values, *parts]).hex()


def contract(signed: Authorized) -> str:
    """Whom the call goes to."""
    return PERMIT2_PROXY if signed.method is Method.PERMIT2 else signed.token


def state_call(signed: Authorized) -> str:
    """The call that answers whether the nonce is used: ``authorizationState`` or ``nonceBitmap``."""
    if signed.method is Method.PERMIT2:
        return NONCE_BITMAP + word(signed.payer) + word(int(signed.nonce) >> 8)
    return AUTHORIZATION_STATE + word(signed.payer) + word(signed.nonce)


def is_used(signed: Authorized, answer: int) -> bool:
    """What the answer to ``state_call`` means."""
    return bool(answer >> (int(signed.nonce) & 0xFF) & 1) if signed.method is Method.PERMIT2 else bool(answer)


def transfers(receipt: EvmReceipt, signed: Authorized) -> list[EvmLog]:
    """The token's own logs of transfers from payer to payee of exactly the amount."""
    topics = (TRANSFERRED, topic(signed.payer), topic(signed.payee))
    return [
        log
        for log in receipt.logs
        if log.address == signed.token.lower() and log.topics == topics and log.data == "0x" + word(signed.amount)
    ]


def is_authorized_transfer(receipt: EvmReceipt, signed: Authorized) -> bool:
    """Whether an EIP-3009 token used this very authorization for the exact transfer.

    Its transfer is the token's next log, so one transfer never counts for two authorizations of a transaction.
    """
    used = (USED, topic(signed.payer), signed.nonce)
    exact = {log.index for log in transfers(receipt, signed)}
    own = [log for log in receipt.logs if log.address == signed.token.lower()]
    return any(log.topics == used and following.index in exact for log, following in pairwise(own))


def is_permitted_transfer(receipt: EvmReceipt, transaction: EvmTransaction, signed: Authorized) -> bool:
    """Whether a call of the proxy used this very permit for the one exact transfer of its transaction."""
    if (
        transaction.to != PERMIT2_PROXY.lower()
        or not transaction.data.startswith(SETTLE)
        or len(transfers(receipt, signed)) != 1
    ):
        return False
    try:
        ((token, amount), nonce, _), owner, (to, _), _ = decode(
            _SETTLE_TYPES, bytes.fromhex(transaction.data[len(SETTLE) :]), strict=False
        )
    except (DecodingError, OverflowError, ValueError):
        return False
    permit = (token.lower(), amount, nonce, owner.lower(), to.lower())
    return bool(
        permit == (signed.token.lower(), signed.amount, int(signed.nonce), signed.payer.lower(), signed.payee.lower())
    )
