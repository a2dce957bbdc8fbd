"""The HTTP client for every request that citepress makes: one set of rules for TLS, time, size and redirects.

An address that the caller names is trusted, so that lists, chains and test servers may be on a private network. An
address that an answer names is not: a redirect is followed only to the same origin, or where the rules say so to hosts
with a public address.
"""

import io
import re
import socket
import ssl
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from http.client import (
    BadStatusLine,
    HTTPConnection,
    HTTPException,
    HTTPResponse,
    IncompleteRead,
    RemoteDisconnected,
    UnknownProtocol,
)
from ipaddress import IPv4Network, IPv6Network, ip_address
from string import punctuation
from typing import Any, TypeAlias
from urllib.parse import SplitResult, quote, urljoin, urlsplit

from citepress import __version__
from citepress.base import clock
from citepress.base.errors import CitepressError
from citepress.base.public_urls import is_public

PORTS = {"http": 80, "https": 443}
REDIRECT_STATUSES = frozenset({301, 302, 303, 307, 308})
PART_BYTES = 16 * 1024
IDLE = 4
"""Open connections that a client keeps for the next request."""
_FOLD = re.compile(r"[ \t]*[\r\n][\r\n \t]*")
Network: TypeAlias = IPv4Network | IPv6Network
Authorize: TypeAlias = Callable[[str, str, str], Mapping[str, str]]
"""Takes the method, host and path of a request, and returns the header fields that authenticate it."""


class OutgoingError(CitepressError):
    """No usable answer. The message names the host alone, because paths and queries may hold keys."""

    def __init__(self, host: str, reason: str) -> None:
        """``reason`` is a verb phrase: "does not answer"."""
        super().__init__(f"{host} {reason}")
        self.host, self.reason = host, reason


@dataclass(frozen=True, slots=True)
class Rules:
    """The limits of one purpose."""

    purpose: str
    """Part of the User-Agent: ``citepress-<purpose>/<version>``."""
    total_s: float
    """Seconds for the whole exchange, redirects included."""
    most_bytes: int
    """The largest body that is read."""
    connect_s: float = 10.0
    """Seconds for one connection, TLS included."""
    redirects: int = 0
    """Redirects that are followed at most; without any, a redirect is an answer like another."""
    other_hosts: bool = False
    """Whether a redirect may lead to another host, which then has to have a public address."""
    plain_http: bool = False
    """Whether ``http`` is allowed beyond loopback."""
    public_only: bool = False
    """Whether the address that the caller names has to be public too: for addresses that others wrote."""
    networks: tuple[Network, ...] = ()
    """Networks whose addresses count as public, such as an intranet."""
    head_only: bool = False
    """Leave the body unread: for requests that only ask whether an address answers."""
    keep: bool = False
    """Keep connections open, and ask once more where one was closed meanwhile: for requests that may be repeated."""


@dataclass(frozen=True, slots=True)
class OutgoingAnswer:
    """A whole answer."""

    status: int
    fields: Mapping[str, str]
    """Header fields, names in lower case."""
    body: bytes
    url: str
    """The address that answered, after redirects."""


@dataclass(frozen=True, slots=True)
class _Request:
    method: str
    url: SplitResult
    body: bytes | None
    fields: Mapping[str, str]
    until: float
    public_only: bool = False
    """Whether the host may only be connected to at a public address, because an answer named it."""


