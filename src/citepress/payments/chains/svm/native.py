"""Plain SOL transfers, proven by their transaction: one question to the cluster."""

from citepress.payments.chains import native_proof
from citepress.payments.chains.nodes import rpc_of
from citepress.payments.chains.proof_driver import ProofDriver
from citepress.payments.chains.svm.client import FAULTS, Native, SvmChain
from citepress.payments.drivers import DriverContext
from citepress.payments.ports import Driver, Entry, Health, Json, PaymentRefused, Pending, Unreachable, Verified

RENT = 890_880
"""Lamports that payTo has to hold, or small transfers to it fail."""


def driver(materials: DriverContext) -> Driver:
    """The driver of a native rail. Raises ``DriverMissingError`` for addresses that may not be used."""
    opened = materials.opened
    return SvmNative(SvmChain(rpc_of(opened)), opened.place.network, opened.pay_to)


class SvmNative(ProofDriver):
    """Looks at transfers that buyers sent. Fills ``payments.ports.Driver``."""

    def __init__(self, chain: SvmChain, network: str, pay_to: str) -> None:
        self._chain, self._network, self._pay_to = chain, network, pay_to

    def verify(self, entry: Entry, payload: Json) -> Verified | PaymentRefused | Pending | Unreachable:
        """Whether the transfer is finalized, exact and in time; the first check that fails answers."""
        tx = native_proof.transaction(entry, payload)
        if isinstance(tx, PaymentRefused):
            return tx
        try:
            made = self._chain.native(tx)
        except FAULTS as away:
            return Unreachable(str(away))
        if made is None:
            return Pending(tx)
        if made.failed:
            return PaymentRefused("transaction_reverted", "the transaction failed on its chain")
        return _fault(entry, made) or Verified(_source(entry, made), tx)

    def health(self) -> Health:
        """Whether the nodes serve the right cluster, and payTo can take small transfers."""
        try:
            if (network := self._chain.network()) != self._network:
                return Health(available=False, reason=f"the nodes serve {network}, not {self._network}")
            if self._chain.balance(self._pay_to) < RENT:
                return Health(available=False, reason=f"{self._pay_to} holds less than {RENT} lamports, so small transfers to it fail")
        except FAULTS as away:
            return Health(available=False, reason=str(away))
        return Health(available=True)


def _fault(entry: Entry, made: Native) -> PaymentRefused | None:
    """What is wrong with a final transaction: one transfer to payTo, of the amount, with one memo, in time, and nothing taken back."""
    pay_to = str(entry["payTo"])
    ours = [one for one in made.transfers if one.target == pay_to]
    value = ours[0].lamports if len(ours) == 1 else -1
    fault = native_proof.fault(entry, pay_to if ours else "", value, made.memos[0] if len(made.memos) == 1 else "")
    if fault is None and dict(made.changes).get(pay_to) != value:
        return PaymentRefused("amount_mismatch", "payTo did not gain the amount", ours[0].source)
    return fault or native_proof.too_late(entry, made.time)


def _source(entry: Entry, made: Native) -> str:
    return next(one.source for one in made.transfers if one.target == entry["payTo"])
