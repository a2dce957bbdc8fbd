"""Reading a request's body: bounded in bytes and in time, whatever server carries it."""

import asyncio
from collections.abc import Awaitable, Callable
from enum import Enum
from typing import Any, TypeAlias

Receive: TypeAlias = Callable[[], Awaitable[Any]]
"""ASGI's way to wait for the next part of the body."""


class Unread(Enum):
    """Why there is no body."""

    TOO_LARGE = "more bytes than allowed"
    TOO_SLOW = "not complete in time"
    GONE = "the client left"


async def read_body(receive: Receive, limit: int, seconds: float) -> bytes | Unread:
    """The whole body, or why there is none; what came after the limit stays unread."""
    try:
        async with asyncio.timeout(seconds):
            return await _joined(receive, limit)
    except TimeoutError:
        return Unread.TOO_SLOW


async def _joined(receive: Receive, limit: int) -> bytes | Unread:
    parts: list[bytes] = []
    size = 0
    while True:
        message = await receive()
        if message["type"] != "http.request":
            return Unread.GONE
        part = message.get("body", b"")
        size += len(part)
        if size > limit:
            return Unread.TOO_LARGE
        if not message.get("more_body", False):
            return b"".join((*parts, part)) if parts else part
        parts.append(part)
