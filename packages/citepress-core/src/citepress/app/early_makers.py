"""Makers: processes that render the requested pages before the first edition is complete.

They are forked from the process that builds it and share its archive in memory. Each answers one request at a time
over a socket that only this user can reach. A maker that takes too long is killed and replaced.
"""

import gc
import os
import pickle
import select
import signal
import socket
from collections.abc import Callable
from typing import NoReturn

from citepress.app.registry import render_context, table
from citepress.app.worker import counters, site_app
from citepress.edition.early_pack import EarlyPack, early_edition
from citepress.edition.edition import pointer
from citepress.edition.verification import declared as verification
from citepress.http.message import Request, Response
from citepress.http.network_counters import NetworkCounters
from citepress.settings import Settings, deployment_of
from citepress.stores.local.shared_counters import CounterTable
from citepress.stores.sql.migrate import open_store
from citepress.web.early_requests import LATER, LENGTH
from citepress.web.site import NOT_FOUND, SiteApp

MAX_MAKERS = 2
"""Makers that render at the same time; the build gets the other cores."""
MAX_RENDER_S = 20.0
"""Seconds after which a maker that is still rendering is killed."""
MAX_TRANSFER_S = 5.0
"""Seconds that each read of a request and the write of its response may wait for the worker."""
MAKER_CHECK_S = 0.5
"""Seconds between two checks that all makers are alive."""
OF_WHOLE_EDITIONS = frozenset(item.name for item in verification.ALL)
"""Documents made from the log of editions, which has no entry yet."""
CACHE_BYTES = 16 * 1024 * 1024


class EarlySiteApp(SiteApp):
    """Answers requests that a worker forwards; the worker adds the deprecation headers."""

    def answer(self, request: Request) -> Response:
        """The response to a request; 503 for documents made from the log of editions."""
        reply = super().answer(request)
        if reply.status != NOT_FOUND:
            return reply
        route = table().match(request.target.decode("latin-1"))
        return self._later(request, LATER) if route and route.name in OF_WHOLE_EDITIONS else reply

    def _marked(self, reply: Response, _: Request) -> Response:
        return reply


def keep_makers(begin: Callable[[], SiteApp], listener: socket.socket, line: int) -> NoReturn:
    """Keep ``MAX_MAKERS`` running until the other end of the pipe ``line`` is closed; ``begin`` creates their app."""
    gc.freeze()  # a collection would write to, and so copy, the shared pages of memory
    makers: set[int] = set()
    try:
        while not select.select([line], [], [], MAKER_CHECK_S)[0]:
            while makers and (ended := os.waitpid(-1, os.WNOHANG)[0]):
                makers.discard(ended)
            while len(makers) < MAX_MAKERS:
                if not (pid := os.fork()):
                    _make(begin, listener)
                makers.add(pid)
    finally:
        for pid in makers:
            os.kill(pid, signal.SIGKILL)
        os._exit(0)


def early_app(settings: Settings, pack: EarlyPack, limits: CounterTable | None) -> SiteApp:
    """The app that answers from an archive whose edition is being built."""
    edition = early_edition(pack).render_with(render_context)
    deployment = deployment_of(pointer(settings.state))
    counted = NetworkCounters(counters(settings, open_store(settings.state, settings.database_url), limits))
    app = site_app(EarlySiteApp, edition, counted, deployment)
    edition.limit_cache(CACHE_BYTES)
    return app


def _make(begin: Callable[[], SiteApp], listener: socket.socket) -> NoReturn:
    """Answer one request after the other until the parent process ends."""
    status, parent = 1, os.getppid()
    try:
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        app = begin()
        listener.settimeout(MAKER_CHECK_S)
        while os.getppid() == parent:
            try:
                connection, _ = listener.accept()
            except TimeoutError:
                continue
            with connection:
                connection.settimeout(MAX_TRANSFER_S)
                _answer(app, connection)
        status = 0
    finally:
        os._exit(status)


def _answer(app: SiteApp, connection: socket.socket) -> None:
    try:
        (length,) = LENGTH.unpack(_receive(connection, LENGTH.size))
        request = Request(*pickle.loads(_receive(connection, length)))  # noqa: S301  (of our own worker)
        signal.setitimer(signal.ITIMER_REAL, MAX_RENDER_S)
        try:
            reply = app.answer(request)
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
        # A worker recognises a shared list of headers by identity, which does not survive pickling.
        message = pickle.dumps(reply._replace(shared=None))
        connection.sendall(LENGTH.pack(len(message)) + message)
    except (OSError, EOFError):
        return  # the worker gave up


def _receive(connection: socket.socket, size: int) -> bytes:
    data = bytearray()
    while len(data) < size:
        if not (part := connection.recv(size - len(data))):
            raise EOFError
        data += part
    return bytes(data)
