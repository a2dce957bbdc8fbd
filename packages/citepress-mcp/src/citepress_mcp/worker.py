"""Composes the MCP endpoint: what it offers, its handlers, and the same over standard input and output."""

from functools import partial
from pathlib import Path

from citepress.app.binding import ProcessStart, WorkerParts, WorkerStart, services
from citepress.base import clock
from citepress.contract.notes import note
from citepress.contract.settings_table import settings_of
from citepress.edition.edition import open_edition
from citepress.http.message import Handler
from citepress.operations import ContextProvider
from citepress.operations.registry import ALL as OPERATIONS
from citepress.settings import Settings, deployment_of
from citepress.stores.local.counters import LocalCounters
from citepress.stores.sql.database import Database
from citepress_mcp.chatgpt import TOOLS as CHATGPT_TOOLS
from citepress_mcp.endpoint import Endpoint
from citepress_mcp.extension import MISMATCHES
from citepress_mcp.limits import rate_limit
from citepress_mcp.notes import noted
from citepress_mcp.offer import McpOffer, offered
from citepress_mcp.paths import at_paths
from citepress_mcp.settings import McpAccess, MessageLimit
from citepress_mcp.transport import HostPolicy, MismatchRule, Transport


def mcp_handlers(start: WorkerStart) -> WorkerParts:
    """The handlers of the endpoint's paths."""
    app, config, allowed = start.app, start.edition.config, settings_of(start.process.deployment, McpAccess)
    limit = rate_limit(settings_of(config.publication, MessageLimit).mcp)
    rule = MismatchRule(allowed.take_body_version, partial(start.metrics.count, MISMATCHES) if start.metrics else None)
    policy = HostPolicy(config.base_url, allowed.allowed_hosts, allowed.allowed_origins, public=not config.drafts)

    def handler(offer: McpOffer) -> Handler:
        contexts = lambda: None if app.stopping else start.contexts()  # noqa: E731
        endpoint = Endpoint(offer, contexts, note=note, fresh=start.fresh)
        return noted(Transport(endpoint, start.process.counters, limit, app.client, policy, config.base_url, rule))

    return WorkerParts(at_paths(handler(offered(OPERATIONS)), handler(McpOffer(CHATGPT_TOOLS, only_tools=True))))


WORKERS = (mcp_handlers,)


def stdio_endpoint(settings: Settings, pointed: Path, index: Path, database: Database) -> Endpoint:
    """The endpoint over the edition that a pointer file names and the search index beside it, for one process."""
    edition = open_edition(pointed)
    start = ProcessStart(settings, deployment_of(pointed), edition.config, database, LocalCounters())
    return Endpoint(offered(OPERATIONS), ContextProvider(lambda: edition, index, clock.now, services=services(start)))
