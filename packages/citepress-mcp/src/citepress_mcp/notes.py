"""Telemetry of MCP messages: notes collected while a request is answered."""

from collections.abc import Collection
from functools import partial

from citepress.contract.notes import Note, collected_notes
from citepress.contract.problem import RATE_LIMITED
from citepress.http.message import Handler, Receive, Request, Response
from citepress_mcp.counted_names import mcp_notes
from citepress_mcp.endpoint import Note as MessageNote
from citepress_mcp.transport import Transport

LIMITED_STATUS = RATE_LIMITED.status
LIMITED = ("limit", "mcp", "limited")
"""The note of a 429."""


def noted(transport: Transport) -> Handler:
    """The transport's handler, whose responses carry the notes of their messages; its tools are counted by name."""
    return partial(_noted, transport, transport.endpoint.tools)


async def _noted(transport: Transport, tools: Collection[str], request: Request, receive: Receive) -> Response:
    with collected_notes() as collected:
        response = await transport(request, receive)
    notes: list[Note] = [LIMITED] if response.status == LIMITED_STATUS else []
    for entry in collected:
        if isinstance(entry, MessageNote):
            notes += mcp_notes(entry.method, entry.tool, entry.revision, entry.client, entry.outcome, tools)
        elif isinstance(entry, tuple):
            notes.append(entry)
    return response._replace(notes=tuple(notes)) if notes else response
