"""``citepress serve --edition``: a server without a content folder, which takes its edition from an object store."""

import threading
from pathlib import Path

from citepress.admin.build import BuildResult
from citepress.app.worker import check_start
from citepress.cli.console import note, warn
from citepress.cli.faults import written
from citepress.contract.fault import Faults
from citepress.contract.site import Deployment
from citepress.edition.edition import pointer, publication_of
from citepress.settings import Settings, SettingsError
from citepress.stores.sql.database import Database
from citepress_fleet.cli.edition_options import EditionOptions
from citepress_fleet.distribution import edition_follower, server_deployment
from citepress_fleet.following import EditionFollower, Trust

AGAIN_S = 1.0
"""Seconds between two attempts to get a first edition."""
PATIENCE_S = 10.0
"""Seconds that a server waits for the newest edition before it begins with the one that it has."""


class EditionServer:
    """What follows an object store beside the workers, as ``Publisher`` follows a content folder."""

    def __init__(self, settings: Settings, database: Database, options: EditionOptions) -> None:
        """Raises ``CitepressError`` where the settings of this server or the address of the store are wrong."""
        self._settings = settings
        self._database = database
        self._target = options.edition or ""
        self._stopped = threading.Event()
        self._deployment = _deployment(settings, options.settings)
        trust = Trust(settings.variables.get("EDITION_KEY"), unsigned=options.allow_unsigned, older=options.allow_older)
        self._follower: EditionFollower = edition_follower(settings, self._target, trust, self._deployment, note, warn)
        self._beginning = threading.Thread(target=self._begin, name="first-edition", daemon=True)
        self._following = threading.Thread(target=self._follow, name="follow-edition", daemon=True)

    def first(self) -> BuildResult | None:
        """The edition to begin with: the newest one, or the last good one while the store is away or slow.

        Waits for a first edition, for without one there is nothing to answer.
        """
        self._beginning.start()
        self._beginning.join(PATIENCE_S)
        while self._beginning.is_alive() and self._follower.served() is None:
            self._beginning.join(AGAIN_S)
        if self._follower.served() is None:
            return None
        check_start(pointer(self._settings.state), self._database, warn)
        return BuildResult(None, pointer(self._settings.state))

    def follow(self) -> None:
        """Start to follow the store."""
        self._following.start()

    def _begin(self) -> None:
        """Look at the store until there is an edition."""
        self._follower.look()
        while self._follower.served() is None and not self._stopped.wait(AGAIN_S):
            self._follower.look()

    def _follow(self) -> None:
        """Look again and again, behind a first look that a slow store may still delay."""
        self._beginning.join()
        self._follower.run(self._stopped)

    def reload(self) -> None:
        """Do nothing: the store is followed anyway."""

    def stop(self, seconds: float = 0.0) -> None:
        """Stop following."""
        self._stopped.set()
        if self._following.ident:
            self._following.join(seconds)

    def description(self) -> str:
        """What is served, for the line that is printed at the start."""
        published = publication_of(pointer(self._settings.state))
        return f"edition {published[0]} of {self._target}" if published else self._target


def _deployment(settings: Settings, file: Path | None) -> Deployment:
    try:
        return server_deployment(settings, file)
    except Faults as faults:
        raise SettingsError(written(faults.faults, "text", records=None, terminal=False).rstrip()) from None
