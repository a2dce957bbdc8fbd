"""``citepress backup`` and ``citepress restore``: copies of what cannot be built again."""

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from citepress.admin.backup import BackupError, Manifest, back_up, verify
from citepress.admin.backup import restore as restore_state
from citepress.admin.restore_drill import drill as restore_on_trial
from citepress.base.folder_lock import exclusive
from citepress.cli.console import Folder as Content
from citepress.cli.console import Json, StateOption, say, unlogged, waiting_for, write
from citepress.cli.progress import working
from citepress.settings import from_environment


def backup(
    folder: Annotated[Path, Parameter(help="The folder to create.")],
    /,
    content: Content = Path(),
    *,
    state: StateOption = None,
    json: Json = False,
) -> int:
    """Copy what cannot be built again into a new folder."""
    with unlogged(), working("Copying"):
        manifest = back_up(from_environment(content, state=state), folder)
    _show(manifest, f"Backed up to {folder}", as_json=json)
    return 0


def restore(
    folder: Annotated[Path, Parameter(help="The folder that citepress backup created.")],
    /,
    content: Content = Path(),
    *,
    verify_only: Annotated[
        bool, Parameter(name="--verify", help="Compare every row with the manifest; restore nothing.")
    ] = False,
    drill: Annotated[bool, Parameter(help="Restore into a temporary folder, check it, and record the date.")] = False,
    state: StateOption = None,
    json: Json = False,
) -> int:
    """Write a backup into an empty state folder or database, and read every row back."""
    settings = from_environment(content, state=state)
    if verify_only and drill:
        raise BackupError("--drill compares every row too: leave out --verify")
    if drill:
        with unlogged(), working("Restoring on trial"):
            manifest = restore_on_trial(settings, folder)
        _show(manifest, f"{folder} can be restored", as_json=json)
        return 0
    if verify_only:
        with working("Comparing"):
            manifest = verify(folder)
        _show(manifest, f"{folder} is whole", as_json=json)
        return 0
    with unlogged(), exclusive(settings.state, 0, waiting_for), working("Restoring"):
        manifest = restore_state(settings, folder)
    _show(manifest, f"Restored {folder}", as_json=json)
    return 0


def _show(manifest: Manifest, what: str, *, as_json: bool) -> None:
    if as_json:
        write(manifest.model_dump_json(indent=2).encode() + b"\n")
        return
    tables = [table for tables in manifest.databases.values() for table in tables.values()]
    say(f"{what}: {manifest.rows:,} rows in {len(tables)} tables, of {manifest.created_at}; every row was read back.")
