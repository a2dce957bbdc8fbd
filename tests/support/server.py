"""A real server in a process of its own, and a client that sends exactly the bytes it is told to."""

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from http.client import HTTPResponse
from pathlib import Path
from typing import Any, cast

from citepress.contract.limits import Limit
from citepress.contract.site import ForwardedField
from citepress.edition.edition import open_edition, pointer
from citepress.edition.fields import SiteFields
from citepress.http.client_address import ClientAddressResolver
from citepress.stores.local.counters import LocalCounters
from citepress.web.asgi import Asgi
from citepress.web.reload import EditionReloader
from citepress.web.serve import serve
from citepress.web.site import SiteApp

HOST = "127.0.0.1"


def load(state: str, quota: int, proxies: list[str], field: ForwardedField = "X-Forwarded-For") -> Asgi:
    """The application of one worker over the edition under ``state``."""
    site = SiteFields.of({"base_url": "http://archive.test"})
    door = SiteApp(None, LocalCounters(), site, limit=Limit("rest", quota, 60), observer=ClientAddressResolver(proxies, field))
    follower = EditionReloader(door, pointer(Path(state)), open_edition)
    follower.look()
    return Asgi(door, [follower.run])


@dataclass
class Answer:
    """A response as it came over the wire; names of fields in lower case, repeated ones joined."""

    status: int
    fields: dict[str, str]
    body: bytes
    lines: list[tuple[str, str]]
    """The fields as they were sent."""

    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def text(self) -> str:
        return self.body.decode()

    @property
    def type(self) -> str:
        return self.fields.get("content-type", "")


class Server:
    """A running server."""

    def __init__(self, port: int, process: subprocess.Popen[bytes]) -> None:
        self.port = port
        self.process = process
        self.clients = 0

    def client(self) -> dict[str, str]:
        """Fields that make a request come from a client that has not asked before (the server trusts us as a proxy)."""
        self.clients += 1
        return {"x-forwarded-for": f"198.51.{self.clients // 250}.{self.clients % 250 + 1}"}

    def ask(self, target: str | bytes, method: str = "GET", body: bytes = b"", **fields: str) -> Answer:
        """Send one request. ``target`` goes out as it is; in names of ``fields`` an underscore is a hyphen."""
        raw = target if isinstance(target, bytes) else target.encode()
        lines = {"host": f"{HOST}:{self.port}", "connection": "close", **({"content-length": str(len(body))} if body else {})}
        lines.update((name.replace("_", "-"), value) for name, value in fields.items())
        head = b"".join(f"{name}: {value}\r\n".encode("latin-1") for name, value in lines.items())
        with socket.create_connection((HOST, self.port), 10) as link:
            link.sendall(method.encode() + b" " + raw + b" HTTP/1.1\r\n" + head + b"\r\n" + body)
            response = HTTPResponse(link, method=method)
            response.begin()
            joined: dict[str, str] = {}
            lines = response.getheaders()
            for name, value in lines:
                joined[name.lower()] = f"{joined[name.lower()]}, {value}" if name.lower() in joined else value
            return Answer(response.status, joined, response.read(), lines)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return int(probe.getsockname()[1])


@contextlib.contextmanager
def running(
    state: Path, quota: int = 120, proxies: tuple[str, ...] = (HOST,), field: ForwardedField = "X-Forwarded-For"
) -> Iterator[Server]:
    """A server over the edition under ``state``, ended at the end."""
    port = free_port()
    with _started([sys.executable, __file__, str(state), str(port), str(quota), field, *proxies], port) as server:
        yield server


@contextlib.contextmanager
def serving(folder: Path, state: Path, *options: str, **environment: str) -> Iterator[Server]:
    """``citepress serve`` over a content folder; ``rest_limit="9"`` is ``CITEPRESS_REST_LIMIT=9``."""
    port = free_port()
    command = [
        sys.executable,
        "-m",
        "citepress",
        "serve",
        str(folder),
        "--host",
        HOST,
        "--port",
        str(port),
        "--state",
        str(state),
        *options,
    ]
    told = {"trusted_proxies": HOST, **environment}
    with _started(command, port, {f"CITEPRESS_{name.upper()}": value for name, value in told.items()}) as server:
        yield server


@contextlib.contextmanager
def _started(command: list[str], port: int, environment: Mapping[str, str] | None = None) -> Iterator[Server]:
    clean = {name: value for name, value in os.environ.items() if not name.startswith("CITEPRESS_")}
    with subprocess.Popen(command, env={**clean, "PYTHONUNBUFFERED": "1", **(environment or {})}) as process:
        try:
            _await(port, process)
            yield Server(port, process)
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(20)


def _await(port: int, process: subprocess.Popen[bytes]) -> None:
    """Wait until a request is answered, at most a minute (an edition may have to be built first)."""
    for _ in range(2400):
        with contextlib.suppress(OSError), socket.create_connection((HOST, port), 1) as link:
            link.sendall(b"OPTIONS / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            if link.recv(64):
                return
        if process.poll() is not None:
            break
        time.sleep(0.025)
    raise AssertionError("the server did not start")


if __name__ == "__main__":
    where, at, most, named, *trusted = sys.argv[1:]
    serve(partial(load, where, int(most), trusted, cast("ForwardedField", named)), port=int(at))
