"""Telemetry of MCP messages: notes collected while a request is answered."""

from collections.abc import Collection
from contextvars import ContextVar
from functools import partial

from citepress.contract.problem import RATE_LIMITED
from citepress.http.message import Handler, Receive, Request, Response
from citepress.mcp.endpoint import Note as MessageNote
from citepress.mcp.transport import Transport
from citepress.telemetry.capture.event import Note
from citepress.telemetry.capture.notes import mcp_notes

LIMITED_STATUS = RATE_LIMITED.status
LIMITED = ("limit", "mcp", "limited")
"""The note of a 429."""
_NOTES: ContextVar[list[MessageNote | Note] | None] = ContextVar("notes", default=None)
"""The notes of the request that is being answered."""


def note(note: MessageNote | Note) -> None:
    """Add a note to the request that is being answered; nothing outside of one."""
    if (notes := _NOTES.get()) is not None:
        notes.append(note)


def noted(transport: Transport) -> Handler:
    """The transport's handler, whose responses carry the notes of their messages; its tools are counted by name."""
    return partial(_noted, transport, transport.endpoint.tools)


async def _noted(transport: Transport, tools: Collection[str], request: Request, receive: Receive) -> Response:
    collected: list[MessageNote | Note] = []
    token = _NOTES.set(collected)
    try:
        response = await transport(request, receive)
    finally:
        _NOTES.reset(token)
    notes: list[Note] = [LIMITED] if response.status == LIMITED_STATUS else []
    for entry in collected:
        if isinstance(entry, MessageNote):
            notes += mcp_notes(entry.method, entry.tool, entry.revision, entry.client, entry.outcome, tools)
        else:
            notes.append(entry)
    return response._replace(notes=tuple(notes)) if notes else response
