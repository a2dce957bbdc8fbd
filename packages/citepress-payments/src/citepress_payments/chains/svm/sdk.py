"""The x402 SDK on Solana, for two things only: it verifies a payment and signs its transaction."""

import base64
import json
from collections.abc import Callable
from typing import Any

from solders.keypair import Keypair
from x402 import x402FacilitatorSync
from x402.mechanisms.svm import FacilitatorKeypairSigner
from x402.mechanisms.svm.exact import ExactSvmFacilitatorScheme

from citepress_payments.chains.jsonrpc import RefusedError, UnreachableError
from citepress_payments.chains.sdk import NoStore, rebuilt, settle, verdict
from citepress_payments.chains.svm.client import SvmChain
from citepress_payments.ports.chain import PaymentRefused
from citepress_payments.ports.rows import Json, PaymentEntry

Write = Callable[[bytes], str]
"""Takes a signed transaction, sends it and returns its id."""
_KEY_BYTES = 64


class SvmSigner(FacilitatorKeypairSigner):
    """The SDK's signer with its sending replaced."""

    def __init__(self, keypair: Keypair, chain: SvmChain, write: Write | None) -> None:
        """``write`` is ``None`` where nothing may be sent."""
        super().__init__(keypair)
        self._chain, self._write = chain, write
        self.failed: Exception | None = None

    def simulate_transaction(self, tx_base64: str, network: str) -> None:
        """Ask our nodes."""
        del network
        try:
            fault = self._chain.fault(base64.b64decode(tx_base64))
        except (UnreachableError, RefusedError) as away:
            self.failed = away
            raise
        if fault:
            raise RuntimeError(fault)

    def send_transaction(self, tx_base64: str, network: str) -> str:
        """Hand it on."""
        del network
        if self._write is None:
            raise RuntimeError("nothing is sent here")
        try:
            return self._write(base64.b64decode(tx_base64))
        except Exception as fault:
            self.failed = fault
            raise

    def confirm_transaction(self, signature: str, network: str, timeout_seconds: int = 30) -> None:
        """Never: ``reconcile`` looks, because the SDK takes a confirmed failure for a success."""
        del network, timeout_seconds
        raise TimeoutError(signature)


class SvmSdk:
    """Both uses, over one rail."""

    def __init__(self, chain: SvmChain, keypair: Keypair) -> None:
        self._chain, self._keypair = chain, keypair

    def verify(self, entry: PaymentEntry, payload: Json, payer: str) -> PaymentRefused | None:
        """Whether the cluster would take it: ``None``, or the SDK's own reason.

        Raises ``UnreachableError`` and ``RefusedError``.
        """
        facilitator, signer = self._facilitator(entry, None)
        refusal = verdict(facilitator, *rebuilt(entry, {"transaction": payload["transaction"]}), payer)
        if signer.failed:
            raise signer.failed
        return refusal

    def send(self, entry: PaymentEntry, payload: Json, write: Write) -> None:
        """Sign the payment and ``write`` it, once, if the SDK still takes it.

        Raises what ``write`` raises, and what the nodes said.
        """
        facilitator, signer = self._facilitator(entry, write)
        settle(facilitator, signer, *rebuilt(entry, {"transaction": payload["transaction"]}))

    def _facilitator(self, entry: PaymentEntry, write: Write | None) -> tuple[Any, SvmSigner]:
        signer = SvmSigner(self._keypair, self._chain, write)
        facilitator = x402FacilitatorSync()
        facilitator.register([str(entry["network"])], ExactSvmFacilitatorScheme(signer, pending_store=NoStore()))
        return facilitator, signer


def keypair_of(text: str) -> Keypair:
    """The key pair of a file: base 58, or the list of 64 numbers that Solana's tools write.

    Raises ``ValueError`` without telling it.
    """
    try:
        if not text.startswith("["):
            return Keypair.from_base58_string(text)
        data = bytes(json.loads(text))
        if len(data) == _KEY_BYTES:
            return Keypair.from_bytes(data)
    except Exception:  # noqa: BLE001  (whatever the library says may hold the key)
        raise ValueError("no key pair of a Solana account") from None
    raise ValueError("no key pair of a Solana account")
