"""The service as an ASGI application, for a server other than our own: ``uvicorn citepress.asgi:application``."""

import os
from pathlib import Path

from citepress.admin.build import Builder
from citepress.app.worker import load
from citepress.base import clock
from citepress.base.errors import CitepressError
from citepress.contract.fault import Faults
from citepress.http.message import Receive
from citepress.settings import PREFIX, from_environment
from citepress.web.asgi import Asgi, Scope, Send


class EnvironmentApplication:
    """The application of one worker process, from ``CITEPRESS_CONTENT`` and other variables, made at the first call."""

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
        """The application over the edition of the content as it is now."""
        if self._asgi is None:
            settings = from_environment(Path(os.environ.get(PREFIX + "CONTENT") or "."))
            builder, moment = Builder(settings), clock.now()
            built = builder.ensure(moment)
            builder.index(built, moment)
            self._asgi = load(settings, built.pointer)()
        return self._asgi


def _sentence(error: Exception) -> str:
    if isinstance(error, Faults):
        return f"The content has {error}; citepress check shows them."
    return str(error)


application = EnvironmentApplication()
"""What an ASGI server is given."""
