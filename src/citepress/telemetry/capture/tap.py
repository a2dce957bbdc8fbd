"""The tap: one tuple and one append for every answer; everything else is done by another thread."""

from collections.abc import Callable

from citepress.base import clock
from citepress.telemetry.capture.event import ClientOf, Event, ServedRequest, ServedResponse, Signed

CAP = 50_000
"""Events that wait for the writer, at most; beyond that they are dropped and counted."""
AGENT, ACCEPT, REFERER, MODE = b"user-agent", b"accept", b"referer", b"sec-fetch-mode"
SIGNATURE = b"signature-input"
SIGNING = (b"signature", SIGNATURE, b"signature-agent")
WANTED = frozenset({AGENT, ACCEPT, REFERER, MODE, *SIGNING})
"""The request fields that are kept for a moment."""
AGENT_BYTES, FIELD_BYTES, TARGET_BYTES, SIGNATURE_BYTES = 512, 1024, 2048, 2048
"""Where they are cut, so that a full list stays small."""


class Tap:
    """Told of every answer after it was sent; takes what it needs and raises nothing."""

    def __init__(self, client_of: ClientOf, cap: int = CAP, now: Callable[[], int] = clock.nanoseconds) -> None:
        """``now`` gives nanoseconds since 1970."""
        self.events: list[Event] = []
        """What waits, oldest first. Only whole operations of lists touch it, so no lock is needed."""
        self.dropped = 0
        """Events that were not taken since the start."""
        self._client_of = client_of
        self._cap = cap
        self._now = now

    def __call__(self, request: ServedRequest, reply: ServedResponse) -> None:
        """Keep what counts of a request and its answer."""
        events = self.events
        if len(events) >= self._cap:
            self.dropped += 1
            return
        try:
            found = {name: value for name, value in request.headers if name in WANTED}
            get, leaf = found.get, reply.leaf
            events.append(
                (
                    self._now(), self._client_of(request.peer, request.fields),
                    get(AGENT, b"")[:AGENT_BYTES], get(ACCEPT, b"")[:FIELD_BYTES], get(REFERER, b"")[:FIELD_BYTES], get(MODE, b"")[:20],
                    _signed(found, request.target) if SIGNATURE in found else None, request.method, request.target[:TARGET_BYTES] if leaf is None else b"", request.query[:FIELD_BYTES],
                    leaf, reply.headers if leaf is None else None, reply.status, len(reply.body), reply.notes,
                )
            )  # fmt: skip
        except Exception:  # noqa: BLE001  (whatever is wrong with counting, the request was answered)
            self.dropped += 1

    def take(self, most: int) -> list[Event]:
        """The oldest events, which then no longer wait."""
        taken = self.events[:most]
        del self.events[: len(taken)]
        return taken


def _signed(found: dict[bytes, bytes], target: bytes) -> Signed:
    """The fields of a signed request."""
    fields = [found.get(name, b"") for name in SIGNING]
    if sum(map(len, fields)) > SIGNATURE_BYTES or len(target) > TARGET_BYTES:
        return b"", b"", b"", b""
    return fields[0], fields[1], fields[2], target
