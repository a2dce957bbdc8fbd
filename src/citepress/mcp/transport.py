"""MCP over HTTP: the ladder that a POST climbs before its message is read, CORS, limits, and the one place that replies."""

import logging
import re
from collections.abc import Awaitable, Callable, Iterable, Mapping
from functools import lru_cache
from typing import Any, Generic, NamedTuple, Protocol, TypeAlias, TypeVar
from urllib.parse import parse_qs, urlsplit

from citepress.contract.limits import (
    MCP_BATCH,
    MCP_BODY_BYTES,
    MCP_BODY_SECONDS,
    MCP_TOKENS,
    Counters,
    Headers,
    Limit,
    LimitState,
    rate_fields,
)
from citepress.contract.mcp_offer import CARD
from citepress.contract.problem import TOO_LARGE, ProblemType
from citepress.mcp import jsonrpc
from citepress.mcp.endpoint import Caller, Endpoint
from citepress.mcp.jsonrpc import OWN, PARSE_ERROR, Unreadable
from citepress.mcp.versions import TransportHeaders

LOOPBACK = frozenset({"localhost", "127.0.0.1", "[::1]"})
ORIGIN = re.compile(r"(https?)://(\[[0-9a-f:.]+\]|[^\[\]/@:?#\s,]+)(?::[0-9]{1,5})?", re.IGNORECASE)
WEIGHT = re.compile(r";\s*q\s*=\s*0(?:\.0*)?\s*(?:;|$)", re.IGNORECASE)
WANTED = frozenset({"application/json", "application/*", "*/*"})
JSON_TYPE = re.compile(r'application/json(?:\s*;\s*(?:charset\s*=\s*"?utf-8"?\s*)?)?', re.IGNORECASE)
CAP_LEAST = 200
CAP_NAME = "maxTokenBudget"
METHODS = b"POST, OPTIONS"
WITH_CARD = b"GET, HEAD, POST, OPTIONS"
FIXED: Headers = [(b"content-type", b"application/json"), (b"cache-control", b"no-store"), (b"x-content-type-options", b"nosniff")]
NOTHING: Headers = [(b"content-length", b"0"), (b"cache-control", b"no-store")]
"""Fields of an answer without a body."""
CLOSE = (b"connection", b"close")
SHARED: Headers = [
    (b"access-control-allow-origin", b"*"),
    (
        b"access-control-expose-headers",
        b"RateLimit, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, RateLimit-Policy, Retry-After, Link, Deprecation, Sunset",
    ),
]
PREFLIGHT: Headers = [
    (b"access-control-allow-methods", METHODS),
    (b"access-control-max-age", b"86400"),
    (
        b"access-control-allow-headers",
        (
            b"Content-Type, Accept, Authorization, MCP-Protocol-Version, Mcp-Method, Mcp-Name, Mcp-Session-Id, Last-Event-ID, traceparent, "
            b"tracestate, baggage"
        ),
    ),
]
READ = frozenset(
    {
        b"host",
        b"origin",
        b"accept",
        b"content-type",
        b"content-encoding",
        b"content-length",
        b"mcp-protocol-version",
        b"mcp-method",
        b"mcp-name",
    }
)
"""The request fields that the endpoint reads."""
log = logging.getLogger(__name__)


Receive: TypeAlias = Callable[[], Awaitable[Any]]
"""ASGI's way to wait for the next part of the body."""
ReadBody: TypeAlias = Callable[[Receive, int, float], Awaitable[bytes | ProblemType | None]]
"""Reads a body of at most so many bytes within so many seconds: the body, what is wrong with it, or nothing when the client is gone."""


class HttpCall(Protocol):
    """What the transport needs of a request."""

    method: str
    target: bytes
    query: bytes
    headers: Iterable[tuple[bytes, bytes]]
    peer: str
    fields: dict[bytes, bytes]


R_co = TypeVar("R_co", covariant=True)


class Answerer(Protocol[R_co]):
    """Makes the server's own form of an answer."""

    def __call__(self, status: int, headers: Headers, body: bytes, /) -> R_co:
        """An answer of this status, header and body."""
        ...


