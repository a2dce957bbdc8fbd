"""The body of a request: bounded, timed, and refused by its header before it is read."""

from citepress.base.timeout import Timeout
from citepress.contract.problem import MEDIA_TYPE, TIMEOUT, TOO_LARGE, ProblemType
from citepress.http.message import Receive, Request
from citepress.web.server.pending import Body

SECONDS = 5.0
"""A body that is not complete by then is not waited for."""
JSON_TYPE = "application/json"
CHARSETS = ("", "utf-8", "utf8")


async def received(receive: Receive, limit: int, seconds: float = SECONDS) -> bytes | ProblemType | None:
    """The whole body; ``TOO_LARGE`` past ``limit`` bytes, ``TIMEOUT`` past ``seconds``, ``None`` when the client is gone."""
    if isinstance(receive, Body) and (whole := receive.whole) is not None:  # nothing to wait for, so nothing to time
        return whole if len(whole) <= limit else TOO_LARGE
    parts: list[bytes] = []
    size = 0
    try:
        with Timeout(seconds):
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
    """What the header says against a JSON body of at most ``limit`` bytes: 415, then 413 (design, order of checks)."""
    told: dict[bytes, list[str]] = {b"content-type": [], b"content-encoding": [], b"content-length": []}
    for name, value in request.headers:
        if name in told:
            told[name].append(value.decode("latin-1").strip().lower())
    kinds, codings, lengths = told.values()
    if len(kinds) != 1 or not _is_json(kinds[0]) or any(coding != "identity" for coding in codings):
        return MEDIA_TYPE
    if any(length.isdecimal() and int(length[:20]) > limit for length in lengths):
        return TOO_LARGE
    return None


def _is_json(kind: str) -> bool:
    """``application/json``, in UTF-8 if a charset is named."""
    bare, _, parameters = kind.partition(";")
    named = [one.partition("=") for one in parameters.split(";")]
    charsets = [value.strip().strip('"') for name, _, value in named if name.strip() == "charset"]
    return bare.strip() == JSON_TYPE and all(charset in CHARSETS for charset in charsets)
