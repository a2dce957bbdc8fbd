"""The EVM side of a facilitator's driver."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from citepress.payments.chains.evm import authorization, contract_wallet, health
from citepress.payments.chains.evm.client import EvmChain
from citepress.payments.chains.evm.payload import plain
from citepress.payments.chains.evm.verifier import FINALIZED, EvmTransferVerifier, TransferState, made_already
from citepress.payments.chains.nodes import rpc_of
from citepress.payments.configuration import ConfiguredRail
from citepress.payments.ports import CannotSucceed, Clock, Entry, Identity, Json, Paid, PaymentRefused, Pending, Proven, Undecided, Verified

_HASH = re.compile(r"0x[0-9a-f]{64}")


class EvmFamily:
    """Fills ``sides.Side``."""

    def __init__(self, opened: ConfiguredRail, clock: Clock) -> None:
        """Raises ``DriverMissingError`` for addresses that may not be used."""
        self._opened, self._clock = opened, clock
        self._chain = EvmChain(rpc_of(opened))
        self._truth = EvmTransferVerifier(self._chain, opened.finality)
        self._final = EvmTransferVerifier(self._chain, FINALIZED)

    @property
    def network(self) -> str:
        """CAIP-2 name of the chain."""
        return self._opened.place.network

    def identify(self, entry: Entry, payload: Json) -> Identity | PaymentRefused:
        """Shape, canonical key and payer."""
        return authorization.identity(entry, payload)

    def check(self, entry: Entry, payload: Json, now: int) -> Proven | Undecided | PaymentRefused:
        """What can be told without the chain."""
        return authorization.check(entry, payload, now)

    def key(self, entry: Entry, payload: Json) -> str:
        """The nonce with its scope."""
        signed = authorization.read(entry, payload)
        return f"{signed.method}|{signed.token}|{signed.payer}|{signed.nonce}"

    def payer(self, entry: Entry, payload: Json) -> str:
        """Who signed."""
        return authorization.read(entry, payload).payer

    def plain(self, entry: Entry, payload: Json) -> Json:
        """Addresses with their checksums, hexadecimal in lower case."""
        return plain(authorization.read(entry, payload))

    def known(self, entry: Entry, payload: Json) -> Verified | PaymentRefused | None:
        """What became of a nonce that is used, or why the signature is not the payer's; else ``None``."""
        signed = authorization.read(entry, payload)
        if self._truth.used(signed):
            return made_already(self._truth, entry, signed)
        return contract_wallet.refused(self._chain, entry, signed)

    def look(self, entry: Entry, payload: Json, txs: Sequence[str], *, final: bool = False) -> Paid | Pending | CannotSucceed:
        """Receipts and logs decide."""
        signed = authorization.read(entry, payload)
        told = (self._final if final else self._truth).look(entry, signed, txs)
        return Pending(told.tx, signed.payer) if isinstance(told, TransferState) else told

    def in_time(self, entry: Entry, payload: Json) -> bool:
        """Whether the authorization is still good."""
        return self._clock() < authorization.read(entry, payload).valid_before

    def named(self, tx: str) -> str:
        """A transaction's hash in lower case."""
        return tx.lower() if _HASH.fullmatch(tx.lower()) else ""

    def fault(self) -> str:
        """Chain, token, signing domain, contracts and finality."""
        return health.fault(self._chain, self._opened)

    def served(self, kind: Mapping[str, Any]) -> bool:
        """Nothing more is needed."""
        del kind
        return True

    def extra(self) -> Json:
        """Nothing of its own."""
        return {}
