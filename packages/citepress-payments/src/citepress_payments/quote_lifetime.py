"""How long a quote may be paid and claimed, and how long it is kept."""

from citepress_payments.rails.rail import Lane

QUOTE_LIFETIMES_S = {Lane.FIXED: 300, Lane.VOLATILE: 120, Lane.NATIVE: 900}
"""Seconds that a quote of each lane may be paid, unless the operator sets ``ttl_s`` for a rail."""
CLAIM_MARGIN_S = 10
"""Seconds before its end in which an exact quote is not claimed any more."""
NATIVE_CLAIM_S = 86_400
"""Seconds after its end in which a native quote may still be claimed: whoever paid in time may come later."""
UNPAID_KEPT_S = 3600
"""Seconds for which an unpaid quote is kept after its end."""
