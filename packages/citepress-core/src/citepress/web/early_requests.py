"""Requests before the first edition is complete: workers forward them to the makers (``app/early_makers.py``).

A worker renders nothing itself. The number of waiting requests is bounded, and what needs a complete edition gets 503.
"""

import asyncio
import pickle
import struct
from collections.abc import Iterator, Mapping
from typing import Any

from citepress.contract import problem as problem_types
from citepress.edition.edition import Edition
from citepress.http.message import Handler, Receive, Request, Response
from citepress.http.problem import refuse
from citepress.web.site import NOT_FOUND, READS, SiteApp

LENGTH = struct.Struct("<I")
"""The header of each message, in both directions: its length in bytes."""
MAX_WAITING = 32
"""Requests of one worker that may wait for makers; further ones are refused."""
MAX_ANSWER_S = 10.0
"""Seconds after which a request that waits for a maker is refused."""
RETRY_S, LATER_S = 1, 10
"""``Retry-After`` in seconds: when too many requests wait, and for what needs a complete edition."""
BUSY = "Too many pages are being rendered for the first time."
LATER = "The first edition is still being built; this is answered as soon as it is whole."


class EarlyRequests(Mapping[str, Handler]):
    """Replaces the actions of a site until its first edition is complete: until then it answers every path."""

    def __init__(self, app: SiteApp, actions: Mapping[str, Handler], socket: str) -> None:
        """``actions`` take over when the edition is complete; ``socket`` is the path of the makers' socket."""
        self._app, self._actions, self._socket = app, actions, socket
        self._early: Edition | None = app.edition
        self._waiting = 0

    def get(self, path: str, default: Any = None) -> Any:  # noqa: ANN401  (as in ``Mapping``)
        """The handler of a path. The first request after the edition is complete restores the actions of the site."""
        if self._is_early:
            return self._answer
        self._app.actions = self._actions
        return self._actions.get(path, default)

    def __getitem__(self, path: str) -> Handler:
        handler: Handler = self.get(path)
        return handler

    def __iter__(self) -> Iterator[str]:
        return iter(self._actions)

    def __len__(self) -> int:
        return len(self._actions) + 1

    async def _answer(self, request: Request, _: Receive) -> Response:
        path = request.target.decode("latin-1")
        acts = path in self._actions or path.rpartition("/")[0] + "/*" in self._actions
        if acts and request.method not in READS:
            return self._refuse(request, LATER, LATER_S)
        if self._waiting >= MAX_WAITING:
            return self._refuse(request, BUSY, RETRY_S)
        self._waiting += 1
        try:
            async with asyncio.timeout(MAX_ANSWER_S):
                reply = await self._ask(request)
        except (OSError, EOFError, pickle.UnpicklingError):
            return self._refuse(request, LATER, RETRY_S) if self._is_early else self._app.answer(request)
        finally:
            self._waiting -= 1
        return self._refuse(request, LATER, LATER_S) if acts and reply.status == NOT_FOUND else reply

    @property
    def _is_early(self) -> bool:
        return self._app.edition is self._early

    async def _ask(self, request: Request) -> Response:
        reader, writer = await asyncio.open_unix_connection(self._socket)
        try:
            parts = request.method, request.target, request.query, list(request.headers), request.peer
            message = pickle.dumps(parts)
            writer.write(LENGTH.pack(len(message)) + message)
            (length,) = LENGTH.unpack(await reader.readexactly(LENGTH.size))
            reply: Response = pickle.loads(await reader.readexactly(length))  # noqa: S301  (of our own process)
            return reply
        finally:
            writer.close()

    def _refuse(self, request: Request, detail: str, seconds: int) -> Response:
        further = [(b"retry-after", b"%d" % seconds)]
        return refuse(problem_types.UNAVAILABLE, request, self._app.site, detail=detail, further=further)
