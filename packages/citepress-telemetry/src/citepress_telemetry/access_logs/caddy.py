"""The access log of Caddy: JSON lines with the request as an object of its own."""

from typing import Any

from citepress_telemetry.access_logs.jsonlines import line_of, read_object, text
from citepress_telemetry.access_logs.line import Line, moment, parts


def caddy(line: bytes) -> Line | None:
    """A line of Caddy's access log; other messages of its log are malformed here."""
    message = read_object(line)
    request = message.get("request") if message else None
    if not message or not isinstance(request, dict) or "uri" not in request:
        return None
    sent, answered = _fields(request.get("headers")), _fields(message.get("resp_headers"))
    client = request.get("client_ip") or request.get("remote_ip") or _address(text(request.get("remote_addr")))
    return line_of(
        moment(message.get("ts")),
        client,
        message.get("status"),
        message.get("size"),
        parts(text(request.get("method")), text(request["uri"])),
        referer=sent.get("referer"),
        ua=sent.get("user-agent"),
        kind=answered.get("content-type"),
        host=request.get("host"),
    )


def _fields(headers: object) -> dict[str, Any]:
    return {str(name).lower(): value for name, value in headers.items()} if isinstance(headers, dict) else {}


def _address(peer: bytes) -> str:
    """The address of ``address:port``."""
    return peer.decode("utf-8", "replace").rpartition(":")[0].strip("[]")
