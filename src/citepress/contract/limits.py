"""Rate limits: their declaration, the port that counts, and the fields both doors write."""

from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple, Protocol

MCP_BODY_BYTES = 256 * 1024
MCP_BODY_SECONDS = 5
MCP_BATCH = 10
"""Messages of one batch."""
MCP_TOKENS = 8000
"""The longest answer of a tool, in tokens."""
Headers = list[tuple[bytes, bytes]]


@dataclass(frozen=True, slots=True)
class Limit:
    """So many units in so many seconds, for each client; a window starts with the client's first request."""

    name: str
    """Name of the policy in the ``RateLimit`` field, and of the bucket."""
    quota: int
    window: int


class LimitState(NamedTuple):
    """What a client has left after a request."""

    allowed: bool
    remaining: int
    reset: int
    """Whole seconds until the window ends, at least 1."""


class Counters(Protocol):
    """Counts what clients spend; shared by all workers, or in process where there is one worker."""

    shared: bool
    """Whether several processes see the same counts."""

    def spend(self, limit: Limit, client: str, cost: int = 1) -> LimitState:
        """Take ``cost`` units from the client's window, all or nothing."""
        ...


def rate_fields(limit: Limit, spent: LimitState) -> Headers:
    """The RateLimit fields of an answer (specification, "Limits"; draft-ietf-httpapi-ratelimit-headers)."""
    quota, policy, current = _constant(limit.name, limit.quota, limit.window)
    left, reset = b"%d" % spent.remaining, b"%d" % spent.reset
    return [quota, (b"ratelimit-remaining", left), (b"ratelimit-reset", reset), policy, (b"ratelimit", current % (left, reset))]


@lru_cache(maxsize=64)
def _constant(name: str, quota: int, window: int) -> tuple[tuple[bytes, bytes], tuple[bytes, bytes], bytes]:
    """What is the same in all answers under a limit: two fields, and the frame of a third."""
    told = f'"{name}"'.encode().replace(b"%", b"%%")
    return (b"ratelimit-limit", b"%d" % quota), (b"ratelimit-policy", b"%d;w=%d" % (quota, window)), told + b";r=%b;t=%b"
