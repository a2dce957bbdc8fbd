"""The Solana side of a facilitator's driver."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from citepress.payments.chains.nodes import rpc_of
from citepress.payments.chains.svm import payment
from citepress.payments.chains.svm.client import SvmChain
from citepress.payments.chains.svm.health import fault
from citepress.payments.chains.svm.verifier import SvmTransferVerifier
from citepress.payments.configuration import ConfiguredRail
from citepress.payments.ports import CannotSucceed, Entry, Identity, Json, Paid, PaymentRefused, Pending, Proven, Undecided, Verified

_SIGNATURE = re.compile(r"[1-9A-HJ-NP-Za-km-z]{64,88}")
_ADDRESS = re.compile(r"[1-9A-HJ-NP-Za-km-z]{32,44}")


class SvmFamily:
    """Fills ``sides.Side``."""

    def __init__(self, opened: ConfiguredRail) -> None:
        """Raises ``DriverMissingError`` for addresses that may not be used."""
        self._opened = opened
        self._chain = SvmChain(rpc_of(opened))
        self._truth = SvmTransferVerifier(self._chain)
        self._payer = ""

    @property
    def network(self) -> str:
        """CAIP-2 name of the chain."""
        return self._opened.place.network

    def identify(self, entry: Entry, payload: Json) -> Identity | PaymentRefused:
        """Shape, canonical key and payer."""
        return payment.identity(entry, payload)

    def check(self, entry: Entry, payload: Json, now: int) -> Proven | Undecided | PaymentRefused:
        """What can be told without the chain."""
        del now
        return payment.check(entry, payload)

    def key(self, entry: Entry, payload: Json) -> str:
        """Digest of the message."""
        del entry
        return payment.read(payload).message.digest

    def payer(self, entry: Entry, payload: Json) -> str:
        """Who owns the tokens."""
        del entry
        return payment.read(payload).owner

    def plain(self, entry: Entry, payload: Json) -> Json:
        """As it is: it has one spelling already."""
        del entry
        return payload

    def known(self, entry: Entry, payload: Json) -> Verified | PaymentRefused | None:
        """Whether the very transaction is final already."""
        told = self.look(entry, payload, ())
        if isinstance(told, Paid):
            return Verified(told.payer, told.tx)
        return PaymentRefused(told.reason, payer=self.payer(entry, payload)) if isinstance(told, CannotSucceed) else None

    def look(self, entry: Entry, payload: Json, txs: Sequence[str], *, final: bool = False) -> Paid | Pending | CannotSucceed:
        """The named transactions, and else those whose memo is the entry's."""
        del final  # nothing else is looked at
        return self._truth.look(entry, payment.read(payload), txs, search=True)

    def in_time(self, entry: Entry, payload: Json) -> bool:
        """Whether the blockhash is still good."""
        del entry
        return not self._chain.is_expired(payment.read(payload).message.blockhash)

    def named(self, tx: str) -> str:
        """A transaction's first signature."""
        return tx if _SIGNATURE.fullmatch(tx) else ""

    def fault(self) -> str:
        """Cluster, token, and payTo's account."""
        return fault(self._chain, self._opened)

    def served(self, kind: Mapping[str, Any]) -> bool:
        """Whether a fee payer is named; entries carry it from then on."""
        extra = kind.get("extra")
        named = extra.get("feePayer") if isinstance(extra, Mapping) else None
        if not isinstance(named, str) or not _ADDRESS.fullmatch(named):
            return False
        self._payer = named
        return True

    def extra(self) -> Json:
        """The fee payer. Raises ``LookupError`` before the facilitator named it."""
        if not self._payer:
            raise LookupError("the facilitator has not named its fee payer yet")
        return {"feePayer": self._payer}
