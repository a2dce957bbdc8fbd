"""The codes of the faults of this package."""

from citepress.contract.fault import FaultCode

ABSENT_CARDS = FaultCode(
    "CP083", "absent-cards", "Cards are switched on and cannot be drawn on this machine: an edition would lack them."
)

ALL = (ABSENT_CARDS,)
