"""What a facilitator's driver needs to know of a family of chains."""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from citepress.payments.chains.evm.family import EvmFamily
from citepress.payments.chains.svm.family import SvmFamily
from citepress.payments.configuration import ConfiguredRail
from citepress.payments.ports import CannotSucceed, Clock, Entry, Identity, Json, Paid, PaymentRefused, Pending, Proven, Undecided, Verified


class ChainFamily(Protocol):
    """One family. What reads a chain raises ``UnreachableError`` and ``RefusedError``."""

    @property
    def network(self) -> str:
        """CAIP-2 name of the chain."""
        ...

    def identify(self, entry: Entry, payload: Json) -> Identity | PaymentRefused:
        """As ``Driver.identify``."""
        ...

    def check(self, entry: Entry, payload: Json, now: int) -> Proven | Undecided | PaymentRefused:
        """As ``Driver.check``."""
        ...

    def key(self, entry: Entry, payload: Json) -> str:
        """The canonical key of a payment that was checked."""
        ...

    def payer(self, entry: Entry, payload: Json) -> str:
        """The payer of a payment that was checked."""
        ...

    def plain(self, entry: Entry, payload: Json) -> Json:
        """The payload in its one spelling."""
        ...

    def known(self, entry: Entry, payload: Json) -> Verified | PaymentRefused | None:
        """What the chain says of a payment that was used already; ``None`` where it was not."""
        ...

    def look(self, entry: Entry, payload: Json, txs: Sequence[str], *, final: bool = False) -> Paid | Pending | CannotSucceed:
        """The chain's truth, at the rail's finality or where nothing undoes it; ``txs`` are places to look first."""
        ...

    def in_time(self, entry: Entry, payload: Json) -> bool:
        """Whether it can still be sent."""
        ...

    def named(self, tx: str) -> str:
        """A transaction in its one spelling; empty where it is none."""
        ...

    def fault(self) -> str:
        """Why the rail cannot open; empty where it can."""
        ...

    def served(self, kind: Mapping[str, Any]) -> bool:
        """Whether a facilitator's kind has what entries need."""
        ...

    def extra(self) -> Json:
        """As ``Driver.extra``."""
        ...


def family_of(opened: ConfiguredRail, clock: Clock) -> ChainFamily:
    """The side of a rail. Raises ``DriverMissingError``."""
    return EvmFamily(opened, clock) if opened.place.family == "evm" else SvmFamily(opened)
