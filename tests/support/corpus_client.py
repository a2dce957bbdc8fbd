"""Sends the corpus to a server: each payload on its own connection, followed by a request that must be answered."""

import asyncio
from collections import Counter
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field

from support.payloads import Payload, Verdict

HOST = "127.0.0.1"
TOGETHER = 48
"""Connections at once."""
PATIENCE = 10.0
"""Seconds after which a server hangs that ought to answer or to end the connection."""
QUIET = 0.3
"""Seconds without an answer after which one that may wait does wait."""
STANDARD = frozenset({501, 505})
"""Faults of a client whose numbers begin with five."""


@dataclass(frozen=True, slots=True)
class Canary:
    """The request behind each payload, and how its own answer is known."""

    data: bytes
    status: int
    begins: bytes
    """What its body begins with, as no other one does."""


@dataclass(slots=True)
class Reaction:
    """What came back."""

    answers: list[tuple[int, bytes]] = field(default_factory=list)
    closed: bool = False
    unreadable: bool = False

    def canary(self, canary: Canary) -> bool:
        """Whether the last answer is the canary's own."""
        return (
            bool(self.answers)
            and self.answers[-1][0] == canary.status
            and self.answers[-1][1].startswith(canary.begins)
        )


class _Stream:
    """Answers out of what was received so far."""

    def __init__(self, methods: tuple[str, ...]) -> None:
        self.held = b""
        self._methods = methods
        self.reaction = Reaction()

    def feed(self, data: bytes) -> None:
        self.held += data
        while (end := self.held.find(b"\r\n\r\n")) >= 0:
            lines = self.held[:end].split(b"\r\n")
            words = lines[0].split(b" ")
            if not lines[0].startswith(b"HTTP/1.") or not words[1].isdigit():
                self.reaction.unreadable = True
                return
            status, length = int(words[1]), self._length(lines[1:])
            place = len(self.reaction.answers)
            method = self._methods[place] if place < len(self._methods) else "GET"
            if status < 200 or status in (204, 304) or (method == "HEAD" and status < 500):
                length = 0
            if length is None or len(self.held) < end + 4 + length:
                return
            if status >= 200:
                self.reaction.answers.append((status, self.held[end + 4 : end + 4 + length]))
            self.held = self.held[end + 4 + length :]

    def end(self) -> None:
        """The connection is over: an answer without a length is whole."""
        self.reaction.closed = True
        head, separator, body = self.held.partition(b"\r\n\r\n")
        if separator and head.startswith(b"HTTP/1."):
            self.reaction.answers.append((int(head.split(b" ")[1]), body))

    @staticmethod
    def _length(lines: list[bytes]) -> int | None:
        for line in lines:
            name, _, value = line.partition(b":")
            if name.lower() == b"content-length":
                return int(value)
        return None


async def probed(port: int, payload: Payload, canary: Canary) -> tuple[Payload, Reaction, bool]:
    """One payload: what came back, and whether the connection hung."""
    reader, writer = await asyncio.open_connection(HOST, port)
    stream, hung = _Stream(payload.methods), False
    patience = QUIET if payload.verdict is Verdict.WAITED else PATIENCE
    try:
        writer.write(payload.data + canary.data)
        while not stream.reaction.closed and not stream.reaction.canary(canary):
            try:
                data = await asyncio.wait_for(reader.read(65536), patience)
            except TimeoutError:
                if hung or payload.verdict is not Verdict.WAITED:
                    hung = True
                    break
                writer.write_eof()
                hung, patience = True, PATIENCE
                continue
            hung = False
            stream.feed(data) if data else stream.end()
    except OSError:
        stream.end()
        hung = False
    finally:
        writer.transport.abort()
        with suppress(OSError):
            await writer.wait_closed()
    return payload, stream.reaction, hung


async def sweep(port: int, payloads: Iterable[Payload], canary: Canary) -> list[tuple[Payload, Reaction, bool]]:
    """All of them, a few at a time."""
    room = asyncio.Semaphore(TOGETHER)

    async def limited_probe(payload: Payload) -> tuple[Payload, Reaction, bool]:
        async with room:
            return await probed(port, payload, canary)

    return list(await asyncio.gather(*(limited_probe(payload) for payload in payloads)))


def faults(payload: Payload, reaction: Reaction, canary: Canary, *, hung: bool) -> list[str]:
    """What is wrong with how a payload was answered."""
    problems = []
    alive = reaction.canary(canary)
    before = len(reaction.answers) - alive
    if any(b"smuggled" in body for _, body in reaction.answers) or (
        payload.verdict is not Verdict.WAITED and before > len(payload.methods)
    ):
        problems.append("desynchronised")
    if any(status >= 500 and status not in STANDARD for status, _ in reaction.answers):
        problems.append("5xx")
    if hung:
        problems.append("hung")
    if payload.verdict is Verdict.REFUSED and alive:
        problems.append("took what is malformed")
    if (
        payload.verdict is Verdict.REFUSED
        and reaction.closed
        and not any(status >= 400 for status, _ in reaction.answers)
    ):
        problems.append("ended without a word")
    if payload.verdict is Verdict.TAKEN and not (alive and before == len(payload.methods)):
        problems.append("refused what is sound")
    return problems


def counted(outcomes: Iterable[tuple[Payload, Reaction, bool]], canary: Canary) -> Counter[str]:
    """How often each fault was found."""
    return Counter(
        fault for payload, reaction, hung in outcomes for fault in faults(payload, reaction, canary, hung=hung)
    )
