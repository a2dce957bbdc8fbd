"""Requests and responses, independent of the server that carries them."""

from collections.abc import Awaitable, Callable, Iterable
from typing import Any, NamedTuple, TypeAlias

from citepress.base.file_part import StoredBody
from citepress.base.headers import Headers
from citepress.edition.leaf import Leaf

READ = frozenset(
    {
        b"accept",
        b"accept-datetime",
        b"accept-encoding",
        b"if-match",
        b"if-none-match",
        b"if-modified-since",
        b"if-unmodified-since",
        b"forwarded",
        b"x-forwarded-for",
    }
)
"""The request fields that the application reads."""
PREFLIGHT_FIELD = b"access-control-request-method"
LINE_OVERHEAD = 4
"""Colon, space and line end of a header line."""


class Request:
    """One request: its line, the fields that matter, and the size of all fields."""

    __slots__ = ("fields", "headers", "method", "peer", "query", "size", "target")

    def __init__(
        self, method: str, target: bytes, query: bytes, headers: Iterable[tuple[bytes, bytes]], peer: str
    ) -> None:
        self.method = method
        self.target = target
        """Path as it was sent, percent-encoded."""
        self.query = query
        """Query as it was sent, without the question mark."""
        self.headers = headers
        """All fields, names in lower case."""
        self.peer = peer
        """Address at the other end of the connection."""
        self.fields: dict[bytes, bytes] = {}
        """The fields that the application reads; the lines of one name joined with commas."""
        fields, size = self.fields, 0
        for name, value in headers:
            size += len(name) + len(value) + LINE_OVERHEAD
            if name in READ:
                fields[name] = fields[name] + b", " + value if name in fields else value
        self.size = size
        """Bytes of all header fields."""

    def again(self, method: str, target: bytes, query: bytes) -> "Request":
        """Another request of the same peer with the same fields, which both share: nobody changes them."""
        # The constructor would walk all fields once more, which is most of its cost.
        other = Request.__new__(Request)
        other.method, other.target, other.query, other.peer = method, target, query, self.peer
        other.headers, other.fields, other.size = self.headers, self.fields, self.size
        return other


class Response(NamedTuple):
    """A response: what is sent, and the leaf it came from."""

    status: int
    headers: Headers
    body: StoredBody
    leaf: Leaf | None = None
    notes: tuple[tuple[str, str, str], ...] = ()
    """What is counted in addition to the request: (area, name, outcome), words of closed lists only."""
    shared: Headers | None = None
    """A list that ``headers`` begins with and that is the same one in every answer of this leaf, so that it need not be
    written anew."""


Receive: TypeAlias = Callable[[], Awaitable[Any]]
"""ASGI's way to wait for the next part of the body."""
Handler: TypeAlias = Callable[[Request, Receive], Awaitable[Response]]
"""Handles the requests of a path that runs code."""
ResponseObserver: TypeAlias = Callable[[Request, Response], None]
"""Called with every response after it was sent."""


def preflights(request: Request) -> bool:
    """Whether this is a CORS preflight, or a request about the server as a whole (``OPTIONS *``)."""
    if request.method != "OPTIONS":
        return False
    return request.target == b"*" or any(name == PREFLIGHT_FIELD for name, _ in request.headers)
