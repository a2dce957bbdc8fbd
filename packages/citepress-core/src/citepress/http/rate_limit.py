"""The RateLimit fields of an answer."""

from functools import lru_cache

from citepress.base.headers import Headers
from citepress.contract.limits import Limit, LimitState


def rate_fields(limit: Limit, state: LimitState) -> Headers:
    """The RateLimit fields of an answer (specification, "Limits").

    ``RateLimit`` and ``RateLimit-Policy`` are those of draft-ietf-httpapi-ratelimit-headers-10, where both name the
    policy; the three others are those of its early versions, which more clients read.
    """
    quota, policy, template = _constant(limit.name, limit.quota, limit.window)
    remaining, reset = b"%d" % state.remaining, b"%d" % state.reset
    return [
        quota,
        (b"ratelimit-remaining", remaining),
        (b"ratelimit-reset", reset),
        policy,
        (b"ratelimit", template % (remaining, reset)),
    ]


def policy(limit: Limit) -> bytes:
    """A limit as an item of ``RateLimit-Policy``: its name, its quota, and its window in seconds."""
    return _constant(limit.name, limit.quota, limit.window)[1][1]


@lru_cache(maxsize=64)
def _constant(name: str, quota: int, window: int) -> tuple[tuple[bytes, bytes], tuple[bytes, bytes], bytes]:
    """The parts that all responses under a limit share: two fields, and the template of a third.

    It takes the parts of a limit because to hash a dataclass costs a call.
    """
    template = f'"{name}"'.encode().replace(b"%", b"%%") + b";r=%b;t=%b"
    return (
        (b"ratelimit-limit", b"%d" % quota),
        (b"ratelimit-policy", f'"{name}";q={quota};w={window}'.encode()),
        template,
    )
