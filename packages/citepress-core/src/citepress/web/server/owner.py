"""The interface between a connection and the worker that owns it."""

import asyncio
from typing import Protocol, TypeVar

from citepress.web.server import wire
from citepress.web.site import SiteApp

Owned_contra = TypeVar("Owned_contra", contravariant=True)
"""The type of the connections."""


class ConnectionOwner(Protocol[Owned_contra]):
    """What a connection needs of the process that it is in."""

    site_app: SiteApp
    tails: wire.HeaderSuffixes
    """How headers end this second."""
    tick: int
    """Seconds, counted."""
    stopping: bool
    loop: asyncio.AbstractEventLoop

    def came(self, connection: Owned_contra) -> bool:
        """Register a new connection; return whether there is room for it."""
        ...

    def went(self, connection: Owned_contra) -> None:
        """Unregister a connection that ended."""
        ...

    def defer(self, connection: Owned_contra) -> None:
        """Give a connection another turn when those that wait have had theirs."""
        ...
