"""Composes the MCP endpoint: what it offers, its handlers, and the same over standard input and output."""

from collections.abc import Callable
from datetime import datetime
from functools import cache
from pathlib import Path

from citepress.base import clock
from citepress.contract.limits import Counters, Limit
from citepress.contract.mcp_offer import McpOffer, at_paths
from citepress.contract.site import McpAccess
from citepress.edition.edition import open_edition
from citepress.edition.site_config import SiteConfig
from citepress.http.message import Handler
from citepress.inbox.ports import SubmissionReceipt
from citepress.inbox.submissions import New
from citepress.inbox.submissions import limit as inbox_limit
from citepress.mcp.endpoint import Endpoint
from citepress.mcp.notes import note, noted
from citepress.mcp.prompts import prompts, skills
from citepress.mcp.rate_limit import rate_limit
from citepress.mcp.transport import HostPolicy, MismatchRule, Transport
from citepress.operations import ALL as OPERATIONS
from citepress.operations import ContextProvider, Inbox, OperationContext
from citepress.operations.chatgpt import TOOLS as CHATGPT_TOOLS
from citepress.stores.sql.inbox import SqlInbox
from citepress.web.site import SiteApp


@cache
def mcp_offer() -> McpOffer:
    """What the endpoint offers, and what documents say about it."""
    return McpOffer(OPERATIONS, prompts(), skills())


def mcp_handlers(
    app: SiteApp,
    contexts: Callable[[], OperationContext | None],
    counters: Counters,
    config: SiteConfig,
    allowed: McpAccess,
    on_mismatch: Callable[[], None] | None = None,
    *,
    fresh: bool = False,
) -> dict[str, Handler]:
    """The handlers of the endpoint's paths; ``fresh`` forbids clients to cache."""
    limit, rule = rate_limit(config.publication.limits.mcp), MismatchRule(allowed.take_body_version, on_mismatch)
    policy = HostPolicy(config.base_url, allowed.allowed_hosts, allowed.allowed_origins, public=not config.drafts)

    def handler(offer: McpOffer) -> Handler:
        endpoint = Endpoint(offer, lambda: None if app.stopping else contexts(), note=note, fresh=fresh)
        return noted(Transport(endpoint, counters, limit, app.client, policy, config.base_url, rule))

    return at_paths(handler(mcp_offer()), handler(McpOffer(CHATGPT_TOOLS, only_tools=True)))


class NotedInbox(SqlInbox):
    """The inbox, which notes for statistics what became of the submissions in MCP messages.

    The inbox paths of the REST interface note theirs themselves.
    """

    def submit(self, new: New, client: str, limit: Limit, moment: datetime) -> SubmissionReceipt:
        """Queue a submission; see the port."""
        receipt = super().submit(new, client, limit, moment)
        note(("inbox", receipt.stored.kind, "duplicate" if receipt.repeated else "queued"))
        return receipt


def stdio_endpoint(pointed: Path, index: Path, inbox: SqlInbox) -> Endpoint:
    """The endpoint over the edition that a pointer file names and the search index beside it, for one process."""
    edition = open_edition(pointed)
    queue = Inbox(inbox, inbox_limit(edition.config.publication.limits.inbox))
    return Endpoint(mcp_offer(), ContextProvider(lambda: edition, index, clock.now, queue))
