"""What drivers of native rails share: the buyer has sent the transfer, and we only look at it."""

from abc import ABC, abstractmethod
from collections.abc import Sequence

from citepress_payments.chains import native_proof
from citepress_payments.chains.jsonrpc import FAULTS, DisagreementError
from citepress_payments.ports.chain import (
    CannotSucceed,
    ChainTruth,
    CheckResult,
    Health,
    Identity,
    JournalWrite,
    Paid,
    PaymentRefused,
    Pending,
    Sent,
    Undecided,
    Unreachable,
    Verified,
    VerifyResult,
)
from citepress_payments.ports.rows import Json, PaymentEntry


class ProofDriver(ABC):
    """A driver that never sends. Fills ``payments.ports.Driver``."""

    @abstractmethod
    def look(self, entry: PaymentEntry, tx: str, *, final: bool) -> Verified | PaymentRefused | Pending:
        """Whether a transaction made the transfer: exactly, in time, and where the rail's finality is content.

        ``final``: where nothing undoes it. Raises ``UnreachableError`` and ``RefusedError``.
        """

    @abstractmethod
    def fault(self) -> str:
        """Why the rail cannot be offered now; empty where it can. Raises as ``look``."""

    def verify(self, entry: PaymentEntry, payload: Json) -> VerifyResult:
        """Whether the transfer is exact, final and in time; the first check that fails answers."""
        return self._verified(entry, payload, final=False)

    def _verified(self, entry: PaymentEntry, payload: Json, *, final: bool) -> VerifyResult:
        tx = native_proof.transaction(entry, payload)
        if isinstance(tx, PaymentRefused):
            return tx
        try:
            return self.look(entry, tx, final=final)
        except DisagreementError:
            return Pending(tx)  # some nodes have it, others not yet
        except FAULTS as away:
            return Unreachable(str(away))

    def health(self) -> Health:
        """Whether the chain answers, and is the one that the rail names."""
        try:
            reason = self.fault()
        except FAULTS as away:
            reason = str(away)
        return Health(available=not reason, reason=reason)

    def identify(self, entry: PaymentEntry, payload: Json) -> Identity | PaymentRefused:
        """Shape and canonical key; only the chain knows who paid."""
        return native_proof.identity(entry, payload)

    def check(self, entry: PaymentEntry, payload: Json, now: int) -> CheckResult:
        """Nothing can be decided without the chain."""
        del entry, payload, now
        return Undecided()

    def send(self, entry: PaymentEntry, payload: Json, journal: JournalWrite) -> None:
        """Never called: the buyer has sent it."""
        del entry, payload, journal
        raise RuntimeError("a native payment is sent by its buyer")

    def reconcile(
        self, entry: PaymentEntry, payload: Json, sent: Sequence[Sent], journal: JournalWrite | None
    ) -> ChainTruth:
        """As ``verify``: the proof is on the chain, or will be."""
        del sent, journal
        verdict = self.verify(entry, payload)
        if isinstance(verdict, Verified):
            return Paid(verdict.tx, verdict.payer)
        return CannotSucceed(verdict.reason) if isinstance(verdict, PaymentRefused) else verdict

    def confirm(self, entry: PaymentEntry, payload: Json, sent: Sequence[Sent], journal: JournalWrite) -> ChainTruth:
        """Whether the transfer is where nothing undoes it.

        Only the buyer could send it again; a later block is as good as the first.
        """
        del sent, journal
        verdict = self._verified(entry, payload, final=True)
        if isinstance(verdict, Verified):
            return Paid(verdict.tx, verdict.payer)
        if isinstance(verdict, PaymentRefused):
            tx = str(payload["transaction"])
            return Paid(tx, verdict.payer) if verdict.reason == "paid_too_late" else CannotSucceed(verdict.reason, tx)
        return verdict

    def fee(self) -> int | Unreachable | None:
        """The buyer pays it."""
        return None

    def extra(self) -> Json:
        """Nothing of its own."""
        return {}
