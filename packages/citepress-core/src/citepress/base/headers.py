"""Header fields as ASGI has them: pairs of bytes, names in lower case."""

Headers = list[tuple[bytes, bytes]]
