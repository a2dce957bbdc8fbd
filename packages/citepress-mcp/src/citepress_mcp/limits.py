"""How many messages a client may send, in which window, and how large they and the answers may be."""

from citepress.contract.limits import RATE_WINDOW_S, Limit

MCP_BODY_BYTES = 256 * 1024
MCP_BODY_SECONDS = 5
MCP_BATCH = 10
"""Messages of one batch."""
MCP_TOKENS = 8000
"""The longest answer of a tool, in tokens."""


def rate_limit(quota: int) -> Limit:
    """The limit under ``[limits] mcp``, counted in the same window as REST calls and apart from them."""
    return Limit("mcp", quota, RATE_WINDOW_S)
