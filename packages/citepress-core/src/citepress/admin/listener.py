"""The private listener of the operator: whether the service lives and is ready, and its metrics."""

import logging
import socket
import sys
import threading
from collections.abc import Callable, Mapping
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import ip_address
from typing import ClassVar
from urllib.parse import urlsplit

from citepress.admin.metrics import OperatorView
from citepress.base.canonical import json_bytes
from citepress.base.companion_process import CompanionProcess
from citepress.base.errors import CitepressError
from citepress.base.prometheus import CONTENT_TYPE, exposition
from citepress.base.urls import LAST_PORT
from citepress.settings import Settings
from citepress.stores.local.worker_metrics import MetricsTable

log = logging.getLogger(__name__)
FOREIGN_HOST = b"Ask by address or as localhost.\n"
HELP = b"/live, /ready and /metrics are here.\n"


class AdminAddressError(CitepressError):
    """The address of the private listener cannot be used; the message says why."""

    exit_code = 2


def admin_address(text: str, public: tuple[str, int]) -> tuple[str, int]:
    """Host and port of ``--admin``, which must not be the public ones. Raises ``AdminAddressError``."""
    host, _, port = text.rpartition(":")
    host = host.removeprefix("[").removesuffix("]")
    if not host or not port.isdecimal() or not 0 < int(port) <= LAST_PORT:
        raise AdminAddressError(f"--admin {text}: write an address and a port, such as 127.0.0.1:9000")
    if int(port) == public[1]:
        raise AdminAddressError(f"--admin {text}: that is the public port; choose another one")
    return host, int(port)


def admin_process(settings: Settings, address: tuple[str, int], table: MetricsTable) -> CompanionProcess:
    """The process that answers the operator, beside the workers."""
    return CompanionProcess("admin", partial(answer_operator, settings, address, table))


def answer_operator(settings: Settings, address: tuple[str, int], table: MetricsTable, stop: threading.Event) -> None:
    """Answer until ``stop`` is set."""
    view = OperatorView(settings, table)
    server = _Server(address, partial(_Handler, view))
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.2}, daemon=True)
    thread.start()
    stop.wait()
    server.shutdown()
    server.server_close()
    view.close()


class _Server(ThreadingHTTPServer):
    """Listens over IPv4 or IPv6, as the address says."""

    daemon_threads = True

    def __init__(self, address: tuple[str, int], handler: Callable[..., BaseHTTPRequestHandler]) -> None:
        if ":" in address[0]:
            self.address_family = socket.AF_INET6
        super().__init__(address, handler)
        self.is_private = ip_address(str(self.server_address[0])).is_loopback
        """Whether only programs on this machine reach it."""

    def handle_error(self, *_arguments: object) -> None:
        """Say nothing about a client that broke off; any other failure is logged in one record."""
        error = sys.exc_info()[1]
        if not isinstance(error, OSError):
            log.error("the private listener failed to answer", exc_info=error)


class _Handler(BaseHTTPRequestHandler):
    """Answers GET and HEAD at three paths."""

    server_version = "citepress-admin"
    sys_version = ""
    timeout: ClassVar[int] = 10

    def __init__(self, view: OperatorView, *arguments: object) -> None:
        self._view = view
        super().__init__(*arguments)  # type: ignore[arg-type]  # what the server passes on

    def do_GET(self) -> None:
        """Answer a path."""
        path = self.path.partition("?")[0]
        if not self._is_asked_by_address():
            self._send(403, "text/plain; charset=utf-8", FOREIGN_HOST)
        elif path == "/metrics":
            self._send(200, CONTENT_TYPE, exposition(self._view.metrics()).encode())
        elif path in {"/live", "/ready"}:
            self._send_state(*(self._view.live() if path == "/live" else self._view.ready()))
        else:
            self._send(404, "text/plain; charset=utf-8", HELP)

    do_HEAD = do_GET  # noqa: N815  (likewise)

    def _is_asked_by_address(self) -> bool:
        """On a loopback address, only by address or as localhost.

        A page of a foreign site can lead a name of its own to this machine and read the answers (DNS rebinding), but
        it cannot change the name in ``Host``.
        """
        if not isinstance(self.server, _Server) or not self.server.is_private:
            return True
        try:
            name = urlsplit(f"//{self.headers.get('host', '')}").hostname or ""
            return name == "localhost" or bool(ip_address(name))
        except ValueError:
            return False

    def _send_state(self, good: bool, document: Mapping[str, object]) -> None:
        self._send(200 if good else 503, "application/json", json_bytes(document))

    def _send(self, status: int, type_: str, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", type_)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "no-store")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def log_message(self, format: str, *arguments: object) -> None:  # noqa: A002  (the name in the base class)
        """Log nothing: a scrape every few seconds is no news."""
