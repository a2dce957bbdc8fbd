"""One connection: HTTP/1.1 requests in, responses out, in order, as fast as the client reads them."""

import asyncio
from collections.abc import Callable
from functools import partial

from citepress.base.bounded_log import BoundedLog
from citepress.base.errors import CitepressError
from citepress.base.file_part import FilePart
from citepress.http.message import Handler, Request, Response
from citepress.web.server import wire
from citepress.web.server.owner import ConnectionOwner
from citepress.web.server.parser import ProtocolError, RequestParser
from citepress.web.server.pending import PendingRequest, no_body

PARSED_PIECE_BYTES = 4 * 1024
"""Most bytes parsed at once: it bounds the requests that wait for their answers."""
MAX_TURN_PIECES = 4
"""Pieces parsed before other connections have their turn."""
MAX_TURN_ANSWERS = 16
"""Answers that are sent before other connections have their turn. One that is not stored, but made for its request,
takes the whole turn."""
ANSWER_BYTES = 16 * 1024
"""So many bytes of a body count as one answer more."""
MAX_REQUESTS = 1000
"""Requests that are answered on one connection, as nginx does."""
JOINED_BYTES = 64 * 1024
"""A body up to this size is sent in one piece with its header."""
SENT_BYTES = 256 * 1024
"""Most bytes of a larger body that are handed over at once. The next come when these are taken, and others have had
their turn."""
LINGER, HEADER, IDLE, STALLED = 2, 10, 75, 30
"""Seconds that are waited for: a refused client to stop, a header, the next request, a client to take what was sent."""
CLOSE = (b"connection", b"close")
OK, FAULT = 200, 500
ENDING = frozenset({408, 413, 414, 431})
"""Statuses behind which a connection ends: its client sends more than is taken."""
RETRY = (b"retry-after", b"5")
CROWDED = "Too many connections are open; try again in a few seconds."
NO_TARGET = b"\0"
"""The target that is counted for requests that could not be parsed."""
log = BoundedLog(__name__)


