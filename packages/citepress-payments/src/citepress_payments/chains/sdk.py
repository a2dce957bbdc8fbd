"""What both uses of the SDK share: its memory of pending settlements, without memory, and its word on a payment."""

import logging

from x402 import x402FacilitatorSync
from x402.schemas import PaymentPayload, PaymentRequirements

from citepress_payments.ports.chain import PaymentRefused

log = logging.getLogger(__name__)


class NoStore:
    """Remembers nothing, because the ledger does."""

    def get(self, key: str) -> str | None:
        """Nothing."""
        del key
        return None

    def set(self, key: str, tx_hash: str) -> None:
        """Nothing."""

    def delete(self, key: str) -> None:
        """Nothing."""


def verdict(
    facilitator: x402FacilitatorSync, payload: PaymentPayload, requirements: PaymentRequirements, payer: str
) -> PaymentRefused | None:
    """Whether the SDK would take a payment: ``None``, or its own reason."""
    try:
        answer = facilitator.verify(payload, requirements)
    except Exception as fault:  # noqa: BLE001  (whatever it raises on odd input is a refusal)
        log.info("the SDK could not read a payment: %s", type(fault).__name__)
        answer = None
    if answer is None or not answer.is_valid:
        return PaymentRefused((answer and answer.invalid_reason) or "invalid_payload", payer=payer)
    return None
