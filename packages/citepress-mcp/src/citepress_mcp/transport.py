"""MCP over HTTP: the checks before a message is parsed, the limits, and the response."""

import logging
import re
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import NamedTuple
from urllib.parse import parse_qs, urlsplit

from citepress.base.headers import Headers
from citepress.contract.limits import Counters, Limit, LimitState
from citepress.contract.problem import TOO_LARGE
from citepress.edition.response_headers import SHARING, preflight
from citepress.http.accept import READ_BYTES, best_match
from citepress.http.body import JSON_TYPE, exceeds, is_json, receive_body
from citepress.http.message import Receive, Request, Response
from citepress.http.rate_limit import rate_fields
from citepress.http.response import with_body, without_body
from citepress_mcp import jsonrpc
from citepress_mcp.endpoint import Endpoint
from citepress_mcp.jsonrpc import OWN_CODES, PARSE_ERROR, Unreadable
from citepress_mcp.limits import MCP_BATCH, MCP_BODY_BYTES, MCP_BODY_SECONDS, MCP_TOKENS
from citepress_mcp.paths import CARD
from citepress_mcp.request_context import Caller
from citepress_mcp.versions import MODERN, TransportHeaders, reconcile

LOOPBACK = frozenset({"localhost", "127.0.0.1", "[::1]"})
ORIGIN_PATTERN = re.compile(r"(https?)://(\[[0-9a-f:.]+\]|[^\[\]/@:?#\s,]+)(?::[0-9]{1,5})?", re.IGNORECASE)
ANSWERS = (("application/json",), ("text/event-stream",))
"""The media types of answers, for matching the Accept field; the second for clients that take nothing else."""
EVENT_STREAM = 1
CAP_LEAST = 200
CAP_NAME = "maxTokenBudget"
ALLOWED_METHODS = b"POST, OPTIONS"
WITH_CARD = b"GET, HEAD, POST, OPTIONS"
NO_STORE = (b"cache-control", b"no-store")
FIXED: Headers = [NO_STORE, (b"x-content-type-options", b"nosniff")]
CLOSE = (b"connection", b"close")
SENT_FIELDS = (
    b"Content-Type, Accept, Authorization, MCP-Protocol-Version, Mcp-Method, Mcp-Name, Mcp-Session-Id, Last-Event-ID,"
    b" traceparent, tracestate, baggage"
)
"""Request fields allowed in cross-origin requests; ``*`` would leave Authorization out."""
MIRRORED = (b"mcp-protocol-version", b"mcp-method", b"mcp-name")
"""Request fields that repeat what the body says."""
READ = frozenset({b"host", b"origin", b"accept", b"content-type", b"content-encoding", b"content-length", *MIRRORED})
"""The request fields that the endpoint reads."""
log = logging.getLogger(__name__)


class HostPolicy:
    """Which hosts and origins are served."""

    def __init__(
        self, base_url: str, hosts: Iterable[str] = (), origins: Iterable[str] = (), *, public: bool = True
    ) -> None:
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
        match = ORIGIN_PATTERN.fullmatch(text)
        if match and (match[1] == "https" or match[2] in LOOPBACK):
            return True
        return text in self._origins


def _bare(host: str) -> str:
    """A host without its port."""
    return host.partition("]")[0] + "]" if host.startswith("[") else host.partition(":")[0]


@lru_cache(maxsize=256)
def cap_of(query: bytes) -> int:
    """The budget that the query of the endpoint's address sets, or 0."""
    values = (
        parse_qs(query.decode("latin-1"), max_num_fields=50).get(CAP_NAME, ())
        if len(query) < len(CAP_NAME) * 100
        else ()
    )
    value = values[0] if len(values) == 1 else ""
    if not (value.isascii() and value.isdecimal() and len(value) <= len(str(MCP_TOKENS))):
        return 0
    return int(value) if CAP_LEAST <= int(value) <= MCP_TOKENS else 0


def cost_of(message: object) -> int:
    """What a POST counts against the limit: its number of messages, at least one."""
    return len(message) if isinstance(message, list) and 0 < len(message) <= MCP_BATCH else 1


class MismatchRule(NamedTuple):
    """What happens to a message whose header names another protocol version than its body."""

    take_body_version: bool = True
    """Whether it is read by its body; otherwise it is refused."""
    on_mismatch: Callable[[], None] | None = None
    """Called for each that is read."""


BODY_DECIDES = MismatchRule()


