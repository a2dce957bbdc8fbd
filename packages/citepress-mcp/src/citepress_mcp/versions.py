"""Which protocol revision a message speaks, whether its envelope and headers agree, and what each revision may see."""

import base64
import binascii
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from citepress_mcp.jsonrpc import HEADER_MISMATCH, INVALID_PARAMS, UNSUPPORTED_VERSION, RpcError

MCP_REVISIONS = ("2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05")
"""The protocol revisions of the MCP endpoint, newest first."""
MODERN = MCP_REVISIONS[0]
"""The revision whose requests each carry their own metadata, the envelope, in ``params._meta``."""
HANDSHAKE = MCP_REVISIONS[1:]
"""The revisions that open with ``initialize``, newest first."""
FALLBACK = HANDSHAKE[0]
"""The revision that ``initialize`` offers for a version that is not supported (specification, "MCP endpoint" 2)."""
ASSUMED = "2025-03-26"
"""The revision of a request without a version header."""
META_PREFIX = "io.modelcontextprotocol/"
META_VERSION, META_CAPABILITIES, META_CLIENT, SERVER, SKILLS = (
    META_PREFIX + name for name in ("protocolVersion", "clientCapabilities", "clientInfo", "serverInfo", "skills")
)
NAME_MEMBERS = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}
"""Methods whose target is repeated in the ``Mcp-Name`` header, and the member that names it."""
_VERSION = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
NOWHERE: Mapping[str, Any] = {}


class TransportHeaders(NamedTuple):
    """The header fields of a request that describe its message; ``None`` for a field that was not sent."""

    version: str | None = None
    method: str | None = None
    name: str | None = None


