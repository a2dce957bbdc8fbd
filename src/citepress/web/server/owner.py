"""What a connection needs of the process that it is in."""

import asyncio
from typing import TYPE_CHECKING, Protocol

from citepress.web.server import wire
from citepress.web.site import SiteApp

if TYPE_CHECKING:
    from citepress.web.server.connection import Connection


class ConnectionOwner(Protocol):
    """What a connection needs of the process that it is in."""

    site_app: SiteApp
    tails: wire.HeaderSuffixes
    """How headers end this second."""
    tick: int
    """Seconds, counted."""
    stopping: bool
    loop: asyncio.AbstractEventLoop

    def came(self, connection: "Connection") -> bool:
        """Register a new connection; return whether there is room for it."""
        ...

    def went(self, connection: "Connection") -> None:
        """Unregister a connection that ended."""
        ...

    def defer(self, connection: "Connection") -> None:
        """Give a connection another turn when those that wait have had theirs."""
        ...
