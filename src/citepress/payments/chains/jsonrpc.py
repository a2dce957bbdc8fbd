"""JSON-RPC to the nodes of a chain: several addresses, and how many of them have to agree."""

from collections.abc import Callable, Iterator, Sequence
from itertools import count
from typing import Any, TypeVar

from citepress.payments.json_client import JsonClient, PostError

SECONDS = 10.0
MOST_BYTES = 1024 * 1024
OK = 200
T = TypeVar("T")
View = Callable[[Any], T]
"""Takes the parts that matter out of a result, so that answers of different makers of nodes can be compared. Raises on other shapes."""


class UnreachableError(Exception):
    """Too few nodes gave an answer that may be used; the sentence names hosts, never addresses."""


class RefusedError(Exception):
    """A node answered with an error: it understood the question, and says no."""

    def __init__(self, code: int, message: str, data: str = "") -> None:
        super().__init__(f"{code} {message}")
        self.code, self.message, self.data = code, message, data

    @property
    def reverted(self) -> bool:
        """Whether a contract reverted; every node says the same then."""
        return self.code == _REVERTED or any(word in self.message.lower() for word in _FAILED)


_REVERTED = 3
_FAILED = ("revert", "invalid opcode", "invalidfeopcode", "out of gas", "outofgas", "invalid jump", "stack underflow")
_MOST_WORDS = 300


class Node:
    """One address."""

    def __init__(self, url: str) -> None:
        """Raises ``ValueError`` for an address that is neither TLS nor on loopback."""
        self._host = JsonClient(url, seconds=SECONDS, most_bytes=MOST_BYTES, keep=True)
        self._ids = count(1)
        self.asked = 0
        """Questions so far."""

    @property
    def name(self) -> str:
        """Its host."""
        return self._host.name

    def ask(self, method: str, params: Sequence[Any]) -> Any:  # noqa: ANN401  (JSON is any shape)
        """The result. Raises ``PostError`` and ``RefusedError``."""
        self.asked += 1
        id_ = next(self._ids)
        status, told = self._host.post({"jsonrpc": "2.0", "id": id_, "method": method, "params": list(params)})
        if not isinstance(told, dict) or told.get("id") != id_:
            raise PostError(f"{self.name} answered {status} without JSON-RPC")
        if isinstance(fault := told.get("error"), dict):
            code, data = fault.get("code"), fault.get("data")
            number = code if isinstance(code, int) else 0
            raise RefusedError(number, str(fault.get("message"))[:_MOST_WORDS], data if isinstance(data, str) else "")
        if status != OK or "result" not in told:
            raise PostError(f"{self.name} answered {status} without a result")
        return told["result"]


class Rpc:
    """The nodes of one chain; safe to share between threads."""

    def __init__(self, urls: Sequence[str], quorum: int = 1) -> None:
        """Raises ``ValueError`` for a bad address, or a quorum that there are too few addresses for."""
        if not 1 <= quorum <= len(urls):
            raise ValueError(f"{len(urls)} addresses cannot give {quorum} equal answers")
        self._nodes = [Node(url) for url in urls]
        self.quorum = quorum

    @property
    def asked(self) -> int:
        """Questions so far, over all nodes."""
        return sum(node.asked for node in self._nodes)

    def agreed(self, view: View[T], method: str, *params: object) -> T | None:
        """What as many nodes as the quorum say alike; ``None`` where a null is the answer, or where too few have the same yet.

        Raises ``RefusedError`` when as many say that a contract reverted, and ``UnreachableError``.
        """
        heard: list[tuple[T | None, str]] = []
        for answer in self._answers(view, method, params):
            heard.append(answer)
            if heard.count(answer) >= self.quorum:
                value, reverted = answer
                if reverted:
                    raise RefusedError(_REVERTED, "execution reverted", reverted)
                return value
        return None

    def highest(self, view: View[T], order: Callable[[T], int], method: str, *params: object) -> T:
        """The highest answer that as many nodes as the quorum reach. Raises ``UnreachableError``."""
        heard = sorted((value for value, _ in self._answers(view, method, params) if value is not None), key=order, reverse=True)
        if len(heard) < self.quorum:
            raise UnreachableError(f"no answer to {method}")
        return heard[self.quorum - 1]

    def first(self, method: str, *params: object) -> Any:  # noqa: ANN401  (JSON is any shape)
        """What the first node says that answers at all. Raises ``RefusedError`` and ``UnreachableError``."""
        words = ""
        for node in self._nodes:
            try:
                return node.ask(method, params)
            except PostError as fault:
                words = words or str(fault)
        raise UnreachableError(words)

    def tell(self, method: str, *params: object) -> Any:  # noqa: ANN401  (JSON is any shape)
        """Say something to every node: the first result. Raises ``RefusedError`` where none took it, and ``UnreachableError``."""
        results, refused, words = [], [], ""
        for node in self._nodes:
            try:
                results.append(node.ask(method, params))
            except RefusedError as no:
                refused.append(no)
            except PostError as fault:
                words = words or str(fault)
        if results:
            return results[0]
        if refused:
            raise refused[0]
        raise UnreachableError(words)

    def _answers(self, view: View[T], method: str, params: Sequence[object]) -> Iterator[tuple[T | None, str]]:
        """(value, revert data) of every node that answers, asked as they are needed. Raises ``UnreachableError`` after too few."""
        heard, words = 0, ""
        for node in self._nodes:
            try:
                result = node.ask(method, params)
                answer = (None if result is None else view(result), "")
            except RefusedError as no:
                if not no.reverted:
                    words = words or f"{node.name} refused {method}: {no}"
                    continue
                answer = (None, no.data or "0x")
            except PostError as fault:
                words = words or str(fault)
                continue
            except (KeyError, TypeError, ValueError):
                words = words or f"{node.name} answered {method} in an unknown shape"
                continue
            heard += 1
            yield answer
        if heard < self.quorum:
            raise UnreachableError(words)
