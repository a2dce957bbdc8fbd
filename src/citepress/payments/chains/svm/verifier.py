"""Whether a Solana payment made its exact transfer: only a finalized transaction without an error decides."""

from collections.abc import Iterable

from citepress.payments.chains.svm import transaction
from citepress.payments.chains.svm.client import Exact, SvmChain
from citepress.payments.chains.svm.payment import SvmPayment
from citepress.payments.ports import CannotSucceed, Entry, Paid, Pending


class SvmTransferVerifier:
    """Reads one cluster. Every method raises ``UnreachableError`` and ``RefusedError``."""

    def __init__(self, chain: SvmChain) -> None:
        self._chain = chain

    def look(self, entry: Entry, paid: SvmPayment, txs: Iterable[str], *, search: bool) -> Paid | CannotSucceed | Pending:
        """What became of a payment; ``txs`` are its likely ids, and with ``search`` the memos of payTo's account are searched for it."""
        known, expired = list(txs), self._chain.is_expired(paid.message.blockhash)  # before history: what landed by then is in it
        found = next((told for tx in known if (told := self._found(entry, paid, tx))), None)
        if found is None and search:
            memo = str(entry["extra"]["memo"])
            candidates = (tx for tx in self._chain.with_memo(paid.target, memo) if tx not in known)
            found = next((told for tx in candidates if (told := self._found(entry, paid, tx))), None)
        tx = known[0] if known else ""
        if found:
            return found
        if expired and not any(self._chain.is_known(one) for one in known):
            return CannotSucceed("blockhash_expired", tx)
        return Pending(tx, paid.owner)

    def _found(self, entry: Entry, paid: SvmPayment, tx: str) -> Paid | CannotSucceed | None:
        made = self._chain.exact(tx)
        if made is None or not _is_same(made, paid):
            return None
        gained = (paid.message.keys.index(paid.target), paid.mint, int(entry["amount"]))
        if made.failed or gained not in made.changes:
            return CannotSucceed("transaction_failed", tx)
        return Paid(tx, paid.owner)


def _is_same(made: Exact, paid: SvmPayment) -> bool:
    """Whether a transaction is this very message."""
    try:
        return transaction.read(made.data).raw == paid.message.raw
    except transaction.TransactionError:
        return False
