"""The MCP endpoint joined: what it offers, its two paths at the door, and the same over standard input and output."""

from collections.abc import Callable, Mapping
from contextvars import ContextVar
from datetime import datetime
from functools import cache, partial
from pathlib import Path
from typing import Any

from citepress.base import clock
from citepress.contract.limits import Counters, Limit
from citepress.contract.mcp_offer import CARD, ENDPOINT, McpOffer
from citepress.contract.problem import RATE_LIMITED
from citepress.edition.edition import open_edition
from citepress.http.message import Handler, Receive, Request, Response
from citepress.inbox.ports import SubmissionReceipt
from citepress.inbox.submissions import New
from citepress.inbox.submissions import limit as inbox_limit
from citepress.mcp.endpoint import Endpoint
from citepress.mcp.endpoint import Note as Noted
from citepress.mcp.prompts import prompts, skills
from citepress.mcp.transport import HostPolicy, Transport
from citepress.operations import ALL as OPERATIONS
from citepress.operations import ContextProvider, Inbox, OperationContext
from citepress.stores.sql.inbox import SqlInbox
from citepress.telemetry.capture.event import Note
from citepress.telemetry.capture.notes import mcp_notes
from citepress.web.body import received
from citepress.web.site import SiteApp

MINUTE = 60
LIMITED_STATUS = RATE_LIMITED.status
LIMITED = (("limit", "mcp", "limited"),)
"""What statistics learn of a 429."""
TOOLS = frozenset(operation.name for operation in OPERATIONS if operation.tool)
NOTES: ContextVar[list[Noted | Note] | None] = ContextVar("notes", default=None)
"""What the messages of the request that is being answered leave behind, and what was queued for them."""


@cache
def mcp_offer() -> McpOffer:
    """What the endpoint offers, and what documents tell of it."""
    return McpOffer(OPERATIONS, prompts(), skills())


def handlers(
    door: SiteApp, worlds: Callable[[], OperationContext | None], counters: Counters, told: Mapping[str, Any], *, fresh: bool = False
) -> dict[str, Handler]:
    """What answers at the endpoint's paths; ``told`` are the facts of the edition, ``fresh`` keeps clients from keeping anything."""
    endpoint = Endpoint(mcp_offer(), lambda: None if door.stopping else worlds(), note=_note, fresh=fresh)
    limit = Limit("mcp", told["limits"]["mcp"], MINUTE)
    rules = HostPolicy(told["base_url"], told["mcp"]["allowed_hosts"], told["mcp"]["allowed_origins"], public=not told.get("drafts"))
    transport = Transport(endpoint, Response, counters, limit, received, door.client, rules, told["base_url"])
    return dict.fromkeys((ENDPOINT, CARD), partial(_noted, transport))


async def _noted(transport: Transport[Response], request: Request, receive: Receive) -> Response:
    """The answer with what statistics learn of its messages."""
    notes: list[Noted | Note] = []
    asked = NOTES.set(notes)
    try:
        reply = await transport(request, receive)
    finally:
        NOTES.reset(asked)
    found = [*LIMITED] if reply.status == LIMITED_STATUS else []
    for one in notes:
        found += mcp_notes(one.method, one.tool, one.revision, one.client, one.outcome, TOOLS) if isinstance(one, Noted) else [one]
    return reply._replace(notes=tuple(found)) if found else reply


class NotedInbox(SqlInbox):
    """The inbox, which tells statistics what became of the submissions in MCP messages; the paths of the inbox tell it themselves."""

    def submit(self, new: New, client: str, limit: Limit, moment: datetime) -> SubmissionReceipt:
        """Queue a submission; see the port."""
        receipt = super().submit(new, client, limit, moment)
        _note(("inbox", receipt.stored.kind, "duplicate" if receipt.repeated else "queued"))
        return receipt


def _note(note: Noted | Note) -> None:
    if (notes := NOTES.get()) is not None:
        notes.append(note)


def spoken(pointed: Path, index: Path, inbox: SqlInbox) -> Endpoint:
    """The endpoint over the edition that a pointer file names and the search index beside it, for one process."""
    edition = open_edition(pointed)
    queue = Inbox(inbox, inbox_limit(edition.facts["limits"]["inbox"]))
    return Endpoint(mcp_offer(), ContextProvider(lambda: edition, index, clock.now, queue))
