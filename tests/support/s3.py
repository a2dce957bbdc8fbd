"""A real S3 service (SeaweedFS), and a proxy before it that loses, delays, refuses, shortens and changes answers."""

import contextlib
import shutil
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from http.client import HTTPConnection, HTTPException, HTTPResponse
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from tempfile import mkdtemp

from support.database_servers import STARTED
from support.waiting import PATIENCE_S, until

HOST, BUCKET = "127.0.0.1", "archive"
DROPPED = frozenset({"connection", "transfer-encoding", "keep-alive"})
LARGE = 4096
"""Bytes beyond which the body of an answer is one of a pack."""
PIECE = 1 << 18
SKEWED = b"<Error><Code>RequestTimeTooSkewed</Code><Message>The difference is too large.</Message></Error>"
"""What S3 answers where the clock of a client is too far off for its signatures."""
REFUSALS = {"failing": (500, b""), "skewed": (403, SKEWED)}


@dataclass
class FaultyLink:
    """What becomes of the answers between a client and the store; a test sets it at any time."""

    store: int
    """Port of the store."""
    port: int = 0
    mode: str = "whole"
    """``whole``, ``away``, ``failing`` (500), ``skewed`` (403), or what becomes of large bodies: ``truncated``,
    ``flipped`` (one bit) or ``slow`` (the second half waits for ``resumed``)."""
    held: str = ""
    """Last part of the name of an object; a PUT of it waits for ``resumed``."""
    holding: threading.Event = field(default_factory=threading.Event)
    """Set as soon as such a PUT waits."""
    served: list[str] = field(default_factory=list)
    """Method and path of each request that reached the store."""
    received: int = 0
    """Bytes of bodies that the store sent."""
    dropped: list[str] = field(default_factory=list)
    """Requests that went nowhere."""
    resumed: threading.Event = field(default_factory=threading.Event)
    """Set while slow bodies and held requests may go on."""

    @property
    def environment(self) -> dict[str, str]:
        """The variables that lead a client through this link."""
        return {
            "AWS_ENDPOINT_URL": f"http://{HOST}:{self.port}",
            "AWS_ALLOW_HTTP": "true",
            "AWS_REGION": "us-east-1",
            "AWS_SKIP_SIGNATURE": "true",
        }


@cache
def s3_port() -> int:
    """The port of the S3 service of this test process, started when first needed: starting takes three seconds."""
    data = mkdtemp(prefix="citepress-s3-")
    ports = _free_ports(4)
    names = ("s3.port", "master.port", "volume.port", "filer.port")
    command = [
        str(Path(sys.executable).with_name("weed")),
        *(
            "server",
            f"-dir={data}",
            f"-ip={HOST}",
            f"-ip.bind={HOST}",
            "-filer",
            "-s3",
            "-s3.port.iceberg=0",
            "-s3.port.lance=0",
        ),
        *("-master.peers=none", "-master.volumeSizeLimitMB=1024", "-volume.max=4"),
        *(f"-{name}={port}" for name, port in zip(names, ports, strict=True)),
    ]
    log = Path(data, "log").open("wb")  # noqa: SIM115  (as long as the process)
    process = subprocess.Popen(command, stdout=log, stderr=log, env={"HOME": data})
    STARTED.callback(_ended, process, data)
    assert until(lambda: _answer(ports[0], "PUT", f"/{BUCKET}") in {200, 409}), "the S3 service does not start"
    assert until(lambda: _answer(ports[0], "PUT", f"/{BUCKET}/ready", b"1") == 200), "the S3 service takes no object"
    return ports[0]


@contextlib.contextmanager
def faulty_link() -> Iterator[FaultyLink]:
    """A link to the S3 service of this test process that a test can break."""
    link = FaultyLink(s3_port())
    link.resumed.set()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def _forward(self) -> None:
            _forward(self, link)

        do_GET = do_HEAD = do_PUT = do_POST = do_DELETE = _forward  # noqa: N815  (named by the base class)

        def log_message(self, *_: object) -> None:
            """Nothing."""

    server = ThreadingHTTPServer((HOST, 0), Handler)
    server.daemon_threads = True
    server.handle_error = lambda *_: None  # type: ignore[method-assign]  (clients are killed and cut off by tests)
    link.port = server.server_address[1]
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield link
    finally:
        link.resumed.set()
        server.shutdown()
        server.server_close()
        thread.join(10)


