"""Reading JSON with the fast decoder, which calls a text faulty too where only memory is short."""

from typing import Any

import orjson

NO_MEMORY_MESSAGE = "not enough memory"
"""How its message begins then, in small letters."""


def loads(text: bytes | bytearray | memoryview | str) -> Any:  # noqa: ANN401  (JSON is any shape)
    """The value of a JSON text.

    Raises ``orjson.JSONDecodeError``, a ``ValueError``, for a text that is not JSON, and ``MemoryError`` for want of
    memory, which says nothing of the text.
    """
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError as error:
        raise cause_of(error) from None


def cause_of(error: ValueError) -> Exception:
    """What a fault that the decoder found really is: want of memory, or itself.

    For readers on the path of a request, which call the decoder without a function of ours between.
    """
    short = isinstance(error, orjson.JSONDecodeError) and error.msg.lower().startswith(NO_MEMORY_MESSAGE)
    return MemoryError(NO_MEMORY_MESSAGE) if short else error
