"""A request that is being answered: its body as it arrives, and whether its connection persists."""

import asyncio
from collections.abc import Callable
from typing import Any

from citepress.http.message import Request

DRAINED_BYTES = 64 * 1024
"""Rest of a body that is read and dropped so that its connection can go on; for more it ends."""
HELD_BYTES = 64 * 1024
"""A body of which more waits to be read makes its connection stop reading."""
DISCONNECT = {"type": "http.disconnect"}


class Body:
    """The body of one request. An instance is ASGI's ``receive`` for it."""

    __slots__ = (
        *("_awaited", "_parts", "_relieved", "_waiter", "begun", "broken", "complete", "gone", "held"),
        *("ignored", "left"),
    )

    def __init__(
        self, left: int | None, *, awaited: Callable[[], None] | None = None, relieved: Callable[[], None] | None = None
    ) -> None:
        """``left`` are the bytes that the header declares, ``None`` where it declares none.

        ``awaited`` is called when the body is wanted, for a client that sends it only after a word; ``relieved``
        when so much of it was read that the connection may read on.
        """
        self._awaited = awaited
        self._relieved = relieved
        self._parts: list[bytes] = []
        self._waiter: asyncio.Future[None] | None = None
        self.left = left
        """Declared bytes that have not arrived."""
        self.held = 0
        """Bytes that wait to be read."""
        self.begun = False
        self.complete = False
        self.gone = False
        """Whether the connection ended before the body did."""
        self.broken = False
        """Whether it is gone because its framing cannot be read; the connection tells the client so."""
        self.ignored = False
        """Whether nobody will read it: what comes is dropped."""

    @property
    def heavy(self) -> bool:
        """Whether so much waits to be read that nothing more should come."""
        return self.held > HELD_BYTES

    @property
    def withheld(self) -> bool:
        """Whether the client still waits for ``100 Continue`` and has sent nothing."""
        return self._awaited is not None and not self.begun

    @property
    def whole(self) -> bytes | None:
        """All of it, if all of it is here and nothing was read yet."""
        return b"".join(self._parts) if self.complete and not self.ignored else None

    def feed(self, part: bytes) -> None:
        """Take what arrived."""
        self.begun = True
        if self.left is not None:
            self.left -= len(part)
        if not self.ignored:
            self._parts.append(part)
            self.held += len(part)
            self._wake()

    def end(self, *, gone: bool = False) -> None:
        """Nothing more will arrive: it is complete, or the client is gone."""
        if not self.complete:
            self.complete, self.gone = not gone, gone
            self._wake()

    def break_off(self) -> None:
        """The rest cannot be read: whoever waits for it is told that nothing comes."""
        self.broken = True
        self.end(gone=True)

    def ignore(self) -> None:
        """Nobody will read the rest."""
        self.ignored = True
        self._parts.clear()
        self.held = 0

    def drains(self) -> bool:
        """Now that the request is answered: whether the connection can go on behind what is still to come."""
        if self.complete:
            return True
        # A chunked body announces no length, and a client that was never told to go on may not send its body at all.
        if self.gone or self.withheld or self.left is None or self.left > DRAINED_BYTES:
            return False
        self.ignore()
        return True

    async def __call__(self) -> dict[str, Any]:
        """The next part, in the words of ASGI; waits for it."""
        while not self._parts and not self.complete and not self.gone:
            if self.withheld and self._awaited:
                self._awaited()
                self._awaited = None
            self._waiter = asyncio.get_running_loop().create_future()
            await self._waiter
        if self.gone or self.ignored:
            return DISCONNECT
        part = b"".join(self._parts)
        self._parts.clear()
        heavy, self.held = self.heavy, 0
        if heavy and self._relieved:
            self._relieved()
        if self.complete and not self._parts:
            self.ignored = True  # read to its end: who asks again is told that nothing comes
        return {"type": "http.request", "body": part, "more_body": not self.ignored}

    def _wake(self) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)


class PendingRequest:
    """A request, and what its connection must know to answer it."""

    __slots__ = ("body", "cut", "old", "persists", "request")

    def __init__(
        self, request: Request, *, persists: bool = True, old: bool = False, cut: bool = False, body: Body | None = None
    ) -> None:
        self.request = request
        self.persists = persists
        """Whether the connection carries further requests."""
        self.old = old
        """Whether the client speaks HTTP/1.0 and must be told that the connection persists."""
        self.cut = cut
        """Whether its header was not read to the end."""
        self.body = body
        """``None`` for a request without one."""


def no_body() -> Body:
    """What an action reads of a request without one."""
    body = Body(0)
    body.complete = True
    return body
