"""The service as an ASGI application, for a server other than our own: ``uvicorn citepress.asgi:application``."""

import logging
import os
import threading
import time
from pathlib import Path

from citepress.admin.build import Builder
from citepress.app.worker import load
from citepress.base import clock
from citepress.base.errors import CitepressError
from citepress.contract.fault import Faults
from citepress.edition.edition import pointer
from citepress.http.message import Receive
from citepress.settings import PREFIX, Settings, SettingsError, from_environment
from citepress.stores.local.election import FileElection
from citepress.web.asgi import Asgi, Scope, Send
from citepress_fleet.distribution import edition_follower, server_deployment
from citepress_fleet.following import POLL_S, Trust

LOCK = "follow.lock"
"""File in the state folder; the process that holds it follows the store."""
AGAIN_S, FIRST_S = 0.5, 60.0
"""Seconds between two attempts to get a first edition, and until a start without one fails."""
log = logging.getLogger(__name__)


class EnvironmentApplication:
    """The application of one worker process, from variables of the environment, made at the first call."""

    def __init__(self) -> None:
        self._asgi: Asgi | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a scope on; a content folder that cannot be served fails the start-up with one sentence."""
        try:
            asgi = self._loaded()
        except (CitepressError, Faults, OSError) as error:
            if scope["type"] != "lifespan":
                raise
            await receive()
            await send({"type": "lifespan.startup.failed", "message": _sentence(error)})
            return
        await asgi(scope, receive, send)

    def _loaded(self) -> Asgi:
        """The application over the edition of the content as it is now, or over that of an object store."""
        if self._asgi is None:
            target = os.environ.get(PREFIX + "EDITION")
            settings = from_environment(Path("." if target else os.environ.get(PREFIX + "CONTENT") or "."))
            self._asgi = load(settings, _followed(settings, target) if target else _built(settings))()
        return self._asgi


def _built(settings: Settings) -> Path:
    """The pointer to the edition of the content as it is now."""
    builder, moment = Builder(settings, lasting=False), clock.now()
    built = builder.ensure(moment)
    builder.index(built, moment)
    return built.pointer


def _followed(settings: Settings, target: str) -> Path:
    """The pointer to the edition of an object store, which a thread keeps current. Raises ``CitepressError``."""
    file = os.environ.get(PREFIX + "SETTINGS")
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


def _sentence(error: Exception) -> str:
    if isinstance(error, Faults):
        return f"The content has {error}; citepress check shows them."
    return str(error)


application = EnvironmentApplication()
"""What an ASGI server is given."""
