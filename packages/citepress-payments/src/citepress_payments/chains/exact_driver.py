"""The driver of signed payments: a reader of the chain decides, and a sender gets the transaction there."""

from abc import ABC, abstractmethod
from collections.abc import Sequence

from citepress_payments.chains.jsonrpc import FAULTS
from citepress_payments.chains.reader import ChainReader, TransferState
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
    Unreachable,
    Verified,
)
from citepress_payments.ports.prices import ProbePoint
from citepress_payments.ports.rows import Json, PaymentEntry


class Sender(ABC):
    """Who broadcasts a payment that its buyer signed. Methods may raise ``UnreachableError`` and ``RefusedError``."""

    @abstractmethod
    def verify(self, entry: PaymentEntry, payload: Json) -> Verified | PaymentRefused:
        """Whether the chain would make the transfer now."""

    @abstractmethod
    def send(self, entry: PaymentEntry, payload: Json, journal: JournalWrite) -> None:
        """Journal exactly once, then send."""

    @abstractmethod
    def transactions(self, entry: PaymentEntry, payload: Json, sent: Sequence[Sent]) -> Sequence[str]:
        """Transactions that are likely to have made the transfer."""

    @abstractmethod
    def pursue(
        self,
        entry: PaymentEntry,
        payload: Json,
        state: TransferState,
        sent: Sequence[Sent],
        journal: JournalWrite | None,
    ) -> Paid | CannotSucceed | Pending:
        """Do what gets an undecided payment into a block."""

    def conclude(
        self,
        entry: PaymentEntry,
        payload: Json,
        outcome: Paid | CannotSucceed,
        sent: Sequence[Sent],
        journal: JournalWrite | None,
    ) -> Paid | CannotSucceed | Pending:
        """What is left to do once the chain has decided, such as working out what we paid."""
        del entry, payload, sent, journal
        return outcome

    def health(self) -> Health:
        """Whether payments can be sent, once the chain itself is known to be right."""
        return Health(available=True)

    def fee(self) -> int | None:
        """What one settlement costs us now; ``None`` where somebody else pays it."""
        return None


class ExactDriver:
    """Fills ``payments.ports.Driver`` for every scheme in which the buyer signs and somebody else sends."""

    def __init__(self, reader: ChainReader, sender: Sender, probe: ProbePoint) -> None:
        self._reader, self._sender, self._probe = reader, sender, probe

    def identify(self, entry: PaymentEntry, payload: Json) -> Identity | PaymentRefused:
        """Shape, canonical key and payer."""
        return self._reader.identify(entry, payload)

    def check(self, entry: PaymentEntry, payload: Json, now: int) -> CheckResult:
        """What can be decided without the chain."""
        return self._reader.check(entry, payload, now)

    def verify(self, entry: PaymentEntry, payload: Json) -> Verified | PaymentRefused | Unreachable:
        """What the chain knows of the payment already; else whether it would take it."""
        try:
            return self._reader.prior_use(entry, payload) or self._sender.verify(entry, payload)
        except FAULTS as away:
            return Unreachable(str(away))

    def send(self, entry: PaymentEntry, payload: Json, journal: JournalWrite) -> None:
        """Journal, then send; what becomes of it is for ``reconcile`` to find."""
        self._sender.send(entry, payload, journal)

    def reconcile(
        self, entry: PaymentEntry, payload: Json, sent: Sequence[Sent], journal: JournalWrite | None
    ) -> ChainTruth:
        """The exact transfer, its impossibility, or neither yet."""
        return self._decide(entry, payload, sent, journal, final=False)

    def confirm(self, entry: PaymentEntry, payload: Json, sent: Sequence[Sent], journal: JournalWrite) -> ChainTruth:
        """The same at the finality that nothing undoes.

        An authorization makes one transfer, however often it is sent.
        """
        return self._decide(entry, payload, sent, journal, final=True)

    def _decide(
        self, entry: PaymentEntry, payload: Json, sent: Sequence[Sent], journal: JournalWrite | None, *, final: bool
    ) -> ChainTruth:
        try:
            transactions = self._sender.transactions(entry, payload, sent)
            outcome: Paid | CannotSucceed | TransferState | Pending
            outcome = self._reader.find_transfer(entry, payload, transactions, final=final)
            if isinstance(outcome, TransferState):
                outcome = self._sender.pursue(entry, payload, outcome, sent, journal)
            else:
                outcome = self._sender.conclude(entry, payload, outcome, sent, journal)
        except FAULTS as away:
            return Unreachable(str(away))
        if not isinstance(outcome, Pending):
            self._probe("receipt")
        return outcome

    def health(self) -> Health:
        """The chain as the rail declares it, then the sender."""
        try:
            reason = self._reader.fault()
            return Health(available=False, reason=reason) if reason else self._sender.health()
        except FAULTS as away:
            return Health(available=False, reason=str(away))

    def fee(self) -> int | Unreachable | None:
        """What one settlement costs us now."""
        try:
            return self._sender.fee()
        except FAULTS as away:
            return Unreachable(str(away))

    def extra(self) -> Json:
        """Members of ``extra`` that the chain or a facilitator asks for.

        Raises ``LookupError`` before a facilitator has named them.
        """
        return self._reader.extra()