class HostPolicy:
    """Which hosts and origins are served."""

    def __init__(self, base_url: str, hosts: Iterable[str] = (), origins: Iterable[str] = (), *, public: bool = True) -> None:
        """``hosts`` and ``origins`` are served besides the publication's own, loopback, and https.

        Where drafts are shown the endpoint is not ``public``: pages of other sites may not read its answers.
        """
        self.public = public
        own = urlsplit(base_url).hostname or ""
        self._hosts = LOOPBACK | {f"[{own}]" if ":" in own else own} | {_bare(host.lower()) for host in hosts}
        self._origins = frozenset(origin.lower().rstrip("/") for origin in origins)
        self.host = lru_cache(maxsize=64)(self._host)
        self.origin = lru_cache(maxsize=128)(self._origin)

    def _host(self, value: bytes) -> bool:
        return _bare(value.decode("latin-1").lower()) in self._hosts

    def _origin(self, value: bytes) -> bool:
        text = value.decode("latin-1").lower()
        found = ORIGIN.fullmatch(text)
        if found and (found[1] == "https" or found[2] in LOOPBACK):
            return True
        return text in self._origins


def _bare(host: str) -> str:
    """A host without its port."""
    return host.partition("]")[0] + "]" if host.startswith("[") else host.partition(":")[0]


@lru_cache(maxsize=128)
def wants_json(accept: bytes) -> bool:
    """Whether an Accept field takes JSON; an absent or empty one takes anything."""
    text = accept.decode("latin-1").lower()
    ranges = [part for part in text.split(",") if part.strip()]
    return not ranges or any(part.partition(";")[0].strip() in WANTED and not WEIGHT.search(part) for part in ranges)


@lru_cache(maxsize=64)
def is_json(content_type: bytes) -> bool:
    """Whether a Content-Type is JSON in UTF-8."""
    return JSON_TYPE.fullmatch(content_type.decode("latin-1").strip(" \t")) is not None


@lru_cache(maxsize=256)
def cap_of(query: bytes) -> int:
    """The budget that the endpoint's own address sets, or 0."""
    values = parse_qs(query.decode("latin-1"), max_num_fields=50).get(CAP_NAME, ()) if len(query) < len(CAP_NAME) * 100 else ()
    value = values[0] if len(values) == 1 else ""
    return int(value) if value.isascii() and value.isdecimal() and len(value) < 5 and CAP_LEAST <= int(value) <= MCP_TOKENS else 0  # noqa: PLR2004


def cost_of(message: object) -> int:
    """What a POST costs: its messages, or one."""
    return len(message) if isinstance(message, list) and 0 < len(message) <= MCP_BATCH else 1


class Rejected(NamedTuple):
    """Why a request does not reach its message."""

    status: int
    message: str
    code: int = 0
    """The error's code, where it is not our own for the status."""
    close: bool = False
    """Whether the connection ends, because bytes of the body may still come."""