class Rejected(NamedTuple):
    """Why a request does not reach its message."""

    status: int
    message: str
    code: int = 0
    """The error's code, where it is not the server-defined one for the status."""
    close: bool = False
    """Whether the connection ends, because bytes of the body may still come."""


class Transport:
    """Handles requests at the endpoint's paths. An instance is a ``Handler``."""

    def __init__(
        self,
        endpoint: Endpoint,
        counters: Counters,
        limit: Limit,
        client_of: Callable[[str, Mapping[bytes, bytes]], str],
        rules: HostPolicy,
        base_url: str,
        mismatch_rule: MismatchRule = BODY_DECIDES,
    ) -> None:
        """``client_of`` gives the key that a request is counted under, by its peer and fields."""
        self._mismatch_rule = mismatch_rule
        self.endpoint = endpoint
        self._counters = counters
        self._limit = limit
        self._client_of = client_of
        self._rules = rules
        base = base_url.rstrip("/")
        self._setup = f"{base}/connect/"
        self._fixed: Headers = [
            *FIXED,
            (b"link", f'<{base}/developers/#deprecation-policy>; rel="deprecation"'.encode()),
        ]

    async def __call__(self, request: Request, receive: Receive) -> Response:
        """The answer to a request at one of the paths."""
        fields = _fields(request.headers)
        origin = fields.get(b"origin")
        shared = SHARING if self._rules.public and origin is not None and self._rules.origin(origin) else []
        if request.method == "POST":
            return await self._post(request, receive, fields, shared)
        allow = (b"allow", WITH_CARD if request.target == CARD.encode() else ALLOWED_METHODS)
        if request.method == "OPTIONS":
            # A browser page of an origin that is not served learns nothing, not even which methods there are.
            if origin is not None and not shared:
                return self._refused(Rejected(403, "This origin is not served"), None, [])
            return Response(204, [allow, *shared, *(preflight(ALLOWED_METHODS, SENT_FIELDS) if shared else [])], b"")
        no = Rejected(405, f"POST JSON-RPC here; set-up: {self._setup}")
        return self._refused(no, None, [allow, *shared], head=request.method == "HEAD")

    async def _post(
        self, request: Request, receive: Receive, fields: Mapping[bytes, bytes], shared: Headers
    ) -> Response:
        """The checks in order: the limit, the body, the header, then the messages."""
        key = self._client_of(request.peer, request.fields)
        # The limit comes first: who has used it up costs no more than the header of a request.
        spent = self._counters.spend(self._limit, key)
        if not spent.allowed:
            return self._limited(spent, 1, shared)
        body = await self._body(receive, fields)
        form = best_match(fields.get(b"accept", b"")[:READ_BYTES], ANSWERS)
        checked = (body if isinstance(body, Rejected) else self._gate(fields, form)) or body
        if isinstance(checked, Rejected):
            return self._refused(checked, None, [*shared, *rate_fields(self._limit, spent)])
        return await self._answer(checked, request, fields, form, key, spent, shared)

    async def _answer(
        self,
        body: bytes,
        request: Request,
        fields: Mapping[bytes, bytes],
        form: int,
        key: str,
        spent: LimitState,
        shared: Headers,
    ) -> Response:
        """The answer to the messages of a body."""
        message = jsonrpc.decode(body)
        if type(message) is list and (cost := cost_of(message)) > 1:
            # Only now it is known that this is a batch. Where it is too large for what is left, it counts as one.
            spent = self._counters.spend(self._limit, key, cost - 1)
            if not spent.allowed:
                return self._limited(spent, cost, shared)
        shared = [*shared, *rate_fields(self._limit, spent)]
        snapshot = self.endpoint.snapshot()
        if snapshot is None:
            no = Rejected(503, "The archive is not ready; try again in a second")
            return self._refused(no, jsonrpc.id_of(message), [(b"retry-after", b"1"), *shared])
        if isinstance(message, Unreadable):
            return self._refused(Rejected(400, f"The body {message.reason}", code=PARSE_ERROR), None, shared)
        answering = self.endpoint.answer_batch if type(message) is list else self.endpoint.answer_message
        headers = self._transport_headers(fields, message)
        status, answer = await answering(message, headers, Caller(key, cap_of(request.query)), snapshot)
        if answer is None:
            return without_body(status, [NO_STORE, *shared])
        event = b"event: message\ndata: " + answer + b"\n\n" if form == EVENT_STREAM else answer
        media = ANSWERS[EVENT_STREAM][0] if form == EVENT_STREAM else JSON_TYPE
        return with_body(status, media, event, [*self._fixed, *shared])

    def _transport_headers(self, fields: Mapping[bytes, bytes], message: object) -> TransportHeaders:
        """What the header says of a message; where that contradicts the body, the body decides."""
        version, method, name = fields.get(MIRRORED[0]), fields.get(MIRRORED[1]), fields.get(MIRRORED[2])
        header = TransportHeaders(
            version.decode("latin-1") if version is not None else None,
            method.decode("latin-1") if method is not None else None,
            name.decode("latin-1") if name is not None else None,
        )
        if type(message) is not dict or header.version in (None, MODERN) or not self._mismatch_rule.take_body_version:
            return header
        corrected = reconcile(message, header)
        if corrected is not header and self._mismatch_rule.on_mismatch is not None:
            self._mismatch_rule.on_mismatch()
        return corrected

    async def _body(self, receive: Receive, fields: Mapping[bytes, bytes]) -> bytes | Rejected:
        length = fields.get(b"content-length", b"")
        too_large = length and exceeds(length, MCP_BODY_BYTES)
        body = TOO_LARGE if too_large else await receive_body(receive, MCP_BODY_BYTES, MCP_BODY_SECONDS)
        if isinstance(body, bytes):
            return body
        if body is TOO_LARGE:
            return Rejected(413, f"The body may hold {MCP_BODY_BYTES:,} bytes", close=True)
        return Rejected(408, f"The body was not complete within {MCP_BODY_SECONDS} seconds", close=True)

    def _gate(self, fields: Mapping[bytes, bytes], form: int) -> Rejected | None:
        """Checks of the header, in order; ``form`` is the accepted one of ``ANSWERS``."""
        # Against DNS rebinding: a page that resolves its own name to this machine still sends its own name (MCP,
        # "Security Warning").
        if not self._rules.host(fields.get(b"host", b"")):
            return Rejected(421, "This host is not served here")
        # Only browsers send Origin; clients that are programs are not asked for one.
        if b"origin" in fields and not self._rules.origin(fields[b"origin"]):
            return Rejected(403, "This origin is not served")
        if form < 0:
            return Rejected(406, "Answers are application/json or text/event-stream; accept one of them")
        if not is_json(fields.get(b"content-type", b"")):
            return Rejected(415, "Send application/json in UTF-8")
        # A small coded body may unpack into gigabytes.
        if fields.get(b"content-encoding", b"identity").lower() not in (b"", b"identity"):
            return Rejected(415, "Send the body without content coding")
        return None

    def _limited(self, spent: LimitState, cost: int, shared: Headers) -> Response:
        """429 without the id of a message, because none is read."""
        quota, wait = self._limit.quota, spent.reset
        text = f"Rate limit: {quota} messages per minute; retry after {wait} s"
        body = jsonrpc.error(None, OWN_CODES - 429, text, {"retryAfter": wait, "limit": quota, "cost": cost})
        return self._sent(429, body, [(b"retry-after", b"%d" % wait), *shared, *rate_fields(self._limit, spent)])

    def _refused(self, no: Rejected, id_: jsonrpc.Id, shared: Headers, *, head: bool = False) -> Response:
        body = jsonrpc.error(id_, no.code or OWN_CODES - no.status, no.message)
        return self._sent(no.status, body, [CLOSE, *shared] if no.close else shared, head=head)

    def _sent(self, status: int, body: bytes, shared: Headers, *, head: bool = False) -> Response:
        """Every answer with a body leaves here."""
        return with_body(status, JSON_TYPE, body, [*self._fixed, *shared], head=head)


def _fields(headers: Iterable[tuple[bytes, bytes]]) -> dict[bytes, bytes]:
    """The fields that are read, without spaces around their values; the lines of one name joined."""
    fields: dict[bytes, bytes] = {}
    for name, value in headers:
        if name in READ:
            # Lines of the same name are one list (RFC 9110, section 5.3).
            stripped = value.strip(b" \t")
            joined = fields[name] + b", " + stripped if name in fields else stripped
            fields[name] = _collapse_repeats(joined) if b"," in joined and name in MIRRORED else joined
    return fields


def _collapse_repeats(value: bytes) -> bytes:
    """One of equal values that were joined; clients and proxies repeat what is already there."""
    first, *others = (part.strip(b" \t") for part in value.split(b","))
    return first if set(others) == {first} else value
