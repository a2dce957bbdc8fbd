"""What both uses of the SDK share: its memory of pending settlements, without memory, and its word on a payment."""

import logging
from typing import Any, Protocol

from x402 import x402FacilitatorSync
from x402.schemas import PaymentPayload, PaymentRequirements

from citepress_payments.ports.chain import PaymentRefused
from citepress_payments.ports.rows import Json, PaymentEntry

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


class Signer(Protocol):
    """A signer of the SDK whose sending is ours; made anew for each attempt."""

    failed: Exception | None
    """What asking or sending raised; the SDK would keep it to itself."""


def rebuilt(entry: PaymentEntry, payload: Json) -> tuple[PaymentPayload, PaymentRequirements]:
    """What the SDK is given: our entry and the proof in its one spelling; nothing else of what the buyer sent."""
    requirements = PaymentRequirements.model_validate(dict(entry))
    return PaymentPayload(x402_version=2, accepted=requirements, payload=dict(payload)), requirements


def settle(
    facilitator: x402FacilitatorSync, signer: Signer, payload: PaymentPayload, requirements: PaymentRequirements
) -> None:
    """Let the SDK sign a payment and hand it on, once, if it still takes it; raises what the signer failed with."""
    answer: Any = None
    try:
        answer = facilitator.settle(payload, requirements)
    except Exception as fault:
        if fault is not signer.failed:
            log.exception("the SDK failed to settle")
    if signer.failed:
        raise signer.failed
    log.info("the SDK says of a settlement: %s", answer and answer.error_reason)


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