class Transport(Generic[R_co]):
    """Answers at the endpoint's paths. An instance is a handler of the door."""

    def __init__(
        self,
        endpoint: Endpoint,
        answer: Answerer[R_co],
        counters: Counters,
        limit: Limit,
        read_body: ReadBody,
        client_of: Callable[[str, Mapping[bytes, bytes]], str],
        rules: HostPolicy,
        base_url: str,
    ) -> None:
        """``client_of`` tells who a request counts for, by its peer and fields."""
        self._read_body = read_body
        self._endpoint = endpoint
        self._answer = answer
        self._counters = counters
        self._limit = limit
        self._client_of = client_of
        self._rules = rules
        base = base_url.rstrip("/")
        self._setup = f"{base}/connect/"
        self._fixed: Headers = [*FIXED, (b"link", f'<{base}/developers/#deprecation-policy>; rel="deprecation"'.encode())]

    async def __call__(self, request: HttpCall, receive: Receive) -> R_co:
        """The answer to a request at one of the paths."""
        fields = _fields(request.headers)
        origin = fields.get(b"origin")
        shared = SHARED if self._rules.public and origin is not None and self._rules.origin(origin) else []
        if request.method == "POST":
            return await self._post(request, receive, fields, shared)
        allow = (b"allow", WITH_CARD if request.target == CARD.encode() else METHODS)
        if request.method == "OPTIONS":
            if origin is not None and not shared:
                return self._refused(Rejected(403, "This origin is not served"), None, [])
            return self._answer(204, [allow, *shared, *(PREFLIGHT if shared else [])], b"")
        no = Rejected(405, f"POST JSON-RPC here; set-up: {self._setup}")
        return self._refused(no, None, [allow, *shared], head=request.method == "HEAD")

    async def _post(self, request: HttpCall, receive: Receive, fields: Mapping[bytes, bytes], shared: Headers) -> R_co:
        """The ladder: the body, the limit, then what the header may not be, then the messages."""
        key = self._client_of(request.peer, request.fields)
        body = await self._body(receive, fields)
        if isinstance(body, Rejected):
            return self._refused(body, None, [*shared, *rate_fields(self._limit, self._counters.spend(self._limit, key, 1))])
        message = jsonrpc.decode(body)
        cost = cost_of(message)
        spent = self._counters.spend(self._limit, key, cost)
        shared = [*shared, *rate_fields(self._limit, spent)]
        if not spent.allowed:
            return self._limited(spent, cost, message, shared)
        scene = self._endpoint.scene()
        if scene is None:
            no = Rejected(503, "The archive is not ready; try again in a second")
            return self._refused(no, jsonrpc.id_of(message), [(b"retry-after", b"1"), *shared])
        if (barred := self._gate(fields, message)) is not None:
            return self._refused(barred, None, shared)
        caller, hints = Caller(key, cap_of(request.query)), _hints(fields)
        answering = self._endpoint.many if type(message) is list else self._endpoint.one
        status, answer = await answering(message, hints, caller, scene)
        if answer is None:
            return self._answer(status, [*NOTHING, *shared], b"")
        return self._sent(status, answer, shared)

    async def _body(self, receive: Receive, fields: Mapping[bytes, bytes]) -> bytes | Rejected:
        length = fields.get(b"content-length", b"")
        if length.isdigit() and (len(length) > 9 or int(length) > MCP_BODY_BYTES):  # noqa: PLR2004  (digits of any size a body may have)
            return Rejected(413, f"The body may hold {MCP_BODY_BYTES:,} bytes", close=True)
        body = await self._read_body(receive, MCP_BODY_BYTES, MCP_BODY_SECONDS)
        if isinstance(body, bytes):
            return body
        if body is TOO_LARGE:
            return Rejected(413, f"The body may hold {MCP_BODY_BYTES:,} bytes", close=True)
        return Rejected(408, f"The body was not complete within {MCP_BODY_SECONDS} seconds", close=True)

    def _gate(self, fields: Mapping[bytes, bytes], message: object) -> Rejected | None:
        """What the header may not be, in order; and a body that is no JSON."""
        if not self._rules.host(fields.get(b"host", b"")):
            return Rejected(421, "This host is not served here")
        if b"origin" in fields and not self._rules.origin(fields[b"origin"]):
            return Rejected(403, "This origin is not served")
        if not wants_json(fields.get(b"accept", b"")):
            return Rejected(406, "Answers are application/json; accept that")
        if not is_json(fields.get(b"content-type", b"")):
            return Rejected(415, "Send application/json in UTF-8")
        if fields.get(b"content-encoding", b"identity").lower() not in (b"", b"identity"):
            return Rejected(415, "Send the body without content coding")
        return Rejected(400, f"The body {message.reason}", code=PARSE_ERROR) if isinstance(message, Unreadable) else None

    def _limited(self, spent: LimitState, cost: int, message: object, shared: Headers) -> R_co:
        quota, wait = self._limit.quota, spent.reset
        text = f"Rate limit: {quota} messages per minute; retry after {wait} s"
        body = jsonrpc.error(jsonrpc.id_of(message), OWN - 429, text, {"retryAfter": wait, "limit": quota, "cost": cost})
        return self._sent(429, body, [(b"retry-after", b"%d" % wait), *shared])

    def _refused(self, no: Rejected, id_: jsonrpc.Id, shared: Headers, *, head: bool = False) -> R_co:
        body = jsonrpc.error(id_, no.code or OWN - no.status, no.message)
        return self._sent(no.status, body, [CLOSE, *shared] if no.close else shared, head=head)

    def _sent(self, status: int, body: bytes, shared: Headers, *, head: bool = False) -> R_co:
        """Every answer with a body leaves here."""
        return self._answer(status, [*self._fixed, (b"content-length", b"%d" % len(body)), *shared], b"" if head else body)


def _fields(headers: Iterable[tuple[bytes, bytes]]) -> dict[bytes, bytes]:
    """The fields that are read, without spaces around their values; the lines of one name joined."""
    fields: dict[bytes, bytes] = {}
    for name, value in headers:
        if name in READ:
            stripped = value.strip(b" \t")
            fields[name] = fields[name] + b", " + stripped if name in fields else stripped
    return fields


def _hints(fields: Mapping[bytes, bytes]) -> TransportHeaders:
    version, method, name = fields.get(b"mcp-protocol-version"), fields.get(b"mcp-method"), fields.get(b"mcp-name")
    return TransportHeaders(
        version.decode("latin-1") if version is not None else None,
        method.decode("latin-1") if method is not None else None,
        name.decode("latin-1") if name is not None else None,
    )
