"""An adapter that runs the site application on any ASGI 3 server.

The raw path is what the client sent; where a server does not provide it, the decoded path is encoded again. ``citepress
serve`` does without this translation: its own server calls the same application at a third of the cost.
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
BODY_PIECE_BYTES = 256 * 1024


class Asgi:
    """An ASGI application around the site application, with its background tasks."""

    def __init__(self, site_app: SiteApp, tasks: Sequence[Task] = (), connections: int = CONNECTIONS) -> None:
        """``tasks`` are started with the server and cancelled with it.

        The built-in server keeps at most ``connections`` open.
        """
        self.site_app = site_app
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
        site_app = self.site_app
        raw = scope.get("raw_path") or quote(scope["path"], safe=PATH_SAFE).encode()
        client = scope.get("client")
        request = Request(
            scope["method"],
            raw.partition(b"?")[0],
            scope.get("query_string", b""),
            scope["headers"],
            client[0] if client else "",
        )
        site_app.localize(request)
        if site_app.actions and (handler := site_app.action(request.method, request.target)):
            reply = await site_app.act(handler, request, receive)
        else:
            reply = site_app.answer(request)
        await _put(reply, send)
        if site_app.tap is not None:
            site_app.tap(request, reply)

    async def _lifespan(self, receive: Receive, send: Send) -> None:
        running: list[asyncio.Task[None]] = []
        while True:
            message = await receive()
            if message["type"] == "lifespan.startup":
                running = [asyncio.create_task(task()) for task in self.tasks]
                await send({"type": "lifespan.startup.complete"})
            else:
                self.site_app.stopping = True
                for task in running:
                    task.cancel()
                    with suppress(asyncio.CancelledError):
                        await task
                await send({"type": "lifespan.shutdown.complete"})
                return


async def _put(reply: Response, send: Send) -> None:
    """Send a response; a large body in pieces, so that its client takes one before the next is copied."""
    await send({"type": "http.response.start", "status": reply.status, "headers": reply.headers})
    body = reply.body
    if isinstance(body, bytes):
        await send({"type": "http.response.body", "body": body})
        return
    for at in range(0, len(body), BODY_PIECE_BYTES):
        piece = bytes(body[at : at + BODY_PIECE_BYTES])
        await send({"type": "http.response.body", "body": piece, "more_body": at + BODY_PIECE_BYTES < len(body)})
