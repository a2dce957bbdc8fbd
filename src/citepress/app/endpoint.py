"""The MCP endpoint joined: what it offers, its two paths at the door, and the same over standard input and output."""

from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from citepress.base import clock
from citepress.contract.limits import Counters, Limit
from citepress.contract.offer import CARD, ENDPOINT, Offer
from citepress.edition.edition import open_edition
from citepress.inbox.submissions import limit as inbox_limit
from citepress.mcp.endpoint import Endpoint
from citepress.mcp.prompts import prompts, skills
from citepress.mcp.transport import Rules, Transport
from citepress.operations import ALL as OPERATIONS
from citepress.operations import Inbox, World, Worlds
from citepress.stores.sql.inbox import SqlInbox
from citepress.web.body import received
from citepress.web.door import Door
from citepress.web.message import Handler, Reply

MINUTE = 60


@cache
def offer() -> Offer:
    """What the endpoint offers, and what documents tell of it."""
    return Offer(OPERATIONS, prompts(), skills())


def handlers(door: Door, worlds: Callable[[], World | None], counters: Counters, told: Mapping[str, Any]) -> dict[str, Handler]:
    """What answers at the endpoint's paths; ``told`` are the facts of the edition."""
    endpoint = Endpoint(offer(), worlds)
    limit = Limit("mcp", told["limits"]["mcp"], MINUTE)
    rules = Rules(told["base_url"], told["mcp"]["allowed_hosts"], told["mcp"]["allowed_origins"])
    transport = Transport(endpoint, Reply, counters, limit, received, door.client, rules, told["base_url"])
    return dict.fromkeys((ENDPOINT, CARD), transport)


def spoken(pointed: Path, index: Path, inbox: SqlInbox) -> Endpoint:
    """The endpoint over the edition that a pointer file names and the search index beside it, for one process."""
    edition = open_edition(pointed)
    queue = Inbox(inbox, inbox_limit(edition.facts["limits"]["inbox"]))
    return Endpoint(offer(), Worlds(lambda: edition, index, clock.now, queue))
