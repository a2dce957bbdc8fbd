"""Solana token payments whose fee we pay: the SDK verifies and signs, and the finalized chain decides."""

import logging
from collections.abc import Sequence

from citepress_payments.base58 import base58
from citepress_payments.chains.exact_driver import ExactDriver, Sender
from citepress_payments.chains.jsonrpc import FAULTS
from citepress_payments.chains.nodes import KEY, key_of, refuse_public_key, rpc_of
from citepress_payments.chains.reader import TransferState
from citepress_payments.chains.svm import payment
from citepress_payments.chains.svm.client import SvmChain
from citepress_payments.chains.svm.reader import SvmReader
from citepress_payments.chains.svm.sdk import SvmSdk, keypair_of
from citepress_payments.drivers import DriverContext, DriverMissingError
from citepress_payments.ports.chain import Driver, Health, JournalWrite, PaymentRefused, Pending, Plan, Sent, Verified
from citepress_payments.ports.prices import ProbePoint
from citepress_payments.ports.rows import Json, PaymentEntry

LAMPORTS_PER_SIGNATURE = 5_000
FLOOR = 2_000_000
"""Lamports of the fee payer below which the rail closes: some two hundred payments."""

log = logging.getLogger(__name__)


def driver(context: DriverContext) -> Driver:
    """The driver of an exact rail. Raises ``DriverMissingError`` for an address or a key that may not be used."""
    opened, key = context.opened, key_of(context.opened)
    try:
        keypair = keypair_of(key)
    except ValueError as wrong:
        raise DriverMissingError(f"the rail {opened.slug}: signer_key_file: {wrong}", KEY) from None
    payer = str(keypair.pubkey())
    refuse_public_key(opened, payer)
    if payer == opened.pay_to:
        raise DriverMissingError(
            f"the rail {opened.slug}: pay_to_svm is the signer's own address; money goes to another, cold one", KEY
        )
    chain = SvmChain(rpc_of(opened))
    sender = SvmSender(chain, SvmSdk(chain, keypair), payer, context.probe)
    return ExactDriver(SvmReader(opened, chain, payer), sender, context.probe)


class SvmSender(Sender):
    """Sends from an account of ours that pays fees."""

    def __init__(self, chain: SvmChain, sdk: SvmSdk, payer: str, probe: ProbePoint) -> None:
        """``payer``: the account that pays fees."""
        self._chain, self._sdk, self._payer, self._probe = chain, sdk, payer, probe

    def verify(self, entry: PaymentEntry, payload: Json) -> Verified | PaymentRefused:
        """Whether the cluster would make the transfer now; its signatures are checked there."""
        owner = payment.read_payment(payload).owner
        return self._sdk.verify(entry, payload, owner) or Verified(owner)

    def send(self, entry: PaymentEntry, payload: Json, journal: JournalWrite) -> None:
        """Journal the signed transaction, then send it. Raises ``UnreachableError`` where nothing was journaled."""

        def write(transaction: bytes) -> str:
            tx = base58(transaction[1:65])
            journal(Plan(str(entry["network"]), "", 0, None, tx=tx, raw=transaction))
            self._probe("journal")
            self._broadcast(transaction)
            self._probe("broadcast")
            return tx

        self._sdk.send(entry, payload, write)

    def transactions(self, entry: PaymentEntry, payload: Json, sent: Sequence[Sent]) -> Sequence[str]:
        """What we sent."""
        del entry, payload
        return [broadcast.tx for broadcast in sent if broadcast.tx]

    def pursue(
        self,
        entry: PaymentEntry,
        payload: Json,
        state: TransferState,
        sent: Sequence[Sent],
        journal: JournalWrite | None,
    ) -> Pending:
        """Send what was journaled again while the cluster does not know it; nothing is signed anew."""
        del entry, journal
        for broadcast in sent:
            if broadcast.raw and not self._chain.is_known(broadcast.tx):
                self._broadcast(broadcast.raw)
        return Pending(state.tx, payment.read_payment(payload).owner)

    def _broadcast(self, transaction: bytes) -> None:
        """Send bytes; what the nodes say is for ``reconcile`` to find out."""
        try:
            self._chain.send(transaction)
        except FAULTS as away:
            log.warning("a transaction could not be sent: %s", away)

    def health(self) -> Health:
        """The fee payer's lamports."""
        if self._chain.balance(self._payer) < FLOOR:
            return Health(available=False, reason=f"{self._payer} holds less than {FLOOR} lamports for fees")
        return Health(available=True)

    def fee(self) -> int | None:
        """Of two signatures; the priority fee of stock buyers is below a lamport."""
        return 2 * LAMPORTS_PER_SIGNATURE
