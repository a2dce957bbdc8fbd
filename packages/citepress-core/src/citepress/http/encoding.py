"""The Accept-Encoding field (RFC 9110 section 12.5.3): which stored coding the client prefers."""

import re
from functools import lru_cache

CODING_BYTES = 1024
MAX_CODINGS = 32
CODING = re.compile(
    rb"\s*([!#$%&'*+.^_`|~\w-]+)\s*(?:;\s*q\s*=\s*(0(?:\.[0-9]*)?|1(?:\.0*)?|\.[0-9]+)\s*)?", re.ASCII | re.IGNORECASE
)
ALIASES = {"x-gzip": "gzip"}
IDENTITY = "identity"


@lru_cache(maxsize=128)
def select_encoding(field: bytes, stored: tuple[str, ...]) -> str:
    """One of ``stored``, which holds ``identity`` last: the client's highest ``q``, ties by the order of ``stored``.

    Identity that the client does not mention is taken only when nothing it mentions is stored; when everything is
    excluded it is sent all the same (the client can read it or not, an error it can use even less).
    """
    weights = _weights(field)
    rest = weights.get("*", 0.0)
    best, best_weight = IDENTITY, 0.0
    for name in stored:
        # Identity needs no naming (RFC 9110, section 12.5.3), but a client that names others prefers those.
        weight = weights.get(name, 0.0 if name == IDENTITY else rest)
        if weight > best_weight:
            best, best_weight = name, weight
    return best


def _weights(field: bytes) -> dict[str, float]:
    weights: dict[str, float] = {}
    for part in field[:CODING_BYTES].split(b",")[:MAX_CODINGS]:
        if match := CODING.fullmatch(part):
            name = match[1].decode().lower()
            weights.setdefault(ALIASES.get(name, name), float(match[2]) if match[2] else 1.0)
    return weights
