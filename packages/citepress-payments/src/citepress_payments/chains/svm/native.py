"""Plain SOL transfers, proven by their transaction: one question to the cluster."""

from citepress_payments.chains import native_proof
from citepress_payments.chains.nodes import rpc_of
from citepress_payments.chains.proof_driver import ProofDriver
from citepress_payments.chains.svm.client import Native, SvmChain
from citepress_payments.drivers import DriverContext
from citepress_payments.ports.chain import Driver, PaymentRefused, Pending, Verified
from citepress_payments.ports.rows import PaymentEntry

RENT = 890_880
"""Lamports that payTo has to hold, or small transfers to it fail."""


def driver(context: DriverContext) -> Driver:
    """The driver of a native rail. Raises ``DriverMissingError`` for addresses that may not be used."""
    opened = context.opened
    return SvmNative(SvmChain(rpc_of(opened)), opened.place.network, opened.pay_to)


class SvmNative(ProofDriver):
    """Looks at transfers that buyers sent."""

    def __init__(self, chain: SvmChain, network: str, pay_to: str) -> None:
        self._chain, self._network, self._pay_to = chain, network, pay_to

    def look(self, entry: PaymentEntry, tx: str, *, final: bool) -> Verified | PaymentRefused | Pending:
        """Whether the transfer is finalized, exact and in time; the first check that fails answers."""
        del final  # only finalized transactions are looked at
        transaction = self._chain.native(tx)
        if transaction is None:
            return Pending(tx)
        if transaction.failed:
            return PaymentRefused("transaction_reverted", "the transaction failed on its chain")
        return _fault(entry, transaction) or Verified(_source(entry, transaction), tx)

    def fault(self) -> str:
        """Whether the nodes serve the right cluster, and payTo can take small transfers."""
        network = self._chain.network()
        if network != self._network:
            return f"the nodes serve {network}, not {self._network}"
        # The cluster refuses a transfer that would leave an account with less than its rent.
        if self._chain.balance(self._pay_to) < RENT:
            return f"{self._pay_to} holds less than {RENT} lamports, so small transfers to it fail"
        return ""


def _fault(entry: PaymentEntry, transaction: Native) -> PaymentRefused | None:
    """What is wrong with a final transaction.

    It must hold one transfer of the amount to payTo and one memo, come in time, and take nothing back.
    """
    pay_to = str(entry["payTo"])
    ours = [transfer for transfer in transaction.transfers if transfer.target == pay_to]
    value = ours[0].lamports if len(ours) == 1 else -1
    fault = native_proof.fault(
        entry, pay_to if ours else "", value, transaction.memos[0] if len(transaction.memos) == 1 else ""
    )
    if fault is None and dict(transaction.changes).get(pay_to) != value:
        return PaymentRefused("amount_mismatch", "payTo did not gain the amount", ours[0].source)
    return fault or native_proof.too_late(entry, transaction.time)


def _source(entry: PaymentEntry, transaction: Native) -> str:
    return next(transfer.source for transfer in transaction.transfers if transfer.target == entry["payTo"])