def envelope(message: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """The metadata of a message that names its own version; ``None`` for a handshake message."""
    params = message.get("params")
    meta = params.get("_meta") if isinstance(params, dict) else None
    return meta if isinstance(meta, dict) and META_VERSION in meta else None


def unsupported(requested: object) -> RpcError:
    """The error for a version that is not supported."""
    return RpcError(
        UNSUPPORTED_VERSION,
        "The protocol version is not supported",
        {"supported": list(MCP_REVISIONS), "requested": requested},
    )


def reconcile(message: Mapping[str, Any], header: TransportHeaders) -> TransportHeaders:
    """The header of a message, corrected where it only names another version than its body, or one that is newer.

    Connectors of a large vendor send the version that an earlier ``initialize`` settled with messages of the newest
    revision; refusing them would refuse every call. A missing field is no contradiction there, because the older
    revisions do not have the others.
    """
    version, meta = header.version or "", envelope(message)
    if meta is None:
        is_newer = _VERSION.fullmatch(version) is not None and version > MODERN
        return header._replace(version=FALLBACK) if is_newer else header
    if meta[META_VERSION] != MODERN or version not in HANDSHAKE:
        return header
    method = str(message.get("method"))
    name = message["params"].get(NAME_MEMBERS.get(method, ""))
    return TransportHeaders(MODERN, header.method or method, header.name or (name if isinstance(name, str) else None))


def revision_of(message: Mapping[str, Any], transport_headers: TransportHeaders | None, session: str) -> str:
    """The revision of a message: the body decides, the header confirms.

    Where there is none, ``session`` was settled before.

    Raises ``RpcError`` for a header that names no revision.
    """
    params = message.get("params")
    meta = params.get("_meta") if type(params) is dict else None
    # A message with the envelope is modern whatever its header says; check_envelope then compares the two.
    if type(meta) is dict and META_VERSION in meta:
        return MODERN
    # Standard input and output has no headers; what initialize settled holds for the whole conversation.
    if transport_headers is None:
        return session
    # It asks for a revision itself, and clients send it before they know which one to name in the header.
    if message.get("method") == "initialize":
        return FALLBACK
    # Clients of that revision do not send the header yet, so its absence names the revision.
    if transport_headers.version is None:
        return ASSUMED
    if transport_headers.version in MCP_REVISIONS:
        return transport_headers.version
    raise unsupported(transport_headers.version)


def check_envelope(message: Mapping[str, Any], transport_headers: TransportHeaders | None) -> None:
    """Refuse a modern message whose envelope is incomplete or contradicts the header.

    Without ``transport_headers`` there is none to contradict.
    """
    params = message.get("params", NOWHERE)
    meta = params.get("_meta") if isinstance(params, dict) else None
    if not isinstance(meta, dict):
        raise RpcError(INVALID_PARAMS, f"params._meta must be an object with {META_VERSION} and {META_CAPABILITIES}")
    version = meta.get(META_VERSION)
    if not isinstance(version, str):
        raise RpcError(INVALID_PARAMS, f"params._meta must hold {META_VERSION}, a string")
    if not isinstance(meta.get(META_CAPABILITIES), dict):
        raise RpcError(INVALID_PARAMS, f"params._meta must hold {META_CAPABILITIES}, an object")
    if transport_headers is not None:
        _check_transport_headers(message["method"], params, version, transport_headers)
    if version != MODERN:
        raise unsupported(version)


def _check_transport_headers(
    method: str, params: Mapping[str, Any], version: str, transport_headers: TransportHeaders
) -> None:
    if transport_headers.version != version:
        raise RpcError(HEADER_MISMATCH, f"The MCP-Protocol-Version header must equal params._meta[{META_VERSION}]")
    if transport_headers.method != method:
        raise RpcError(HEADER_MISMATCH, "The Mcp-Method header must equal the method")
    if member := NAME_MEMBERS.get(method):
        name = params.get(member)
        if (
            isinstance(name, str)
            and transport_headers.name != name
            and (transport_headers.name is None or _decoded(transport_headers.name) != name)
        ):
            raise RpcError(HEADER_MISMATCH, f"The Mcp-Name header must equal params.{member}")


def _decoded(value: str) -> str | None:
    """A header value that was encoded as ``=?base64?…?=``; ``None`` when it was not, or badly."""
    # A header field is ASCII; names with other characters come coded like this.
    if not (value.startswith("=?base64?") and value.endswith("?=")):
        return None
    try:
        return base64.b64decode(value[9:-2], validate=True).decode()
    except (binascii.Error, UnicodeDecodeError):
        return None


SINCE = {
    "title": "2025-06-18",
    "outputSchema": "2025-06-18",
    "lastModified": "2025-06-18",
    "_meta": "2025-06-18",
    "icons": "2025-11-25",
    "description of the server": "2025-11-25",
    "websiteUrl": "2025-11-25",
    "tool annotations": "2025-03-26",
    "completions": "2025-03-26",
    "extensions": MODERN,
    "structured": "2025-06-18",
}
"""The first revision that knows a member; others are in all of them."""


def knows(revision: str, what: str) -> bool:
    """Whether a revision has this member."""
    return SINCE.get(what, "") <= revision


def cut_listed(item: Mapping[str, Any], revision: str) -> dict[str, Any]:
    """A listed prompt, resource, template or content as a revision may see it."""
    members = {name: value for name, value in item.items() if knows(revision, name)}
    if "annotations" in members:
        members["annotations"] = {
            name: value for name, value in members["annotations"].items() if knows(revision, name)
        }
    if "arguments" in members:
        members["arguments"] = [cut_listed(argument, revision) for argument in members["arguments"]]
    return members


def cut_tool(item: Mapping[str, Any], revision: str) -> dict[str, Any]:
    """A listed tool as a revision may see it.

    The title inside its annotations is older than the one beside its name.
    """
    members = {name: value for name, value in item.items() if knows(revision, name)}
    if not knows(revision, "tool annotations"):
        members.pop("annotations", None)
    return members


def cut_result(result: Mapping[str, Any], revision: str) -> dict[str, Any]:
    """A tool's result as a revision may see it."""
    if knows(revision, "structured"):
        return dict(result)
    members = {name: value for name, value in result.items() if name != "structuredContent"}
    members["content"] = [block for block in result.get("content", ()) if block.get("type") != "resource_link"]
    return members


def known_capabilities(declared: Mapping[str, Any], revision: str) -> dict[str, Any]:
    """Those of the declared capabilities that a revision has."""
    return {name: value for name, value in declared.items() if knows(revision, name)}


def implementation(server: Mapping[str, Any], revision: str) -> dict[str, Any]:
    """``serverInfo`` as a revision may see it."""
    labels = {"description": "description of the server"}
    return {name: value for name, value in server.items() if knows(revision, labels.get(name, name))}
