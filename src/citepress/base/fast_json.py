"""Reading JSON with the fast decoder, which calls a text faulty too where only memory is short."""

from typing import Any

import orjson

SHORT = "not enough memory"
"""How its message begins then, in small letters."""


def loads(text: bytes | bytearray | memoryview | str) -> Any:  # noqa: ANN401  (JSON is any shape)
    """The value of a JSON text.

    Raises ``orjson.JSONDecodeError``, a ``ValueError``, for a text that is not JSON, and ``MemoryError`` for want of
    memory, which says nothing of the text.
    """
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError as error:
        if not error.msg.lower().startswith(SHORT):
            raise
    raise MemoryError(SHORT)
