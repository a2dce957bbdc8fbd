"""Connections that send the same bytes again and again: attacks on the event loop of a server."""

import selectors
import socket
import time
from dataclasses import dataclass

import load

FLOODERS, FLOOD_SECONDS = 4, 5.0
"""Connections of an attack that goes on, and for how long."""


@dataclass(slots=True)
class Flooder:
    """A connection that sends the same bytes again and again, and reads whatever is answered."""

    link: socket.socket
    rest: bytes = b""
    sends: int = 0
    answers: int = 0

    def go_on(self, data: bytes, event: int) -> bool:
        """Read and send what is possible; ``False`` where the connection ended."""
        try:
            if event & selectors.EVENT_READ:
                said = self.link.recv(1_000_000)
                self.answers += said.count(b"HTTP/1.1 ")
                if not said:
                    return False
            if event & selectors.EVENT_WRITE:
                self.sends += not self.rest
                self.rest = self.rest or data
                self.rest = self.rest[self.link.send(self.rest) :]
        except BlockingIOError:
            pass
        except OSError:
            return False
        return True


def flood(port: int, data: bytes) -> str:
    """Send the same bytes on a few connections, each begun anew where the server ends it."""
    until, former = time.monotonic() + FLOOD_SECONDS, list[Flooder]()
    with selectors.DefaultSelector() as lines:

        def begin() -> None:
            flooder = Flooder(socket.create_connection((load.HOST, port), timeout=10))
            flooder.link.setblocking(False)
            lines.register(flooder.link, selectors.EVENT_READ | selectors.EVENT_WRITE, flooder)

        def end(flooder: Flooder) -> None:
            lines.unregister(flooder.link)
            flooder.link.close()
            former.append(flooder)

        for _ in range(FLOODERS):
            begin()
        while time.monotonic() < until:
            for key, event in lines.select(0.1):
                if not key.data.go_on(data, event):
                    end(key.data)
                    begin()
        for key in list(lines.get_map().values()):
            end(key.data)
    return f"{sum(flooder.sends for flooder in former)} sends, {sum(flooder.answers for flooder in former)} answers"
