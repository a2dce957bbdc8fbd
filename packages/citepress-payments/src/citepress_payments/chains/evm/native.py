"""Plain transfers of an EVM chain's own coin, proven by their transaction: at most four questions to the chain."""

from collections.abc import Sequence
from dataclasses import replace

from eth_utils.address import to_checksum_address

from citepress_payments.chains import native_proof
from citepress_payments.chains.evm.client import EvmChain, EvmReceipt, EvmTransaction
from citepress_payments.chains.evm.verifier import FINALIZED
from citepress_payments.chains.jsonrpc import FAULTS
from citepress_payments.chains.nodes import rpc_of
from citepress_payments.chains.proof_driver import ProofDriver
from citepress_payments.drivers import DriverContext
from citepress_payments.ports.chain import (
    CannotSucceed,
    ChainTruth,
    Driver,
    JournalWrite,
    PaymentRefused,
    Pending,
    Sent,
    Unreachable,
    Verified,
)
from citepress_payments.ports.rows import Json, PaymentEntry

VANISHED = "transfer_vanished"
KEPT_BY_NODES = 3 * 3600
"""Seconds after the last moment of a transfer at which one that no block holds is given up: nodes keep a transaction
that they cannot include for about so long, and hand it to each other again after a reorganisation."""


def driver(context: DriverContext) -> Driver:
    """The driver of a native rail. Raises ``DriverMissingError`` for addresses that may not be used."""
    opened = context.opened
    return EvmNative(EvmChain(rpc_of(opened)), opened.place.network, opened.finality)


class EvmNative(ProofDriver):
    """Looks at transfers that buyers sent."""

    def __init__(self, chain: EvmChain, network: str, finality: str) -> None:
        """``finality``: the tag of the newest block that counts."""
        self._chain, self._network, self._finality = chain, network, finality

    def confirm(self, entry: PaymentEntry, payload: Json, sent: Sequence[Sent], journal: JournalWrite) -> ChainTruth:
        """Whether the transfer is where nothing undoes it, or is gone for good."""
        outcome = super().confirm(entry, payload, sent, journal)
        if not isinstance(outcome, Pending):
            return outcome
        try:
            return CannotSucceed(VANISHED, outcome.tx) if self._is_gone(entry, outcome.tx) else outcome
        except FAULTS as away:
            return Unreachable(str(away))

    def _is_gone(self, entry: PaymentEntry, tx: str) -> bool:
        """Whether no canonical block holds the transfer, long after the last moment at which it could be made."""
        receipt = self._chain.receipt(tx)
        if receipt and self._is_canonical(receipt):
            return False  # it only waits for its finality
        # The chain's own time decides: while the chain makes no final blocks, nothing is given up.
        # See "A vanished native transfer is given up by the chain's clock" in docs/decisions/payments.md.
        return self._chain.head(FINALIZED).time > int(entry["extra"]["expiresAt"]) + native_proof.LATE + KEPT_BY_NODES

    def _is_canonical(self, receipt: EvmReceipt) -> bool:
        block = self._chain.block(receipt.block_number)
        return block is not None and block.hash == receipt.block_hash and receipt.tx in block.transactions

    def look(self, entry: PaymentEntry, tx: str, *, final: bool) -> Verified | PaymentRefused | Pending:
        """Whether the transfer is exact, final, canonical and in time; the first check that fails answers."""
        transaction = self._chain.transaction(tx)
        receipt = self._chain.receipt(tx) if transaction else None
        if transaction is None or receipt is None:
            return Pending(tx)
        payer = str(to_checksum_address(transaction.sender))
        if fault := _fault(entry, transaction, receipt):
            return replace(fault, payer=payer)
        if receipt.block_number > self._chain.head(FINALIZED if final else self._finality).number:
            return Pending(tx, payer)
        block = self._chain.block(receipt.block_number)
        if block is None or block.hash != receipt.block_hash or tx not in block.transactions:
            return Pending(tx, payer)  # reorganised away meanwhile
        late = native_proof.too_late(entry, block.time)
        return replace(late, payer=payer) if late else Verified(payer, tx)

    def fault(self) -> str:
        """Whether the nodes serve the chain that the rail names, with its finality."""
        chain = f"eip155:{self._chain.chain_id()}"
        if chain != self._network:
            return f"the nodes serve {chain}, not {self._network}"
        self._chain.head(self._finality)  # nodes that do not know the tag refuse the question
        return ""


def _fault(entry: PaymentEntry, transaction: EvmTransaction, receipt: EvmReceipt) -> PaymentRefused | None:
    """What is wrong with a transfer that is in a block, whichever block that is."""
    if receipt.status != 1:
        return PaymentRefused("transaction_reverted", "the transfer failed on its chain")
    return native_proof.fault(entry, transaction.to, transaction.value, transaction.data)
