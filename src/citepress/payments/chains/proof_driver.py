"""What drivers of native rails share: the buyer has sent the transfer, and we only look at it."""

from abc import ABC, abstractmethod
from collections.abc import Sequence

from citepress.payments.chains import native_proof
from citepress.payments.ports import (
    CannotSucceed,
    Entry,
    Health,
    Identity,
    Journal,
    Json,
    Paid,
    PaymentRefused,
    Pending,
    Proven,
    Sent,
    Undecided,
    Unreachable,
    Verified,
)


class ProofDriver(ABC):
    """A driver that never sends."""

    @abstractmethod
    def verify(self, entry: Entry, payload: Json) -> Verified | PaymentRefused | Pending | Unreachable:
        """Whether the transfer is exact, final and in time."""

    @abstractmethod
    def health(self) -> Health:
        """The checks of the rail."""

    def identify(self, entry: Entry, payload: Json) -> Identity | PaymentRefused:
        """Shape and canonical key; only the chain tells who paid."""
        return native_proof.identity(entry, payload)

    def check(self, entry: Entry, payload: Json, now: int) -> Proven | Undecided | PaymentRefused:
        """Nothing can be told without the chain."""
        del entry, payload, now
        return Undecided()

    def send(self, entry: Entry, payload: Json, journal: Journal) -> None:
        """Never called: the buyer has sent it."""
        del entry, payload, journal
        raise RuntimeError("a native payment is sent by its buyer")

    def reconcile(
        self, entry: Entry, payload: Json, sent: Sequence[Sent], journal: Journal | None
    ) -> Paid | Pending | CannotSucceed | Unreachable:
        """As ``verify``: the proof is on the chain, or will be."""
        del sent, journal
        told = self.verify(entry, payload)
        if isinstance(told, Verified):
            return Paid(told.tx, told.payer)
        return CannotSucceed(told.reason) if isinstance(told, PaymentRefused) else told

    def confirm(self, entry: Entry, payload: Json, sent: Sequence[Sent], journal: Journal) -> Paid | Pending | CannotSucceed | Unreachable:
        """Whether the transfer is where nothing undoes it. Only the buyer could send it again; a later block is as good as the first."""
        del sent, journal
        told = self.finally_verified(entry, payload)
        if isinstance(told, Verified):
            return Paid(told.tx, told.payer)
        if isinstance(told, PaymentRefused):
            tx = str(payload["transaction"])
            return Paid(tx, told.payer) if told.reason == "paid_too_late" else CannotSucceed(told.reason, tx)
        return told

    def finally_verified(self, entry: Entry, payload: Json) -> Verified | PaymentRefused | Pending | Unreachable:
        """As ``verify``, at the finality that nothing undoes; most rails ask for no less."""
        return self.verify(entry, payload)

    def fee(self) -> int | Unreachable | None:
        """The buyer pays it."""
        return None

    def extra(self) -> Json:
        """Nothing of its own."""
        return {}
