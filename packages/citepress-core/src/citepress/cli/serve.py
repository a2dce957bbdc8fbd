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
        Folder of the state; state/ in the content folder when left out.
    watch
        Publish changes to the content when they are saved; while it has faults, the last good edition stays.
    drafts
        Show drafts.
    workers
        Worker processes; as many as the machine has cores, at most 4, when left out.
    admin
        Private address for /live, /ready and /metrics, such as 127.0.0.1:9000; none when left out.
    log
        Lines of text or of JSON on standard error.
    break_history
        Begin a new log of editions where that is damaged, and take a new key where the former is lost.
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
