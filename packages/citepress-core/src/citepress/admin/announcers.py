"""Who is told of each edition that a server makes."""

from pathlib import Path
from typing import Protocol, runtime_checkable

from citepress.hooks import results
from citepress.settings import Settings


@runtime_checkable
class Announcer(Protocol):
    """Is told of each edition that is made; publishing neither waits for it nor fails with it."""

    def announce_later(self, pointed: Path) -> None:
        """The edition of a pointer file was made; nothing is done before ``follow``."""
        ...

    def follow(self) -> None:
        """Work from now on, in threads."""
        ...

    def stop(self) -> None:
        """End that."""
        ...


def announcers(settings: Settings) -> tuple[Announcer, ...]:
    """Who is told of editions."""
    return tuple(announcer for _, announcer in results("publications", Announcer, settings, logged=True))
