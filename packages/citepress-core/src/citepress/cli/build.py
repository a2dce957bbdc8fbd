"""``citepress build``: a static export of the edition, for any file host."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from citepress.admin.build import separate_builder
from citepress.admin.public_address import HINT, has_public_address
from citepress.admin.state_folders import EXPORT
from citepress.app.registry import render_context
from citepress.archive.model import Archive
from citepress.base import clock
from citepress.base.replaced_folder import replacing_folder, restore_folder
from citepress.base.text import counted
from citepress.cli import database, export
from citepress.cli.console import Folder, answer, complain, is_content, report, waiting_for, warn
from citepress.cli.faults import written
from citepress.cli.progress import building, working
from citepress.contract.fault import Faults
from citepress.edition.edition import Edition, open_edition
from citepress.edition.render_context import DATABASE
from citepress.settings import Settings, from_environment


def build(
    folder: Folder = Path(),
    *,
    output: Annotated[Path, Parameter(alias="-o")] = Path("dist"),
    base_url: str | None = None,
    drafts: bool = False,
    search: Annotated[bool | None, Parameter(negative="--no-search")] = None,
    state: Path | None = None,
    break_history: bool = False,
    json: bool = False,
) -> int:
    """Write every publication path as a file, with _headers, _redirects and archive.db.

    Parameters
    ----------
    folder
        The content folder.
    output
        Folder to write: empty, or an earlier export.
    base_url
        Public address; overrides base_url in site.toml.
    drafts
        Include drafts.
    search
        Search in the browser, with a script; overrides [export] in site.toml.
    state
        Folder of the state; by default state/ in the content folder.
    break_history
        Begin a new log of editions, or take a new key, where the former is damaged or lost.
    json
        Print JSON.
    """
    if not is_content(folder):
        return 2
    restore_folder(output)
    if not export.may_replace(output):
        complain(f"{output} is not an earlier export; choose another folder with --output")
        return 1
    environment = from_environment(folder, state=state, drafts=drafts, base_url=base_url)
    return _exported(replace(environment, break_history=break_history), output, search, as_json=json)


def _exported(settings: Settings, output: Path, search: bool | None, *, as_json: bool) -> int:
    """Build the edition and write its files."""
    try:
        with separate_builder(settings, EXPORT, waiting_for, exported=True, searched=search) as builder:
            with building("Reading and rendering"):
                built = builder.ensure(clock.now())
                archive = built.archive or builder.archive(clock.now())[0]
            edition = open_edition(built.pointer)
            edition.render_with(lambda archive: render_context(replace(archive, exported=True)))
            count = _write(edition, archive, output)
    except Faults as faults:
        report(written(faults.faults, "text", records=None, terminal=False).rstrip())
        return 1
    base = edition.config.base_url
    text = f"{output}: {counted(count, 'file')}, edition {edition.digest[:16]}, base address {base}"
    done = {"output": str(output), "files": count, "edition": edition.digest, "base_url": base}
    answer(text, done, as_json=as_json)
    if built.held_back:
        warn(f"{built.held_back}; `citepress check --all` names each.")
    if hosts := export.exceeded_hosts(count):
        warn(f"{count:,} files are more than {hosts} take: choose another host, or serve them with nginx or Caddy.")
    if not has_public_address(settings):
        warn(f"The public address is not set, so feeds, sitemaps and canonical links lead to {base}: {HINT}.")
    return 0


def _write(edition: Edition, archive: Archive, output: Path) -> int:
    """Write an edition and its database in place of an earlier export; return the number of files."""
    with replacing_folder(output) as part:
        addresses = list(edition.addresses())
        with building("Writing", len(addresses)):
            count = export.write(edition, addresses, part)
        with working("Writing archive.db"):
            database.write(archive, part / DATABASE.lstrip("/"))
    return count
