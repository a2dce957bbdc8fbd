"""The tap: one tuple and one append for each response; everything else is done by another thread."""

from collections.abc import Callable

from citepress.base import clock
from citepress.http.message import Request, Response
from citepress_telemetry.capture.event import ClientOf, Event, SignedFields

CAP = 50_000
"""Events that may wait for the writer; further ones are dropped and counted."""
AGENT, ACCEPT, REFERER, MODE = b"user-agent", b"accept", b"referer", b"sec-fetch-mode"
SIGNATURE = b"signature-input"
SIGNING = (b"signature", SIGNATURE, b"signature-agent")
WANTED = frozenset({AGENT, ACCEPT, REFERER, MODE, *SIGNING})
"""The request fields that an event carries."""
AGENT_BYTES, MAX_NOTED_BYTES, TARGET_BYTES, SIGNATURE_BYTES = 512, 1024, 2048, 2048
"""Where they are truncated, so that a full list stays small."""


class Tap:
    """Called with every response after it was sent; never raises."""

    def __init__(self, client_of: ClientOf, cap: int = CAP, now: Callable[[], int] = clock.nanoseconds) -> None:
        """``now`` gives nanoseconds since 1970."""
        self.events: list[Event] = []
        """Waiting events, oldest first. Only atomic list operations touch it, so no lock is needed."""
        self.dropped = 0
        """Events dropped since the start."""
        self._client_of = client_of
        self._cap = cap
        self._now = now

    def __call__(self, request: Request, reply: Response) -> None:
        """Record a request and its response."""
        events = self.events
        # Memory is bounded even while the store is away; what is lost is counted.
        if len(events) >= self._cap:
            self.dropped += 1
            return
        try:
            wanted = {name: value for name, value in request.headers if name in WANTED}
            get, leaf = wanted.get, reply.leaf
            events.append(
                (
                    self._now(),
                    self._client_of(request.peer, request.fields),
                    get(AGENT, b"")[:AGENT_BYTES],
                    get(ACCEPT, b"")[:MAX_NOTED_BYTES],
                    get(REFERER, b"")[:MAX_NOTED_BYTES],
                    get(MODE, b"")[:20],
                    _signed(wanted, request.target) if SIGNATURE in wanted else None,
                    request.method,
                    request.target[:TARGET_BYTES] if leaf is None else b"",
                    request.query[:MAX_NOTED_BYTES],
                    leaf,
                    reply.headers if leaf is None else None,
                    reply.status,
                    len(reply.body),
                    reply.notes,
                )
            )
        except Exception:  # noqa: BLE001  (counting must never fail a request that was answered)
            self.dropped += 1

    def take(self, most: int) -> list[Event]:
        """Remove and return the oldest events."""
        batch = self.events[:most]
        # The server appends meanwhile, so exactly what was taken is deleted.
        del self.events[: len(batch)]
        return batch


def _signed(wanted: dict[bytes, bytes], target: bytes) -> SignedFields:
    """The signature fields of a request; empty if they are too long."""
    fields = [wanted.get(name, b"") for name in SIGNING]
    # A signature that was cut cannot be verified, and keeping its parts would keep text of the client.
    if sum(map(len, fields)) > SIGNATURE_BYTES or len(target) > TARGET_BYTES:
        return b"", b"", b"", b""
    return fields[0], fields[1], fields[2], target
