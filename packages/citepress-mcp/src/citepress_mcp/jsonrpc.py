"""JSON-RPC 2.0: parsing a body, classifying messages, writing responses."""

from dataclasses import dataclass
from enum import Enum
from typing import Any

import orjson

from citepress.base.errors import CitepressError
from citepress.base.strict_json import DuplicateNameError, JsonError, loads
from citepress.contract.json_body import duplicate_names

PARSE_ERROR = -32700
INVALID_REQUEST, METHOD_NOT_FOUND = -32600, -32601
OWN_CODES = -31000
"""Server-defined codes are this minus the HTTP status: outside the range that JSON-RPC and MCP reserve."""
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603
RESOURCE_NOT_FOUND = -32002
"""Of the handshake revisions; the modern one has ``INVALID_PARAMS``."""
HEADER_MISMATCH = -32020
UNSUPPORTED_VERSION = -32022

Id = str | int | None


class RpcError(CitepressError):
    """A message cannot be answered with a result."""

    def __init__(self, code: int, message: str, data: object = None) -> None:
        super().__init__(message)
        self.code, self.message, self.data = code, message, data


@dataclass(frozen=True, slots=True)
class Unreadable:
    """Marks a body that is not JSON, or is JSON with a duplicate member."""

    reason: str
    """Why, to complete "The body …"."""


class MessageType(Enum):
    """What a message is."""

    REQUEST = "request"
    NOTIFICATION = "notification"
    RESPONSE = "response"


def decode(body: bytes) -> Any:  # noqa: ANN401  (JSON is any shape)
    """The JSON value of a body, or why it has none (``Unreadable``). Raises nothing."""
    try:
        return loads(body)
    except DuplicateNameError as error:
        return Unreadable(f"repeats a member: {duplicate_names(error).faults[0].detail.rstrip('.')}")
    except JsonError as error:
        return Unreadable(str(error))


def message_type(message: object) -> MessageType:
    """What a message is. Raises ``RpcError`` (invalid request) when it is not a message."""
    if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
        raise RpcError(INVALID_REQUEST, 'A message is a JSON object with "jsonrpc": "2.0"')
    if "method" not in message and ("result" in message or "error" in message):
        return MessageType.RESPONSE
    if not isinstance(message.get("method"), str):
        raise RpcError(INVALID_REQUEST, "A request names its method as a string")
    if "id" not in message:
        return MessageType.NOTIFICATION
    if type(message["id"]) not in (str, int):
        raise RpcError(INVALID_REQUEST, "The id of a request is a string or a whole number")
    return MessageType.REQUEST


def id_of(message: object) -> Id:
    """The id of a request, if it can be read, for errors before the message is validated."""
    if isinstance(message, dict) and isinstance(message.get("method"), str) and type(message.get("id")) in (str, int):
        id_: str | int = message["id"]
        return id_
    return None


def error(id_: Id, code: int, message: str, data: object = None) -> bytes:
    """An error response."""
    error: dict[str, object] = {"code": code, "message": message}
    if data is not None:
        error["data"] = data
    return orjson.dumps({"jsonrpc": "2.0", "id": id_, "error": error})
