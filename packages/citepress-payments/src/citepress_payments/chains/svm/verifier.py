"""Whether a Solana payment made its exact transfer: only a finalized transaction without an error decides."""

from collections.abc import Iterable, Iterator, Sequence

from citepress_payments.chains.reader import TransferState
from citepress_payments.chains.svm import transaction
from citepress_payments.chains.svm.client import Exact, SvmChain
from citepress_payments.chains.svm.payment import SvmPayment
from citepress_payments.ports.chain import CannotSucceed, NetworkFee, Paid, UnknownFee
from citepress_payments.ports.rows import PaymentEntry


class SvmTransferVerifier:
    """Reads one cluster. Every method raises ``UnreachableError`` and ``RefusedError``."""

    def __init__(self, chain: SvmChain, fee_payer: str = "") -> None:
        """``fee_payer``: our own account that pays fees; empty where somebody else's does."""
        self._chain, self._fee_payer = chain, fee_payer

    def look(
        self, entry: PaymentEntry, paid: SvmPayment, txs: Iterable[str], *, search: bool
    ) -> Paid | CannotSucceed | TransferState:
        """What became of a payment.

        ``txs`` are its likely ids, and with ``search`` the memos of payTo's account are searched for it.
        """
        likely = list(txs)
        expired = self._chain.is_expired(paid.message.blockhash)  # before history: what landed by then is in it
        outcomes = (self._outcome(entry, paid, tx) for tx in self._candidates(entry, paid, likely, search=search))
        outcome = next((outcome for outcome in outcomes if outcome), None)
        if outcome:
            return outcome
        tx = likely[0] if likely else ""
        if expired and not any(self._chain.is_known(candidate) for candidate in likely):
            return CannotSucceed("blockhash_expired", tx)
        return TransferState(tx)

    def _candidates(
        self, entry: PaymentEntry, paid: SvmPayment, likely: Sequence[str], *, search: bool
    ) -> Iterator[str]:
        """Transactions that may have made the transfer, asked for as they are needed."""
        yield from likely
        if search:
            memo = str(entry["extra"]["memo"])
            yield from (tx for tx in self._chain.with_memo(paid.target, memo) if tx not in likely)

    def _outcome(self, entry: PaymentEntry, paid: SvmPayment, tx: str) -> Paid | CannotSucceed | None:
        landed = self._chain.exact(tx)
        # A memo can be copied by anybody: the message itself has to be the one that was signed.
        if landed is None or not _is_same(landed, paid):
            return None
        gained = (paid.message.keys.index(paid.target), paid.mint, int(entry["amount"]))
        if landed.failed or gained not in landed.changes:
            return CannotSucceed("transaction_failed", tx, self._fee(landed))
        return Paid(tx, paid.owner, self._fee(landed))

    def _fee(self, landed: Exact) -> NetworkFee:
        """Lamports that a transaction cost us; one that failed is charged for too."""
        if not self._fee_payer:
            return 0
        return UnknownFee("the node does not state the fee") if landed.fee is None else landed.fee


def _is_same(landed: Exact, paid: SvmPayment) -> bool:
    """Whether a transaction is this very message."""
    try:
        return transaction.read_transaction(landed.data).raw == paid.message.raw
    except transaction.TransactionError:
        return False
