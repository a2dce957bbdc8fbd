"""Solana token payments whose fee we pay: the SDK verifies and signs, the ledger journals, the finalized chain decides."""

import logging
from collections.abc import Sequence

from citepress.payments.base58 import base58
from citepress.payments.chains.nodes import KEY, key_of, refuse_public_key, rpc_of
from citepress.payments.chains.svm import payment
from citepress.payments.chains.svm.client import FAULTS, SvmChain
from citepress.payments.chains.svm.health import fault
from citepress.payments.chains.svm.sdk import SvmSdk, keypair_of
from citepress.payments.chains.svm.verifier import SvmTransferVerifier
from citepress.payments.configuration import ConfiguredRail
from citepress.payments.drivers import DriverContext, DriverMissingError
from citepress.payments.ports import (
    CannotSucceed,
    Driver,
    Entry,
    Health,
    Identity,
    Journal,
    Json,
    Paid,
    PaymentRefused,
    Pending,
    Plan,
    Probe,
    Proven,
    Sent,
    Undecided,
    Unreachable,
    Verified,
)

LAMPORTS_PER_SIGNATURE = 5_000
FLOOR = 2_000_000
"""Lamports of the fee payer below which the rail closes: some two hundred payments."""

log = logging.getLogger(__name__)


def driver(materials: DriverContext) -> Driver:
    """The driver of an exact rail. Raises ``DriverMissingError`` for an address or a key that may not be used."""
    opened, key = materials.opened, key_of(materials.opened)
    try:
        keypair = keypair_of(key)
    except ValueError as wrong:
        raise DriverMissingError(f"the rail {opened.slug}: signer_key_file: {wrong}", KEY) from None
    payer = str(keypair.pubkey())
    refuse_public_key(opened, payer)
    if payer == opened.pay_to:
        raise DriverMissingError(f"the rail {opened.slug}: pay_to_svm is the signer's own address; money goes to another, cold one", KEY)
    chain = SvmChain(rpc_of(opened))
    return SvmExact(opened, chain, SvmSdk(chain, keypair), payer, materials.probe)


class SvmExact:
    """Fills ``payments.ports.Driver``."""

    def __init__(self, opened: ConfiguredRail, chain: SvmChain, sdk: SvmSdk, payer: str, probe: Probe) -> None:
        """``payer``: the account that pays fees."""
        self._opened, self._chain, self._sdk, self._payer, self._probe = opened, chain, sdk, payer, probe
        self._truth = SvmTransferVerifier(chain)

    def identify(self, entry: Entry, payload: Json) -> Identity | PaymentRefused:
        """Shape, canonical key and payer."""
        return payment.identity(entry, payload)

    def check(self, entry: Entry, payload: Json, now: int) -> Proven | Undecided | PaymentRefused:
        """What can be told without the chain."""
        del now
        return payment.check(entry, payload)

    def verify(self, entry: Entry, payload: Json) -> Verified | PaymentRefused | Pending | Unreachable:
        """Whether the cluster would make the transfer now; its signatures are checked there."""
        paid = payment.read(payload)
        try:
            return self._sdk.verify(entry, payload, paid.owner) or Verified(paid.owner)
        except FAULTS as away:
            return Unreachable(str(away))

    def send(self, entry: Entry, payload: Json, journal: Journal) -> None:
        """Journal the signed transaction, then send it. Raises ``UnreachableError`` where nothing was journaled."""

        def write(transaction: bytes) -> str:
            tx = base58(transaction[1:65])
            journal(Plan(str(entry["network"]), "", 0, None, tx=tx, raw=transaction))
            self._probe("journal")
            self._handed(transaction)
            self._probe("broadcast")
            return tx

        self._sdk.send(entry, payload, write)

    def reconcile(
        self, entry: Entry, payload: Json, sent: Sequence[Sent], journal: Journal | None
    ) -> Paid | Pending | CannotSucceed | Unreachable:
        """The finalized transfer, its failure, or neither yet; what was journaled is sent again while its blockhash is good."""
        del journal  # the same bytes are sent again; nothing is signed anew
        paid = payment.read(payload)
        try:
            told = self._truth.look(entry, paid, [one.tx for one in sent if one.tx], search=False)
            if isinstance(told, Pending):
                for one in sent:
                    if one.raw and not self._chain.is_known(one.tx):
                        self._handed(one.raw)
                return told
        except FAULTS as away:
            return Unreachable(str(away))
        self._probe("receipt")
        return told

    def confirm(self, entry: Entry, payload: Json, sent: Sequence[Sent], journal: Journal) -> Paid | Pending | CannotSucceed | Unreachable:
        """What counts here is final already."""
        return self.reconcile(entry, payload, sent, journal)

    def _handed(self, transaction: bytes) -> None:
        """Send bytes; what the nodes say is for ``reconcile`` to find out."""
        try:
            self._chain.send(transaction)
        except FAULTS as away:
            log.warning("a transaction could not be sent: %s", away)

    def health(self) -> Health:
        """Cluster, token, payTo's account, and the fee payer's lamports."""
        try:
            if reason := fault(self._chain, self._opened):
                return Health(available=False, reason=reason)
            if self._chain.balance(self._payer) < FLOOR:
                return Health(available=False, reason=f"{self._payer} holds less than {FLOOR} lamports for fees")
        except FAULTS as away:
            return Health(available=False, reason=str(away))
        return Health(available=True)

    def fee(self) -> int | Unreachable | None:
        """Of two signatures; the priority fee of stock buyers is below a lamport."""
        return 2 * LAMPORTS_PER_SIGNATURE

    def extra(self) -> Json:
        """Who pays the fee."""
        return {"feePayer": self._payer}
