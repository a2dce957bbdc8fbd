"""The door on any ASGI 3 server: translates and nothing else.

The raw path is what the client sent; where a server does not tell it, it is made from the decoded one. ``citepress serve``
does without this translation: its own server speaks to the same door at a third of the cost.
"""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, MutableMapping, Sequence
from contextlib import suppress
from typing import Any, TypeAlias
from urllib.parse import quote

from citepress.contract.site import CONNECTIONS
from citepress.edition.served import PATH_SAFE
from citepress.http.message import Receive, Request, Response
from citepress.web.site import SiteApp

Scope: TypeAlias = MutableMapping[str, Any]
Send: TypeAlias = Callable[[dict[str, Any]], Awaitable[None]]
Task: TypeAlias = Callable[[], Coroutine[Any, Any, None]]
PIECE = 256 * 1024


class Asgi:
    """An ASGI application around a door, and the tasks that run beside it."""

    def __init__(self, door: SiteApp, tasks: Sequence[Task] = (), connections: int = CONNECTIONS) -> None:
        """``tasks`` are started with the server and cancelled with it; our own keeps at most so many ``connections`` open."""
        self.door = door
        self.tasks = tasks
        self.connections = connections

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One connection scope: ``http`` or ``lifespan``; a web socket is closed unopened."""
        if scope["type"] == "http":
            await self._http(scope, receive, send)
        elif scope["type"] == "lifespan":
            await self._lifespan(receive, send)
        else:
            await send({"type": "websocket.close"})

    async def _http(self, scope: Scope, receive: Receive, send: Send) -> None:
        door = self.door
        raw = scope.get("raw_path") or quote(scope["path"], safe=PATH_SAFE).encode()
        client = scope.get("client")
        request = Request(
            scope["method"], raw.partition(b"?")[0], scope.get("query_string", b""), scope["headers"], client[0] if client else ""
        )
        if door.actions and (handler := door.action(request.method, request.target)):
            reply = await door.act(handler, request, receive)
        else:
            reply = door.answer(request)
        await _put(reply, send)
        if door.tap is not None:
            door.tap(request, reply)

    async def _lifespan(self, receive: Receive, send: Send) -> None:
        running: list[asyncio.Task[None]] = []
        while True:
            message = await receive()
            if message["type"] == "lifespan.startup":
                running = [asyncio.create_task(task()) for task in self.tasks]
                await send({"type": "lifespan.startup.complete"})
            else:
                self.door.stopping = True
                for task in running:
                    task.cancel()
                    with suppress(asyncio.CancelledError):
                        await task
                await send({"type": "lifespan.shutdown.complete"})
                return


async def _put(reply: Response, send: Send) -> None:
    """Send an answer; a large body in pieces, so that its client takes one before the next is copied."""
    await send({"type": "http.response.start", "status": reply.status, "headers": reply.headers})
    body = reply.body
    if isinstance(body, bytes):
        await send({"type": "http.response.body", "body": body})
        return
    for at in range(0, len(body), PIECE):
        piece = bytes(body[at : at + PIECE])
        await send({"type": "http.response.body", "body": piece, "more_body": at + PIECE < len(body)})
