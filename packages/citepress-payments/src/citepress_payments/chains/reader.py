"""What the driver of a signed payment asks about a payment and its chain, whatever the family of the chain."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from citepress_payments.ports.chain import CannotSucceed, CheckResult, Identity, Paid, PaymentRefused, Verified
from citepress_payments.ports.rows import Json, PaymentEntry


@dataclass(frozen=True, slots=True)
class TransferState:
    """A payment that the chain has not decided."""

    tx: str = ""
    """The transaction that made the transfer, or reverted; empty where there is none."""
    used: bool = False
    """Whether the authorization is used up."""
    reverted: bool = False
    """Whether one of our transactions is in a block and made no transfer."""


class ChainReader(Protocol):
    """Reads one chain for one rail. What asks the chain raises ``UnreachableError`` and ``RefusedError``."""

    @property
    def network(self) -> str:
        """CAIP-2 name of the chain."""
        ...

    def identify(self, entry: PaymentEntry, payload: Json) -> Identity | PaymentRefused:
        """As ``Driver.identify``."""
        ...

    def check(self, entry: PaymentEntry, payload: Json, now: int) -> CheckResult:
        """As ``Driver.check``."""
        ...

    def key(self, entry: PaymentEntry, payload: Json) -> str:
        """What makes a checked payment unique on its chain."""
        ...

    def payer(self, entry: PaymentEntry, payload: Json) -> str:
        """The payer of a checked payment."""
        ...

    def canonical_payload(self, entry: PaymentEntry, payload: Json) -> Json:
        """The payload of a checked payment in its one spelling."""
        ...

    def prior_use(self, entry: PaymentEntry, payload: Json) -> Verified | PaymentRefused | None:
        """What became of a payment that was used already, or why its signature is not the payer's; else ``None``."""
        ...

    def find_transfer(
        self, entry: PaymentEntry, payload: Json, txs: Sequence[str], *, final: bool = False
    ) -> Paid | CannotSucceed | TransferState:
        """The chain's truth, at the rail's finality or where nothing undoes it; ``txs`` are places to look first."""
        ...

    def in_time(self, entry: PaymentEntry, payload: Json) -> bool:
        """Whether the payment can still be sent."""
        ...

    def fault(self) -> str:
        """Why the rail cannot open; empty where it can."""
        ...

    def accepts_kind(self, kind: Mapping[str, Any]) -> bool:
        """Whether a facilitator's kind states what entries need; what it states is kept for ``extra``."""
        ...

    def extra(self) -> Json:
        """As ``Driver.extra``."""
        ...
