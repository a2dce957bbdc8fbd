"""``citepress serve``: the options of the command; ``service`` runs it."""

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias

from cyclopts import Parameter

from citepress.admin.edition_provider import EditionProvider, edition_provider
from citepress.base.gc_pause import paused_gc
from citepress.cli.early_survey import early_survey

OPTIONS = edition_provider()
if TYPE_CHECKING:
    Source: TypeAlias = EditionProvider
else:
    Source = Annotated[OPTIONS, Parameter(parse=OPTIONS is not EditionProvider)]
FOLDER = OPTIONS()
"""The edition is made from a content folder."""


def serve(  # noqa: PLR0913  (one parameter for each option)
    folder: Annotated[Path | None, Parameter(name="--content")] = None,
    *,
    host: str = "127.0.0.1",
    port: int = 8000,
    state: Path | None = None,
    watch: bool = False,
    drafts: bool = False,
    workers: int | None = None,
    admin: str | None = None,
    log: Literal["text", "json"] = "text",
    break_history: bool = False,
    source: Source = FOLDER,
) -> int:
    """Serve a content folder over HTTP until SIGTERM or Ctrl-C.

    Parameters
    ----------
    folder
        The content folder.
    host
        Address to listen on.
    port
        Port to listen on.
    state
        Folder of the state; by default state/ in the content folder.
    watch
        Publish on every save; while there are faults, the last good edition stays.
    drafts
        Show drafts.
    workers
        Worker processes; by default one for each core, at most 4.
    admin
        Private address for /live, /ready and /metrics, such as 127.0.0.1:9000.
    log
        Format of the log on standard error.
    break_history
        Begin a new log of editions, or take a new key, where the former is damaged or lost.
    source
        Where the edition comes from, if not from a content folder.
    """
    content = None if watch or source.is_chosen else early_survey(folder or Path())
    # Nearly the whole package is imported here, which takes a second of the processor. All of it stays.
    with paused_gc():
        service = import_module("citepress.cli.service")
    options = service.ServeOptions(folder, host, port, state, watch, drafts, workers, admin, log, break_history, source)
    code: int = service.run(options, content)
    return code
