"""How many MCP messages a client may send, and in which window."""

from citepress.contract.limits import RATE_WINDOW_S, Limit


def rate_limit(quota: int) -> Limit:
    """The limit under ``[limits] mcp``, counted in the same window as REST calls and apart from them."""
    return Limit("mcp", quota, RATE_WINDOW_S)
