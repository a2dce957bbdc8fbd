"""Whether an authorization made its exact transfer: receipts and logs decide, whoever sent the transaction."""

from collections.abc import Iterable

from citepress_payments.chains.evm import calls
from citepress_payments.chains.evm.authorization import Authorized
from citepress_payments.chains.evm.client import EvmBlock, EvmChain, EvmReceipt
from citepress_payments.chains.reader import TransferState
from citepress_payments.permit2 import PERMIT2
from citepress_payments.ports.chain import CannotSucceed, Paid, PaymentRefused, Verified
from citepress_payments.ports.rows import PaymentEntry
from citepress_payments.rails.rail import Authorization as Method

CLOCK_SLACK_S = 60
"""Seconds: a block's time may be so far from ours."""
SETTLED_DEPTH = 3
"""Blocks below ``latest`` at which a state counts as settled where the rail asks for no more."""
LATEST_BLOCK, FINALIZED = "latest", "finalized"
_STEP = 64
"""Blocks of the first step back in search of a moment."""


class EvmTransferVerifier:
    """Reads one chain with one finality. Every method raises ``UnreachableError`` and ``RefusedError``."""

    def __init__(self, chain: EvmChain, finality: str) -> None:
        self._chain, self._finality = chain, finality

    def look(self, entry: PaymentEntry, signed: Authorized, txs: Iterable[str]) -> Paid | CannotSucceed | TransferState:
        """What became of an authorization; ``txs`` are transactions that are likely to have used it."""
        # First what is likely: a receipt is one question, and the search of the logs is many.
        receipts = [receipt for tx in txs if (receipt := self._chain.receipt(tx))]
        if exact := next((receipt for receipt in receipts if self._is_exact(receipt, signed)), None):
            return self._final(exact, signed)
        deep, reverted = self._deep(), bool(receipts)
        if self.used(signed):
            return self._used(entry, signed, deep, reverted=reverted)
        # At a block that will not change: that a nonce is unused in one which may be undone proves nothing.
        if deep.time > signed.valid_before + CLOCK_SLACK_S and not self.used(signed, hex(deep.number)):
            return CannotSucceed("authorization_expired", receipts[-1].tx if receipts else "")
        return TransferState(receipts[-1].tx if receipts else "", used=False, reverted=reverted)

    def used(self, signed: Authorized, at: str = LATEST_BLOCK) -> bool:
        """Whether the nonce is used up."""
        contract = PERMIT2 if signed.method is Method.PERMIT2 else signed.token
        return calls.is_used(signed, self._chain.number(contract, calls.state_call(signed), at))

    def _used(
        self, entry: PaymentEntry, signed: Authorized, deep: EvmBlock, *, reverted: bool
    ) -> Paid | CannotSucceed | TransferState:
        """Somebody used the nonce: find the transfer, or the proof that there is none."""
        head = self._chain.head(LATEST_BLOCK)
        # From the beginning of the quote: nobody can have paid for it before.
        first = self._before(int(entry["extra"]["expiresAt"]) - int(entry["maxTimeoutSeconds"]) - CLOCK_SLACK_S, head)
        spent = False
        for tx, is_proof in self._candidates(signed, first, head.number):
            spent = spent or is_proof
            receipt = self._chain.receipt(tx)
            if receipt and self._is_exact(receipt, signed):
                return self._final(receipt, signed)
        settled = (spent or deep.time > signed.valid_before + CLOCK_SLACK_S) and self.used(signed, hex(deep.number))
        return CannotSucceed("authorization_cancelled") if settled else TransferState("", used=True, reverted=reverted)

    def _candidates(self, signed: Authorized, first: int, last: int) -> Iterable[tuple[str, bool]]:
        """Transactions that may have used the nonce, and whether their log alone proves it."""
        if signed.method is Method.PERMIT2:
            # Permit2 writes no log of a used nonce, so the transfers of this payer to us are looked through.
            topics: list[object] = [calls.TRANSFERRED, calls.topic(signed.payer), calls.topic(signed.payee)]
        else:
            topics = [[calls.USED, calls.CANCELED], calls.topic(signed.payer), signed.nonce]
        for log in self._chain.logs(signed.token, topics, first, last):
            yield log.tx, signed.method is not Method.PERMIT2

    def _is_exact(self, receipt: EvmReceipt, signed: Authorized) -> bool:
        if receipt.status != 1:
            return False
        if signed.method is not Method.PERMIT2:
            return calls.is_authorized_transfer(receipt, signed)
        transaction = self._chain.transaction(receipt.tx)
        return transaction is not None and calls.is_permitted_transfer(receipt, transaction, signed)

    def _final(self, receipt: EvmReceipt, signed: Authorized) -> Paid | TransferState:
        """Paid once the transfer's block is canonical at the rail's finality."""
        if self._finality != LATEST_BLOCK:
            if receipt.block_number > self._chain.head(self._finality).number:
                return TransferState(receipt.tx, used=True, reverted=False)
            block = self._chain.block(receipt.block_number)
            # The receipt may be of a block that another one has replaced.
            if block is None or block.hash != receipt.block_hash:
                return TransferState(receipt.tx, used=True, reverted=False)
        return Paid(receipt.tx, signed.payer)

    def _deep(self) -> EvmBlock:
        """A block whose state is not expected to change."""
        if self._finality != LATEST_BLOCK:
            return self._chain.head(self._finality)
        head = self._chain.head(LATEST_BLOCK)
        return self._chain.block(max(head.number - SETTLED_DEPTH, 0)) or head

    def _before(self, moment: int, head: EvmBlock) -> int:
        """A block at most some minutes before a moment: steps back that double, then halves."""
        low, high, step = head.number, head.number, _STEP
        while low > 0 and self._time(low) > moment:
            high, low, step = low, max(low - step, 0), 2 * step
        while high - low > _STEP:
            middle = (low + high) // 2
            low, high = (middle, high) if self._time(middle) <= moment else (low, middle)
        return low

    def _time(self, number: int) -> int:
        block = self._chain.block(number)
        return block.time if block else 0


def made_already(truth: EvmTransferVerifier, entry: PaymentEntry, signed: Authorized) -> Verified | PaymentRefused:
    """What a used nonce means: the exact transfer was made by somebody else, or the authorization is worth nothing."""
    outcome = truth.look(entry, signed, ())
    if isinstance(outcome, Paid | TransferState) and outcome.tx:
        return Verified(signed.payer, outcome.tx)
    return PaymentRefused(
        "invalid_exact_evm_nonce_already_used", "the authorization was used or cancelled", signed.payer
    )
