"""JSON-RPC to the nodes of a chain: several addresses, and how many of them have to agree."""

from collections.abc import Callable, Iterator, Sequence
from itertools import count
from typing import Any, TypeVar

from citepress.base.errors import CitepressError
from citepress.base.outgoing import OutgoingError
from citepress_payments.json_client import JsonClient

RPC_TIMEOUT_S = 10.0
MAX_RPC_BYTES = 1024 * 1024
OK = 200
T = TypeVar("T")
View = Callable[[Any], T]
"""Takes the parts that matter out of a result, so that answers of different makers of nodes can be compared. Raises on
other shapes."""


class UnreachableError(CitepressError):
    """Too few nodes gave an answer that may be used; the sentence names hosts, never addresses."""


def answered(value: T | None) -> T:
    """A result that is no ``null``. Raises ``UnreachableError``."""
    if value is None:
        raise UnreachableError("the nodes answered null")
    return value


class DisagreementError(UnreachableError):
    """Enough nodes answered, and too few of them alike; what is true on the chain is not known."""


class RefusedError(CitepressError):
    """A node answered with an error: it understood the question and refused it."""

    def __init__(self, code: int, message: str, data: str = "") -> None:
        super().__init__(f"{code} {message}")
        self.code, self.message, self.data = code, message, data

    @property
    def reverted(self) -> bool:
        """Whether a contract reverted; every node answers the same then."""
        return self.code == _REVERTED or any(word in self.message.lower() for word in _FAILED)


FAULTS = (UnreachableError, RefusedError)
"""Why a chain gives no answer that may be used."""
_REVERTED = 3
_FAILED = ("revert", "invalid opcode", "invalidfeopcode", "out of gas", "outofgas", "invalid jump", "stack underflow")
_MOST_WORDS = 300


class Node:
    """One address."""

    def __init__(self, url: str, seconds: float) -> None:
        """Raises ``ValueError`` for an address that is neither TLS nor on loopback."""
        self._host = JsonClient(url, seconds=seconds, most_bytes=MAX_RPC_BYTES, keep=True)
        self._ids = count(1)
        self.asked = 0
        """Questions so far."""

    @property
    def name(self) -> str:
        """Its host."""
        return self._host.name

    def ask(self, method: str, params: Sequence[Any]) -> Any:  # noqa: ANN401  (JSON is any shape)
        """The result. Raises ``OutgoingError`` and ``RefusedError``."""
        self.asked += 1
        id_ = next(self._ids)
        status, answer = self._host.post({"jsonrpc": "2.0", "id": id_, "method": method, "params": list(params)})
        # Connections are kept open: what answers an earlier question must never count for this one.
        if not isinstance(answer, dict) or answer.get("id") != id_:
            raise OutgoingError(self.name, f"answered {status} without JSON-RPC")
        if isinstance(fault := answer.get("error"), dict):
            code, data = fault.get("code"), fault.get("data")
            number = code if isinstance(code, int) else 0
            raise RefusedError(number, str(fault.get("message"))[:_MOST_WORDS], data if isinstance(data, str) else "")
        if status != OK or "result" not in answer:
            raise OutgoingError(self.name, f"answered {status} without a result")
        return answer["result"]


class Rpc:
    """The nodes of one chain; safe to share between threads."""

    def __init__(self, urls: Sequence[str], quorum: int = 1) -> None:
        """Raises ``ValueError`` for a bad address, or a quorum that there are too few addresses for."""
        if not 1 <= quorum <= len(urls):
            raise ValueError(f"{len(urls)} addresses cannot give {quorum} equal answers")
        self._nodes = [Node(url, RPC_TIMEOUT_S) for url in urls]
        self.quorum = quorum

    @property
    def asked(self) -> int:
        """Questions so far, over all nodes."""
        return sum(node.asked for node in self._nodes)

    def agreed(self, view: View[T], method: str, *params: object) -> T | None:
        """The answer that as many nodes as the quorum give; ``None`` where that answer is null.

        Raises ``RefusedError`` when as many answer that a contract reverted, ``DisagreementError`` when too few answer
        alike, and ``UnreachableError`` when too few answer at all.
        """
        heard: list[tuple[T | None, str]] = []
        for answer in self._answers(view, method, params):
            heard.append(answer)
            if heard.count(answer) >= self.quorum:
                value, reverted = answer
                if reverted:
                    raise RefusedError(_REVERTED, "execution reverted", reverted)
                return value
        # See "Nodes that disagree decide nothing" in docs/decisions/payments.md.
        raise DisagreementError(f"the nodes do not agree on {method}")

    def highest(self, view: View[T], order: Callable[[T], int], method: str, *params: object) -> T:
        """The highest answer that as many nodes as the quorum reach. Raises ``UnreachableError``."""
        heard = sorted(
            (value for value, _ in self._answers(view, method, params) if value is not None), key=order, reverse=True
        )
        if len(heard) < self.quorum:
            raise UnreachableError(f"no answer to {method}")
        return heard[self.quorum - 1]

    def first(self, method: str, *params: object) -> Any:  # noqa: ANN401  (JSON is any shape)
        """The answer of the first node that answers at all. Raises ``RefusedError`` and ``UnreachableError``."""
        words = ""
        for node in self._nodes:
            try:
                return node.ask(method, params)
            except OutgoingError as fault:
                words = words or str(fault)
        raise UnreachableError(words)

    def broadcast(self, method: str, *params: object) -> Any:  # noqa: ANN401  (JSON is any shape)
        """Send something to every node: the first result.

        Raises ``RefusedError`` where none took it, and ``UnreachableError``.
        """
        # To all of them, because one that keeps it to itself would leave it out of every block.
        results, refused, words = [], [], ""
        for node in self._nodes:
            try:
                results.append(node.ask(method, params))
            except RefusedError as no:
                refused.append(no)
            except OutgoingError as fault:
                words = words or str(fault)
        if results:
            return results[0]
        if refused:
            raise refused[0]
        raise UnreachableError(words)

    def _answers(self, view: View[T], method: str, params: Sequence[object]) -> Iterator[tuple[T | None, str]]:
        """(value, revert data) of every node that answers, asked as they are needed.

        Raises ``UnreachableError`` after too few.
        """
        heard, words = 0, ""
        for node in self._nodes:
            try:
                result = node.ask(method, params)
                answer = (None if result is None else view(result), "")
            except RefusedError as no:
                # A node that forbids or limits a question is as good as away; a revert is the chain's own answer.
                if not no.reverted:
                    words = words or f"{node.name} refused {method}: {no}"
                    continue
                answer = (None, no.data or "0x")
            except OutgoingError as fault:
                words = words or str(fault)
                continue
            except (KeyError, TypeError, ValueError):
                words = words or f"{node.name} answered {method} in an unknown shape"
                continue
            heard += 1
            yield answer
        if heard < self.quorum:
            raise UnreachableError(words)
