"""An authorization as x402 writes it, in one spelling; pure."""

from citepress_payments.chains.evm import authorization
from citepress_payments.chains.evm.authorization import Authorized
from citepress_payments.ports.chain import Identity, PaymentRefused
from citepress_payments.ports.rows import Json, PaymentEntry
from citepress_payments.rails.rail import Authorization as Method


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


class SignedPayload:
    """The part of a ``ChainReader`` that reads an authorization and asks no chain."""

    def identify(self, entry: PaymentEntry, payload: Json) -> Identity | PaymentRefused:
        """Shape, canonical key and payer."""
        return authorization.identity(entry, payload)

    def payer(self, entry: PaymentEntry, payload: Json) -> str:
        """Who signed."""
        return authorization.read_authorization(entry, payload).payer

    def canonical_payload(self, entry: PaymentEntry, payload: Json) -> Json:
        """Addresses with their checksums, hexadecimal in lower case."""
        return plain(authorization.read_authorization(entry, payload))
