"""JSON over HTTP to one pinned host: TLS, or plain on loopback; no redirects, a time limit, a size limit."""

import ssl
from collections import deque
from collections.abc import Callable, Mapping
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from ipaddress import ip_address
from typing import Any, TypeAlias
from urllib.parse import SplitResult, urlsplit

import orjson

from citepress.base import clock

Authorize: TypeAlias = Callable[[str, str, str], Mapping[str, str]]
"""Takes method, host and path of a request, and gives the header fields that authenticate it."""
_PART = 16 * 1024
UNKNOWN = (401, 403)
"""Statuses of a host that does not know us; their bodies tell nothing."""
_IDLE = 4
"""Open connections that are kept for the next question."""


class PostError(Exception):
    """No answer that may be used; the sentence names the host alone, because addresses hold keys."""


class JsonClient:
    """One address; safe to share between threads."""

    def __init__(self, url: str, *, seconds: float, most_bytes: int, keep: bool = False, authorize: Authorize | None = None) -> None:
        """``authorize`` gives the fields that authenticate a request. ``keep`` keeps connections open and asks once more when one went stale: for questions that may be asked twice.

        Raises ``ValueError`` for an address that is neither TLS nor on loopback.
        """
        self._place = checked(url)
        self._seconds, self._most, self._keep, self._authorize = seconds, most_bytes, keep, authorize
        self._tls = ssl.create_default_context() if self._place.scheme == "https" else None
        self._idle: deque[HTTPConnection] = deque(maxlen=_IDLE)

    @property
    def name(self) -> str:
        """The host, for messages."""
        return self._place.hostname or ""

    def post(self, told: Any, path: str = "") -> tuple[int, Any]:  # noqa: ANN401  (JSON is any shape)
        """Status and JSON of the answer to a POST of ``told``. Raises ``PostError``."""
        return self._asked("POST", path, orjson.dumps(told))

    def get(self, path: str = "") -> tuple[int, Any]:
        """Status and JSON of the answer to a GET. Raises ``PostError``."""
        return self._asked("GET", path, None)

    def _asked(self, method: str, path: str, body: bytes | None) -> tuple[int, Any]:
        status, data = self._exchanged(method, self._target(path), body)
        try:
            return status, orjson.loads(data)
        except ValueError:
            if status in UNKNOWN:
                return status, None
            raise PostError(f"{self.name} answered {status} without JSON") from None

    def _exchanged(self, method: str, target: str, body: bytes | None) -> tuple[int, bytes]:
        until = clock.seconds() + self._seconds
        if self._keep and (idle := self._taken()):
            try:
                return self._once(idle, method, target, body, until)
            except (OSError, HTTPException):
                pass  # the host closed it meanwhile: ask over a new one
        try:
            return self._once(self._connection(), method, target, body, until)
        except (OSError, HTTPException) as error:
            raise PostError(f"{self.name} does not answer: {type(error).__name__}") from None

    def _once(self, connection: HTTPConnection, method: str, target: str, body: bytes | None, until: float) -> tuple[int, bytes]:
        done = False
        try:
            fields = {"Accept": "application/json", "User-Agent": "citepress"} | ({"Content-Type": "application/json"} if body else {})
            if self._authorize:
                fields |= self._authorize(method, self._place.netloc, target.partition("?")[0])
            connection.request(method, target, body, fields)
            answer = connection.getresponse()
            data = self._read(answer, until)
            done = self._keep and not answer.will_close
            return answer.status, data
        finally:
            if done:
                self._idle.append(connection)
            else:
                connection.close()

    def _read(self, answer: HTTPResponse, until: float) -> bytes:
        """The whole body. Raises ``TimeoutError`` where it drips and ``PostError`` where it is too long or cut off."""
        data = b""
        while part := answer.read1(_PART):
            data += part
            if clock.seconds() > until:
                raise TimeoutError
            if len(data) > self._most:
                raise PostError(f"{self.name} answered more than {self._most} bytes")
        if answer.length:  # fewer bytes than it had announced
            raise PostError(f"{self.name} broke its answer off")
        answer.close()  # or the connection would wait for more of it
        return data

    def _taken(self) -> HTTPConnection | None:
        try:
            return self._idle.pop()
        except IndexError:
            return None

    def _connection(self) -> HTTPConnection:
        host, port = self.name, self._place.port
        if self._tls:
            return HTTPSConnection(host, port, timeout=self._seconds, context=self._tls)
        return HTTPConnection(host, port, timeout=self._seconds)

    def _target(self, path: str) -> str:
        base = self._place.path.rstrip("/") + path if path else self._place.path
        return (base or "/") + (f"?{self._place.query}" if self._place.query else "")


def checked(url: str) -> SplitResult:
    """An address in its parts. Raises ``ValueError`` unless it is TLS, or plain on loopback."""
    place = urlsplit(url)
    if not place.hostname or place.port == 0 or place.username is not None:
        raise ValueError("the address needs a host, and neither user nor password")
    if place.scheme == "https" or (place.scheme == "http" and _loopback(place.hostname)):
        return place
    raise ValueError(f"the address of {place.hostname} has to be https, or http on loopback")


def _loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
