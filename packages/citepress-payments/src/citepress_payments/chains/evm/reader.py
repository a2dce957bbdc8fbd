"""Reads an EVM chain for the driver of signed payments."""

from collections.abc import Mapping, Sequence
from typing import Any

from citepress_payments.chains.evm import authorization, contract_wallet, health
from citepress_payments.chains.evm.client import EvmChain
from citepress_payments.chains.evm.payload import SignedPayload
from citepress_payments.chains.evm.verifier import FINALIZED, EvmTransferVerifier, made_already
from citepress_payments.chains.nodes import rpc_of
from citepress_payments.chains.reader import TransferState
from citepress_payments.configuration import ConfiguredRail
from citepress_payments.ports.chain import CannotSucceed, CheckResult, Paid, PaymentRefused, Verified
from citepress_payments.ports.prices import Clock
from citepress_payments.ports.rows import Json, PaymentEntry


def reader(opened: ConfiguredRail, clock: Clock) -> "EvmReader":
    """The reader of a rail. Raises ``DriverMissingError`` for addresses that may not be used."""
    return EvmReader(opened, clock, EvmChain(rpc_of(opened)))


class EvmReader(SignedPayload):
    """Fills ``chains.reader.ChainReader``."""

    def __init__(self, opened: ConfiguredRail, clock: Clock, chain: EvmChain) -> None:
        self._opened, self._clock, self._chain = opened, clock, chain
        self._verifier = EvmTransferVerifier(chain, opened.finality)
        self._final_verifier = EvmTransferVerifier(chain, FINALIZED)

    @property
    def network(self) -> str:
        """CAIP-2 name of the chain."""
        return self._opened.place.network

    def check(self, entry: PaymentEntry, payload: Json, now: int) -> CheckResult:
        """What can be decided without the chain."""
        return authorization.check(entry, payload, now)

    def key(self, entry: PaymentEntry, payload: Json) -> str:
        """The nonce with its scope."""
        signed = authorization.read_authorization(entry, payload)
        return f"{signed.method}|{signed.token}|{signed.payer}|{signed.nonce}"

    def is_used(self, signed: authorization.Authorized) -> bool:
        """Whether somebody has used or cancelled an authorization."""
        return self._verifier.used(signed)

    def prior_use(self, entry: PaymentEntry, payload: Json) -> Verified | PaymentRefused | None:
        """What became of a nonce that is used, or why the signature is not the payer's; else ``None``."""
        signed = authorization.read_authorization(entry, payload)
        if self.is_used(signed):
            return made_already(self._verifier, entry, signed)
        return contract_wallet.find_refusal(self._chain, entry, signed)

    def find_transfer(
        self, entry: PaymentEntry, payload: Json, txs: Sequence[str], *, final: bool = False
    ) -> Paid | CannotSucceed | TransferState:
        """Receipts and logs decide."""
        verifier = self._final_verifier if final else self._verifier
        return verifier.look(entry, authorization.read_authorization(entry, payload), txs)

    def in_time(self, entry: PaymentEntry, payload: Json) -> bool:
        """Whether the authorization is still good."""
        return self._clock() < authorization.read_authorization(entry, payload).valid_before

    def fault(self) -> str:
        """Chain, token, signing domain, contracts and finality."""
        return health.fault(self._chain, self._opened)

    def accepts_kind(self, kind: Mapping[str, Any]) -> bool:
        """Entries need nothing of it."""
        del kind
        return True

    def extra(self) -> Json:
        """Entries need nothing more."""
        return {}
