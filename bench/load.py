"""A load client: keep-alive connections over loopback, each asking again as soon as it has its answer.

Bounded in requests and in time.
"""

import selectors
import socket
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import cycle

HOST = "127.0.0.1"
RECEIVE = 262_144


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer."""

    status: int
    fields: dict[str, str]
    """Names in lower case; the values of one name joined with commas."""
    body: bytes


@dataclass(slots=True)
class _Line:
    """A connection and what it has of the answer that it waits for."""

    link: socket.socket
    held: bytearray = field(default_factory=bytearray)
    missing: int = -1
    """Bytes still to come, as soon as the header is read."""
    ends: bool = False
    """Whether the server ends it behind this answer, as most do after a number of requests."""


def request(path: str, **fields: str) -> bytes:
    """The bytes of a GET; underscores in names of fields stand for hyphens."""
    lines = [
        f"GET {path} HTTP/1.1",
        f"Host: {HOST}",
        *(f"{name.replace('_', '-')}: {value}" for name, value in fields.items()),
    ]
    return "\r\n".join([*lines, "", ""]).encode()


def post(path: str, body: bytes, **fields: str) -> bytes:
    """The bytes of a POST of JSON."""
    return (
        b"POST"
        + request(path, Content_Type="application/json", Content_Length=str(len(body)), **fields).removeprefix(b"GET")
        + body
    )


def ask(port: int, request: bytes) -> Answer:
    """One answer, whole."""
    with socket.create_connection((HOST, port), timeout=10) as link:
        link.sendall(request)
        held = b""
        while (end := held.find(b"\r\n\r\n")) < 0 or len(held) < end + 4 + _length(held[:end]):
            if not (more := link.recv(RECEIVE)):
                raise SystemExit(f"port {port} hung up")
            held += more
    first, *lines = held[:end].decode("latin-1").split("\r\n")
    fields: dict[str, str] = {}
    for name, _, value in (line.partition(": ") for line in lines):
        fields[name.lower()] = f"{fields[name.lower()]}, {value}" if name.lower() in fields else value
    return Answer(int(first.split()[1]), fields, held[end + 4 :])


def ask_head(port: int, path: str) -> dict[str, str]:
    """The header fields of an answer to HEAD."""
    with socket.create_connection((HOST, port), timeout=10) as link:
        link.sendall(b"HEAD" + request(path).removeprefix(b"GET"))
        head = link.recv(RECEIVE).split(b"\r\n\r\n")[0].decode("latin-1")
    pairs = (line.partition(": ") for line in head.split("\r\n")[1:])
    return {name.lower(): value for name, _, value in pairs}


def answers(port: int) -> bool:
    """Whether something listens."""
    try:
        socket.create_connection((HOST, port), timeout=1).close()
    except OSError:
        return False
    return True


def free_port() -> int:
    """A port that nothing listens on."""
    with socket.socket() as trial:
        trial.bind((HOST, 0))
        return int(trial.getsockname()[1])


def drive(port: int, requests: list[bytes], count: int, connections: int = 8, seconds: float = 60) -> tuple[int, float]:
    """Ask up to ``count`` times, going through ``asked`` again and again: answers in time, and the seconds they took.

    Raises ``SystemExit`` when an answer is no success or a connection ends.
    """
    asking = cycle(requests)
    start = time.perf_counter()
    begun = done = 0
    with selectors.DefaultSelector() as waiting:
        for _ in range(min(connections, count)):
            _begin(waiting, port).link.sendall(next(asking))
            begun += 1
        while done < begun and time.perf_counter() - start < seconds:
            for line in _complete(waiting):
                done += 1
                if begun < count:
                    if line.ends:
                        waiting.unregister(line.link)
                        line.link.close()
                        line = _begin(waiting, port)  # noqa: PLW2901  (the same client on another connection)
                    line.link.sendall(next(asking))
                    begun += 1
        for key in list(waiting.get_map().values()):
            key.data.link.close()
    return done, time.perf_counter() - start


def _complete(waiting: selectors.BaseSelector) -> Iterator[_Line]:
    """The connections that have their answer."""
    for key, _ in waiting.select(1):
        line: _Line = key.data
        got = line.link.recv(RECEIVE)
        if not got:
            raise SystemExit("the server hung up")
        if line.missing < 0:
            line.held += got
            if (end := line.held.find(b"\r\n\r\n")) < 0:
                continue
            if not line.held.startswith(b"HTTP/1.1 20"):
                raise SystemExit(f"the server said {bytes(line.held[:80])!r}")
            line.ends = b"\r\nconnection: close" in line.held[:end].lower()
            line.missing = end + 4 + _length(line.held[:end]) - len(line.held)
        else:
            line.missing -= len(got)
        if line.missing == 0:
            line.held.clear()
            line.missing = -1
            yield line


def _begin(waiting: selectors.BaseSelector, port: int) -> _Line:
    link = socket.create_connection((HOST, port), timeout=10)
    link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    line = _Line(link)
    waiting.register(link, selectors.EVENT_READ, line)
    return line


def _length(header: bytes | bytearray) -> int:
    """What ``Content-Length`` tells."""
    at = header.lower().find(b"\r\ncontent-length:")
    return int(header[at + 17 :].split(b"\r\n", 1)[0]) if at >= 0 else 0