def _forward(handler: BaseHTTPRequestHandler, link: FaultyLink) -> None:
    length = int(handler.headers.get("Content-Length") or 0)
    body = handler.rfile.read(length) if length else None
    if link.held and handler.command == "PUT" and handler.path.endswith(f"/{link.held}"):
        link.holding.set()
        link.resumed.wait(PATIENCE_S)
    if link.mode == "away":
        link.dropped.append(f"{handler.command} {handler.path}")
        handler.close_connection = True
        return
    if link.mode in REFUSALS:
        _send(handler, REFUSALS[link.mode][0], [], REFUSALS[link.mode][1])
        return
    connection = HTTPConnection(HOST, link.store, timeout=60)
    try:
        connection.request(handler.command, handler.path, body, dict(handler.headers))
        answer = connection.getresponse()
        link.served.append(f"{handler.command} {handler.path}")
        fields = [(name, value) for name, value in answer.getheaders() if name.lower() not in DROPPED]
        body = answer.read(LARGE + 1)
        if handler.command != "GET" or len(body) <= LARGE:
            link.received += len(body)
            _send(handler, answer.status, fields, body)
        elif link.mode == "whole":
            _pass_on(handler, link, answer, fields, body)
        else:
            _send_large(handler, link, fields, body + answer.read())
    finally:
        connection.close()


def _send(handler: BaseHTTPRequestHandler, status: int, fields: list[tuple[str, str]], body: bytes) -> None:
    handler.send_response(status)
    for name, value in fields or [("Content-Length", str(len(body)))]:
        handler.send_header(name, value)
    handler.end_headers()
    if handler.command != "HEAD":
        with contextlib.suppress(OSError):  # the client may be killed meanwhile
            handler.wfile.write(body)


def _pass_on(
    handler: BaseHTTPRequestHandler,
    link: FaultyLink,
    answer: HTTPResponse,
    fields: list[tuple[str, str]],
    beginning: bytes,
) -> None:
    """Send a large body piece by piece, as it comes."""
    _send(handler, answer.status, fields, beginning)
    link.received += len(beginning)
    with contextlib.suppress(OSError):
        while piece := answer.read(PIECE):
            handler.wfile.write(piece)
            link.received += len(piece)


def _send_large(handler: BaseHTTPRequestHandler, link: FaultyLink, fields: list[tuple[str, str]], body: bytes) -> None:
    """Send the body of a pack, or what the mode of the link makes of it."""
    half = len(body) // 2
    changed = body[:half] + bytes([body[half] ^ 1]) + body[half + 1 :]
    mode = link.mode
    with contextlib.suppress(OSError):
        _send(handler, 200, fields, changed[: half + 1] if mode == "flipped" else body[:half])
        if mode == "truncated":
            handler.close_connection = True
            return
        if mode == "slow":
            handler.wfile.flush()
            link.resumed.wait(PATIENCE_S)
        handler.wfile.write(changed[half + 1 :] if mode == "flipped" else body[half:])


def _free_ports(count: int) -> list[int]:
    """Ports that are free, and whose numbers plus 10,000 are free, for the store listens there too."""
    ports: list[int] = []
    while len(ports) < count:
        with socket.socket() as probe, socket.socket() as beside:
            probe.bind((HOST, 0))
            port = int(probe.getsockname()[1])
            if port > 55_000:
                port -= 30_000
            with contextlib.suppress(OSError):
                beside.bind((HOST, port + 10_000))
                ports.append(port)
    return ports


def _answer(port: int, method: str, path: str, body: bytes | None = None) -> int:
    connection = HTTPConnection(HOST, port, timeout=10)
    try:
        connection.request(method, path, body)
        return connection.getresponse().status
    except (OSError, HTTPException):
        return 0
    finally:
        connection.close()


def _ended(process: subprocess.Popen[bytes], data: str) -> None:
    process.kill()
    process.wait(PATIENCE_S)
    shutil.rmtree(data, ignore_errors=True)
