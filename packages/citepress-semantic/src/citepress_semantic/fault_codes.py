"""The codes of the faults of this package."""

from citepress.contract.fault import FaultCode, Level

ABSENT_MODEL = FaultCode(
    "CP082", "absent-model", "Semantic search is switched on and cannot run on this machine.", Level.WARNING
)

ALL = (ABSENT_MODEL,)
