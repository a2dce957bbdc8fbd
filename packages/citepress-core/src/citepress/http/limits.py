"""How large the head of a request may be."""

TARGET_BYTES = 8192
"""Longest path and query together."""
HEADER_BYTES = 32 * 1024
"""Most bytes of all header fields together."""
MAX_HEADER_FIELDS = 100
"""Most header fields of one request."""
