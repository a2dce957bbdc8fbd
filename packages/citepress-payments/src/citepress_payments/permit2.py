"""The contracts through which Permit2 payments pass, at the same addresses on every chain."""

PERMIT2 = "0x000000000022D473030F116dDEE9F6B43aC78BA3"
PERMIT2_PROXY = "0x402085c248EeA27D92E8b30b2C58ed07f9E20001"
"""x402ExactPermit2Proxy, the spender that x402 requires."""
