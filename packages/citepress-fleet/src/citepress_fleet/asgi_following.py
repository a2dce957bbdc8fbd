"""Follows an object store beside the workers of a foreign ASGI server: ``CITEPRESS_EDITION``."""

import logging
import threading
import time
from pathlib import Path

from citepress.edition.edition import pointer
from citepress.settings import Settings, SettingsError
from citepress.stores.local.election import FileElection
from citepress_fleet.distribution import edition_follower, server_deployment
from citepress_fleet.following import POLL_S, Trust

LOCK = "follow.lock"
"""File in the state folder; the process that holds it follows the store."""
AGAIN_S, FIRST_S = 0.5, 60.0
"""Seconds between two attempts to get a first edition, and until a start without one fails."""
log = logging.getLogger(__name__)


def followed(settings: Settings) -> Path:
    """The pointer to the edition of an object store, which a thread keeps current. Raises ``CitepressError``."""
    target, file = settings.variables["EDITION"], settings.variables.get("SETTINGS")
    deployment = server_deployment(settings, Path(file) if file else None)
    trust = Trust(settings.variables.get("EDITION_KEY"))
    follower = edition_follower(settings, target, trust, deployment, log.info, log.warning)
    served = threading.Event()

    def follow() -> None:
        election = FileElection(settings.state, LOCK)  # one of the processes that share the folder
        while True:
            if election.won():
                follower.look()
            if follower.served():
                served.set()
            time.sleep(POLL_S if served.is_set() else AGAIN_S)

    threading.Thread(target=follow, name="follow-edition", daemon=True).start()
    if not served.wait(FIRST_S):
        raise SettingsError(f"no edition of {target} could be had in {FIRST_S:.0f} seconds; the log says why")
    return pointer(settings.state)
