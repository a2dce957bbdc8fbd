"""Plain transfers of an EVM chain's own coin, proven by their transaction: at most four questions to the chain."""

from dataclasses import replace

from eth_utils.address import to_checksum_address

from citepress.payments.chains import native_proof
from citepress.payments.chains.evm.client import EvmChain, EvmReceipt, EvmTransaction
from citepress.payments.chains.evm.verifier import FINALIZED
from citepress.payments.chains.jsonrpc import RefusedError, UnreachableError
from citepress.payments.chains.nodes import rpc_of
from citepress.payments.chains.proof_driver import ProofDriver
from citepress.payments.drivers import DriverContext
from citepress.payments.ports import Driver, Entry, Health, Json, PaymentRefused, Pending, Unreachable, Verified


def driver(materials: DriverContext) -> Driver:
    """The driver of a native rail. Raises ``DriverMissingError`` for addresses that may not be used."""
    opened = materials.opened
    return EvmNative(EvmChain(rpc_of(opened)), opened.place.network, opened.finality)


class EvmNative(ProofDriver):
    """Looks at transfers that buyers sent. Fills ``payments.ports.Driver``."""

    def __init__(self, chain: EvmChain, network: str, finality: str) -> None:
        """``finality``: the tag of the newest block that counts."""
        self._chain, self._network, self._finality = chain, network, finality

    def verify(self, entry: Entry, payload: Json) -> Verified | PaymentRefused | Pending | Unreachable:
        """Whether the transfer is exact, final, canonical and in time; the first check that fails answers."""
        return self._asked(entry, payload, self._finality)

    def finally_verified(self, entry: Entry, payload: Json) -> Verified | PaymentRefused | Pending | Unreachable:
        """The same, at the finality that nothing undoes."""
        return self._asked(entry, payload, FINALIZED)

    def _asked(self, entry: Entry, payload: Json, finality: str) -> Verified | PaymentRefused | Pending | Unreachable:
        tx = native_proof.transaction(entry, payload)
        if isinstance(tx, PaymentRefused):
            return tx
        try:
            return self._verified(entry, tx, finality)
        except (UnreachableError, RefusedError) as away:
            return Unreachable(str(away))

    def _verified(self, entry: Entry, tx: str, finality: str) -> Verified | PaymentRefused | Pending:
        made = self._chain.transaction(tx)
        receipt = self._chain.receipt(tx) if made else None
        if made is None or receipt is None:
            return Pending(tx)
        payer = str(to_checksum_address(made.sender))
        if fault := _fault(entry, made, receipt):
            return replace(fault, payer=payer)
        if receipt.block_number > self._chain.head(finality).number:
            return Pending(tx, payer)
        block = self._chain.block(receipt.block_number)
        if block is None or block.hash != receipt.block_hash or tx not in block.transactions:
            return Pending(tx, payer)  # reorganised away meanwhile
        late = native_proof.too_late(entry, block.time)
        return replace(late, payer=payer) if late else Verified(payer, tx)

    def health(self) -> Health:
        """Whether the nodes serve the chain that the rail names, with its finality."""
        try:
            chain = f"eip155:{self._chain.chain_id()}"
            if chain != self._network:
                return Health(available=False, reason=f"the nodes serve {chain}, not {self._network}")
            self._chain.head(self._finality)
        except (UnreachableError, RefusedError) as away:
            return Health(available=False, reason=str(away))
        return Health(available=True)


def _fault(entry: Entry, made: EvmTransaction, receipt: EvmReceipt) -> PaymentRefused | None:
    """What is wrong with a transfer that is in a block, whichever block that is."""
    if receipt.status != 1:
        return PaymentRefused("transaction_reverted", "the transfer failed on its chain")
    return native_proof.fault(entry, made.to, made.value, made.data)
