"""Serving over HTTP: listening sockets, and one process per worker."""

import errno
import socket
import sys
from collections.abc import Callable

from citepress.base.errors import CitepressError
from citepress.base.urls import LAST_PORT
from citepress.web.asgi import Asgi
from citepress.web.server.listener import BACKLOG
from citepress.web.server.worker_pool import WorkerPool

SPREADS = sys.platform == "linux"
"""Whether the kernel spreads connections over sockets that share a port; elsewhere all workers listen at one socket."""
HINTS = {
    errno.EADDRINUSE: "another program listens there; choose another port with --port",
    errno.EACCES: "that port needs more rights; choose one above 1023 with --port",
    errno.EADDRNOTAVAIL: "it is not an address of this machine; choose one with --host",
}


class CannotListenError(CitepressError):
    """The address cannot be listened on; the message is one sentence for the operator."""


def listening_address(host: str, port: int) -> str:
    """The numeric address for a host name, tried out. Raises ``CannotListenError``."""
    if not 0 < port <= LAST_PORT:
        raise CannotListenError(f"Cannot listen on {host} port {port}: a port is a number from 1 to {LAST_PORT}.")
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        with socket.socket(family, kind, protocol) as trial:
            # Otherwise connections of the former process in TIME_WAIT would look like a program that still listens.
            trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            trial.bind(address)
            return str(address[0])
    except OSError as error:
        reason = HINTS.get(error.errno or 0) or str(error)
        raise CannotListenError(f"Cannot listen on {host} port {port}: {reason}.") from None


def serve(
    load: Callable[[], Asgi],
    host: str = "127.0.0.1",
    port: int = 8000,
    workers: int = 1,
    announce: Callable[[], None] | None = None,
    reload: Callable[[], None] | None = None,
) -> None:
    """Serve until SIGTERM or SIGINT; on SIGHUP call ``reload`` in a thread, then replace each worker.

    ``load`` makes the application in each worker process and must be picklable; ``announce`` is called once the port is
    open. Raises ``CannotListenError``, and ``SystemExit`` with code 1 when the workers cannot run.
    """
    sockets = _listening(listening_address(host, port), port, workers)
    try:
        if not WorkerPool(load, sockets, announce, reload).run():
            raise SystemExit(1)
    finally:
        for listener in sockets:
            listener.close()


def _listening(address: str, port: int, count: int) -> list[socket.socket]:
    """A listening socket for each worker. They outlive the workers, so connections that wait are not lost with one."""
    family, kind, protocol, _, bound_to = socket.getaddrinfo(
        address, port, type=socket.SOCK_STREAM, flags=socket.AI_NUMERICHOST
    )[0]
    own = count if SPREADS else 1
    sockets = [socket.socket(family, kind, protocol) for _ in range(own)]
    for listener in sockets:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        # With a socket for each worker the kernel spreads connections; at one shared socket the quickest worker takes
        # most.
        if own > 1:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        listener.bind(bound_to)
        listener.listen(BACKLOG)
        # Several workers may wake for one connection, and all but one of them would block in accept.
        listener.setblocking(False)
    return sockets * (count // own)
