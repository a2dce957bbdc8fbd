"""A payload of the corpus: bytes for one connection, and what a server that follows the standard makes of them."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from enum import Enum

TOKEN = b"!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
END = b"\r\n"
HOST = b"Host: x"
HIDDEN = b"GET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n"
"""A request inside a body, or behind what has to be refused: nobody may ever answer it."""


class Verdict(Enum):
    """What a server that follows RFC 9112 does."""

    TAKEN = "taken"
    """Each request is answered, and the connection goes on."""
    REFUSED = "refused"
    """A 4xx, 501 or 505, and the connection ends."""
    EITHER = "either"
    """The standard leaves it open."""
    WAITED = "waited"
    """It is not complete: more may have to come before there is an answer."""


@dataclass(frozen=True, slots=True)
class Payload:
    """Bytes for one connection."""

    name: str
    data: bytes
    verdict: Verdict
    methods: tuple[str, ...] = ("GET",)
    """Methods of the requests that it holds, at most."""


Fields = Iterable[bytes]


def request(
    method: bytes = b"GET",
    target: bytes = b"/a",
    version: bytes = b"HTTP/1.1",
    fields: Fields = (HOST,),
    body: bytes = b"",
) -> bytes:
    """A request of these parts, as they are."""
    return b" ".join((method, target, version)) + END + b"".join(field + END for field in fields) + END + body


def chunks(*parts: bytes, trailers: bytes = b"") -> bytes:
    """A chunked body."""
    return b"".join(b"%x\r\n%b\r\n" % (len(part), part) for part in parts) + b"0\r\n" + trailers + END


TAKEN, REFUSED, EITHER, WAITED = Verdict.TAKEN, Verdict.REFUSED, Verdict.EITHER, Verdict.WAITED
Family = Callable[[bytes], Iterator[Payload]]
