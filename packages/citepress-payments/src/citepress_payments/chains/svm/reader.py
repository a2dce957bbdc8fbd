"""Reads a Solana cluster for the driver of signed payments."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from citepress_payments.chains.nodes import rpc_of
from citepress_payments.chains.reader import TransferState
from citepress_payments.chains.svm import payment
from citepress_payments.chains.svm.client import SvmChain
from citepress_payments.chains.svm.health import fault
from citepress_payments.chains.svm.verifier import SvmTransferVerifier
from citepress_payments.configuration import ConfiguredRail
from citepress_payments.ports.chain import CannotSucceed, CheckResult, Identity, Paid, PaymentRefused, Verified
from citepress_payments.ports.prices import Clock
from citepress_payments.ports.rows import Json, PaymentEntry

_ADDRESS = re.compile(r"[1-9A-HJ-NP-Za-km-z]{32,44}")


def reader(opened: ConfiguredRail, clock: Clock) -> "SvmReader":
    """The reader of a rail. Raises ``DriverMissingError`` for addresses that may not be used."""
    del clock
    return SvmReader(opened, SvmChain(rpc_of(opened)))


class SvmReader:
    """Fills ``chains.reader.ChainReader``."""

    def __init__(self, opened: ConfiguredRail, chain: SvmChain, own_fee_payer: str = "") -> None:
        """``own_fee_payer``: our account that pays fees; empty where a facilitator names its own."""
        self._opened, self._chain = opened, chain
        self._verifier = SvmTransferVerifier(chain, own_fee_payer)
        self._sent_by_us, self._fee_payer = bool(own_fee_payer), own_fee_payer

    @property
    def network(self) -> str:
        """CAIP-2 name of the chain."""
        return self._opened.place.network

    def identify(self, entry: PaymentEntry, payload: Json) -> Identity | PaymentRefused:
        """Shape, canonical key and payer."""
        return payment.identity(entry, payload)

    def check(self, entry: PaymentEntry, payload: Json, now: int) -> CheckResult:
        """What can be decided without the chain."""
        del now
        return payment.check(entry, payload)

    def key(self, entry: PaymentEntry, payload: Json) -> str:
        """Digest of the message."""
        del entry
        return payment.read_payment(payload).message.digest

    def payer(self, entry: PaymentEntry, payload: Json) -> str:
        """Who owns the tokens."""
        del entry
        return payment.read_payment(payload).owner

    def canonical_payload(self, entry: PaymentEntry, payload: Json) -> Json:
        """As it is: it has one spelling already."""
        del entry
        return payload

    def prior_use(self, entry: PaymentEntry, payload: Json) -> Verified | PaymentRefused | None:
        """Whether the very transaction is final already."""
        if self._sent_by_us:
            return None  # only we can complete its signatures, so nobody has sent it before us
        outcome = self.find_transfer(entry, payload, ())
        if isinstance(outcome, Paid):
            return Verified(outcome.payer, outcome.tx)
        if isinstance(outcome, CannotSucceed):
            return PaymentRefused(outcome.reason, payer=self.payer(entry, payload))
        return None

    def find_transfer(
        self, entry: PaymentEntry, payload: Json, txs: Sequence[str], *, final: bool = False
    ) -> Paid | CannotSucceed | TransferState:
        """The named transactions, and those whose memo is the entry's where somebody else sends."""
        del final  # only finalized transactions are looked at
        return self._verifier.look(entry, payment.read_payment(payload), txs, search=not self._sent_by_us)

    def in_time(self, entry: PaymentEntry, payload: Json) -> bool:
        """Whether the blockhash is still good."""
        del entry
        return not self._chain.is_expired(payment.read_payment(payload).message.blockhash)

    def fault(self) -> str:
        """Cluster, token, and payTo's account."""
        return fault(self._chain, self._opened)

    def accepts_kind(self, kind: Mapping[str, Any]) -> bool:
        """Whether a fee payer is named; entries carry it from then on."""
        extra = kind.get("extra")
        fee_payer = extra.get("feePayer") if isinstance(extra, Mapping) else None
        if not isinstance(fee_payer, str) or not _ADDRESS.fullmatch(fee_payer):
            return False
        self._fee_payer = fee_payer
        return True

    def extra(self) -> Json:
        """The fee payer. Raises ``LookupError`` before the facilitator named it."""
        if not self._fee_payer:
            raise LookupError("the facilitator has not named its fee payer yet")
        return {"feePayer": self._fee_payer}