class Connection(asyncio.Protocol):
    """Parses requests and sends the application's responses, one after the other."""

    __slots__ = (
        *("_after", "_asked", "_busy", "_deaf", "_deferred", "_full", "_half", "_host", "_left", "_outgoing"),
        *("_reader", "_reading", "_rest", "_since", "_task", "_transport", "_unsent"),
    )

    def __init__(self, host: "ConnectionOwner[Connection]") -> None:
        self._host = host
        self._rest = b""
        """What arrived and is not parsed yet."""
        self._busy = self._full = self._deaf = self._half = False
        """An action runs; the client does not take what was sent; nothing is read any more; the client sends no
        more."""
        self._reading, self._deferred = True, False
        """Whether the transport reads; whether the host owes this connection a turn."""
        self._asked = self._left = 0
        """Requests so far; answers that are left in this turn."""
        self._task: asyncio.Task[None] | None = None
        self._since = host.tick
        """When what is waited for began."""
        self._unsent = 0
        self._outgoing: memoryview | FilePart | None = None
        """What is left of a large body; while there is some, ``_full`` is set."""
        self._after: Callable[[], None] | None = None
        """How the connection ends behind it."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin."""
        self._transport: asyncio.Transport = transport  # type: ignore[assignment]  # the base class knows less than any stream's
        peer = transport.get_extra_info("peername")
        self._reader = RequestParser(peer[0] if peer else "", self._continue, self.turn)
        if not self._host.came(self):
            self._turn_away()

    def connection_lost(self, exc: Exception | None) -> None:
        """End. An action that runs learns that its client is gone, and finishes what it began."""
        del exc
        self._deaf, self._rest, self._outgoing, self._after = True, b"", None, None
        if self._reader.body is not None:
            self._reader.body.end(gone=True)
        self._reader.release()
        self._host.went(self)

    def data_received(self, data: bytes) -> None:
        """Parse what came and answer what is complete."""
        if self._deaf:
            return
        if self._rest or self._deferred or len(data) > PARSED_PIECE_BYTES:
            self._rest += data
            self.turn()
            return
        reader = self._reader
        began = reader.partial
        reader.feed(data)
        if reader.queue:
            self._left = MAX_TURN_ANSWERS
            self._answer_queued()
        if reader.partial and not began and self._asked:
            self._since = self._host.tick
        if not self._reading or self._full or self._half or reader.queue or reader.body:
            self._settle()

    def eof_received(self) -> bool:
        """The client sends no more; it still gets the answers to what it asked."""
        # A half-closed connection is legal: some clients send their requests, end their side, and then read.
        self._half = True
        if self._reader.body is not None:
            self._reader.body.end(gone=True)
        return not self._deaf and (self._busy or self._full or bool(self._reader.queue or self._rest))

    def pause_writing(self) -> None:
        """The client takes answers more slowly than they are made."""
        self._full = True

    def resume_writing(self) -> None:
        """It has taken most of them."""
        self._since = self._host.tick
        if self._outgoing is not None:
            self._pour()
        else:
            self._full = False
            self.turn()

    def _pour(self) -> None:
        """Go on with a large body; at its end with what waits behind it, or end."""
        self._push()
        if self._outgoing is not None:
            return
        if self._after is not None:
            self._after()
        elif not self._full:
            self.turn()

    def _push(self) -> None:
        """Hand over one piece of a large body."""
        rest, transport = self._outgoing, self._transport
        if rest is None or transport.is_closing():
            return
        self._outgoing = rest[SENT_BYTES:] if len(rest) > SENT_BYTES else None
        self._full = False
        try:
            piece = rest[:SENT_BYTES]
            # sets ``_full`` where the client does not take it at once
            transport.write(bytes(piece) if isinstance(piece, FilePart) else piece)
        except CitepressError:  # the file was damaged meanwhile, and an answer that has begun can only be broken off
            transport.abort()
            return
        if self._outgoing is not None:
            if not self._full:
                self._host.loop.call_soon(self._pour)
            self._full = True

    def turn(self) -> None:
        """Answer and parse what one turn allows; the host calls this again where more was deferred."""
        if self._deferred:
            return
        reader, pieces = self._reader, MAX_TURN_PIECES
        self._left = MAX_TURN_ANSWERS
        self._answer_queued()
        while self._rest and pieces and self._left > 0 and not self._blocked():
            piece, self._rest = self._rest[:PARSED_PIECE_BYTES], self._rest[PARSED_PIECE_BYTES:]
            reader.feed(piece)
            pieces -= 1
            self._answer_queued()
        self._settle()

    def resume(self) -> None:
        """Take the turn that the host owed."""
        self._deferred = False
        self.turn()

    def _settle(self) -> None:
        """At the end of a turn: ask for another, end, or change whether the transport reads."""
        reader = self._reader
        if (reader.queue and not (self._busy or self._full or self._deaf)) or (self._rest and not self._blocked()):
            self._deferred = True
            self._host.defer(self)
        if self._half and not (self._busy or self._full or self._deaf or self._deferred or reader.queue):
            self._end()
        waits = not self._deaf and (
            bool(reader.queue or self._rest) or self._full or (reader.body is not None and reader.body.heavy)
        )
        if waits is self._reading and not self._transport.is_closing():
            self._reading = not waits
            if waits:
                self._transport.pause_reading()
            else:
                self._transport.resume_reading()

    def _blocked(self) -> bool:
        """Whether nothing more is to be parsed for now; what runs may still get its own body."""
        body = self._reader.body
        return bool(self._full or self._deaf or self._reader.queue or (body.heavy if body is not None else self._busy))

    def _answer_queued(self) -> None:
        """Begin what waits, as long as nothing else has to end before and the turn lasts."""
        queue, site_app = self._reader.queue, self._host.site_app
        while queue and self._left > 0 and not self._busy and not self._full and not self._deaf:
            asked = queue.popleft()
            self._asked += 1
            if isinstance(asked, ProtocolError):
                self._refuse(asked)
                return
            request = asked if isinstance(asked, Request) else asked.request
            site_app.localize(request)
            if (
                site_app.actions
                and (handler := site_app.action(request.method, request.target))
                and not (isinstance(asked, PendingRequest) and asked.cut)
            ):
                self._busy = True
                self._task = self._host.loop.create_task(self._act(handler, _exchange(asked)))
                continue
            reply = site_app.answer(request)
            # What is made for a request takes ten times as long as what is stored.
            self._left -= MAX_TURN_ANSWERS if reply.leaf is None else 1 + len(reply.body) // ANSWER_BYTES
            lasting = self._asked < MAX_REQUESTS and not self._host.stopping
            if lasting and asked is request and reply.status == OK and request.method == "GET":
                self._write(request, reply, self._host.tails.plain)
            else:
                self._send(_exchange(asked), reply)

    async def _act(self, handler: Handler, exchange: PendingRequest) -> None:
        """Run an action and send its answer."""
        body = exchange.body
        reply = await self._host.site_app.act(handler, exchange.request, no_body() if body is None else body)
        self._busy, self._task = False, None
        if body is not None and body.broken:  # the next in the queue tells why
            self.turn()
            return
        # Whether a connection persists concerns this hop alone (RFC 9110, section 7.6.1), so it is written here, not by
        # actions.
        if CLOSE in reply.headers:
            exchange.persists = False
            reply = reply._replace(headers=[field for field in reply.headers if field != CLOSE])
        self._send(exchange, reply)
        self.turn()

    def _send(self, exchange: PendingRequest, reply: Response) -> None:
        """Hand an answer to the connection, and end that where it cannot go on."""
        body, request = exchange.body, exchange.request
        ending = self._host.stopping or reply.status in ENDING or self._asked >= MAX_REQUESTS
        if exchange.persists and (ending or (body is not None and not body.drains())):
            exchange.persists = False
        reply = wire.frame_answer(reply, request.method)
        tails = self._host.tails
        self._write(
            request, reply, tails.close if not exchange.persists else tails.keep if exchange.old else tails.plain
        )
        if not exchange.persists:
            self._behind(unread=exchange.cut or (body is not None and not body.complete))

    def _write(self, request: Request, reply: Response, tail: bytes) -> None:
        """Write a response to the transport and report it to the observer."""
        try:
            head = wire.head(reply.status, reply.headers, tail, reply.shared)
        except wire.UnsendableError as error:
            log.fault(f"no answer to {request.method[:20]} {request.target[:200]!r}", request.peer, error)
            self._reader.queue.appendleft(ProtocolError(500, "The service failed."))
            return
        transport, host, body = self._transport, self._host, reply.body
        if not transport.is_closing():
            # A small answer leaves in one packet with its header; copying a large one would cost more than a second
            # write.
            if isinstance(body, bytes) and len(body) <= JOINED_BYTES:
                transport.write(b"".join((*head, body)))
            else:
                transport.write(b"".join(head))
                self._outgoing = memoryview(body) if isinstance(body, bytes) else body
                if not self._full:
                    self._push()
        self._since = host.tick
        if (tap := host.site_app.tap) is not None:
            tap(request, reply)

    def _refuse(self, broken: ProtocolError) -> None:
        """Send the error and close. It is counted as a malformed request without a target."""
        transport, tap = self._transport, self._host.site_app.tap
        transport.write(wire.refusal(broken.status, broken.words, self._host.tails.close))
        # A fault of the service says nothing about its client, so that it does not count as malformed input.
        if tap is not None and broken.status < FAULT:
            peer = transport.get_extra_info("peername")
            tap(
                Request("", NO_TARGET, b"", (), peer[0] if peer else ""),
                Response(broken.status, [], f"{broken.words}\n".encode()),
            )
        self._linger()

    def _continue(self) -> None:
        """Tell a client that its body is wanted."""
        if not self._transport.is_closing():
            self._transport.write(wire.CONTINUE)

    def _behind(self, *, unread: bool) -> None:
        """End the connection as soon as its last answer is handed over."""
        self._reader.ended = True
        if self._outgoing is None:
            self._finish(unread=unread)
        else:
            self._after = partial(self._finish, unread=unread)

    def _finish(self, *, unread: bool) -> None:
        """End the connection behind its last answer."""
        if unread or self._rest or self._reader.queue or self._reader.partial:
            self._linger()
        else:
            self._end()

    def _end(self) -> None:
        """Close as soon as everything is sent."""
        self._deaf = True
        self._transport.close()

    def _linger(self) -> None:
        """Shut down writing and discard input: closing now would make the kernel drop what the client has not read."""
        self._deaf, self._rest, self._since = True, b"", self._host.tick
        self._reader.release()
        if self._half or not self._transport.can_write_eof():
            self._transport.close()
        elif not self._transport.is_closing():
            self._transport.write_eof()

    def _turn_away(self) -> None:
        """There is no room for another connection."""
        self._transport.write(wire.refusal(503, CROWDED, self._host.tails.close, RETRY))
        self._linger()

    def waited(self) -> int | None:
        """Seconds for which nothing has happened here; ``None`` while an answer is being made."""
        if self._busy or self._deferred or self._reader.queue:
            return None
        return self._host.tick - self._since

    def drop(self) -> None:
        """Make room for another connection."""
        if self._deaf or self._full:
            self.abort()
        else:
            self._end()

    def look(self) -> None:
        """Enforce the timeouts, once a second."""
        waited = self._host.tick - self._since
        if unsent := self._transport.get_write_buffer_size() + len(self._outgoing or b""):
            # Progress is what counts: a slow client that takes some bytes each second is kept, one that takes none is
            # not.
            if unsent != self._unsent:
                self._unsent, self._since = unsent, self._host.tick
            elif waited > STALLED:
                self._transport.abort()
        elif self._deaf:
            if waited > LINGER:
                self._transport.abort()
        # A header, or a body on its way, gets less time than an idle connection: that is where slow-request attacks
        # sit.
        elif not self._busy and waited > (
            IDLE if self._asked and not (self._reader.partial or self._reader.body) else HEADER
        ):
            self._end()

    def stop(self, *, patient: bool) -> None:
        """Close as soon as the running request is answered; if ``patient``, not while one may be on its way."""
        reader = self._reader
        if self._busy or self._deferred or reader.queue or self._deaf or self._outgoing is not None:
            return
        if not (patient and (not self._asked or reader.partial or reader.body)):
            self._end()

    def abort(self) -> None:
        """End now."""
        if self._task is not None:
            self._task.cancel()
        self._transport.abort()


def _exchange(asked: Request | PendingRequest) -> PendingRequest:
    return asked if isinstance(asked, PendingRequest) else PendingRequest(asked)
