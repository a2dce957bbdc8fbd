"""What a client may submit: how large, and how often."""

from citepress.contract.limits import Limit

MAX_SUBMISSION_BYTES = 8192
"""Bytes of the body of a submission (specification, "Limits")."""
QUOTA_WINDOW_S = 86_400
"""Seconds within which a repeat returns the earlier submission; also the window of a client's quota."""


def limit(quota: int) -> Limit:
    """The limit on submissions of one client."""
    return Limit("inbox", quota, QUOTA_WINDOW_S)
