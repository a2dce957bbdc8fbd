"""A real server in its own process, and a client that sends exactly the bytes it is given."""

import contextlib
import fcntl
import itertools
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import partial
from http.client import HTTPResponse
from pathlib import Path
from typing import Any, TypeAlias, cast

from citepress.base import clock
from citepress.contract.limits import Limit
from citepress.contract.site import ForwardedField, Publication
from citepress.edition.edition import open_edition, pointer
from citepress.edition.response_headers import SiteFields
from citepress.edition.site_config import SiteConfig
from citepress.http.client_address import ClientAddressResolver
from citepress.stores.local.counters import LocalCounters
from citepress.web.asgi import Asgi
from citepress.web.reload import EditionReloader
from citepress.web.serve import serve
from citepress.web.site import SiteApp
from support.preloaded import ForkedProcess, start
from support.waiting import PATIENCE_S, until

HOST = "127.0.0.1"
Process: TypeAlias = "subprocess.Popen[bytes] | ForkedProcess"


def load(state: str, quota: int, proxies: list[str], field: ForwardedField = "X-Forwarded-For") -> Asgi:
    """The application of one worker over the edition under ``state``."""
    publication = Publication(base_url="http://archive.test")
    config = SiteConfig(publication=publication, as_of=clock.now(), owner="Owner")
    site = SiteFields.of(config)
    site_app = SiteApp(
        None, LocalCounters(), site, limit=Limit("rest", quota, 60), observer=ClientAddressResolver(proxies, field)
    )
    follower = EditionReloader(site_app, pointer(Path(state)), open_edition)
    follower.look()
    return Asgi(site_app, [follower.run])


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

    def __init__(self, port: int, process: Process) -> None:
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
        lines = {
            "host": f"{HOST}:{self.port}",
            "connection": "close",
            **({"content-length": str(len(body))} if body else {}),
        }
        lines.update((name.replace("_", "-"), value) for name, value in fields.items())
        head = b"".join(f"{name}: {value}\r\n".encode("latin-1") for name, value in lines.items())
        with socket.create_connection((HOST, self.port), PATIENCE_S) as link:
            link.sendall(method.encode() + b" " + raw + b" HTTP/1.1\r\n" + head + b"\r\n" + body)
            response = HTTPResponse(link, method=method)
            response.begin()
            joined: dict[str, str] = {}
            lines = response.getheaders()
            for name, value in lines:
                joined[name.lower()] = f"{joined[name.lower()]}, {value}" if name.lower() in joined else value
            return Answer(response.status, joined, response.read(), lines)


PORTS = range(20_000, 32_000)
"""Below the ports that the system gives to clients, one of which might take a port between a look and its use."""
_numbers = itertools.count(os.getpid() * 97)
_reserved: list[int] = []
"""Descriptors of files, each locked for the port of its name until this process ends."""


def free_port() -> int:
    """A port where nobody listens, and that no other test process is given."""
    folder = Path(tempfile.gettempdir()) / f"citepress-ports-{os.getuid()}"
    folder.mkdir(exist_ok=True)
    for number in itertools.islice(_numbers, len(PORTS)):
        port = PORTS[number % len(PORTS)]
        file = os.open(folder / str(port), os.O_CREAT | os.O_RDWR)
        with contextlib.suppress(OSError), socket.socket() as probe:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind((HOST, port))
            _reserved.append(file)
            return port
        os.close(file)
    raise AssertionError("no port is free")


@contextlib.contextmanager
def running(
    state: Path, quota: int = 120, proxies: tuple[str, ...] = (HOST,), field: ForwardedField = "X-Forwarded-For"
) -> Iterator[Server]:
    """A server over the edition under ``state``, ended at the end."""
    port = free_port()
    with forked("support.running_server:main", [str(state), str(port), str(quota), field, *proxies], port) as server:
        yield server


def serving(
    folder: Path, state: Path, *options: str, function: str = "citepress.cli:main", **environment: str
) -> AbstractContextManager[Server]:
    """``citepress serve`` over a content folder; ``rest_limit="9"`` is ``CITEPRESS_REST_LIMIT=9``.

    One worker, unless ``options`` say how many. ``function`` runs the command.
    """
    port = free_port()
    return forked(function, _arguments(folder, state, port, options), port, _settings(environment))


@contextlib.contextmanager
def serving_command(
    folder: Path,
    state: Path,
    *options: str,
    program: Sequence[str] = (sys.executable, "-m", "citepress"),
    **environment: str,
) -> Iterator[Server]:
    """The same as a command of its own, as a shell starts it: for tests about processes and their start.

    ``program`` begins the command line.
    """
    port = free_port()
    command = [*program, *_arguments(folder, state, port, options)]
    with subprocess.Popen(command, env=_clean(_settings(environment))) as process, _ended(process, port) as server:
        yield server


@contextlib.contextmanager
def forked(
    function: str,
    arguments: Sequence[str],
    port: int,
    environment: Mapping[str, str] | None = None,
    log: Path = Path(os.devnull),
) -> Iterator[Server]:
    """A server that ``module:function`` runs in a process of its own, where everything is imported already.

    ``log`` is given what it writes to standard error; without one that goes where ours goes.
    """
    with log.open("ab") as written:
        streams = (0, 1, 2) if log == Path(os.devnull) else (0, 1, written.fileno())
        process = start(function, arguments, _clean(environment or {}), streams=streams)
    with process, _ended(process, port) as server:
        yield server


def _arguments(folder: Path, state: Path, port: int, options: Sequence[str]) -> list[str]:
    workers = [] if "--workers" in options else ["--workers", "1"]
    return ["serve", str(folder), "--host", HOST, "--port", str(port), "--state", str(state), *workers, *options]


def _settings(environment: Mapping[str, str]) -> dict[str, str]:
    return {f"CITEPRESS_{name.upper()}": value for name, value in {"trusted_proxies": HOST, **environment}.items()}


def _clean(settings: Mapping[str, str]) -> dict[str, str]:
    """Our own environment with these settings and no others."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("CITEPRESS_")}
    return {**inherited, "PYTHONUNBUFFERED": "1", **settings}


@contextlib.contextmanager
def _ended(process: Process, port: int) -> Iterator[Server]:
    """A server that answers, ended at the end."""
    try:
        _await(port, process)
        yield Server(port, process)
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(PATIENCE_S)


def _await(port: int, process: Process) -> None:
    """Wait until a request is answered (an edition may have to be built first)."""
    assert until(lambda: process.poll() is not None or _answers(port)), "the server did not start in time"
    assert process.poll() is None, "the server did not start"


def _answers(port: int) -> bool:
    """Whether a server answers at a port."""
    with contextlib.suppress(OSError), socket.create_connection((HOST, port), PATIENCE_S) as link:
        link.sendall(b"OPTIONS / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        return bool(link.recv(64))
    return False


def main(arguments: Sequence[str]) -> None:
    """Serve the edition of a state folder until SIGTERM."""
    where, at, most, named, *trusted = arguments
    serve(partial(load, where, int(most), trusted, cast("ForwardedField", named)), port=int(at))


if __name__ == "__main__":
    main(sys.argv[1:])
