"""The port to a chain: what a driver is asked, and what it answers."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from citepress.base.errors import ControlFlow
from citepress_payments.ports.rows import Json, Payment, PaymentEntry


@dataclass(frozen=True, slots=True)
class Identity:
    """Who pays with what: the canonical key of a payment, never the buyer's spelling, and its payer."""

    key: str
    """``eip3009|network|token|from|nonce``, ``permit2|network|from|nonce``, ``svm|network|sha256``,
    ``native|network|tx``."""
    payer: str
    """In its one spelling (EIP-55 on EVM chains), because the guard compares it; empty where only the chain knows it
    (native transfers)."""


@dataclass(frozen=True, slots=True)
class PaymentRefused:
    """The payment was refused; nothing was sent."""

    reason: str
    """A code of the design's list, or the facilitator's own."""
    detail: str = ""
    payer: str = ""


@dataclass(frozen=True, slots=True)
class Proven:
    """The signature was recovered without a chain."""


@dataclass(frozen=True, slots=True)
class Undecided:
    """Only the chain can tell who signed (contract wallets, native transfers, Solana)."""


@dataclass(frozen=True, slots=True)
class Verified:
    """The chain would accept it; for a native transfer: it is final and exact."""

    payer: str
    tx: str = ""
    """The transfer, where it was found already."""


@dataclass(frozen=True, slots=True)
class Pending:
    """Not decided yet."""

    tx: str = ""
    payer: str = ""


@dataclass(frozen=True, slots=True)
class Unreachable:
    """No answer from the chain or the facilitator; nothing was attempted."""

    reason: str


@dataclass(frozen=True, slots=True)
class UnknownFee:
    """A network fee that could not be determined."""

    reason: str


NetworkFee: TypeAlias = int | UnknownFee
"""Network fees that we paid, in the smallest unit of the chain's coin."""


@dataclass(frozen=True, slots=True)
class Paid:
    """The exact transfer has reached the rail's finality."""

    tx: str
    payer: str
    fee: NetworkFee = 0
    """What all our transactions for it cost, nonce fillers included."""


@dataclass(frozen=True, slots=True)
class CannotSucceed:
    """The chain's truth is that this payment will never be made."""

    reason: str
    tx: str = ""
    fee: NetworkFee = 0
    """What our transactions for it cost all the same."""


@dataclass(frozen=True, slots=True)
class Health:
    """Whether a rail can be offered now."""

    available: bool
    reason: str = ""
    note: str = ""
    """What an operator wants to know besides, such as how much gas is left."""


@dataclass(frozen=True, slots=True)
class Sent:
    """A journaled broadcast."""

    seq: int
    tx: str
    """Empty where somebody else sends (a facilitator)."""
    raw: bytes
    signer: str
    nonce: int | None
    kind: str
    """pay, bump or filler."""
    created_at: int


@dataclass(frozen=True, slots=True)
class Signed:
    """What ``build`` gives for an allocated nonce: the transaction as it will be sent."""

    tx: str
    raw: bytes


Build: TypeAlias = Callable[[int], Signed]
"""Signs a transaction with this signer nonce; makes no network call."""


@dataclass(frozen=True, slots=True)
class Plan:
    """A broadcast to journal."""

    network: str
    signer: str
    """Empty: nobody of ours signs (a facilitator, the simulated chain, Solana): no nonce is allocated."""
    pending_nonce: int
    """Transaction count of the signer, pending ones included, read just before."""
    build: Build | None
    """``None``: nothing to sign."""
    tx: str = ""
    """The transaction id where it is known beforehand and nothing is signed."""
    raw: bytes = b""
    kind: str = "pay"
    nonce: int | None = None
    """The signer nonce to use again (a bump or a filler, while the payment is still sent); ``None``: allocate the next
    one."""


class DuplicatePayment(ControlFlow):
    """The journal refused: the same payer pays for the same body already, or has paid."""

    def __init__(self, other: Payment) -> None:
        super().__init__(other.key)
        self.other = other


class LeaseLost(ControlFlow):
    """The claim's lease lapsed and another process took over; nothing may be sent."""


CheckResult: TypeAlias = Proven | Undecided | PaymentRefused
"""What can be said of a payment without its chain."""
VerifyResult: TypeAlias = Verified | PaymentRefused | Pending | Unreachable
"""What the chain says of a payment before anything is sent."""
ChainTruth: TypeAlias = Paid | Pending | CannotSucceed | Unreachable
"""What became of a payment on its chain."""
JournalWrite: TypeAlias = Callable[[Plan], Sent]
"""Writes a broadcast before any byte leaves. Raises ``DuplicatePayment``, ``LeaseLost`` and ``StoreUnavailable``."""


class Driver(Protocol):
    """Talks to a chain for one rail; synchronous, runs in worker threads, one instance per rail and process.

    Its module has ``def driver(materials: DriverContext) -> Driver``.
    """

    def identify(self, entry: PaymentEntry, payload: Json) -> Identity | PaymentRefused:
        """Shape, canonical key and payer; pure, no clock."""
        ...

    def check(self, entry: PaymentEntry, payload: Json, now: int) -> CheckResult:
        """Recipient, amount, times and signature as far as they can be checked without a chain; pure."""
        ...

    def verify(self, entry: PaymentEntry, payload: Json) -> VerifyResult:
        """Whether the chain would accept it; reads only.

        A native driver answers ``Verified`` only for a final, exact transfer.
        """
        ...

    def send(self, entry: PaymentEntry, payload: Json, journal: JournalWrite) -> None:
        """Call ``journal`` exactly once before any byte leaves, then send. Native drivers never do."""
        ...

    def reconcile(
        self, entry: PaymentEntry, payload: Json, sent: Sequence[Sent], journal: JournalWrite | None
    ) -> ChainTruth:
        """The chain's truth.

        With ``journal`` it may rebroadcast, bump fees and fill nonces; bytes already journaled may be sent at any time.
        """
        ...

    def confirm(self, entry: PaymentEntry, payload: Json, sent: Sequence[Sent], journal: JournalWrite) -> ChainTruth:
        """Whether the transfer of a settled payment is final.

        One that a reorganisation undid is sent again while it can be.
        """
        ...

    def health(self) -> Health:
        """The start-up checks of the rail: chain id, decimals, domain separator, code, accounts, gas."""
        ...

    def fee(self) -> int | Unreachable | None:
        """What one settlement costs us now, in the smallest unit of the chain's coin.

        ``None`` where somebody else pays it.
        """
        ...

    def extra(self) -> Json:
        """Members of ``extra`` that only this driver knows, such as ``simulated`` and ``feePayer``.

        They are strings, integers below 2^53 or booleans. ``terms`` writes what the rail declares: name, version,
        assetTransferMethod, paymentFlow, finality, memo, data and testnet.
        """
        ...
