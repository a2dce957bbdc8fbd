"""Processes that render what is asked for before the first edition is whole.

They are forked from the process that builds it, so that they share its archive, and answer one request after the
other at a socket of which only this user knows. One that takes too long ends, and another begins in its place.
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

MAKERS = 2
"""Processes that render at once; the build has the rest of the machine."""
LONGEST_S = 20.0
"""Seconds that an answer may take."""
SENDING_S = 5.0
"""Seconds in which a worker sends its request and takes the answer."""
LOOK_S = 0.5
"""Seconds between two checks that all makers live."""
OF_WHOLE_EDITIONS = frozenset(item.name for item in verification.ALL)
"""Documents that are made of the log of editions."""
CACHE_BYTES = 16 * 1024 * 1024


class EarlySiteApp(SiteApp):
    """Answers for a worker, which marks what is deprecated."""

    def answer(self, request: Request) -> Response:
        """The answer to a request; what tells of whole editions is asked for later."""
        reply = super().answer(request)
        if reply.status != NOT_FOUND:
            return reply
        route = table().match(request.target.decode("latin-1"))
        return self._later(request, LATER) if route and route.name in OF_WHOLE_EDITIONS else reply

    def _marked(self, reply: Response, _: Request) -> Response:
        return reply


def keep_makers(begin: Callable[[], SiteApp], listener: socket.socket, line: int) -> NoReturn:
    """Keep so many makers running until the other end of a line is closed; ``begin`` gives each what answers."""
    gc.freeze()  # a collection would touch, and so copy, everything that is shared
    makers: set[int] = set()
    try:
        while not select.select([line], [], [], LOOK_S)[0]:
            while makers and (ended := os.waitpid(-1, os.WNOHANG)[0]):
                makers.discard(ended)
            while len(makers) < MAKERS:
                if not (pid := os.fork()):
                    _make(begin, listener)
                makers.add(pid)
    finally:
        for pid in makers:
            os.kill(pid, signal.SIGKILL)
        os._exit(0)


def early_app(settings: Settings, pack: EarlyPack, limits: CounterTable | None) -> SiteApp:
    """What answers from an archive whose edition is being built."""
    edition = early_edition(pack).render_with(render_context)
    deployment = deployment_of(pointer(settings.state))
    counted = NetworkCounters(counters(settings, open_store(settings.state, settings.database_url), limits))
    app = site_app(EarlySiteApp, edition, counted, deployment)
    edition.limit_cache(CACHE_BYTES)
    return app


def _make(begin: Callable[[], SiteApp], listener: socket.socket) -> NoReturn:
    """Answer one request after the other until whoever keeps the makers has gone."""
    status, parent = 1, os.getppid()
    try:
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        app = begin()
        listener.settimeout(LOOK_S)
        while os.getppid() == parent:
            try:
                connection, _ = listener.accept()
            except TimeoutError:
                continue
            with connection:
                connection.settimeout(SENDING_S)
                _answer(app, connection)
        status = 0
    finally:
        os._exit(status)


def _answer(app: SiteApp, connection: socket.socket) -> None:
    try:
        (length,) = LENGTH.unpack(_received(connection, LENGTH.size))
        request = Request(*pickle.loads(_received(connection, length)))  # noqa: S301  (of our own worker)
        signal.setitimer(signal.ITIMER_REAL, LONGEST_S)
        reply = app.answer(request)
        signal.setitimer(signal.ITIMER_REAL, 0)
        # The list that a worker writes once for many answers is not the same one in another process.
        message = pickle.dumps(reply._replace(shared=None))
        connection.sendall(LENGTH.pack(len(message)) + message)
    except (OSError, EOFError):
        return  # the worker did not wait for it


def _received(connection: socket.socket, size: int) -> bytes:
    data = bytearray()
    while len(data) < size:
        if not (part := connection.recv(size - len(data))):
            raise EOFError
        data += part
    return bytes(data)
