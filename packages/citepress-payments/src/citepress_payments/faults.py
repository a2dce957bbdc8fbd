"""Faults of payment rails, as ``check`` and every build report them."""

from citepress.contract.fault import FaultCode, Level

CLOSED_RAIL = FaultCode(
    "CP080",
    "closed-rail",
    "A payment rail cannot open as it is configured; the archive is published without it.",
    blocks=False,  # it does not stop the other rails from selling, so it does not stop the build either
)
ABSENT_RAIL = FaultCode(
    "CP081", "absent-rail", "A payment rail needs something that is not on this machine.", Level.WARNING
)
CODES = (CLOSED_RAIL, ABSENT_RAIL)
