"""``citepress build``: a static export of the edition, for any file host."""

import shutil
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter
from rich.progress import track

from citepress.app import Builder
from citepress.app.build import EXPORT, separate_output
from citepress.base import clock
from citepress.cli import database, export
from citepress.cli.console import complain, err, note, say
from citepress.cli.faults import written
from citepress.contract.fault import Faults
from citepress.edition.edition import open_edition
from citepress.settings import from_environment


def build(
    folder: Path = Path(),
    /,
    *,
    output: Annotated[Path, Parameter(alias="-o")] = Path("dist"),
    base_url: str | None = None,
    drafts: bool = False,
    state: Path | None = None,
) -> int:
    """Write every publication path as a file, with _headers, _redirects and archive.db.

    Parameters
    ----------
    folder
        The content folder.
    output
        Folder to write; replaced when it is an export of before, refused when it holds anything else.
    base_url
        Public address; site.toml's when left out.
    drafts
        Include drafts.
    state
        Folder that keeps the packed edition between builds.
    """
    if not folder.is_dir():
        complain(f"{folder} is no folder; name the folder that holds the content")
        return 2
    if not export.may_replace(output):
        complain(f"{output} holds files that no export wrote; choose another folder with --output")
        return 1
    settings = from_environment(folder, state=state, drafts=drafts, base_url=base_url)
    builder = Builder(settings, separate_output(settings, EXPORT))
    try:
        built = builder.ensure(clock.now())
        archive, _ = builder.archive(clock.now())
    except Faults as faults:
        note(written(faults.faults, "text", records=None, terminal=False).rstrip())
        return 1
    edition = open_edition(built.pointer)
    part = output.with_name(f".{output.name}.part")
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir(parents=True)
    watched = track(list(edition.paths()), "Writing", console=err, disable=not err.is_terminal, transient=True)
    count = export.write(edition, watched, part)
    database.write(archive, part / "archive.db")
    if output.exists():
        shutil.rmtree(output)
    part.replace(output)
    say(f"{output}: {count} files, edition {edition.digest[:16]}, base address {edition.facts['base_url']}")
    return 0
