"""The server in this process with a few actions, on either event loop, and clients that send exact bytes."""

import asyncio
import socket
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import uvloop

from citepress.contract.limits import Limit
from citepress.edition.edition import open_edition, pointer
from citepress.edition.response_headers import SiteFields
from citepress.http.body import receive_body
from citepress.http.message import Receive, Request, Response
from citepress.stores.local.counters import LocalCounters
from citepress.web.asgi import Asgi
from citepress.web.server.listener import Listener
from citepress.web.site import SiteApp
from support.running_server import HOST
from support.waiting import PATIENCE_S

LOOPS: dict[str, Callable[[], asyncio.AbstractEventLoop]] = {
    "asyncio": asyncio.new_event_loop,
    "uvloop": uvloop.new_event_loop,
}
LARGE = bytes(range(256)) * 16 * 1024
"""4 MiB, more than any buffer on the way holds."""


def answer(body: bytes, status: int = 200, *fields: tuple[bytes, bytes]) -> Response:
    return Response(status, [(b"content-type", b"text/plain"), *fields], body)


class Service:
    """A listener and what its actions have seen."""

    def __init__(self, state: Path, connections: int = 1000) -> None:
        self.events: list[str] = []
        self.tapped: list[tuple[str, bytes, int]] = []
        self.gate = asyncio.Event()
        edition = open_edition(pointer(state))
        actions = {
            "/echo": self.echo,
            "/slow": self.slow,
            "/large": self.large,
            "/torn": self.torn,
            "/ends": self.ends,
            "/parts": self.parts,
        }
        self.site_app = SiteApp(
            edition,
            LocalCounters(),
            SiteFields.of(edition.config),
            limit=Limit("rest", 100_000, 60),
            actions=actions,
            tap=self.tap,
        )
        self.application = Asgi(self.site_app, [self.beside], connections)
        self.port = 0
        self.running: asyncio.Task[None] | None = None
        self.stop = asyncio.Event()

    def tap(self, request: Request, reply: Response) -> None:
        self.tapped.append((request.method, request.target, reply.status))

    async def beside(self) -> None:
        """Runs as long as the server does."""
        self.events.append("begun")
        try:
            await asyncio.Event().wait()
        finally:
            self.events.append("cancelled")

    async def echo(self, _request: Request, receive: Receive) -> Response:
        """The body, or what became of it."""
        body = await receive_body(receive, 1_000_000, 1)
        self.events.append(
            body.decode("latin-1")[:20] if isinstance(body, bytes) else "gone" if body is None else body.slug
        )
        return answer(body if isinstance(body, bytes) else b"none")

    async def parts(self, _request: Request, receive: Receive) -> Response:
        """How the body came, and that nothing comes behind its end."""
        while (message := await receive())["type"] == "http.request" and message["more_body"]:
            self.events.append(message["body"].decode())
        self.events.append(message["body"].decode() if "body" in message else "gone")
        return answer((await receive())["type"].encode())

    async def slow(self, request: Request, _receive: Receive) -> Response:
        """Answers when the gate opens."""
        self.events.append("slow")
        await self.gate.wait()
        return answer(b"slow" + request.query)

    async def large(self, _request: Request, _receive: Receive) -> Response:
        return answer(LARGE)

    async def torn(self, _request: Request, _receive: Receive) -> Response:
        return answer(b"", 200, (b"x-said", b"a\r\nset-cookie: b"))

    async def ends(self, _request: Request, _receive: Receive) -> Response:
        return answer(b"ends", 403, (b"connection", b"close"))

    async def link(self) -> "Client":
        return Client(*await asyncio.open_connection(HOST, self.port, limit=16 * 1024 * 1024))


class Client:
    """One connection."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader, self.writer = reader, writer

    def send(self, data: bytes) -> None:
        self.writer.write(data)

    async def answer(self, *, body: bool = True) -> tuple[int, dict[str, str], bytes]:
        """The next answer: its status, its fields, its body."""
        head = (await self.reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        first, *lines = head[:-4].split("\r\n")
        fields = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines)}
        content = await self.reader.readexactly(int(fields.get("content-length", "0"))) if body else b""
        return int(first.split()[1]), fields, content

    async def ask(self, data: bytes) -> tuple[int, dict[str, str], bytes]:
        self.send(data)
        return await self.answer()

    async def ended(self) -> bytes:
        """What comes up to the end of the connection."""
        try:
            return await self.reader.read()
        except ConnectionResetError:
            return b"reset"

    def close(self) -> None:
        self.writer.transport.abort()


@asynccontextmanager
async def listening(state: Path, connections: int = 1000) -> AsyncIterator[Service]:
    """A running listener of at most so many connections, stopped at the end."""
    service = Service(state, connections)
    ready = asyncio.Event()
    with socket.create_server((HOST, 0)) as at:
        at.setblocking(False)
        service.port = at.getsockname()[1]
        listener = Listener(service.application, asyncio.get_running_loop())
        service.running = asyncio.create_task(listener.run(at, service.stop.wait(), ready.set))
        await asyncio.wait_for(ready.wait(), PATIENCE_S)
        try:
            yield service
        finally:
            service.gate.set()
            service.stop.set()
            await service.running


def run(loop: str, test: Coroutine[Any, Any, None], seconds: float = PATIENCE_S) -> None:
    """Run a test on one of the loops, for so many seconds at most."""
    with asyncio.Runner(loop_factory=LOOPS[loop]) as runner:
        runner.run(asyncio.wait_for(test, seconds))
