"""A real S3 service (SeaweedFS), and a proxy before it that loses, delays, breaks and shortens answers."""

import contextlib
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from http.client import HTTPConnection, HTTPException
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from tempfile import mkdtemp

from support.database_servers import STARTED
from support.waiting import until

HOST, BUCKET = "127.0.0.1", "archive"
DROPPED = frozenset({"connection", "transfer-encoding", "keep-alive"})


@dataclass
class FaultyLink:
    """What becomes of the answers between a client and the store; a test sets it at any time."""

    store: int
    """Port of the store."""
    port: int = 0
    mode: str = "whole"
    """``whole``, ``away``, ``failing`` (500), ``truncated`` (large bodies end early) or ``slow``."""
    served: list[str] = field(default_factory=list)
    """Method and path of each request that reached the store."""
    resumed: threading.Event = field(default_factory=threading.Event)
    """Set while a slow body may go on."""

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
        *("-master.peers=none", "-master.volumeSizeLimitMB=64", "-volume.max=4"),
        *(f"-{name}={port}" for name, port in zip(names, ports, strict=True)),
    ]
    log = Path(data, "log").open("wb")  # noqa: SIM115  (as long as the process)
    process = subprocess.Popen(command, stdout=log, stderr=log, env={"HOME": data})
    STARTED.callback(_ended, process)
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
    if link.mode == "away":
        handler.close_connection = True
        return
    if link.mode == "failing":
        handler.send_response(500)
        handler.send_header("Content-Length", "0")
        handler.end_headers()
        return
    connection = HTTPConnection(HOST, link.store, timeout=60)
    try:
        connection.request(handler.command, handler.path, body, dict(handler.headers))
        answer = connection.getresponse()
        data = answer.read()
    finally:
        connection.close()
    link.served.append(f"{handler.command} {handler.path}")
    handler.send_response(answer.status)
    for name, value in answer.getheaders():
        if name.lower() not in DROPPED:
            handler.send_header(name, value)
    handler.end_headers()
    large = handler.command == "GET" and len(data) > 4096
    if large and link.mode == "truncated":
        handler.wfile.write(data[: len(data) // 2])
        handler.close_connection = True
    elif large and link.mode == "slow":
        handler.wfile.write(data[: len(data) // 2])
        handler.wfile.flush()
        link.resumed.wait(120)
        with contextlib.suppress(OSError):
            handler.wfile.write(data[len(data) // 2 :])
    elif handler.command != "HEAD":
        handler.wfile.write(data)


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


def _ended(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.wait(20)
