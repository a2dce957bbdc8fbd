"""An authorization as x402 writes it, in one spelling; pure."""

from citepress.payments.chains.evm.authorization import Authorized
from citepress.payments.ports import Json
from citepress.payments.rails.rail import Authorization as Method


def plain(signed: Authorized) -> Json:
    """An authorization as x402 writes it."""
    signature = "0x" + signed.signature.hex()
    if signed.method is Method.PERMIT2:
        return {
            "signature": signature,
            "permit2Authorization": {
                "from": signed.payer,
                "permitted": {"token": signed.token, "amount": str(signed.amount)},
                "spender": signed.spender,
                "nonce": signed.nonce,
                "deadline": str(signed.valid_before),
                "witness": {"to": signed.payee, "validAfter": str(signed.valid_after)},
            },
        }
    return {
        "signature": signature,
        "authorization": {
            "from": signed.payer,
            "to": signed.payee,
            "value": str(signed.amount),
            "validAfter": str(signed.valid_after),
            "validBefore": str(signed.valid_before),
            "nonce": signed.nonce,
        },
    }
