"""One worker process: accepts connections, keeps the clock they share, and ends in order."""

import asyncio
import gc
import multiprocessing
import os
import resource
import signal
import socket
from collections import deque
from collections.abc import Awaitable, Callable
from contextlib import suppress
from heapq import nlargest
from multiprocessing.connection import Connection as Line
from typing import Any

from citepress.base import clock
from citepress.base.bounded_log import BoundedLog
from citepress.base.text import counted
from citepress.web.asgi import Asgi
from citepress.web.server import wire
from citepress.web.server.connection import Connection

try:
    import uvloop
except ImportError:  # not built for every system; asyncio's own loop does the same for more processor time
    uvloop = None  # type: ignore[assignment]

BACKLOG = 1024
MAX_DESCRIPTORS = 1_048_576
"""What counts as unlimited."""
RESERVED = 64
"""File descriptors that are kept for anything but connections."""
DROPPED_SHARE = 64
"""One in so many connections is ended at once where there is no room, so that not every newcomer has to look for
one."""
CROWDED_SECONDS = 0.5
"""So long every newcomer is turned away where no connection could be ended."""
STOP_SECONDS = 4.0
"""Connections that have not ended by then are cut."""
NEWCOMER_SECONDS = 1.0
"""Connections whose first request has not arrived are ended after so long, when the server stops."""
ALIVE = b"alive"
"""The message that a worker sends as soon as it accepts connections, and every second from then on."""
log = BoundedLog(__name__)


def descriptors() -> int:
    """Raise the limit on open files to the hardest that this process may have; what it is now."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != hard:
        with suppress(OSError, ValueError):  # some systems name a hard limit that they do not grant
            resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
            soft = hard
    return MAX_DESCRIPTORS if soft == resource.RLIM_INFINITY else soft


def _failed(_loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """Log an error in a callback or a task of the event loop as one bounded line, however often it occurs."""
    log.fault(str(context.get("message", "a callback failed")), "", context.get("exception"))


class Listener:
    """Accepts connections at one socket for an application."""

    def __init__(self, application: Asgi, loop: asyncio.AbstractEventLoop) -> None:
        self.site_app = application.site_app
        self.loop = loop
        self.tick = 0
        self.tails = wire.header_suffixes(clock.now().timestamp())
        self.stopping = False
        self._tasks = application.tasks
        self._most = max(1, min(application.connections, descriptors() - RESERVED))
        """Connections that are open at once."""
        self._crowded_until = 0.0
        self._turns: deque[Connection] = deque()
        """Connections that wait for another turn."""
        self._connections: set[Connection] = set()
        self._empty = asyncio.Event()

    def came(self, connection: Connection) -> bool:
        """A connection began; say whether there is room for it.

        Where there was none, those that idle longest have to make some.
        """
        self._connections.add(connection)
        return len(self._connections) <= self._most or self._make_room(connection)

    def _make_room(self, newcomer: Connection) -> bool:
        """End a share of the connections that wait for their clients, the longest waiting first.

        ``False`` where all are being answered.
        """
        if clock.seconds() < self._crowded_until:
            return False
        waiting = [
            (waited, id(connection), connection)
            for connection in self._connections - {newcomer}
            if (waited := connection.waited()) is not None
        ]
        dropped = nlargest(max(1, self._most // DROPPED_SHARE), waiting)
        for _, _, connection in dropped:
            connection.drop()
            self._connections.discard(connection)
        if not dropped:
            self._crowded_until = clock.seconds() + CROWDED_SECONDS
        open_now = f"{counted(self._most, 'connection')} {'is' if self._most == 1 else 'are'} open"
        log.fault(f"{open_now}: {len(dropped)} that waited were ended", "", cause="crowded")
        return bool(dropped)

    def went(self, connection: Connection) -> None:
        """A connection ended."""
        self._connections.discard(connection)
        if self.stopping and not self._connections:
            self._empty.set()

    def defer(self, connection: Connection) -> None:
        """Give a connection another turn when those that wait have had theirs."""
        if not self._turns:
            self.loop.call_soon(self._next_turn)
        self._turns.append(connection)

    def _next_turn(self) -> None:
        """One turn in each round of the event loop, so that new requests wait for no more than that."""
        try:
            self._turns[0].resume()
        finally:
            self._turns.popleft()
            if self._turns:
                self.loop.call_soon(self._next_turn)

    async def run(self, at: socket.socket, stop: Awaitable[object], alive: Callable[[], None]) -> None:
        """Answer until ``stop`` is over; ``alive`` is called as soon as connections are accepted, and every second."""
        running = [asyncio.ensure_future(task()) for task in self._tasks]
        server = await self.loop.create_server(lambda: Connection(self), sock=at, backlog=BACKLOG)
        beat = asyncio.ensure_future(self._beat(alive))
        try:
            await stop
        finally:
            await self._close(server, at)
            await self._stop()
            for task in (beat, *running):
                task.cancel()
                with suppress(asyncio.CancelledError):
                    await task

    async def _beat(self, alive: Callable[[], None]) -> None:
        """Once a second: the date, connections that wait too long, and that this loop runs."""
        while True:
            alive()
            self.tick += 1
            self.tails = wire.header_suffixes(clock.now().timestamp())
            for connection in list(self._connections):
                connection.look()
            await asyncio.sleep(1)

    async def _stop(self) -> None:
        """End idle connections, let others finish, cut what is left."""
        self.stopping = self.site_app.stopping = True
        # What has arrived already is read before connections without a request are ended.
        for _ in range(2):
            await asyncio.sleep(0)
        for seconds in (NEWCOMER_SECONDS, STOP_SECONDS - NEWCOMER_SECONDS):
            for connection in list(self._connections):
                connection.stop(patient=seconds == NEWCOMER_SECONDS)
            if self._connections:
                with suppress(TimeoutError):
                    await asyncio.wait_for(self._empty.wait(), seconds)
        for connection in list(self._connections):
            connection.abort()
        await asyncio.sleep(0)

    async def _close(self, server: asyncio.Server, at: socket.socket) -> None:
        """Stop listening, and take over the connections that wait in the queue of the system."""
        # Closing the socket would reset them, although their clients have been told that they are connected.
        waiting: list[socket.socket] = []
        with suppress(OSError):
            while True:
                waiting.append(at.accept()[0])
        server.close()
        for link in waiting:
            link.setblocking(False)
            with suppress(OSError):
                await self.loop.connect_accepted_socket(lambda: Connection(self), link)


def answer(load: Callable[[], Asgi], at: socket.socket, line: Line) -> None:
    """Load the application and serve until SIGTERM, SIGINT or the end of the parent process.

    ``line`` is a pipe to the parent, which is notified as soon as connections are accepted, and every second.
    """

    def alive() -> None:
        # Nobody reads while the parent is stopped, and the pipe is full after some hours.
        with suppress(OSError):
            line.send_bytes(ALIVE)
        if parent is not None and os.getppid() != parent.pid:
            stop.set()

    async def main() -> None:
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(_failed)
        for sign in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(sign, stop.set)
        if parent is not None:
            loop.add_reader(parent.sentinel, stop.set)  # silent while another worker that hangs holds it open
        await Listener(application, loop).run(at, stop.wait(), alive)

    stop, parent = asyncio.Event(), multiprocessing.parent_process()

    application = load()
    os.set_blocking(line.fileno(), False)
    gc.collect()
    gc.freeze()  # what was loaded stays: there is no use in looking through it again and again
    with asyncio.Runner(loop_factory=uvloop.new_event_loop if uvloop else None) as runner:
        runner.run(main())
