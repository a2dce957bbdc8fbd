"""Serving over HTTP: granian in front of the door, one process a worker."""

import errno
import socket
from collections.abc import Callable

from granian import Granian
from granian.constants import HTTPModes, Interfaces
from granian.http import HTTP1Settings
from granian.log import LogLevels

from citepress.web.asgi import Asgi

BACKLOG = 1024
LAST_PORT = 65535
HEADER_TIMEOUT_MS = 10_000
"""A client that takes longer to send its header is disconnected."""
BUFFER_BYTES = 64 * 1024
"""Read buffer of a connection; above the door's own limit of 32 KiB of header fields, so that the door answers those."""
STOP_SECONDS = 4
"""Workers that have not finished by then are ended."""
HINTS = {
    errno.EADDRINUSE: "another program listens there; choose another port with --port",
    errno.EACCES: "that port needs more rights; choose one above 1023 with --port",
    errno.EADDRNOTAVAIL: "it is no address of this machine; choose one with --host",
}


class CannotListenError(Exception):
    """The address cannot be listened on; the message is one sentence for the operator."""


def listening_address(host: str, port: int) -> str:
    """The numeric address for a host name, tried out. Raises ``CannotListenError``."""
    if not 0 < port <= LAST_PORT:
        raise CannotListenError(f"Cannot listen on {host} port {port}: a port is a number from 1 to {LAST_PORT}.")
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
        with socket.socket(family, kind, protocol) as trial:
            trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            trial.bind(address)
            return str(address[0])
    except OSError as error:
        reason = HINTS.get(error.errno or 0) or str(error)
        raise CannotListenError(f"Cannot listen on {host} port {port}: {reason}.") from None


def serve(
    load: Callable[[], Asgi], host: str = "127.0.0.1", port: int = 8000, workers: int = 1, announce: Callable[[], None] | None = None
) -> None:
    """Serve until SIGTERM or SIGINT.

    ``load`` makes the application in each worker process and must be picklable; ``announce`` is called once the port is
    open. Raises ``CannotListenError``, and ``SystemExit`` with code 1 when the workers cannot run.
    """
    server = Granian(
        "citepress",
        address=listening_address(host, port),
        port=port,
        interface=Interfaces.ASGI,
        workers=workers,
        http=HTTPModes.http1,
        http1_settings=HTTP1Settings(header_read_timeout=HEADER_TIMEOUT_MS, keep_alive=True, max_buffer_size=BUFFER_BYTES),
        backlog=BACKLOG,
        websockets=False,
        log_level=LogLevels.warning,
        log_access=False,
        respawn_failed_workers=True,
        workers_kill_timeout=STOP_SECONDS,
    )
    if announce:
        server.on_startup(announce)
    server.serve(target_loader=load, wrap_loader=False)
