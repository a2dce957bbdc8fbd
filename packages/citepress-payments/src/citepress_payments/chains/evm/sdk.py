"""The x402 SDK on EVM chains, for two things only: it verifies a payment, and it encodes the call that makes it.

Its own sending, waiting, nonces, memory and HTTP are replaced; what it answers to ``settle`` is not believed.
"""

from collections.abc import Callable
from typing import Any

from web3.providers import JSONBaseProvider
from web3.types import RPCEndpoint, RPCResponse
from x402 import x402FacilitatorSync
from x402.mechanisms.evm import FacilitatorWeb3Signer
from x402.mechanisms.evm.exact import ExactEvmFacilitatorScheme

from citepress_payments.chains.evm.authorization import Authorized
from citepress_payments.chains.evm.payload import plain
from citepress_payments.chains.jsonrpc import RefusedError, Rpc, UnreachableError
from citepress_payments.chains.sdk import NoStore, rebuilt, settle, verdict
from citepress_payments.ports.chain import PaymentRefused
from citepress_payments.ports.rows import PaymentEntry

Write = Callable[[str, str], str]
"""Takes a contract and calldata, sends the transaction and returns its hash."""
NOWHERE = "http://127.0.0.1:9"
"""The address that the SDK is given; it is never asked."""


class Provider(JSONBaseProvider):
    """Lets web3 ask our nodes, with our limits."""

    def __init__(self, rpc: Rpc) -> None:
        super().__init__()
        self._rpc = rpc
        self.away: UnreachableError | None = None
        """That no node answered, which the SDK takes for a refusal."""

    def make_request(self, method: RPCEndpoint, params: Any) -> RPCResponse:  # noqa: ANN401  (as web3 has it)
        """One question."""
        try:
            return {"jsonrpc": "2.0", "id": 1, "result": self._rpc.first(method, *params)}
        except RefusedError as no:
            # The SDK takes every error for a refusal of the payment, so that a node's own refusal is kept apart.
            if not no.reverted:
                self.away = UnreachableError(f"{method}: {no}")
            return {"jsonrpc": "2.0", "id": 1, "error": {"code": no.code, "message": no.message, "data": no.data}}
        except UnreachableError as away:
            self.away = away
            raise ConnectionError(str(away)) from None


class EvmSigner(FacilitatorWeb3Signer):
    """The SDK's signer with its sending replaced."""

    def __init__(self, key: str, provider: Provider, chain_id: int, write: Write | None) -> None:
        """``write`` is ``None`` where nothing may be sent."""
        super().__init__(key, NOWHERE)
        self._w3.provider = provider
        self._chain_id = chain_id
        self._write = write
        self.failed: Exception | None = None

    def write_contract(
        self, address: str, abi: list[dict[str, Any]], function_name: str, *args: object, data_suffix: str | None = None
    ) -> str:
        """Encode a call and hand it on."""
        if self._write is None or data_suffix:
            raise RuntimeError("nothing is sent here")
        data = self._w3.eth.contract(abi=abi).encode_abi(function_name, args=list(args))
        try:
            return self._write(address, str(data))
        except Exception as fault:
            self.failed = fault
            raise

    def send_transaction(self, to: str, data: bytes) -> str:  # noqa: ARG002  (as the SDK calls it)
        """Never: no wallet is deployed for a buyer."""
        raise RuntimeError("no other transaction is sent")

    def wait_for_transaction_receipt(self, tx_hash: str) -> Any:  # noqa: ANN401
        """Never: ``reconcile`` looks."""
        raise TimeoutError(tx_hash)


class EvmSdk:
    """Both uses, over one rail."""

    def __init__(self, rpc: Rpc, key: str, chain_id: int) -> None:
        self._rpc, self._key, self._id = rpc, key, chain_id

    def verify(self, entry: PaymentEntry, signed: Authorized) -> PaymentRefused | None:
        """Whether the contract would take it: ``None``, or the SDK's own reason. Raises ``UnreachableError``."""
        provider, facilitator, _ = self._facilitator(entry, None)
        refusal = verdict(facilitator, *rebuilt(entry, plain(signed)), signed.payer)
        if provider.away:
            raise provider.away
        return refusal

    def send(self, entry: PaymentEntry, signed: Authorized, write: Write) -> None:
        """Encode the payment and ``write`` it, once, if the SDK still takes it.

        Raises what ``write`` raises and ``UnreachableError``.
        """
        provider, facilitator, signer = self._facilitator(entry, write)
        settle(facilitator, signer, *rebuilt(entry, plain(signed)))
        if provider.away:
            raise provider.away

    def _facilitator(self, entry: PaymentEntry, write: Write | None) -> tuple[Provider, Any, EvmSigner]:
        provider = Provider(self._rpc)
        signer = EvmSigner(self._key, provider, self._id, write)
        facilitator = x402FacilitatorSync()
        facilitator.register([str(entry["network"])], ExactEvmFacilitatorScheme(signer, pending_store=NoStore()))
        return provider, facilitator, signer