class OutgoingClient:
    """Requests under one set of rules; safe to share between threads."""

    def __init__(self, rules: Rules, authorize: Authorize | None = None) -> None:
        """``authorize`` adds fields to each request; it never sees one to another host than the caller named."""
        self._rules, self._authorize = rules, authorize
        self._idle: deque[_Connection] = deque(maxlen=IDLE)

    def get(self, url: str, fields: Mapping[str, str] | None = None, *, until: float = float("inf")) -> OutgoingAnswer:
        """Send a GET. Raises ``OutgoingError``, and ``ValueError`` for an address that the rules forbid.

        ``until``, as ``clock.seconds`` counts, ends it before the rules do.
        """
        return self.send("GET", url, None, fields, until=until)

    def send(
        self,
        method: str,
        url: str,
        body: bytes | None = None,
        fields: Mapping[str, str] | None = None,
        *,
        until: float = float("inf"),
    ) -> OutgoingAnswer:
        """Send a request and read the whole answer. Raises as ``get`` does."""
        rules = self._rules
        until = min(until, clock.seconds() + rules.total_s)
        sent = {"Accept": "*/*", "User-Agent": agent(rules.purpose), **(fields or {})}
        request = _Request(
            method, check_address(url, plain_http=rules.plain_http), body, sent, until, rules.public_only
        )
        for _ in range(rules.redirects):
            answer = self._exchange(request)
            location = escaped_location(answer.fields.get("location", ""))
            if method != "GET" or answer.status not in REDIRECT_STATUSES or not location:
                return answer
            request = self._redirected(request, location)
        answer = self._exchange(request)
        if rules.redirects and method == "GET" and answer.status in REDIRECT_STATUSES:
            raise OutgoingError(_host(request), f"redirects more than {rules.redirects} times")
        return answer

    def _redirected(self, request: _Request, location: str) -> _Request:
        """The request that a redirect asks for. Raises ``OutgoingError`` where the rules forbid it."""
        host = _host(request)
        try:
            url = check_address(urljoin(request.url.geturl(), location), plain_http=self._rules.plain_http)
        except ValueError as error:
            raise OutgoingError(host, f"redirects to an address that is not followed: {error}") from None
        # Within one origin the rules were checked already, and its fields may be sent again.
        if _origin(url) == _origin(request.url):
            return _Request(request.method, url, None, request.fields, request.until, request.public_only)
        if not self._rules.other_hosts:
            raise OutgoingError(host, f"redirects to another host ({url.netloc})")
        # Whoever controls the network in between could have written the second answer.
        if request.url.scheme == "https" and url.scheme != "https":
            raise OutgoingError(host, f"redirects to an address without TLS ({url.netloc})")
        return _Request(request.method, url, None, request.fields, request.until, public_only=True)

    def _exchange(self, request: _Request) -> OutgoingAnswer:
        try:
            if self._rules.keep and (idle := self._reusable(request)):
                try:
                    return self._once(idle, request)
                except (OSError, HTTPException):
                    pass  # the host closed it meanwhile: ask over a new connection
            return self._once(_Connection(request, self._rules), request)
        except TimeoutError:
            raise OutgoingError(_host(request), "does not answer in time") from None
        except ssl.SSLCertVerificationError as error:
            reason = f"has a certificate that cannot be verified: {error.verify_message}"
            raise OutgoingError(_host(request), reason) from None
        except IncompleteRead:
            raise OutgoingError(_host(request), "ends its answer too early") from None
        except (OSError, HTTPException, UnicodeError) as error:
            raise OutgoingError(_host(request), f"does not answer: {_reason(error)}") from None

    def _once(self, connection: "_Connection", request: _Request) -> OutgoingAnswer:
        reusable = False
        connection.until = request.until
        try:
            target = (request.url.path or "/") + (f"?{request.url.query}" if request.url.query else "")
            fields = dict(request.fields)
            # A redirect must not carry a secret to another host.
            if self._authorize and not request.public_only:
                fields |= self._authorize(request.method, request.url.netloc, request.url.path or "/")
            connection.request(request.method, target, request.body, fields)
            response = connection.getresponse()
            body = b"" if self._rules.head_only else self._read(response, request)
            reusable = self._rules.keep and not response.will_close and response.isclosed()
            # A value may go on in further lines (RFC 9112 section 5.2), which would be lines of a copy too.
            names = {name.lower(): _FOLD.sub(" ", text) for name, text in response.getheaders()}
            return OutgoingAnswer(response.status, names, body, request.url.geturl())
        finally:
            if reusable:
                self._idle.append(connection)
            else:
                connection.close()

    def _read(self, response: HTTPResponse, request: _Request) -> bytes:
        """The whole body. Raises ``OutgoingError`` where it is too long or shorter than announced."""
        body = bytearray()
        while part := response.read1(PART_BYTES):
            body += part
            if len(body) > self._rules.most_bytes:
                raise OutgoingError(_host(request), f"answers more than {self._rules.most_bytes:,} bytes")
        # A body cut short would otherwise pass for a whole one where its format allows it.
        if response.length:
            raise OutgoingError(_host(request), "ends its answer too early")
        response.close()  # or the connection would wait for more of it
        return bytes(body)

    def _reusable(self, request: _Request) -> "_Connection | None":
        """An open connection to the request's origin. Others are closed: a client mostly has one host."""
        while self._idle:
            try:
                connection = self._idle.pop()
            except IndexError:  # another thread took it
                return None
            if connection.origin == _origin(request.url) and not request.public_only:
                return connection
            connection.close()
        return None


