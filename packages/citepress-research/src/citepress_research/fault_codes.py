"""The codes of the faults of this package."""

from citepress.contract.fault import FaultCode, Level

PUBLISHED_BEFORE_CAPTURED = FaultCode(
    "CP054",
    "published-before-captured",
    "What the signal observes was read after it was published, and no note explains it.",
    Level.WARNING,
)
RESOLVED_BEFORE_PUBLISHED = FaultCode(
    "CP055", "resolved-before-published", "The forecast was published when its outcome was known.", Level.WARNING
)
DIGEST_TOO_EARLY = FaultCode(
    "CP056", "digest-too-early", "The digest mentions records or days that came after it.", Level.WARNING
)
OBSERVED_TOO_LATE = FaultCode(
    "CP057", "observed-too-late", "The pattern was first observed after a signal that supports it.", Level.WARNING
)

ALL = (PUBLISHED_BEFORE_CAPTURED, RESOLVED_BEFORE_PUBLISHED, DIGEST_TOO_EARLY, OBSERVED_TOO_LATE)
