"""What a connection needs of the process that it is in."""

import asyncio
from typing import Protocol, TypeVar

from citepress.web.server import wire
from citepress.web.site import SiteApp

Owned = TypeVar("Owned", contravariant=True)
"""The type of the connections."""


class ConnectionOwner(Protocol[Owned]):
    """What a connection needs of the process that it is in."""

    site_app: SiteApp
    tails: wire.HeaderSuffixes
    """How headers end this second."""
    tick: int
    """Seconds, counted."""
    stopping: bool
    loop: asyncio.AbstractEventLoop

    def came(self, connection: Owned) -> bool:
        """Register a new connection; return whether there is room for it."""
        ...

    def went(self, connection: Owned) -> None:
        """Unregister a connection that ended."""
        ...

    def defer(self, connection: Owned) -> None:
        """Give a connection another turn when those that wait have had theirs."""
        ...