class _Connection(HTTPConnection):
    """A connection whose every read and write ends at one moment, however slowly the other side sends."""

    def __init__(self, request: _Request, rules: Rules) -> None:
        host, port = _host(request), _port(request.url)
        super().__init__(host, port)
        self.origin = _origin(request.url)
        self.until = request.until
        self._rules, self._tls, self._public_only = rules, request.url.scheme == "https", request.public_only
        self.default_port = PORTS[request.url.scheme]  # so that the Host field names no port that goes without saying

    def connect(self) -> None:
        """Connect to the first of the host's addresses that answers and that the request allows."""
        ends = min(self.until, clock.seconds() + self._rules.connect_s)
        error: OSError = OSError("no address was found")
        for family, kind, protocol, _, address in socket.getaddrinfo(self.host, self.port, type=socket.SOCK_STREAM):
            # Checked here, on the very address that is connected to: a name that resolves to another address the
            # next time cannot lead into a private network.
            if self._public_only and not may_reach(str(address[0]), self._rules.networks):
                error = OSError("its address is not public")
                continue
            raw = socket.socket(family, kind, protocol)
            try:
                raw.settimeout(_left(ends))
                raw.connect(address)
                raw.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                raw.settimeout(_left(ends))
                wrapped = _tls().wrap_socket(raw, server_hostname=self.host) if self._tls else raw
            except OSError as failure:
                raw.close()
                error = failure
            else:
                self.sock = _TimedSocket(wrapped, self)
                return
        raise error


class _TimedSocket:
    """What ``http.client`` uses of a socket, with the time that its connection has left."""

    def __init__(self, sock: socket.socket, connection: _Connection) -> None:
        self._sock, self._connection = sock, connection

    def sendall(self, data: bytes) -> None:
        self._sock.settimeout(_left(self._connection.until))
        self._sock.sendall(data)

    def makefile(self, _mode: str) -> io.BufferedReader:
        return io.BufferedReader(_TimedReader(self._sock, self._connection))

    def close(self) -> None:
        self._sock.close()


class _TimedReader(io.RawIOBase):
    def __init__(self, sock: socket.socket, connection: _Connection) -> None:
        self._sock, self._connection = sock, connection
        self._file = sock.makefile("rb", buffering=0)  # keeps the socket open until the answer is read

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int | None:  # noqa: ANN401  (any writable buffer)
        self._sock.settimeout(_left(self._connection.until))
        return self._file.readinto(buffer)

    def close(self) -> None:
        self._file.close()
        super().close()


def agent(purpose: str) -> str:
    """The User-Agent of a purpose."""
    return f"citepress-{purpose}/{__version__}"


def check_address(url: str, *, plain_http: bool = False) -> SplitResult:
    """The parts of an address. Raises ``ValueError`` unless it is TLS, or plain on loopback or where allowed."""
    parts = urlsplit(url)
    if not parts.hostname or parts.port == 0 or parts.username is not None:
        raise ValueError("the address needs a host, and neither user nor password")
    if any(character <= " " or character == "\x7f" for character in url):
        raise ValueError("the address holds a space or a control character")
    if parts.scheme == "https" or (parts.scheme == "http" and (plain_http or _loopback(parts.hostname))):
        return parts
    wanted = "http or https" if plain_http else "https, or http on loopback"
    raise ValueError(f"the address of {parts.hostname} has to be {wanted}")


def may_reach(address: str, networks: tuple[Network, ...]) -> bool:
    """Whether an IP address is public, or lies in one of the networks."""
    if is_public(address):
        return True
    try:
        own = ip_address(address)
    except ValueError:  # an address with a zone
        return False
    return any(own in network for network in networks)


@cache
def _tls() -> ssl.SSLContext:
    return ssl.create_default_context()


def _loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _left(until: float) -> float:
    """Seconds until a moment. Raises ``TimeoutError`` when it is past."""
    left = until - clock.seconds()
    if left <= 0:
        raise TimeoutError
    return left


def escaped_location(location: str) -> str:
    """The address of a redirect with escapes in place of raw bytes, which browsers follow too."""
    return quote(location.encode("latin-1", "replace"), safe=punctuation)


def _host(request: _Request) -> str:
    return request.url.hostname or ""


def _port(url: SplitResult) -> int:
    return url.port or PORTS[url.scheme]


def _origin(url: SplitResult) -> tuple[str, str, int]:
    return url.scheme, url.hostname or "", _port(url)


def _reason(error: Exception) -> str:
    if isinstance(error, (BadStatusLine, UnknownProtocol)) and not isinstance(error, RemoteDisconnected):
        return "what it sends is not HTTP"  # the error itself repeats what was sent
    return str(getattr(error, "strerror", None) or error or type(error).__name__)
