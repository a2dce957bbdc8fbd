"""MCP over standard input and output: one message a line, in order; nothing but replies reaches the output."""

import asyncio
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any, BinaryIO

from citepress_mcp import jsonrpc
from citepress_mcp.endpoint import Endpoint, negotiated
from citepress_mcp.jsonrpc import OWN_CODES, PARSE_ERROR, Unreadable
from citepress_mcp.limits import MCP_BODY_BYTES
from citepress_mcp.request_context import Caller
from citepress_mcp.versions import FALLBACK

CALLER = Caller("stdio")
OUTPUT, ERRORS = 1, 2
"""File descriptors."""


def serve(endpoint: Endpoint) -> int:
    """Answer messages from standard input on standard output until its end or SIGTERM; return the exit code."""
    with _only_replies() as replies:
        signal.signal(signal.SIGTERM, _leave)
        try:
            converse(endpoint, sys.stdin.buffer, replies)
        except BrokenPipeError:  # nobody listens any more
            return 0
    return 0


def converse(endpoint: Endpoint, lines: BinaryIO, replies: BinaryIO) -> None:
    """Answer every line; the revision that ``initialize`` settles on holds from then on."""
    session = FALLBACK
    with asyncio.Runner() as runner:
        for line in _lines(lines):
            message = jsonrpc.decode(line) if line is not None else None
            if line is None:
                body: bytes | None = jsonrpc.error(None, OWN_CODES - 413, f"A line may hold {MCP_BODY_BYTES:,} bytes")
            elif isinstance(message, Unreadable):
                body = jsonrpc.error(None, PARSE_ERROR, f"The line {message.reason}")
            else:
                body = runner.run(_answered(endpoint, message, session))
                session = _settled(message) or session
            if body is not None:
                replies.write(body + b"\n")
                # The client waits for this line before it sends the next one.
                replies.flush()


async def _answered(endpoint: Endpoint, message: Any, session: str) -> bytes | None:  # noqa: ANN401  (JSON is any shape)
    snapshot = endpoint.snapshot()
    if snapshot is None:
        return jsonrpc.error(jsonrpc.id_of(message), OWN_CODES - 503, "The archive is not ready; try again in a second")
    if isinstance(message, list):
        return (await endpoint.answer_batch(message, None, CALLER, snapshot, session))[1]
    return (await endpoint.answer_message(message, None, CALLER, snapshot, session))[1]


def _settled(message: object) -> str:
    """The revision that this message settles on; empty for any but ``initialize``."""
    if (
        not isinstance(message, dict)
        or message.get("method") != "initialize"
        or not isinstance(message.get("params"), dict)
    ):
        return ""
    version = message["params"].get("protocolVersion")
    return negotiated(version) if isinstance(version, str) else ""


def _lines(source: BinaryIO) -> Iterator[bytes | None]:
    """The lines of a stream that are not empty; ``None`` for one that is too long, skipped to its end."""
    while line := source.readline(MCP_BODY_BYTES + 2):
        bare = line.rstrip(b"\r\n")
        if len(bare) > MCP_BODY_BYTES:
            # Without reading to its end, the rest of a long line would look like further messages.
            while line and not line.endswith(b"\n"):
                line = source.readline(MCP_BODY_BYTES)
            yield None
        elif bare.strip():
            yield bare


@contextmanager
def _only_replies() -> Iterator[BinaryIO]:
    """Standard output for replies alone: all other output goes to standard error."""
    sys.stdout.flush()
    with os.fdopen(os.dup(OUTPUT), "wb") as replies:
        os.dup2(ERRORS, OUTPUT)
        yield replies


def _leave(_signal: int, _frame: FrameType | None) -> None:
    raise SystemExit(0)
