"""The body of a request: bounded, timed, and refused by its header before it is read."""

import asyncio
from functools import lru_cache

from citepress.contract.problem import MEDIA_TYPE, TIMEOUT, TOO_LARGE, ProblemType
from citepress.http.message import Receive, Request

BODY_TIMEOUT_S = 5.0
"""Time limit for receiving the rest of a body."""
JSON_TYPE = "application/json"
LENGTH_DIGITS = 20
MAX_TYPE_BYTES = 256
"""A longer Content-Type is answered with 415 unread."""
CHARSETS = ("", "utf-8", "utf8")


async def receive_body(receive: Receive, limit: int, seconds: float = BODY_TIMEOUT_S) -> bytes | ProblemType | None:
    """The whole body.

    ``TOO_LARGE`` past ``limit`` bytes, ``TIMEOUT`` past ``seconds``, ``None`` when the client is gone.
    """
    whole: bytes | None = getattr(receive, "whole", None)
    if whole is not None:  # our own server has all of it already: there is nothing to wait for, so nothing to time
        return whole if len(whole) <= limit else TOO_LARGE
    parts: list[bytes] = []
    size = 0
    try:
        async with asyncio.timeout(seconds):
            while True:
                message = await receive()
                if message["type"] == "http.disconnect":
                    return None
                part = message.get("body", b"")
                size += len(part)
                if size > limit:
                    return TOO_LARGE
                parts.append(part)
                if not message.get("more_body", False):
                    return b"".join(parts)
    except TimeoutError:
        return TIMEOUT


def refusal(request: Request, limit: int) -> ProblemType | None:
    """The problem with a JSON body of at most ``limit`` bytes as its header announces it: 415, then 413."""
    fields: dict[bytes, list[bytes]] = {b"content-type": [], b"content-encoding": [], b"content-length": []}
    for name, value in request.headers:
        if name in fields:
            fields[name].append(value.strip().lower())
    types, codings, lengths = fields.values()
    if len(types) != 1 or not is_json(types[0]) or any(coding != b"identity" for coding in codings):
        return MEDIA_TYPE
    return TOO_LARGE if any(exceeds(length, limit) for length in lengths) else None


def exceeds(content_length: bytes, limit: int) -> bool:
    """Whether a Content-Length is over a limit, judged by its first digits where it has very many."""
    return content_length.isdigit() and int(content_length[:LENGTH_DIGITS]) > limit


@lru_cache(maxsize=64)
def is_json(content_type: bytes) -> bool:
    """Whether a Content-Type is ``application/json``, in UTF-8 if it names a charset."""
    if len(content_type) > MAX_TYPE_BYTES:
        return False
    media_type, _, parameters = content_type.decode("latin-1").lower().partition(";")
    pairs = [parameter.partition("=") for parameter in parameters.split(";")]
    charsets = [charset.strip().strip('"') for name, _, charset in pairs if name.strip() == "charset"]
    return media_type.strip() == JSON_TYPE and all(charset in CHARSETS for charset in charsets)
