"""The transparency log of editions: Merkle trees, signed heads, and how a reader checks both without trusting a server.

Hashing is that of RFC 6962 section 2.1, heads are checkpoints in signed notes (C2SP), and the log is published in tiles
(C2SP tlog-tiles), so that readers of such logs that others have written can follow it too.
"""
