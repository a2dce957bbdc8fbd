"""Tells the hub of the feeds about each edition, in a thread beside what publishes it."""

import threading
from collections.abc import Mapping
from pathlib import Path

from citepress.admin.build import separate_output
from citepress.admin.state_folders import PUBLISHED_FOLDER
from citepress.base.errors import CitepressError
from citepress.base.folder_lock import exclusive
from citepress.base.public_urls import is_public_site
from citepress.base.text import counted
from citepress.cli.console import note, warn
from citepress.edition.edition import open_edition
from citepress.settings import Settings
from citepress_fleet.announcing import ChangeAnnouncer
from citepress_fleet.cli.ping import TELLING

PAUSE_S = 5.0
"""Seconds from an edition to the first request: a hub fetches the feeds at once, and servers that follow an object
store look every two seconds. What is saved in the meantime is told with it."""
MAX_ROUND_S = 120.0
"""Seconds after which no further request about one edition begins."""
FINISH_S = 30.0
"""How long a command that is done waits for the hub."""
REST = "The next edition tells it the rest."


class HubAnnouncer:
    """Tells the hub which feeds an edition changed, where the site names one and its address is public.

    Publishing neither waits for it nor fails with it. What was told is remembered where ``citepress ping`` does.
    """

    def __init__(self, settings: Settings) -> None:
        self._drafts = settings.drafts
        self._memory = separate_output(settings, PUBLISHED_FOLDER)
        self._pointer: Path | None = None
        self._waiting, self._stopped = threading.Event(), threading.Event()

    def announce_later(self, pointed: Path) -> None:
        """Have the hub notified of the edition of a pointer, by the thread of ``follow`` or by ``finish``."""
        self._pointer = pointed
        self._waiting.set()

    def follow(self) -> None:
        """Start the thread."""
        threading.Thread(target=self._keep, name="hub", daemon=True).start()

    def stop(self) -> None:
        """End it; a request that is under way is repeated by the next run, unless its answer was noted."""
        self._stopped.set()
        self._waiting.set()

    def finish(self) -> None:
        """Tell the hub now, and come back when it was notified, or after ``FINISH_S`` seconds."""
        thread = threading.Thread(target=self._tell, name="hub", daemon=True)
        thread.start()
        thread.join(FINISH_S)
        if thread.is_alive():
            note(f"The WebSub hub takes too long. {REST}")

    def _keep(self) -> None:
        while self._waiting.wait() and not self._stopped.is_set():
            self._waiting.clear()
            self._tell()

    def _tell(self) -> None:
        try:
            if (announcer := self._announcer()) is None or not any(announcer.announcements()):
                return
            if self._stopped.wait(PAUSE_S):
                return
            self._waiting.clear()  # the edition is opened anew below, so that is told now
            with exclusive(self._memory / TELLING, FINISH_S, lambda _: None):
                if announcer := self._announcer():
                    _report(*announcer.tell(MAX_ROUND_S))
        except (CitepressError, OSError, ValueError) as error:
            warn(f"The WebSub hub was not notified: {error}. {REST}")

    def _announcer(self) -> ChangeAnnouncer | None:
        """``None`` where nobody is told: without a hub, of drafts, or where readers elsewhere cannot find the site."""
        if self._drafts or self._pointer is None:
            return None
        edition = open_edition(self._pointer)
        if not edition.config.publication.hub or not is_public_site(edition.config.base_url):
            return None
        return ChangeAnnouncer(self._memory, edition, sleep=self._stopped.wait, hub_only=True)


def _report(counts: Mapping[str, int], failures: Mapping[str, str]) -> None:
    if failures:
        warn(f"The WebSub hub was not notified of every change: {failures['hub']}. {REST}")
    elif counts:
        note(f"Notified the WebSub hub of {counted(counts['hub'], 'changed feed')}.")


PUBLICATIONS = (HubAnnouncer,)
