"""What the messages of one request share, and the types of method handlers."""

from collections.abc import Callable, Coroutine, Mapping
from typing import Any, NamedTuple, Protocol, TypeAlias

from citepress.edition.edition import Edition
from citepress_mcp.catalog import Catalog

NO_MEMBERS: Mapping[str, Any] = {}


class Threads(Protocol):
    """Runs work beside the event loop."""

    def run(self, work: Callable[..., Any], *arguments: object) -> Coroutine[Any, Any, Any]:
        """The result of ``work(*arguments)``."""
        ...


class EditionSource(Protocol):
    """What operations read; the endpoint itself needs only its edition, and the threads that search."""

    @property
    def edition(self) -> Edition:
        """The edition that is served."""
        ...

    @property
    def threads(self) -> Threads | None:
        """Where operations that search run."""
        ...


class Caller(NamedTuple):
    """Who sent a message."""

    key: str
    """The client's key for rate limits."""
    cap: int = 0
    """Most tokens of an answer, as set in the endpoint address that the client uses; 0 if not set."""


class RequestContext(NamedTuple):
    """What the messages of one request share."""

    revision: str
    caller: Caller
    catalog: Catalog
    operation_context: Any


Params: TypeAlias = Mapping[str, Any]
RpcResult: TypeAlias = bytes | Mapping[str, Any]
Handler: TypeAlias = Callable[[Params, RequestContext], RpcResult | Coroutine[Any, Any, RpcResult]]
