"""The service as an ASGI application, for a server other than our own: ``uvicorn citepress.asgi:application``."""

import os
from pathlib import Path

from citepress.admin.build import Builder
from citepress.admin.edition_provider import edition_provider
from citepress.app.worker import load
from citepress.base import clock
from citepress.base.errors import CitepressError
from citepress.contract.fault import Faults
from citepress.http.message import Receive
from citepress.settings import ENV_PREFIX, Settings, from_environment
from citepress.web.asgi import Asgi, Scope, Send


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
        """The application over the edition of the content as it is now, or over one from elsewhere."""
        if self._asgi is None:
            source = edition_provider()
            named = bool(source.variable and os.environ.get(ENV_PREFIX + source.variable))
            settings = from_environment(Path("." if named else os.environ.get(ENV_PREFIX + "CONTENT") or "."))
            self._asgi = load(settings, source.followed(settings) if named else _built(settings))()
        return self._asgi


def _built(settings: Settings) -> Path:
    """The pointer to the edition of the content as it is now."""
    builder, moment = Builder(settings, lasting=False), clock.now()
    built = builder.ensure(moment)
    builder.index(built, moment)
    return built.pointer


def _sentence(error: Exception) -> str:
    if isinstance(error, Faults):
        return f"The content has {error}; citepress check shows them."
    return str(error)


application = EnvironmentApplication()
"""What an ASGI server is given."""
